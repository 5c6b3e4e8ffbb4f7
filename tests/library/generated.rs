//! What the generated cases promise: every cell and every pair occurs in a case that gates.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use opcert::backend::{AttributeValue, DataType, Descriptor};
use opcert::case::CaseSource;
use opcert::check::{CheckedCase, Suite, ValidCase};
use opcert::element::integer;
use opcert::source::Source;
use opcert::spec::{Level, Specs};

const INTEGERS: [DataType; 4] = [DataType::I64, DataType::I32, DataType::U64, DataType::U32];
const DIRECTIONS: [&str; 2] = ["DML_AXIS_DIRECTION_INCREASING", "DML_AXIS_DIRECTION_DECREASING"];

fn specs() -> Specs {
    Specs::load(&Source::embedded_specs()).unwrap()
}

fn suite(specs: &Specs) -> Suite {
    Suite::load(&CaseSource(Source::embedded_cases()), specs, |_| true).unwrap()
}

/// The valid cases of an operator that are dispatched and judged.
fn judged<'a>(suite: &'a Suite, operator: &str) -> Vec<&'a ValidCase> {
    let valid = suite.cases.iter().filter_map(|case| match case {
        CheckedCase::Valid(case) => Some(case),
        CheckedCase::Refused(_) => None,
    });
    valid
        .filter(|case| case.about.operator.id == operator && case.about.gates() && case.is_dispatched())
        .filter(|case| !case.about.large)
        .collect()
}

fn has(descriptor: &Descriptor, tensor: &str, data_type: DataType, dimensions: usize) -> bool {
    let tensor = descriptor.tensor(tensor);
    tensor.is_some_and(|tensor| tensor.data_type == data_type && tensor.dimension_count() == dimensions)
}

/// A cell is refused one level below by the very descriptor that is accepted at its level, or by one with its type and
/// dimension count; both sides are looked up in what the validator made of the files.
#[test]
fn every_cell_is_accepted_at_its_first_level_and_refused_below() {
    let specs = specs();
    let suite = suite(&specs);
    let (mut missing, mut cells) = (Vec::new(), 0);
    for operator in &specs.operators {
        let mut seen = BTreeSet::new();
        for row in &operator.support {
            // Of the lowest level there is nothing below.
            let below = row.from.0.checked_sub(1).map(Level);
            // A list stands in the table once, and its first tensor is always there.
            let is_entry = |tensor: &str| operator.entries().any(|entry| operator.meant_by(entry)[0] == tensor);
            for (tensor, dimensions, types) in row.tensors.iter().filter(|(tensor, ..)| is_entry(tensor)) {
                let counts = (1..=8).filter(|&count| dimensions.contains(count));
                for (count, &data_type) in counts.flat_map(|count| types.iter().map(move |each| (count, each))) {
                    if !seen.insert((tensor, count, data_type)) {
                        continue;
                    }
                    cells += 1;
                    let of_operator = suite.cases.iter().filter(|case| case.about().operator.id == operator.id);
                    let accepted = of_operator.clone().any(|case| match case {
                        CheckedCase::Valid(case) => {
                            case.level == row.from && has(&case.descriptor, tensor, data_type, count)
                        }
                        CheckedCase::Refused(_) => false,
                    });
                    let refused = of_operator.clone().any(|case| match case {
                        CheckedCase::Refused(case) => {
                            Some(case.last) == below && has(&case.descriptor, tensor, data_type, count)
                        }
                        CheckedCase::Valid(_) => false,
                    });
                    if !accepted || !refused && below.is_some() {
                        let (id, level) = (&operator.id, operator.family.level_name(row.from));
                        missing.push(format!("{id} {level}: {tensor} {data_type} {count}-D ({accepted}, {refused})"));
                    }
                }
            }
        }
    }
    assert!(cells > 300, "{cells}");
    assert_eq!(missing, [""; 0]);
}

/// What is not found of what is wanted.
fn missing<T: Ord + Copy + std::fmt::Debug>(found: &BTreeSet<T>, wanted: impl IntoIterator<Item = T>) -> Vec<T> {
    wanted.into_iter().filter(|each| !found.contains(each)).collect()
}

fn pairs<A: Copy, B: Copy>(ones: impl IntoIterator<Item = A>, others: &[B]) -> Vec<(A, B)> {
    ones.into_iter().flat_map(|one| others.iter().map(move |&other| (one, other))).collect()
}

fn position(axis: usize, count: usize) -> &'static str {
    match (axis, count - 1 - axis) {
        (0, _) => "first",
        (_, 0) => "last",
        _ => "middle",
    }
}

const POSITIONS: [&str; 3] = ["first", "middle", "last"];

