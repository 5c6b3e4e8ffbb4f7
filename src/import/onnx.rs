//! Tests of ONNX backends: a folder with a model of one node and data for it.
//!
//! OneHot becomes `directml/one_hot`, which counts negative indices from the end as ONNX does, and for the types that
//! DirectML lacks `openvino/one_hot_1`, where no index is negative. NonZero becomes `directml/nonzero_coordinates`, and
//! ArgMax `directml/argmax`. A test that these cannot express is refused with the reason, never altered.

use std::path::Path;

use opcert_backend::operators::{AXIS_DIRECTION_DECREASING, AXIS_DIRECTION_INCREASING};
use opcert_backend::{AttributeValue, DataType, NamedAttribute, TensorDescriptor};

use super::{Foreign, ForeignTensor, Found, LeftOut, LeftOuts, MOST_ELEMENTS, ReadError};
use crate::element;
use crate::export::{CASE_FILE, OUTPUTS};
use crate::onnx::{DATA_SET, DataSet, FolderError, FolderProblem, MODEL_FILE, Node, NodeTest, Tensor, Value};

/// An operator of ONNX, and the versions of the set of operators in which it means what is known here.
struct Known {
    operator: &'static str,
    /// How many inputs it has.
    inputs: usize,
    /// The attributes that it has.
    attributes: &'static [&'static str],
    first_opset: i64,
    become_foreign: fn(&Node, &DataSet) -> Result<Parts, String>,
}

/// What a test is in the terms of a specification, but for its name.
struct Parts {
    operator: &'static str,
    tensors: Vec<ForeignTensor>,
    attributes: Vec<NamedAttribute>,
}

/// The last version of the set of operators whose changes are known.
const LAST_OPSET: i64 = 28;

/// The greatest number of dimensions of a tensor of DirectML.
const MOST_DIMENSIONS: usize = 8;

/// OneHot had another range of indices before version 11. NonZero has never changed its meaning, and what ArgMax had
/// added to it is said by its attributes.
const KNOWN: [Known; 3] = [
    Known { operator: "OneHot", inputs: 3, attributes: &["axis"], first_opset: 11, become_foreign: one_hot },
    Known { operator: "NonZero", inputs: 1, attributes: &[], first_opset: 9, become_foreign: nonzero },
    Known {
        operator: "ArgMax",
        inputs: 1,
        attributes: &["axis", "keepdims", "select_last_index"],
        first_opset: 1,
        become_foreign: argmax,
    },
];

/// Reads the folder of a test: one for each set of data.
///
/// # Errors
///
/// When it is damaged, or has an operator, types or sizes for which nothing is specified here.
pub(super) fn read(folder: &Path) -> Result<Found, ReadError> {
    let (test, others) = NodeTest::read(folder).map_err(|FolderError { path, problem }| {
        let reason = format!("{} {problem}", subject(&problem));
        ReadError { path, reason }
    })?;
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let name = name.unwrap_or_default();
    let name = name.strip_prefix("test_").unwrap_or(&name);
    let tests = of_test(&test, name).map_err(|reason| ReadError { path: folder.to_owned(), reason })?;
    let why =
        format!("the model has no such tensor, expected `{MODEL_FILE}` and `{DATA_SET}0/input_0.pb` for instance");
    // What an export puts beside a model says nothing of the test.
    let others = others.into_iter().filter(|name| ![CASE_FILE, OUTPUTS].contains(&name.as_str()));
    let mut left_out = LeftOuts::default();
    others.for_each(|name| left_out.add(|| LeftOut::new(name, &why)));
    Ok(Found { tests, left_out })
}

/// The same for a test that was read already.
///
/// # Errors
///
/// What is wrong with it, as a fragment that follows its name.
pub fn of_test(test: &NodeTest, name: &str) -> Result<Vec<Foreign>, String> {
    let known = known(&test.node)?;
    let foreign = test.sets.iter().map(|set| {
        let Parts { operator, tensors, attributes } = (known.become_foreign)(&test.node, set)
            .map_err(|reason| format!("cannot be a case with the data of `{}`: {reason}", set.name))?;
        let name = if test.sets.len() == 1 { name.to_owned() } else { format!("{name}_{}", set.name) };
        Ok(Foreign { operator: operator.to_owned(), name, tensors, attributes })
    });
    foreign.collect()
}

