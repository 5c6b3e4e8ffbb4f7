//! The plan of `directml/argmax`.
//!
//! Where the values themselves are not the point, they are distinct and shuffled, so that a wrong axis and a wrong
//! order of counting show. Where the direction is not the point, the two take turns.

use std::sync::Arc;

use opcert_backend::DataType::{self, F16, F32, I8, I16, I32, I64, U8, U16, U32, U64};

use super::sketch::{Sketch, constant, digest_of_repeated, ramp};
use super::support::Cell;
use super::values::{count, elements, extremes, odd_floats, shuffled, spelled};
use super::{Group, Plan, layouts};
use crate::case::{Data, Elements, ExpectedTensor};
use crate::spec::Operator;
use Direction::{Decreasing, Increasing};

const INPUT: &str = "InputTensor";
const OUTPUT: &str = "OutputTensor";

const INPUT_TYPES: [DataType; 10] = [F32, F16, I64, I32, I16, I8, U64, U32, U16, U8];
const OUTPUT_TYPES: [DataType; 4] = [U32, I32, U64, I64];

pub(super) struct ArgMax {
    pub(super) operator: Arc<Operator>,
}

/// Which of equal greatest elements counts.
#[derive(Clone, Copy)]
enum Direction {
    Increasing,
    Decreasing,
}

impl Direction {
    const BOTH: [Self; 2] = [Increasing, Decreasing];

    const fn in_turn(turn: usize) -> Self {
        Self::BOTH[turn % 2]
    }

    const fn name(self) -> &'static str {
        match self {
            Increasing => "increasing",
            Decreasing => "decreasing",
        }
    }

    const fn value(self) -> &'static str {
        match self {
            Increasing => "DML_AXIS_DIRECTION_INCREASING",
            Decreasing => "DML_AXIS_DIRECTION_DECREASING",
        }
    }

    /// What that means, for the end of a title.
    const fn words(self) -> &'static str {
        match self {
            Increasing => "where the first one counts",
            Decreasing => "where the last one counts",
        }
    }
}

/// A descriptor.
#[derive(Clone, Copy)]
struct Shape<'a> {
    /// The data types of input and output.
    types: (DataType, DataType),
    /// The sizes of the input.
    sizes: &'a [u64],
    axes: &'a [usize],
    direction: Direction,
}

impl ArgMax {
    /// A case with its elements as texts between spaces.
    fn sketch(&self, name: impl Into<String>, title: impl Into<String>, shape: &Shape<'_>, data: &str) -> Sketch {
        let sketch = Sketch::new(&self.operator, name, title).input(INPUT, shape.types.0, shape.sizes, data);
        rest(sketch, shape)
    }

    /// A case with data of any kind.
    fn sketch_of(&self, name: impl Into<String>, title: impl Into<String>, shape: &Shape<'_>, data: Data) -> Sketch {
        let sketch = Sketch::new(&self.operator, name, title).input_of(INPUT, shape.types.0, shape.sizes, data);
        rest(sketch, shape)
    }

    fn spelled(&self, data_type: DataType) -> String {
        spelled(&self.operator, data_type)
    }

    fn spelling(&self, data_type: DataType) -> &str {
        self.operator.family.spelling(data_type)
    }

    fn axes(&self) -> Group {
        let mut sketches = Vec::new();
        for dimensions in 1..=8 {
            for axis in 0..dimensions {
                let sizes = around(dimensions, axis);
                let direction = Direction::in_turn(sketches.len());
                let shape = Shape { types: (F32, U32), sizes: &sizes, axes: &[axis], direction };
                let name = format!("axis_{axis}_of_{dimensions}");
                let title = format!("Subsets along dimension {axis} of {dimensions}");
                sketches.push(self.sketch(name, title, &shape, &shuffled(count(&sizes))));
            }
        }
        for (dimensions, axes) in axis_sets() {
            let sizes = sizes_for(dimensions, &axes);
            let shape =
                Shape { types: (F32, U32), sizes: &sizes, axes: &axes, direction: Direction::in_turn(sketches.len()) };
            let name = format!("axes_{}_of_{dimensions}", joined(&axes, "_"));
            let title = format!("Subsets over the dimensions {} of {dimensions}", joined(&axes, ", "));
            sketches.push(self.sketch(name, title, &shape, &shuffled(count(&sizes))));
        }
        let sets: [(&str, &[usize]); 5] =
            [("first", &[0]), ("middle", &[1]), ("last", &[2]), ("first_and_last", &[0, 2]), ("all", &[0, 1, 2])];
        for input_type in INPUT_TYPES {
            for (which, axes) in sets {
                let direction = Direction::in_turn(sketches.len());
                let shape = Shape { types: (input_type, U32), sizes: &[2, 3, 2], axes, direction };
                let name = format!("{which}_{}", self.spelled(input_type));
                let which = which.replace('_', " ");
                let title = format!("{}, reduced dimensions of three: {which}", self.spelling(input_type));
                sketches.push(self.sketch(name, title, &shape, &shuffled(12)));
            }
        }
        let comment = "Every axis of every dimension count, every set of axes of up to four dimensions and some of \
            more; every data type with axes in front, in the middle, at the end, apart and all of them.";
        Group { name: "axes", comment, sketches }
    }

    fn ties(&self) -> Group {
        let sketches = [self.short_ties(), self.long_ties(), self.ties_over_axes()].concat();
        let comment = "Equal greatest elements, near each other and far apart, in both directions.";
        Group { name: "ties", comment, sketches }
    }

    /// Every row of [`TIES`] in one case, and every one as a column.
    fn short_ties(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        let (rows, width) = (TIES.len() as u64, 6);
        for input_type in INPUT_TYPES {
            for direction in Direction::BOTH {
                let types = (input_type, U32);
                let named = |place: &str| format!("{place}_{}_{}", self.spelled(input_type), direction.name());
                let words = format!("each with equal elements of {}, {}", self.spelling(input_type), direction.words());
                let shape = Shape { types, sizes: &[rows, width], axes: &[1], direction };
                let in_rows = self.sketch(named("rows"), format!("Rows, {words}"), &shape, &TIES.join(" "));
                let shape = Shape { sizes: &[width, rows], axes: &[0], ..shape };
                let in_columns = self.sketch(named("columns"), format!("Columns, {words}"), &shape, &columns(&TIES));
                sketches.extend([in_rows, in_columns]);
            }
        }
        sketches
    }