#[test]
fn one_hot_has_every_pair() {
    let specs = specs();
    let suite = suite(&specs);
    let (mut types, mut axes, mut positions, mut classes) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for case in judged(&suite, "directml/one_hot") {
        let [indices, output] = ["IndicesTensor", "OutputTensor"].map(|name| case.descriptor.tensor(name).unwrap());
        let axis = case.descriptor.integer("Axis").unwrap() as usize;
        let count = output.dimension_count();
        types.insert((output.data_type, count));
        types.insert((indices.data_type, count));
        axes.insert((count, axis));
        if count > 2 {
            positions.insert((output.data_type, position(axis, count)));
            positions.insert((indices.data_type, position(axis, count)));
        }
        let elements = case.inputs[0].data.elements();
        for element in elements.chunks_exact(indices.data_type.bytes()).take(64) {
            let index = integer(element, indices.data_type).unwrap();
            classes.insert((indices.data_type, class(index, output.sizes[axis].into())));
        }
    }
    let values = DataType::ALL.into_iter().filter(|each| ![DataType::BF16, DataType::Bool].contains(each));
    let counts: Vec<usize> = (1..=8).collect();
    assert_eq!(missing(&types, pairs(values.clone(), &counts)), []);
    assert_eq!(missing(&types, pairs(INTEGERS, &counts)), []);
    assert_eq!(missing(&axes, (1..=8).flat_map(|count| (0..count).map(move |axis| (count, axis)))), []);
    assert_eq!(missing(&positions, pairs(values.chain(INTEGERS), &POSITIONS)), []);
    let above = ["first", "last", "size", "size + 1", "2 size", "far above"];
    assert_eq!(missing(&classes, pairs(INTEGERS, &above)), []);
    let below = ["-1", "-size", "-size - 1", "-2 size", "far below"];
    assert_eq!(missing(&classes, pairs([DataType::I64, DataType::I32], &below)), []);
    assert_eq!(missing(&classes, pairs([DataType::I64, DataType::U64], &["low word valid", "above 2^32"])), []);
    assert_eq!(missing(&classes, [(DataType::U64, "above 2^63"), (DataType::U64, "2^64 - 1")]), []);
}

/// What an index is to a sequence of `size` elements.
fn class(index: i128, size: i128) -> &'static str {
    match index {
        0 => "first",
        _ if index == size - 1 => "last",
        _ if index == size => "size",
        _ if index == size + 1 => "size + 1",
        _ if index == 2 * size => "2 size",
        -1 => "-1",
        _ if index == -size => "-size",
        _ if index == -size - 1 => "-size - 1",
        _ if index == -2 * size => "-2 size",
        _ if index == i128::from(u64::MAX) => "2^64 - 1",
        _ if index >= 1 << 63 => "above 2^63",
        _ if index > 1 << 32 && index & 0xFFFF_FFFF < size => "low word valid",
        _ if index > 1 << 32 => "above 2^32",
        _ if index > size => "far above",
        _ if index < -size => "far below",
        _ => "inside",
    }
}