/// What a problem is one of.
const fn subject(problem: &FolderProblem) -> &'static str {
    match problem {
        FolderProblem::Model(_) => "the model",
        FolderProblem::Tensor(_) | FolderProblem::Other { .. } => "the tensor",
        FolderProblem::NoData => "the folder",
        FolderProblem::Absent(_) | FolderProblem::Unreadable(_) => "the file",
    }
}

fn known(node: &Node) -> Result<&'static Known, String> {
    let Node { operator, opset, inputs, attributes, .. } = node;
    let names = KNOWN.map(|known| known.operator).join(", ");
    let known = KNOWN.iter().find(|known| known.operator == operator);
    let known = known.ok_or_else(|| format!("the model has the operator `{operator}`, expected one of {names}"))?;
    if !(known.first_opset..=LAST_OPSET).contains(opset) {
        let versions = format!("{} to {LAST_OPSET} are known", known.first_opset);
        return Err(format!("the model has `{operator}` of version {opset} of ONNX's operators; {versions}"));
    }
    if inputs.len() != known.inputs {
        return Err(format!("the model has `{operator}` with {} inputs, expected {}", inputs.len(), known.inputs));
    }
    match attributes.keys().find(|name| !known.attributes.contains(&name.as_str())) {
        Some(name) => Err(format!("the model has `{operator}` with the attribute `{name}`, which it does not have")),
        None => Ok(known),
    }
}

fn one_hot(node: &Node, set: &DataSet) -> Result<Parts, String> {
    let [indices, depth, values] = set.inputs.as_slice() else { return Err("inputs are missing".to_owned()) };
    let dimensions = indices.sizes.len() + 1;
    let axis = axis(node, -1, dimensions)?;
    let depth = depth_of(depth)?;
    let of_directml = !matches!(values.data_type, DataType::Bool | DataType::BF16);
    let types = [DataType::I64, DataType::I32, DataType::U64, DataType::U32];
    taken("indices", indices, if of_directml { &types } else { &types[..2] })?;
    if values.sizes != [2] {
        return Err(format!("`values` is {}, expected two elements in one dimension", shown(values)));
    }
    let mut sizes = indices.sizes.clone();
    sizes.insert(axis, depth);
    let count = sizes.iter().try_fold(1_u64, |count, &size| count.checked_mul(size));
    if count.is_none_or(|count| count > MOST_ELEMENTS) {
        return Err(format!("`depth` is {depth}, which makes more than {MOST_ELEMENTS} elements of the output"));
    }
    let output = expected(set, &sizes)?;
    let output_as = |name| named(name, values.data_type, &sizes, output.clone());
    let one = |element: &[u8]| Some(element.to_vec());
    let (off, on) = values.elements.split_at(values.data_type.bytes());
    if of_directml {
        within_directml("the output", &sizes)?;
        let mut with_axis = indices.sizes.clone();
        with_axis.insert(axis, 1);
        let mut two = vec![1; dimensions];
        two[dimensions - 1] = 2;
        return Ok(Parts {
            operator: "directml/one_hot",
            tensors: vec![
                named("IndicesTensor", indices.data_type, &with_axis, Some(indices.elements.clone())),
                named("ValuesTensor", values.data_type, &two, Some(values.elements.clone())),
                output_as("OutputTensor"),
            ],
            attributes: vec![attribute("Axis", AttributeValue::Integer(axis as i64))],
        });
    }
    let width = indices.data_type.bytes();
    if indices.elements.chunks_exact(width).any(|index| index[width - 1] & 0x80 != 0) {
        return Err("an index is negative: ONNX counts it from the end, and OneHot-1 of OpenVINO leaves open what it \
                    does"
            .to_owned());
    }
    Ok(Parts {
        operator: "openvino/one_hot_1",
        tensors: vec![
            named("indices", indices.data_type, &indices.sizes, Some(indices.elements.clone())),
            named("depth", DataType::I64, &[], Some(depth.to_le_bytes().to_vec())),
            named("on_value", values.data_type, &[], one(on)),
            named("off_value", values.data_type, &[], one(off)),
            output_as("output"),
        ],
        attributes: vec![attribute("axis", AttributeValue::Integer(axis as i64))],
    })
}