    fn long_ties(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        let length = 2048;
        let long = |input_type, direction: Direction, (first, last): (u64, u64)| {
            let name = format!("at_{first}_and_{last}_{}_{}", self.spelled(input_type), direction.name());
            let title = format!("The elements {first} and {last} of {length} are equal, {}", direction.words());
            let data = constant(input_type, length, "1", &[(first, "2"), (last, "2")]);
            let shape = Shape { types: (input_type, U32), sizes: &[length], axes: &[0], direction };
            self.sketch_of(name, title, &shape, data)
        };
        for direction in Direction::BOTH {
            sketches.extend(INPUT_TYPES.map(|input_type| long(input_type, direction, (5, 1024))));
            for (turn, power) in (5..=10).enumerate() {
                sketches.push(long(INPUT_TYPES[turn], direction, ((1 << power) - 1, 1 << power)));
            }
            sketches.push(long(U32, direction, (0, length - 1)));
            sketches.push(long(U16, direction, (length - 2, length - 1)));
            let name = format!("all_of_{length}_{}", direction.name());
            let title = format!("{length} equal elements, {}", direction.words());
            let shape = Shape { types: (U8, U32), sizes: &[length], axes: &[0], direction };
            let all = self.sketch_of(name, title, &shape, constant(U8, length, "1", &[]));
            sketches.push(all);
        }
        sketches
    }

    fn ties_over_axes(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        for input_type in [F32, I32, U8] {
            for direction in Direction::BOTH {
                let types = (input_type, U32);
                let named = |place: &str| format!("{place}_{}_{}", self.spelled(input_type), direction.name());
                let shape = Shape { types, sizes: &[3, 4], axes: &[0, 1], direction };
                let title = format!("Equal elements in a whole matrix, {}", direction.words());
                let all = self.sketch(named("all_axes"), title, &shape, SCATTERED);
                let shape = Shape { types, sizes: &[2, 2, 3], axes: &[0, 2], direction };
                let title =
                    format!("Equal elements over two dimensions with another one between, {}", direction.words());
                let apart = self.sketch(named("axes_apart"), title, &shape, "1 2 9 3 8 0 9 4 5 6 8 8");
                sketches.push(all);
                sketches.push(apart);
            }
        }
        sketches
    }

    fn extremes(&self) -> Group {
        let mut sketches = Vec::new();
        for input_type in INPUT_TYPES {
            for class in value_classes(input_type) {
                let directions = match class.tie {
                    true => &Direction::BOTH[..],
                    false => &[Direction::in_turn(sketches.len())],
                };
                for &direction in directions {
                    let mut name = format!("{}_{}", self.spelled(input_type), class.name);
                    let mut title = format!("{}: {}", self.spelling(input_type), class.words);
                    if class.tie {
                        name = format!("{name}_{}", direction.name());
                        title = format!("{title}, {}", direction.words());
                    }
                    let rows = class.rows.len() as u64;
                    let width = class.rows[0].split(' ').count() as u64;
                    let shape = Shape { types: (input_type, U32), sizes: &[rows, width], axes: &[1], direction };
                    sketches.push(self.sketch(name, title, &shape, &class.rows.join(" ")));
                }
            }
        }
        sketches.extend(self.eights());
        let comment = "The least and the greatest values of each type, zeros of both signs, and values that a comparison \
            of other or narrower numbers takes for equal or puts into another order; signs also in rows and columns of \
            eight, which vectors of four hold whole.";
        Group { name: "extremes", comment, sketches }
    }

    /// Signs in rows of eight, and in four columns of eight.
    fn eights(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        for (turn, input_type) in INPUT_TYPES.into_iter().enumerate() {
            let class = signs_of_eight(input_type);
            let directions = match class.tie {
                true => &Direction::BOTH[..],
                false => &[Direction::in_turn(turn)],
            };
            for &direction in directions {
                let rows: Vec<&str> = class.rows.iter().map(String::as_str).collect();
                let count = rows.len() as u64;
                let places = [("rows", [count, 8], 1, rows.join(" ")), ("columns", [8, 4], 0, columns(&rows[..4]))];
                for (place, sizes, axis, data) in places {
                    let mut name = format!("{}_{}_{place}_of_8", self.spelled(input_type), class.name);
                    let spelling = self.spelling(input_type);
                    let mut title = format!("{spelling} in {place} of eight: {}", class.words);
                    if class.tie {
                        name = format!("{name}_{}", direction.name());
                        title = format!("{title}, {}", direction.words());
                    }
                    let shape = Shape { types: (input_type, U32), sizes: &sizes, axes: &[axis], direction };
                    sketches.push(self.sketch(name, title, &shape, &data));
                }
            }
        }
        sketches
    }

    /// Two rows each, with indices that do not fit one byte, or two.
    fn outputs(&self) -> Group {
        let mut sketches = Vec::new();
        for output_type in OUTPUT_TYPES {
            for direction in Direction::BOTH {
                let spelling = self.spelling(output_type);
                for (size, positions) in
                    [(2, [0, 1, 1, 1]), (300, [256, 270, 257, 299]), (70000, [65536, 65537, 65999, 69999])]
                {
                    let name = format!("{}_of_{size}_{}", self.spelled(output_type), direction.name());
                    let [first, second, third, fourth] = positions;
                    let data = constant(
                        F32,
                        2 * size,
                        "1",
                        &[(first, "2"), (second, "2"), (size + third, "3"), (size + fourth, "3")],
                    );
                    let title = format!("Indices below {size} as {spelling}, {}", direction.words());
                    let shape = Shape { types: (F32, output_type), sizes: &[2, size], axes: &[1], direction };
                    sketches.push(self.sketch_of(name, title, &shape, data));
                }
            }
        }
        let comment = "Every type of the output, with small indices and with such as need 9 and 17 bits.";
        Group { name: "outputs", comment, sketches }
    }