#[test]
fn openvino_one_hot_has_every_pair() {
    let specs = specs();
    let suite = suite(&specs);
    let (mut types, mut axes, mut classes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for case in judged(&suite, "openvino/one_hot_1") {
        let [indices, output] = ["indices", "output"].map(|name| case.descriptor.tensor(name).unwrap());
        let rank = indices.dimension_count();
        let axis = case.descriptor.integer("axis").unwrap();
        types.insert((output.data_type, rank));
        types.insert((indices.data_type, rank));
        axes.insert((rank as i64, axis));
        let depth = integer(case.descriptor.constant("depth").unwrap(), indices.data_type).unwrap();
        let elements = case.inputs[0].data.elements();
        for element in elements.chunks_exact(indices.data_type.bytes()).take(64) {
            classes.insert((indices.data_type, class(integer(element, indices.data_type).unwrap(), depth)));
        }
    }
    let ranks: Vec<usize> = (0..=7).collect();
    assert_eq!(missing(&types, pairs(DataType::ALL, &ranks)), []);
    assert_eq!(missing(&types, pairs([DataType::I64, DataType::I32], &ranks)), []);
    let every_axis = (0..=7i64).flat_map(|rank| (-rank - 1..=rank).map(move |axis| (rank, axis)));
    assert_eq!(missing(&axes, every_axis), []);
    let above = ["first", "last", "size", "size + 1", "2 size", "far above"];
    assert_eq!(missing(&classes, pairs([DataType::I64, DataType::I32], &above)), []);
    assert_eq!(missing(&classes, [(DataType::I64, "low word valid")]), []);
}

#[test]
fn argmax_has_every_pair() {
    let specs = specs();
    let suite = suite(&specs);
    let (mut types, mut axes, mut positions, mut ties) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for case in judged(&suite, "directml/argmax") {
        let [input, output] = ["InputTensor", "OutputTensor"].map(|name| case.descriptor.tensor(name).unwrap());
        let Some(AttributeValue::Integers(listed)) = case.descriptor.attribute("Axes") else { continue };
        let count = input.dimension_count();
        types.insert((input.data_type, count));
        types.insert((output.data_type, count));
        if let [axis] = listed[..] {
            axes.insert((count, axis as usize));
            if count > 2 {
                positions.insert((input.data_type, position(axis as usize, count)));
            }
            if axis as usize == count - 1 && input.element_count() < Some(4096) {
                let direction = case.descriptor.enumerator("AxisDirection").unwrap();
                let direction = DIRECTIONS.into_iter().find(|each| *each == direction).unwrap();
                let elements = case.inputs[0].data.elements();
                let row = *input.sizes.last().unwrap() as usize * input.data_type.bytes();
                let found = elements.chunks_exact(row).map(|row| tie(row, input.data_type));
                ties.extend(found.map(|tie| (direction, tie, input.data_type)));
            }
        }
    }
    let inputs =
        DataType::ALL.into_iter().filter(|each| ![DataType::F64, DataType::BF16, DataType::Bool].contains(each));
    let counts: Vec<usize> = (1..=8).collect();
    assert_eq!(missing(&types, pairs(inputs.clone(), &counts)), []);
    assert_eq!(missing(&types, pairs(INTEGERS, &counts)), []);
    assert_eq!(missing(&axes, (1..=8).flat_map(|count| (0..count).map(move |axis| (count, axis)))), []);
    assert_eq!(missing(&positions, pairs(inputs.clone(), &POSITIONS)), []);
    let patterns = ["none", "all", "first and last", "at the start", "at the end", "neighbours", "apart", "several"];
    let wanted = DIRECTIONS.into_iter().flat_map(|direction| {
        let inputs = inputs.clone();
        patterns.into_iter().flat_map(move |tie| inputs.clone().map(move |each| (direction, tie, each)))
    });
    assert_eq!(missing(&ties, wanted), []);
}

/// Where the greatest elements of a row stand.
fn tie(row: &[u8], data_type: DataType) -> &'static str {
    let values: Vec<f64> = row.chunks_exact(data_type.bytes()).map(|element| number(element, data_type)).collect();
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let places: Vec<usize> = (0..values.len()).filter(|&at| values[at] == greatest).collect();
    let last = values.len() - 1;
    match places[..] {
        _ if places.len() == values.len() => "all",
        [_] => "none",
        [0, other] if other == last => "first and last",
        [0, ..] => "at the start",
        [.., end] if end == last => "at the end",
        [one, other] if other == one + 1 => "neighbours",
        [_, _] => "apart",
        _ => "several",
    }
}

/// Near enough to tell where a row's greatest elements stand.
fn number(element: &[u8], data_type: DataType) -> f64 {
    match data_type {
        DataType::F32 => f32::from_le_bytes(element.try_into().unwrap()).into(),
        DataType::F16 => half::f16::from_le_bytes(element.try_into().unwrap()).into(),
        _ => integer(element, data_type).unwrap() as f64,
    }
}

#[test]
fn nonzero_coordinates_has_every_pair() {
    let specs = specs();
    let suite = suite(&specs);
    let (mut types, mut shapes) = (BTreeSet::new(), BTreeSet::new());
    for case in judged(&suite, "directml/nonzero_coordinates") {
        let input = case.descriptor.tensor("InputTensor").unwrap();
        let columns = *case.descriptor.tensor("OutputCoordinatesTensor").unwrap().sizes.last().unwrap() as usize;
        let leading = input.sizes.iter().take_while(|&&size| size == 1).count();
        types.insert((input.data_type, input.dimension_count()));
        shapes.insert((input.dimension_count(), leading, columns));
    }
    let inputs = DataType::ALL
        .into_iter()
        .filter(|each| ![DataType::F64, DataType::BF16, DataType::Bool, DataType::I64, DataType::U64].contains(each));
    assert_eq!(missing(&types, pairs(inputs, &(1..=8).collect::<Vec<_>>())), []);
    let every_shape = (1..=8usize).flat_map(|count| (0..=count).map(move |leading| (count, leading)));
    let every_shape = every_shape.flat_map(|(count, leading)| {
        let least = (count - leading).max(1);
        (least..=count).map(move |columns| (count, leading, columns))
    });
    assert_eq!(missing(&shapes, every_shape), []);
}

/// The head of each file of paths says how many combinations there are, and would say of how many none was found.
#[test]
fn each_combination_that_a_descriptor_can_have_is_there() {
    let files = Source::embedded_cases().files().unwrap();
    let paths: Vec<_> = files.iter().filter(|file| file.path.ends_with("generated/paths.yaml")).collect();
    assert_eq!(paths.len(), specs().operators.len());
    for file in paths {
        let text = file.read().unwrap();
        let head: String = text.lines().take_while(|line| line.starts_with('#')).map(|line| &line[1..]).collect();
        assert!(head.contains("combinations of two or three of these are there that a descriptor can have"), "{head}");
        assert!(!head.contains("none was found"), "{head}");
    }
}