/// The single element of a tensor of any type of numbers.
fn depth_of(depth: &Tensor) -> Result<u64, String> {
    if !(depth.sizes.is_empty() || depth.sizes == [1]) {
        return Err(format!("`depth` is {}, expected a single element", shown(depth)));
    }
    let text = element::render(&depth.elements, depth.data_type);
    let number = text.strip_suffix(".0").unwrap_or(&text).parse().ok();
    number.filter(|&depth| depth > 0).ok_or_else(|| format!("`depth` is {text}, expected an integer above 0"))
}

fn nonzero(_: &Node, set: &DataSet) -> Result<Parts, String> {
    let [x] = set.inputs.as_slice() else { return Err("inputs are missing".to_owned()) };
    let types = [
        DataType::F32,
        DataType::F16,
        DataType::I32,
        DataType::I16,
        DataType::I8,
        DataType::U32,
        DataType::U16,
        DataType::U8,
    ];
    taken("X", x, &types)?;
    within_directml("`X`", &x.sizes)?;
    let (rows, columns) = (x.sizes.iter().product::<u64>(), x.sizes.len());
    let mut sizes = vec![1; columns.max(2)];
    let count_sizes = sizes.clone();
    let [.., last_but_one, last] = sizes.as_mut_slice() else { return Err("it has no dimensions".to_owned()) };
    (*last_but_one, *last) = (rows, columns as u64);
    let (count, coordinates) = match &set.expected {
        None => (None, None),
        Some(expected) => {
            let (count, coordinates) = rows_of(expected, rows, columns)?;
            (Some(count), Some(coordinates))
        }
    };
    Ok(Parts {
        operator: "directml/nonzero_coordinates",
        tensors: vec![
            named("InputTensor", x.data_type, &x.sizes, Some(x.elements.clone())),
            named("OutputCountTensor", DataType::U32, &count_sizes, count),
            named("OutputCoordinatesTensor", DataType::U32, &sizes, coordinates),
        ],
        attributes: Vec::new(),
    })
}

/// The number of columns, and the columns as rows with rows of zeros behind them, in UINT32.
fn rows_of(expected: &Tensor, rows: u64, columns: usize) -> Result<(Vec<u8>, Vec<u8>), String> {
    let wrong = || format!("`output_0.pb` is {}, expected INT64[{columns}, up to {rows}]", shown(expected));
    let &[found, count] = expected.sizes.as_slice() else { return Err(wrong()) };
    if expected.data_type != DataType::I64 || found != columns as u64 || count > rows {
        return Err(wrong());
    }
    let narrow = |element: &[u8; 8]| {
        let value = i64::from_le_bytes(*element);
        u32::try_from(value).map_err(|_| format!("`output_0.pb` has the coordinate {value}, which is no UINT32"))
    };
    let elements = expected.elements.as_chunks().0.iter().map(narrow);
    let elements: Vec<u32> = elements.collect::<Result<_, _>>()?;
    let count_of_rows = u32::try_from(count).map_err(|_| wrong())?;
    let length = count as usize;
    let by_rows = (0..length).flat_map(|row| (0..columns).map(move |column| column * length + row));
    let mut coordinates: Vec<u8> = by_rows.flat_map(|place| elements[place].to_le_bytes()).collect();
    coordinates.resize(rows as usize * columns * DataType::U32.bytes(), 0);
    Ok((count_of_rows.to_le_bytes().to_vec(), coordinates))
}

fn argmax(node: &Node, set: &DataSet) -> Result<Parts, String> {
    let [data] = set.inputs.as_slice() else { return Err("inputs are missing".to_owned()) };
    let types = [
        DataType::F32,
        DataType::F16,
        DataType::I64,
        DataType::I32,
        DataType::I16,
        DataType::I8,
        DataType::U64,
        DataType::U32,
        DataType::U16,
        DataType::U8,
    ];
    taken("data", data, &types)?;
    within_directml("`data`", &data.sizes)?;
    if node.opset < 12 && node.attributes.contains_key("select_last_index") {
        return Err("it has `select_last_index`, which came with version 12".to_owned());
    }
    if node.opset < 11 && node.attributes.get("axis").is_some_and(|&axis| axis < 0) {
        return Err("`axis` is negative, which it may be from version 11 on".to_owned());
    }
    let axis = axis(node, 0, data.sizes.len())?;
    let mut kept = data.sizes.clone();
    kept[axis] = 1;
    let mut reduced = kept.clone();
    if !flag(node, "keepdims", true)? {
        reduced.remove(axis);
    }
    let direction =
        if flag(node, "select_last_index", false)? { AXIS_DIRECTION_DECREASING } else { AXIS_DIRECTION_INCREASING };
    Ok(Parts {
        operator: "directml/argmax",
        tensors: vec![
            named("InputTensor", data.data_type, &data.sizes, Some(data.elements.clone())),
            named("OutputTensor", DataType::I64, &kept, expected(set, &reduced)?),
        ],
        attributes: vec![
            attribute("AxisCount", AttributeValue::Integer(1)),
            attribute("Axes", AttributeValue::Integers(vec![axis as i64])),
            attribute("AxisDirection", AttributeValue::Enumerator(direction.to_owned())),
        ],
    })
}