    fn layouts(&self) -> Group {
        let mut sketches = Vec::new();
        let sizes = [2, 3, 1, 2];
        for types @ (input_type, _) in [(F32, U32), (I64, U64), (F16, I32), (U8, I64)] {
            let sets: &[&[usize]] = if input_type == F32 { &[&[1], &[0], &[3], &[0, 3]] } else { &[&[1]] };
            for (turn, &axes) in sets.iter().enumerate() {
                let name = format!("{}_axis_{}", self.spelled(input_type), joined(axes, "_"));
                let shape = Shape { types, sizes: &sizes, axes, direction: Direction::in_turn(turn) };
                let base = self.sketch(name, "", &shape, &shuffled(12));
                sketches.extend(layouts::variants(&base, INPUT));
                if turn == 0 {
                    sketches.extend(layouts::variants(&base, OUTPUT));
                }
            }
            sketches.push(self.all_strided(types));
            sketches.extend(self.repeated(types));
        }
        for direction in Direction::BOTH {
            for (what, words, strides) in layouts::of(&[3, 4]) {
                let name = format!("ties_{what}_{}", direction.name());
                let title = format!("Equal elements of a matrix where {words}, {}", direction.words());
                let shape = Shape { types: (F32, U32), sizes: &[3, 4], axes: &[0, 1], direction };
                let sketch = self.sketch(name, title, &shape, SCATTERED).strides(INPUT, &strides);
                sketches.push(sketch);
            }
        }
        sketches.extend(self.long_spans());
        let comment = "Both tensors in every layout that they may have, for elements of 8, 4, 2 and 1 bytes; outputs in \
            strides that span more than 4 KiB.";
        Group { name: "layouts", comment, sketches }
    }

    fn all_strided(&self, types: (DataType, DataType)) -> Sketch {
        let shape = Shape { types, sizes: &[2, 3, 2], axes: &[1], direction: Increasing };
        let name = format!("{}_all_strided", self.spelled(types.0));
        self.sketch(name, "Both tensors are strided, each in another way", &shape, &shuffled(12))
            .strides(INPUT, &[1, 5, 2])
            .strides(OUTPUT, &[3, 9, 7])
    }

    /// Outputs of more than 4 KiB.
    fn long_spans(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        let outputs: [(_, &[u64]); 3] =
            [((F32, U32), &[34, 3, 47]), ((F16, I32), &[34, 3, 47]), ((I64, U64), &[26, 3, 31])];
        for (turn, (types, sizes)) in outputs.into_iter().enumerate() {
            let name = format!("{}_axis_1", self.spelled(types.0));
            let shape = Shape { types, sizes, axes: &[1], direction: Direction::in_turn(turn) };
            // The period divides no size, so that neighbouring subsets differ and no element stands twice in one.
            let base = self.sketch_of(name, "", &shape, ramp(types.0, count(sizes), 0, 1, 7));
            sketches.extend(layouts::long_spans(&base, OUTPUT));
            if turn == 0 {
                let (rows, _) = layouts::long_strides(sizes, types.0.bytes() as u64);
                let (_, columns) = layouts::long_strides(&reduced(sizes, &[1]), types.1.bytes() as u64);
                let name = format!("{}_all_strided_beyond_4_kib", self.spelled(types.0));
                let all = base.named(name, "Both tensors are strided, each in another way and over more than 4 KiB");
                let all = all.strides(INPUT, &rows).strides(OUTPUT, &columns);
                sketches.push(all);
            }
        }
        sketches
    }

    /// Inputs with a stride of 0: over the repeated dimension all elements are equal, and over all dimensions some are.
    fn repeated(&self, types: (DataType, DataType)) -> Vec<Sketch> {
        let sizes = [2, 3, 2];
        let mut sketches = Vec::new();
        let places: &[usize] = if types.0 == F32 { &[0, 1, 2] } else { &[1] };
        for &repeated in places {
            for axes in [vec![repeated], vec![0, 1, 2]] {
                for direction in Direction::BOTH {
                    let spelled = self.spelled(types.0);
                    let name = format!("{spelled}_{}_axes_{}", direction.name(), joined(&axes, "_"));
                    let shape = Shape { types, sizes: &sizes, axes: &axes, direction };
                    let base = self.sketch(name, "", &shape, &repeating(&sizes, repeated));
                    sketches.extend(layouts::broadcasts(&base, INPUT));
                }
            }
            let kept = (repeated + 1) % 3;
            let shape = Shape { types, sizes: &sizes, axes: &[kept], direction: Increasing };
            let name = format!("{}_axis_{kept}", self.spelled(types.0));
            let base = self.sketch(name, "", &shape, &repeating(&sizes, repeated));
            sketches.extend(layouts::broadcasts(&base, INPUT));
        }
        sketches
    }

    fn sizes(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, size) in super::sizes_around_powers_of_two().into_iter().enumerate() {
            sketches.extend(self.reduced_size(turn, size));
            sketches.extend(self.kept_size(turn, size));
        }
        for (turn, size) in [127, 128, 129, 32767, 32768, 32769].into_iter().enumerate() {
            sketches.push(self.reduced_size_apart(turn, size));
        }
        sketches.push(self.beyond_float32());
        let comment = "Sizes around powers of two up to 2^17, where lanes, workgroups, 16-bit counters and grids end.";
        Group { name: "sizes", comment, sketches }
    }

    /// Every type where a size leaves 16 bits, and where one element alone is to choose from.
    fn limits(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, input_type) in INPUT_TYPES.into_iter().enumerate() {
            let name = self.spelled(input_type);
            let types = (input_type, OUTPUT_TYPES[turn % 4]);
            let kept = |what: String, title: String, sizes: &[u64]| {
                let shape = Shape { types, sizes, axes: &[1], direction: Direction::in_turn(turn) };
                self.sketch_of(what, title, &shape, ramp(input_type, count(sizes), 0, 1, 7))
            };
            for size in super::LIMITS {
                sketches.push(self.greatest_last(&format!("{name}_reduced_{size}"), types, &[size], 0));
                let title = format!("{size} rows of two elements");
                sketches.push(kept(format!("{name}_rows_{size}"), title, &[size, 2]));
            }
            let title = "300 rows of one element".to_owned();
            sketches.push(kept(format!("{name}_of_one"), title, &[300, 1]));
        }
        let comment = "Every data type where sizes leave 16 bits, and where there is but one element to choose from.";
        Group { name: "limits", comment, sketches }
    }

    /// Four long rows and four long columns, the last of them of equal elements.
    fn reduced_size(&self, turn: usize, size: u64) -> [Sketch; 2] {
        let direction = Direction::in_turn(turn);
        let words = format!("{size} elements: the greatest one last, first, in the middle, and all equal");
        let places = [(0, size - 1), (1, 0), (2, size / 2)];
        let make = |what: &str, type_turn: usize, sizes: &[u64], axis, greatest: [u64; 3]| {
            let input_type = INPUT_TYPES[type_turn % 10];
            let types = (input_type, OUTPUT_TYPES[turn % 4]);
            let data = constant(input_type, 4 * size, "1", &greatest.map(|at| (at, "2")));
            let shape = Shape { types, sizes, axes: &[axis], direction };
            let name = format!("{what}_length_{size}");
            self.sketch_of(name, format!("Four {what}s of {words}"), &shape, data)
        };
        [
            make("row", turn, &[4, size], 1, places.map(|(row, at)| row * size + at)),
            make("column", turn + 3, &[size, 4], 0, places.map(|(column, at)| at * 4 + column)),
        ]
    }

    /// Many rows and many columns of three elements.
    fn kept_size(&self, turn: usize, size: u64) -> [Sketch; 2] {
        // The period divides no size here, so that neighbouring subsets differ and no element stands twice in one.
        let period = if size.is_multiple_of(7) { 11 } else { 7 };
        let make = |what: &str, type_turn: usize, sizes: &[u64], axis| {
            let input_type = INPUT_TYPES[type_turn % 10];
            let types = (input_type, OUTPUT_TYPES[turn % 4]);
            let shape = Shape { types, sizes, axes: &[axis], direction: Direction::in_turn(turn) };
            let title = if size == 1 {
                format!("One of the {what}, three elements long")
            } else {
                format!("{size} {what} of three elements")
            };
            let data = ramp(input_type, 3 * size, 0, 1, period);
            self.sketch_of(format!("{what}_{size}"), title, &shape, data)
        };
        [make("rows", turn + 6, &[size, 3], 1), make("columns", turn + 9, &[3, size], 0)]
    }

    /// Three subsets of two rows each, with the rows of the others between them.
    fn reduced_size_apart(&self, turn: usize, size: u64) -> Sketch {
        let types = (INPUT_TYPES[turn], OUTPUT_TYPES[turn % 4]);
        let shape = Shape { types, sizes: &[2, 3, size], axes: &[0, 2], direction: Direction::in_turn(turn) };
        // Subset 0 has its greatest element last, subset 1 at the end of its first row, subset 2 behind that.
        let data = constant(types.0, 6 * size, "1", &[(4 * size - 1, "2"), (2 * size - 1, "2"), (5 * size, "2")]);
        let title = format!("Two rows of {size} elements in each subset, with other subsets between them");
        self.sketch_of(format!("apart_{size}"), title, &shape, data)
    }

    fn beyond_float32(&self) -> Sketch {
        let size = (1 << 24) + 4;
        let shape = Shape { types: (U8, U32), sizes: &[size], axes: &[0], direction: Increasing };
        let data = constant(U8, size, "1", &[(size - 3, "2")]);
        self.sketch_of("beyond_float32", "An index that FLOAT32 does not have", &shape, data)
    }

    fn ones(&self) -> Group {
        let mut sketches = Vec::new();
        for input_type in INPUT_TYPES {
            for direction in Direction::BOTH {
                let name = format!("two_elements_{}_{}", self.spelled(input_type), direction.name());
                let title =
                    format!("Two elements of {}, equal or not, {}", self.spelling(input_type), direction.words());
                let shape = Shape { types: (input_type, U32), sizes: &[3, 2], axes: &[1], direction };
                sketches.push(self.sketch(name, title, &shape, "1 0 0 1 1 1"));
            }
        }
        for dimensions in 1..=8 {
            let types = (INPUT_TYPES[dimensions], OUTPUT_TYPES[dimensions % 4]);
            let direction = Direction::in_turn(dimensions);
            let (sizes, all) = (vec![1; dimensions], (0..dimensions).collect::<Vec<_>>());
            let name = format!("one_element_of_{dimensions}");
            let title = format!("One element in {dimensions} dimension{}", if dimensions == 1 { "" } else { "s" });
            let shape = Shape { types, sizes: &sizes, axes: &all, direction };
            sketches.push(self.sketch(name, title, &shape, "5"));
        }
        for (turn, size) in [2, 300, 65535, 65536, 65537].into_iter().enumerate() {
            let types = (INPUT_TYPES[turn], OUTPUT_TYPES[turn % 4]);
            let direction = Direction::in_turn(turn);
            let places: [(&str, &[u64], &[usize]); 3] =
                [("last", &[size, 1], &[1]), ("first", &[1, size], &[0]), ("middle", &[2, 1, size], &[1])];
            for (place, sizes, axes) in places {
                let name = format!("{place}_of_size_1_beside_{size}");
                let title = format!("Only a dimension of size 1 is reduced, the {place} one, beside a size of {size}");
                let data = ramp(types.0, count(sizes), 0, 1, 7);
                let shape = Shape { types, sizes, axes, direction };
                sketches.push(self.sketch_of(name, title, &shape, data));
            }
        }
        let among: [(&[u64], &[usize]); 4] = [
            (&[2, 1, 3, 2], &[0, 1, 2]),
            (&[1, 3, 2, 2], &[0, 1, 3]),
            (&[3, 2, 2, 1], &[0, 2, 3]),
            (&[2, 1, 2, 1, 2], &[0, 1, 3, 4]),
        ];
        for (turn, (sizes, axes)) in among.into_iter().enumerate() {
            let name = format!("sizes_{}_axes_{}", joined(sizes, "_"), joined(axes, "_"));
            let shape = Shape { types: (F32, U32), sizes, axes, direction: Direction::in_turn(turn) };
            let sketch = self.sketch(name, "Dimensions of size 1 among those reduced", &shape, &shuffled(count(sizes)));
            sketches.push(sketch);
        }
        let comment = "Subsets of one and of two elements, and dimensions of size 1.";
        Group { name: "ones", comment, sketches }
    }

    /// What the documents leave open.
    fn open(&self) -> Group {
        let mut sketches = Vec::new();
        for input_type in [F32, F16] {
            for direction in Direction::BOTH {
                for (what, words, data) in nan_rows(input_type) {
                    let name = format!("nan_{what}_{}_{}", self.spelled(input_type), direction.name());
                    let sizes = [data.split(' ').count() as u64];
                    let shape = Shape { types: (input_type, U32), sizes: &sizes, axes: &[0], direction };
                    let title = format!("{}: {words}", self.spelling(input_type));
                    let sketch = self.sketch(name, title, &shape, &data);
                    sketches.push(sketch.observe("index-in-range"));
                }
                let name = format!("nan_among_2048_{}_{}", self.spelled(input_type), direction.name());
                let shape = Shape { types: (input_type, U32), sizes: &[2, 2048], axes: &[1], direction };
                let data = constant(input_type, 4096, "1", &[(1024, ".nan"), (3000, "2")]);
                let title = "2048 elements with NaN in the middle, and as many without it";
                let sketch = self.sketch_of(name, title, &shape, data);
                sketches.push(sketch.observe("index-in-range"));
                for (what, words, data) in subnormal_rows(input_type) {
                    let name = format!("subnormal_{what}_{}_{}", self.spelled(input_type), direction.name());
                    let sizes = [data.split(' ').count() as u64];
                    let shape = Shape { types: (input_type, U32), sizes: &sizes, axes: &[0], direction };
                    let title = format!("{}: {words}", self.spelling(input_type));
                    let sketch = self.sketch(name, title, &shape, &data);
                    sketches.push(sketch.observe("index-in-range"));
                }
            }
        }
        let lists: [(&str, &[u64], &[usize]); 15] = [
            ("All axes in reverse", &[2, 3], &[1, 0]),
            ("All axes in reverse", &[2, 3, 2], &[2, 1, 0]),
            ("All axes, the last one first", &[2, 3, 2], &[2, 0, 1]),
            ("All axes, the first one in its place", &[2, 3, 2], &[0, 2, 1]),
            ("Two neighbouring axes in reverse", &[2, 3, 2], &[1, 0]),
            ("Two axes apart in reverse", &[2, 3, 2], &[2, 0]),
            ("Two axes apart in reverse", &[2, 3, 2, 3], &[3, 1]),
            ("One axis, twice", &[2, 3], &[1, 1]),
            ("One axis, twice", &[2, 3], &[0, 0]),
            ("The only axis, three times", &[5], &[0, 0, 0]),
            ("Both axes, the last one twice", &[2, 3], &[0, 1, 1]),
            ("Both axes, and the first one again", &[2, 3], &[0, 1, 0]),
            ("No axes of one dimension", &[5], &[]),
            ("No axes of two dimensions", &[2, 3], &[]),
            ("No axes of four dimensions", &[2, 1, 3, 2], &[]),
        ];
        for (turn, (title, sizes, axes)) in lists.into_iter().enumerate() {
            let axes_in_name = if axes.is_empty() { "none".to_owned() } else { joined(axes, "_") };
            let name = format!("axes_{axes_in_name}_of_sizes_{}", joined(sizes, "_"));
            let shape = Shape { types: (F32, U32), sizes, axes, direction: Direction::in_turn(turn) };
            let sketch = self.sketch(name, title, &shape, &shuffled(count(sizes)));
            sketches.push(sketch.observe("index-in-range"));
        }
        Group { name: "open", comment: "Questions that the documents leave open: the answers are recorded.", sketches }
    }

    /// Tensors beyond 2^31 bytes, and the same formulas small.
    fn large(&self) -> Group {
        type Sizes = &'static [u64];
        let shapes: [(&str, _, Sizes, Sizes, usize); 4] = [
            ("float32", (F32, U32), &[(1 << 29) + 2], &[514], 0),
            ("uint8", (U8, I64), &[(1 << 31) + 2], &[514], 0),
            ("columns", (U8, U64), &[(1 << 30) + 3, 2], &[515, 2], 0),
            ("rows", (U8, U32), &[129, 1 << 24], &[5, 256], 1),
        ];
        let mut sketches = Vec::new();
        for (name, types, sizes, small, axis) in shapes {
            let make = |name: &str, sizes: &[u64]| {
                // The last subset has its greatest element last; in the others all are equal.
                let subsets = count(&reduced(sizes, &[axis]));
                let indices = format!("{}{}", "0 ".repeat(subsets as usize - 1), sizes[axis] - 1);
                let bytes = elements(types.1, &indices).unwrap_or_default();
                let expected = ExpectedTensor::Elements(Elements { bytes, undefined: Vec::new() });
                self.greatest_last(name, types, sizes, axis).formula(vec![(OUTPUT.to_owned(), expected)])
            };
            sketches.extend([make(&format!("{name}_small"), small), make(name, sizes).large()]);
        }
        let make = |name: &str, subsets: u64| {
            let ones = digest_of_repeated(&1_u32.to_le_bytes(), subsets);
            self.pairs(name, subsets).formula(vec![(OUTPUT.to_owned(), ones)])
        };
        sketches.extend([make("many_subsets_small", 300), make("many_subsets", (1 << 29) + 1).large()]);
        let beyond = self.greatest_last("index_beyond_int32", (U8, I32), &[(1 << 31) + 2], 0).claims("index-overflow");
        sketches.push(beyond.observe("").large());
        let comment = "Tensors of more than 2^31 bytes, and the same formulas small. Runs with `--tier large`.";
        Group { name: "large", comment, sketches }
    }

    /// Equal elements but for the very last one, which is greater.
    fn greatest_last(&self, name: &str, types: (DataType, DataType), sizes: &[u64], axis: usize) -> Sketch {
        let elements = count(sizes);
        let shape = Shape { types, sizes, axes: &[axis], direction: Increasing };
        let data = constant(types.0, elements, "1", &[(elements - 1, "2")]);
        let title = format!("The last of {elements} elements is the greatest one");
        let covers = if sizes.len() == 1 { "maximum-index" } else { "maximum-index tie-increasing" };
        self.sketch_of(name, title, &shape, data).claims(covers)
    }

    /// Pairs of equal bytes.
    fn pairs(&self, name: &str, subsets: u64) -> Sketch {
        let shape = Shape { types: (U8, U32), sizes: &[subsets, 2], axes: &[1], direction: Decreasing };
        let title = format!("The last of two equal elements in each of {subsets} subsets");
        self.sketch_of(name, title, &shape, constant(U8, 2 * subsets, "1", &[])).claims("tie-decreasing")
    }
}