/// The attribute `axis`, counted from the front.
fn axis(node: &Node, default: i64, dimensions: usize) -> Result<usize, String> {
    let stated = node.attributes.get("axis").copied().unwrap_or(default);
    let from_front = if stated < 0 { stated.checked_add(dimensions as i64) } else { Some(stated) };
    let axis = from_front.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < dimensions);
    axis.ok_or_else(|| format!("`axis` is {stated}, expected -{dimensions} to {}", dimensions as i64 - 1))
}

fn flag(node: &Node, name: &str, default: bool) -> Result<bool, String> {
    match node.attributes.get(name) {
        None => Ok(default),
        Some(0) => Ok(false),
        Some(1) => Ok(true),
        Some(other) => Err(format!("`{name}` is {other}, expected 0 or 1")),
    }
}

fn taken(name: &str, tensor: &Tensor, types: &[DataType]) -> Result<(), String> {
    if types.contains(&tensor.data_type) {
        return Ok(());
    }
    let types: Vec<String> =
        types.iter().map(|&each| Value { sizes: None, ..Value::of("", each, &[]) }.to_string()).collect();
    Err(format!("`{name}` is {}, and of what is specified here only {} are taken", shown(tensor), types.join(", ")))
}

fn within_directml(what: &str, sizes: &[u64]) -> Result<(), String> {
    if (1..=MOST_DIMENSIONS).contains(&sizes.len()) && !sizes.contains(&0) {
        return Ok(());
    }
    Err(format!("{what} has the sizes {sizes:?}, and DirectML has 1 to {MOST_DIMENSIONS} dimensions of size 1 or more"))
}

/// The elements that are expected, if their sizes are these.
fn expected(set: &DataSet, sizes: &[u64]) -> Result<Option<Vec<u8>>, String> {
    match &set.expected {
        Some(tensor) if tensor.sizes != sizes => {
            Err(format!("`output_0.pb` has the sizes {:?}, and the inputs say {sizes:?}", tensor.sizes))
        }
        tensor => Ok(tensor.as_ref().map(|tensor| tensor.elements.clone())),
    }
}

fn shown(tensor: &Tensor) -> Value {
    Value::of("", tensor.data_type, &tensor.sizes)
}

fn named(name: &str, data_type: DataType, sizes: &[u64], elements: Option<Vec<u8>>) -> ForeignTensor {
    ForeignTensor { name: name.to_owned(), descriptor: TensorDescriptor::packed(data_type, sizes), elements }
}