impl Plan for ArgMax {
    fn plain(&self, cell: &Cell) -> Sketch {
        let types =
            if cell.tensor == INPUT { (cell.data_type, OUTPUT_TYPES[cell.turn % 4]) } else { (F32, cell.data_type) };
        let axis = cell.dimensions - 1;
        let mut sizes = vec![1; cell.dimensions];
        sizes[axis] = 4;
        let rows = match cell.dimensions {
            1 => "1 3 2 0",
            _ => {
                sizes[axis - 1] = 2;
                "1 2 4 3 2 5 0 1"
            }
        };
        self.sketch(
            "",
            "",
            &Shape { types, sizes: &sizes, axes: &[axis], direction: Direction::in_turn(cell.turn) },
            rows,
        )
    }

    fn bases(&self) -> Vec<Sketch> {
        let make = |name: &str, title: &str, types, sizes: &[u64], axes: &[usize], direction| {
            let shape = Shape { types, sizes, axes, direction };
            self.sketch(name, title, &shape, &shuffled(count(sizes)))
        };
        vec![
            make("plain", "A plain case of three dimensions", (F32, U32), &[2, 3, 2], &[1], Increasing),
            make("two_axes", "Two axes of four, apart", (F16, I64), &[2, 3, 1, 4], &[1, 3], Decreasing),
            make("vector", "The only axis of a vector of bytes", (U8, I32), &[5], &[0], Increasing),
            make("wide", "Elements of 64 bits", (U64, U64), &[3, 2], &[0], Decreasing),
        ]
    }

    fn groups(&self) -> Vec<Group> {
        vec![
            self.axes(),
            self.ties(),
            self.extremes(),
            self.outputs(),
            self.layouts(),
            self.sizes(),
            self.limits(),
            self.ones(),
            self.open(),
            self.large(),
        ]
    }
}

/// The output and the attributes.
fn rest(sketch: Sketch, shape: &Shape<'_>) -> Sketch {
    let axes: Vec<i64> = shape.axes.iter().map(|&axis| axis as i64).collect();
    sketch
        .output(OUTPUT, shape.types.1, &reduced(shape.sizes, shape.axes))
        .integers("Axes", &axes)
        .enumerator("AxisDirection", shape.direction.value())
}

/// The sizes of the output.
fn reduced(sizes: &[u64], axes: &[usize]) -> Vec<u64> {
    sizes.iter().enumerate().map(|(at, &size)| if axes.contains(&at) { 1 } else { size }).collect()
}

fn joined<T: ToString>(numbers: &[T], separator: &str) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

/// Sizes with 4 along the axis, 2 beside it and 1 further away.
fn around(dimensions: usize, axis: usize) -> Vec<u64> {
    let size = |at: usize| match at.abs_diff(axis) {
        0 => 4,
        1 => 2,
        _ => 1,
    };
    (0..dimensions).map(size).collect()
}

/// Sets of two axes and more, each with its dimension count: every one of up to four dimensions, some of more.
fn axis_sets() -> Vec<(usize, Vec<usize>)> {
    let mut sets = Vec::new();
    for dimensions in 2..=4 {
        for chosen in 1_u32..1 << dimensions {
            if chosen.count_ones() > 1 {
                sets.push((dimensions, (0..dimensions).filter(|at| chosen >> at & 1 == 1).collect()));
            }
        }
    }
    for dimensions in 5..=8 {
        let last = dimensions - 1;
        let some = [
            vec![0, last],
            vec![0, 1],
            vec![last - 1, last],
            (1..last).collect(),
            (0..dimensions).step_by(2).collect(),
            (0..dimensions).collect(),
        ];
        sets.extend(some.map(|axes| (dimensions, axes)));
    }
    sets
}

/// Sizes for a set of axes: few dimensions are all above 1; of many, the first four that are reduced and the first two
/// that are not.
fn sizes_for(dimensions: usize, axes: &[usize]) -> Vec<u64> {
    match dimensions {
        2 => return vec![3, 4],
        3 => return vec![2, 3, 4],
        4 => return vec![2, 3, 2, 3],
        _ => {}
    }
    let (mut are_reduced, mut are_kept) = (0, 0);
    let size = |at: usize| {
        let (seen, most) = if axes.contains(&at) { (&mut are_reduced, 4) } else { (&mut are_kept, 2) };
        *seen += 1;
        match (*seen <= most, *seen) {
            (false, _) => 1,
            (true, 2) => 3,
            (true, _) => 2,
        }
    };
    (0..dimensions).map(size).collect()
}

/// Rows with equal elements in many places, or with equal ones below the greatest.
const TIES: [&str; 12] = [
    "5 5 5 5 5 5",
    "9 9 1 2 3 4",
    "1 2 3 4 9 9",
    "9 1 2 3 4 9",
    "1 2 9 9 3 4",
    "1 9 2 3 9 4",
    "9 1 9 2 9 3",
    "3 9 3 9 3 9",
    "1 9 9 9 2 3",
    "7 7 9 1 2 3",
    "1 2 3 9 7 7",
    "7 1 9 2 7 3",
];

/// A matrix of 3 by 4 whose greatest elements stand in another order in columns than in rows.
const SCATTERED: &str = "1 2 9 0 9 3 4 9 5 9 6 7";

/// The elements of rows, column by column.
fn columns(rows: &[&str]) -> String {
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split(' ').collect()).collect();
    let columns = (0..rows[0].len()).flat_map(|at| rows.iter().map(move |row| row[at]));
    columns.collect::<Vec<_>>().join(" ")
}

/// Elements that are shuffled, but equal along one dimension.
fn repeating(sizes: &[u64], dimension: usize) -> String {
    let inner = count(&sizes[dimension + 1..]);
    let size = sizes[dimension];
    let some = shuffled(count(sizes) / size);
    let some: Vec<&str> = some.split(' ').collect();
    let element = |at: u64| some[(at / (size * inner) * inner + at % inner) as usize];
    (0..count(sizes)).map(element).collect::<Vec<_>>().join(" ")
}