fn attribute(name: &str, value: AttributeValue) -> NamedAttribute {
    NamedAttribute { name: name.to_owned(), value }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    fn integers(data_type: DataType, sizes: &[u64], elements: &[i64]) -> Tensor {
        let bytes = elements.iter().flat_map(|element| element.to_le_bytes()[..data_type.bytes()].to_vec());
        Tensor { data_type, sizes: sizes.to_vec(), elements: bytes.collect() }
    }

    /// What is read of a test with these inputs.
    fn read_as(
        operator: &str,
        opset: i64,
        attributes: &[(&str, i64)],
        inputs: &[Tensor],
        output: &Tensor,
    ) -> Result<Foreign, String> {
        let folder = tempfile::tempdir().unwrap();
        let value = |name: &str, tensor: &Tensor| Value::of(name, tensor.data_type, &tensor.sizes);
        let node = Node {
            operator: operator.to_owned(),
            opset,
            attributes: BTreeMap::from_iter(attributes.iter().map(|&(name, value)| (name.to_owned(), value))),
            inputs: inputs.iter().enumerate().map(|(place, tensor)| value(&place.to_string(), tensor)).collect(),
            output: value("y", output),
        };
        fs::write(folder.path().join("model.onnx"), node.encode("")).unwrap();
        let set = folder.path().join("test_data_set_0");
        fs::create_dir(&set).unwrap();
        for (place, tensor) in inputs.iter().enumerate() {
            fs::write(set.join(format!("input_{place}.pb")), tensor.encode("")).unwrap();
        }
        fs::write(set.join("output_0.pb"), output.encode("")).unwrap();
        let mut foreign = read(folder.path()).map_err(|error| error.reason)?.tests;
        Ok(foreign.remove(0))
    }

    fn said(foreign: &Foreign) -> Vec<String> {
        let tensors = foreign.tensors.iter();
        let tensors = tensors.map(|tensor| format!("{} {} {:?}", tensor.name, tensor.descriptor, tensor.elements));
        tensors.chain(foreign.attributes.iter().map(|each| format!("{} {:?}", each.name, each.value))).collect()
    }

    #[test]
    fn one_hot_has_the_axis_that_onnx_inserts() {
        let [indices, depth] = [integers(DataType::I32, &[2], &[-1, 0]), integers(DataType::U8, &[1], &[3])];
        let values = integers(DataType::I8, &[2], &[7, 9]);
        let output = integers(DataType::I8, &[3, 2], &[7, 9, 7, 7, 9, 7]);
        let foreign = read_as("OneHot", 11, &[("axis", -2)], &[indices, depth, values], &output).unwrap();
        assert_eq!(foreign.operator, "directml/one_hot");
        let expected = [
            "IndicesTensor i32[1, 2] Some([255, 255, 255, 255, 0, 0, 0, 0])",
            "ValuesTensor i8[1, 2] Some([7, 9])",
            "OutputTensor i8[3, 2] Some([7, 9, 7, 7, 9, 7])",
            "Axis Integer(0)",
        ];
        assert_eq!(said(&foreign), expected);
    }

    #[test]
    fn one_hot_of_booleans_is_openvinos() {
        let one_hot = |index| {
            let inputs = [
                integers(DataType::I64, &[1], &[index]),
                integers(DataType::I64, &[], &[2]),
                integers(DataType::Bool, &[2], &[1, 0]),
            ];
            read_as("OneHot", 13, &[], &inputs, &integers(DataType::Bool, &[1, 2], &[1, 0]))
        };
        let foreign = one_hot(1).unwrap();
        assert_eq!(foreign.operator, "openvino/one_hot_1");
        let expected = [
            "indices i64[1] Some([1, 0, 0, 0, 0, 0, 0, 0])",
            "depth i64[] Some([2, 0, 0, 0, 0, 0, 0, 0])",
            "on_value bool[] Some([0])",
            "off_value bool[] Some([1])",
            "output bool[1, 2] Some([1, 0])",
            "axis Integer(1)",
        ];
        assert_eq!(said(&foreign), expected);
        assert!(one_hot(-1).unwrap_err().contains("an index is negative: ONNX counts it from the end"));
    }

    #[test]
    fn nonzero_has_its_columns_as_rows() {
        let x = integers(DataType::I8, &[2, 2], &[0, 5, 6, 7]);
        let y = integers(DataType::I64, &[2, 3], &[0, 1, 1, 1, 0, 1]);
        let foreign = read_as("NonZero", 9, &[], &[x], &y).unwrap();
        let expected = [
            "InputTensor i8[2, 2] Some([0, 5, 6, 7])".to_owned(),
            "OutputCountTensor u32[1, 1] Some([3, 0, 0, 0])".to_owned(),
            format!(
                "OutputCoordinatesTensor u32[4, 2] Some({:?})",
                [0, 1, 1, 0, 1, 1, 0, 0].map(|each: u8| [each, 0, 0, 0]).concat()
            ),
        ];
        assert_eq!(said(&foreign), expected);
    }

    #[test]
    fn argmax_keeps_its_axis() {
        let data = integers(DataType::I8, &[2, 2], &[0, 5, 5, 0]);
        let reduced = integers(DataType::I64, &[2], &[1, 0]);
        let attributes = [("axis", -1), ("keepdims", 0), ("select_last_index", 1)];
        let foreign = read_as("ArgMax", 12, &attributes, std::slice::from_ref(&data), &reduced).unwrap();
        let expected = [
            "InputTensor i8[2, 2] Some([0, 5, 5, 0])",
            "OutputTensor i64[2, 1] Some([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])",
            "AxisCount Integer(1)",
            "Axes Integers([1])",
            "AxisDirection Enumerator(\"DML_AXIS_DIRECTION_DECREASING\")",
        ];
        assert_eq!(said(&foreign), expected);
        // Where nothing is said, the first axis is kept and the first maximum counts.
        let kept = Tensor { sizes: vec![1, 2], ..reduced };
        let foreign = read_as("ArgMax", 1, &[], &[data], &kept).unwrap();
        let expected = [
            "OutputTensor i64[1, 2] Some([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])",
            "AxisCount Integer(1)",
            "Axes Integers([0])",
            "AxisDirection Enumerator(\"DML_AXIS_DIRECTION_INCREASING\")",
        ];
        assert_eq!(said(&foreign)[1..], expected);
    }

    #[test]
    fn what_is_no_case_has_a_reason() {
        let data = || integers(DataType::I8, &[2], &[0, 1]);
        let output = integers(DataType::I64, &[1], &[1]);
        let error = |operator: &str, opset, attributes: &[(&str, i64)], inputs: &[Tensor]| {
            read_as(operator, opset, attributes, inputs, &output).unwrap_err()
        };
        assert_eq!(
            error("Gather", 13, &[], &[data()]),
            "the model has the operator `Gather`, expected one of OneHot, NonZero, ArgMax"
        );
        assert_eq!(
            error("OneHot", 9, &[], &[data()]),
            "the model has `OneHot` of version 9 of ONNX's operators; 11 to 28 are known"
        );
        assert_eq!(error("ArgMax", 13, &[], &[data(), data()]), "the model has `ArgMax` with 2 inputs, expected 1");
        assert_eq!(
            error("NonZero", 13, &[("axis", 0)], &[data()]),
            "the model has `NonZero` with the attribute `axis`, which it does not have"
        );
        let with = |reason: &str| format!("cannot be a case with the data of `test_data_set_0`: {reason}");
        assert_eq!(error("ArgMax", 13, &[("axis", 1)], &[data()]), with("`axis` is 1, expected -1 to 0"));
        let early = "`axis` is negative, which it may be from version 11 on";
        assert_eq!(error("ArgMax", 1, &[("axis", -1)], &[data()]), with(early));
        let early = "it has `select_last_index`, which came with version 12";
        assert_eq!(error("ArgMax", 11, &[("select_last_index", 1)], &[data()]), with(early));
        assert_eq!(error("ArgMax", 13, &[("keepdims", 2)], &[data()]), with("`keepdims` is 2, expected 0 or 1"));
        let wide = Tensor { data_type: DataType::F64, sizes: vec![1], elements: vec![0; 8] };
        assert!(error("ArgMax", 13, &[], &[wide]).contains("`data` is DOUBLE[1], and of what is specified here only"));
        let empty = integers(DataType::I8, &[2, 0], &[]);
        let reason = "`X` has the sizes [2, 0], and DirectML has 1 to 8 dimensions of size 1 or more";
        assert_eq!(error("NonZero", 13, &[], &[empty]), with(reason));
        let longer = integers(DataType::I8, &[2, 2], &[0, 1, 2, 3]);
        let reason = "`output_0.pb` has the sizes [1], and the inputs say [1, 2]";
        assert_eq!(error("ArgMax", 13, &[], &[longer]), with(reason));
        let indices = || integers(DataType::I32, &[2], &[0, 1]);
        let one_hot = |depth| error("OneHot", 11, &[], &[indices(), depth, data()]);
        let half = Tensor { data_type: DataType::F16, sizes: Vec::new(), elements: vec![0, 0x38] };
        assert_eq!(one_hot(half), with("`depth` is 0.5, expected an integer above 0"));
        assert_eq!(
            error("OneHot", 11, &[], &[data(), data(), data()]),
            with("`depth` is INT8[2], expected a single element")
        );
        assert_eq!(
            error("OneHot", 11, &[], &[data(), integers(DataType::I8, &[], &[2]), data()]),
            with("`indices` is INT8[2], and of what is specified here only INT64, INT32, UINT64, UINT32 are taken")
        );
        let reason = "`depth` is 1099511627776, which makes more than 33554432 elements of the output";
        assert_eq!(one_hot(integers(DataType::I64, &[], &[1 << 40])), with(reason));
    }
}