/// Rows of one kind of values.
struct ValueClass {
    name: &'static str,
    words: &'static str,
    rows: Vec<String>,
    /// Whether the direction decides in some of the rows.
    tie: bool,
}

impl ValueClass {
    fn new<T: ToString>(name: &'static str, words: &'static str, rows: impl IntoIterator<Item = T>) -> Self {
        let rows = rows.into_iter().map(|row| row.to_string()).collect();
        Self { name, words, rows, tie: false }
    }

    const fn tie(mut self) -> Self {
        self.tie = true;
        self
    }
}

/// The classes of values of a data type.
fn value_classes(data_type: DataType) -> Vec<ValueClass> {
    let (least, greatest) = extremes(data_type);
    let mut classes = vec![
        ValueClass::new("all_greatest", "nothing but the greatest finite value", [[greatest.as_str(); 4].join(" ")])
            .tie(),
    ];
    let all_least = ValueClass::new("all_least", "nothing but the least finite value", [[least.as_str(); 4].join(" ")]);
    if data_type.is_float() {
        classes.push(all_least.tie());
        classes.extend(float_classes(data_type, &least, &greatest));
        return classes;
    }
    classes.push(all_least.tie());
    let one_above = least.parse::<i128>().map_or_else(|_| String::new(), |least| (least + 1).to_string());
    let rows = (0..4).map(|at| in_place(&least, &one_above, at));
    classes.push(ValueClass::new("one_above_the_least", "one element above the least value", rows));
    let one_below = greatest.parse::<i128>().map_or_else(|_| String::new(), |greatest| (greatest - 1).to_string());
    let rows = (0..4).map(|at| in_place(&one_below, &greatest, at));
    classes.push(ValueClass::new("greatest_among_neighbours", "one element above the others by 1", rows));
    if data_type.is_signed_integer() {
        classes.push(ValueClass::new("all_negative", "nothing but negative numbers", ["-9 -3 -1 -2"]));
        let rows = [format!("-1 0 {least} -2"), format!("-1 {least} {greatest} 0")];
        classes.push(ValueClass::new("signs", "bits taken for an unsigned number have another order", rows));
    } else {
        let half = greatest.parse::<u64>().unwrap_or(0) / 2;
        let rows = [format!("{half} 0 {} 1", half + 1), format!("{half} {greatest} {} 1", half + 1)];
        classes.push(ValueClass::new("upper_half", "bits taken for a signed number are negative", rows));
    }
    classes.extend(width_classes(data_type));
    classes
}

/// Rows of eight whose greatest elements a comparison of bits does not find: for zeros of both signs, of which the first
/// four rows show it in either direction, and for integers whose upper bit is taken for what it is not.
fn signs_of_eight(data_type: DataType) -> ValueClass {
    if data_type.is_float() {
        let zeros = [
            "-1 -0.0 -2 0.0 -3 -0.0 0.0 -4",
            "-4 0.0 -0.0 -3 0.0 -2 -0.0 -1",
            "-0.0 -1 -2 -3 0.0 -4 -5 -6",
            "-6 -5 -4 0.0 -3 -2 -1 -0.0",
            "-0.0 -0.0 -0.0 -0.0 0.0 0.0 0.0 0.0",
            "0.0 0.0 0.0 0.0 -0.0 -0.0 -0.0 -0.0",
        ];
        let words = "zeros of both signs are equal";
        return ValueClass::new("signed_zeros", words, zeros).tie();
    }
    let (least, greatest) = extremes(data_type);
    if data_type.is_signed_integer() {
        let rows = [
            format!("-1 0 -2 1 -3 {least} -4 -5"),
            "-1 -2 -3 -4 0 -5 -6 -7".to_owned(),
            format!("{least} -1 {greatest} 0 1 -2 2 -3"),
            format!("3 -1 2 {least} 1 0 -2 4"),
        ];
        ValueClass::new("signs", "bits taken for an unsigned number have another order", rows)
    } else {
        let half = greatest.parse::<u64>().unwrap_or(0) / 2;
        let (above, far_above) = (half + 1, half + 2);
        let rows = [
            format!("{half} 0 1 {above} 2 3 4 5"),
            format!("0 {greatest} {half} 1 2 3 {half} 0"),
            format!("{above} {half} 5 4 {far_above} 3 2 1"),
            format!("1 2 3 4 5 6 {half} {greatest}"),
        ];
        ValueClass::new("upper_half", "bits taken for a signed number are negative", rows)
    }
}

/// A row of four equal elements but for one.
fn in_place(others: &str, one: &str, at: usize) -> String {
    let mut row = [others; 4];
    row[at] = one;
    row.join(" ")
}

/// Integers that narrower numbers do not keep apart.
fn width_classes(data_type: DataType) -> Vec<ValueClass> {
    let bits = 4 * data_type.bytes() as u32;
    if bits < 8 {
        return Vec::new();
    }
    let half = 1_u64 << bits;
    let signed = data_type.is_signed_integer();
    let mut classes = vec![
        ValueClass::new(
            "equal_low_halves",
            "elements that differ in their high halves only",
            [format!("5 {} {} {}", half + 5, 3 * half + 5, 2 * half + 5)],
        ),
        ValueClass::new(
            "equal_high_halves",
            "elements that differ in their low halves only",
            [format!("{} {} {} {}", 3 * half + 1, 3 * half + 2, 4 * half - 1, 4 * half - 2)],
        ),
        ValueClass::new(
            "halves_in_another_order",
            "where the high halves rise, the low halves fall",
            [format!("{} {} {} 7", half + 3, 3 * half + 1, 2 * half + 2)],
        ),
    ];
    if signed {
        let (one, two) = (half as i64, 2 * half as i64);
        classes.push(ValueClass::new(
            "negative_halves",
            "negative numbers that differ in their high or low halves",
            [format!("{} {} {} {}", -one - 1, -one, -two, -two + 1)],
        ));
    }
    // Where a float of the given width can no longer count.
    let floats: &[(&str, &str, u64)] = match bits {
        32 => &[
            ("beyond_float64", "2^53 + 1 and its neighbours", 1 << 53),
            ("beyond_float32", "2^24 + 1 and its neighbours", 1 << 24),
        ],
        16 => &[("beyond_float32", "2^24 + 1 and its neighbours", 1 << 24)],
        _ => &[("beyond_float16", "2^11 + 1 and its neighbours", 1 << 11)],
    };
    for &(name, words, power) in floats {
        let mut rows = vec![format!("{power} {} {power} {}", power + 1, power - 1)];
        if signed {
            rows.push(format!("-{} -{} -{power} -{}", power + 1, power + 2, power + 1));
        }
        classes.push(ValueClass::new(name, words, rows));
    }
    if data_type == U64 {
        let rows = ["9223372036854775808 9223372036854775809 9223372036854775808 1"];
        classes.push(ValueClass::new("above_2_to_the_63", "2^63 + 1 and its neighbours", rows));
    }
    classes
}

fn float_classes(data_type: DataType, least: &str, greatest: &str) -> Vec<ValueClass> {
    let (close, large) = match data_type {
        F16 => (["0x3C00", "0x3C01", "0xBC01", "0xBC00"], "65504 .inf 65472 65504"),
        _ => (["0x3F800000", "0x3F800001", "0xBF800001", "0xBF800000"], "65520 70000 65536 65504"),
    };
    let subnormals = match data_type {
        F16 => ["-1 0x0001 -2 -3", "-2 -1 -3 0x8001", "0x03FF 0x0001 0x0400 0x0200"],
        _ => ["-1 0x00000001 -2 -3", "-2 -1 -3 0x80000001", "0x007FFFFF 0x00000001 0x00800000 0x00400000"],
    };
    let [one, above_one, below_minus_one, minus_one] = close;
    let zeros = ["-0.0 0.0 -0.0", "0.0 -0.0 0.0", "-1 -0.0 0.0", "-1 0.0 -0.0", "0.0 -0.0 -1", "-0.0 0.0 -1"];
    let rows_with = |others: &str, one: &str| (0..4).map(|at| in_place(others, one, at)).collect::<Vec<_>>();
    let both = |value: &str| [format!("0 {value} 1 {value}"), format!("{value} 1 {value} 0")];
    vec![
        ValueClass::new("all_negative", "nothing but negative numbers", ["-9 -3 -1 -2"]),
        ValueClass::new(
            "fractions",
            "numbers between 0 and 1, and between -1 and 0",
            ["0.25 0.5 0.75 0.125", "-0.75 -0.25 -0.5 -0.875"],
        ),
        ValueClass::new(
            "neighbours",
            "numbers that differ in their last bit",
            [
                format!("{one} {above_one} {one} {one}"),
                format!("{below_minus_one} {below_minus_one} {minus_one} {below_minus_one}"),
            ],
        ),
        ValueClass::new("around_65504", "the greatest finite FLOAT16 and its surroundings", [large]),
        ValueClass::new("all_negative_infinity", "nothing but -infinity", ["-.inf -.inf -.inf -.inf"]).tie(),
        ValueClass::new("one_finite", "one finite element among -infinity", rows_with("-.inf", "-5")),
        ValueClass::new("one_least", "the least finite value among -infinity", rows_with("-.inf", least)),
        ValueClass::new("one_infinite", "one infinity among the greatest finite value", rows_with(greatest, ".inf")),
        ValueClass::new("infinities", "infinity, twice", both(".inf")).tie(),
        ValueClass::new(
            "infinities_above_the_greatest",
            "infinity twice, beside the greatest finite value",
            [format!("{greatest} .inf .inf {greatest}")],
        )
        .tie(),
        // Whether a subnormal number is flushed to zero makes no difference here, which the documents leave open.
        ValueClass::new("subnormals", "subnormals beside normal numbers", subnormals),
        ValueClass::new("signed_zeros", "zeros of both signs are equal", zeros).tie(),
    ]
}

/// Rows with NaN: name, words and elements.
fn nan_rows(data_type: DataType) -> Vec<(&'static str, &'static str, String)> {
    let [quiet, signalling, _] = odd_floats(data_type);
    let negative = if data_type == F16 { "0xFE00" } else { "0xFFC00000" };
    vec![
        ("first", "NaN in front of numbers", ".nan 1 3 2".to_owned()),
        ("middle", "NaN between numbers", "1 3 .nan 2 3".to_owned()),
        ("last", "NaN behind numbers", "3 1 3 .nan".to_owned()),
        ("several", "NaN in front, between and behind numbers", ".nan 1 .nan 3 .nan".to_owned()),
        ("everywhere", "nothing but NaN", ".nan .nan .nan .nan".to_owned()),
        ("and_infinity", "NaN before and behind infinity", ".nan .inf 1 .inf .nan".to_owned()),
        ("and_negative_infinity", "NaN before and behind -infinity", "-.inf .nan -.inf .nan -.inf".to_owned()),
        ("of_both_signs", "NaN with the sign bit and without it", format!("1 {negative} 2 .nan 0")),
        ("negative", "NaN with the sign bit, and negative numbers", format!("-2 {negative} -1 -3")),
        ("with_payload", "quiet NaN with different bits", format!("1 {quiet} .nan 2")),
        ("signalling", "signalling NaN", format!("1 3 {signalling} 2")),
    ]
}

/// Rows in which a subnormal number and the zero that it may be flushed to give different indices: name, words and
/// elements.
fn subnormal_rows(data_type: DataType) -> [(&'static str, &'static str, String); 4] {
    let (greatest, minus_greatest) = if data_type == F16 { ("0x03FF", "0x83FF") } else { ("0x007FFFFF", "0x807FFFFF") };
    let [.., least] = odd_floats(data_type);
    let minus_least = if data_type == F16 { "0x8001" } else { "0x80000001" };
    [
        ("above_zero", "the least subnormal number between zeros", format!("-1 0 {least} 0")),
        (
            "below_zero",
            "zero among negative subnormal numbers",
            format!("{minus_least} {minus_greatest} 0 {minus_least}"),
        ),
        ("among_themselves", "the greatest among subnormal numbers", format!("{least} {greatest} {least} {least}")),
        (
            "negative",
            "the greatest among negative subnormal numbers",
            format!("{minus_greatest} {minus_least} {minus_greatest} -1"),
        ),
    ]
}
