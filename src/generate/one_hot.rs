//! The plan of `directml/one_hot`.
//!
//! Where the values themselves are not the point, OnValue is 7 and OffValue is 3, so that neither a swap of the two nor
//! memory that was never written goes unnoticed.

use std::sync::Arc;

use opcert_backend::DataType::{self, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

use super::sketch::{Sketch, constant, digest_of_repeated, ramp};
use super::support::Cell;
use super::values::{count, extremes, odd_floats, spelled};
use super::{Group, Plan, layouts};
use crate::render::counted;
use crate::spec::Operator;

const INDICES: &str = "IndicesTensor";
const VALUES: &str = "ValuesTensor";
const OUTPUT: &str = "OutputTensor";

const VALUE_TYPES: [DataType; 11] = [F64, F32, F16, I64, I32, I16, I8, U64, U32, U16, U8];
const INDEX_TYPES: [DataType; 4] = [I64, I32, U64, U32];

pub(super) struct OneHot {
    pub(super) operator: Arc<Operator>,
}

/// What differs from case to case.
struct Shape<'a> {
    /// The data types of indices and values.
    types: (DataType, DataType),
    /// The sizes of the output.
    sizes: &'a [u64],
    axis: usize,
    /// The indices, and OffValue with OnValue, as texts between spaces.
    indices: &'a str,
    values: &'a str,
}

impl OneHot {
    fn sketch(&self, name: impl Into<String>, title: impl Into<String>, shape: &Shape<'_>) -> Sketch {
        let Shape { types: (index_type, value_type), sizes, axis, indices, values } = *shape;
        let mut values_sizes = vec![1; sizes.len()];
        values_sizes[sizes.len() - 1] = 2;
        Sketch::new(&self.operator, name, title)
            .input(INDICES, index_type, &without(sizes, axis), indices)
            .input(VALUES, value_type, &values_sizes, values)
            .output(OUTPUT, value_type, sizes)
            .integer("Axis", axis as i64)
    }

    fn axes(&self) -> Group {
        let mut sketches = Vec::new();
        for dimensions in 1..=8 {
            for axis in 0..dimensions {
                let sizes = around(dimensions, axis);
                let indices = indices_for(&sizes, axis);
                let name = format!("axis_{axis}_of_{dimensions}");
                let title = format!("Sequences along dimension {axis} of {dimensions}");
                let shape = Shape { types: (U32, F32), sizes: &sizes, axis, indices: &indices, values: "3 7" };
                sketches.push(self.sketch(name, title, &shape));
            }
        }
        let positions = [("first", 0), ("middle", 1), ("last", 2)];
        let values = VALUE_TYPES.map(|value_type| (U32, value_type, value_type));
        let indices = INDEX_TYPES.map(|index_type| (index_type, F32, index_type));
        for (index_type, value_type, named) in values.into_iter().chain(indices) {
            for (position, axis) in positions {
                let mut sizes = vec![2, 2, 2];
                sizes[axis] = 3;
                let indices = indices_for(&sizes, axis);
                let what = if named == value_type { "values" } else { "indices" };
                let name = format!("{position}_axis_{what}_{}", spelled(&self.operator, named));
                let title = format!("The {position} of three axes, {what} of {}", self.operator.family.spelling(named));
                let shape =
                    Shape { types: (index_type, value_type), sizes: &sizes, axis, indices: &indices, values: "3 7" };
                sketches.push(self.sketch(name, title, &shape));
            }
        }
        let comment =
            "Every axis of every dimension count; every data type with the first, a middle and the last axis.";
        Group { name: "axes", comment, sketches }
    }

    /// Each class of index between two valid ones, so that a write beside its own sequence shows.
    fn indices(&self) -> Group {
        let mut sketches = Vec::new();
        for index_type in INDEX_TYPES {
            for (class, index) in index_classes(index_type) {
                for (axis, sizes) in [(1, [3, 4]), (0, [4, 3])] {
                    let indices = format!("1 {index} 2");
                    let shape =
                        Shape { types: (index_type, F32), sizes: &sizes, axis, indices: &indices, values: "3 7" };
                    let spelling = spelled(&self.operator, index_type);
                    let place = if axis == 1 { "rows" } else { "columns" };
                    let name = format!("{spelling}_{class}_in_{place}");
                    let title = format!(
                        "The index {index} of {}, between two others",
                        self.operator.family.spelling(index_type)
                    );
                    sketches.push(self.sketch(name, title, &shape));
                }
            }
            let single = [("0", "0"), ("1", "1"), ("2", "2")];
            let negative = [("minus_1", "-1"), ("minus_2", "-2")];
            let signed = index_type.is_signed_integer();
            for (class, index) in single.into_iter().chain(negative.into_iter().filter(|_| signed)) {
                let shape = Shape { types: (index_type, F32), sizes: &[1, 1], axis: 1, indices: index, values: "3 7" };
                let name = format!("{}_{class}_of_one", spelled(&self.operator, index_type));
                let title = format!("The index {index} into a sequence of one element");
                sketches.push(self.sketch(name, title, &shape));
            }
        }
        let comment = "Every class of index in every data type that has it, along rows and along columns.";
        Group { name: "indices", comment, sketches }
    }

    fn values(&self) -> Group {
        let mut sketches = Vec::new();
        for value_type in VALUE_TYPES {
            for (what, values) in value_pairs(value_type) {
                let shape =
                    Shape { types: (U32, value_type), sizes: &[2, 3], axis: 1, indices: "1 5", values: &values };
                let name = format!("{}_{what}", spelled(&self.operator, value_type));
                let [off, on] = [0, 1].map(|at| values.split(' ').nth(at).unwrap_or_default().to_owned());
                let title = format!("{}: Off is {off}, On is {on}", self.operator.family.spelling(value_type));
                sketches.push(self.sketch(name, title, &shape));
            }
        }
        let comment = "Pairs of values that a computation, a conversion or a comparison would change.";
        Group { name: "values", comment, sketches }
    }

    /// Where On and Off stand in tensors of values of many shapes.
    fn positions(&self) -> Group {
        let shapes: [&[u64]; 15] = [
            &[2],
            &[3],
            &[7],
            &[2, 1],
            &[3, 1],
            &[1, 5],
            &[2, 2],
            &[3, 2],
            &[2, 1, 1],
            &[1, 2, 1],
            &[2, 3, 1],
            &[2, 1, 2],
            &[2, 2, 1, 1],
            &[1, 3, 1, 2],
            &[1, 1, 2, 1, 1, 1, 1, 1],
        ];
        let mut sketches = Vec::new();
        for sizes in shapes {
            for value_type in [F32, U8] {
                let dimensions = sizes.len();
                let values: Vec<String> = (0..count(sizes)).map(|at| (10 + 10 * at).to_string()).collect();
                let mut output = vec![1; dimensions];
                output[0] = 3;
                let name = sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("_");
                let name = format!("values_of_{name}_{}", spelled(&self.operator, value_type));
                let sketch = Sketch::new(&self.operator, name, format!("ValuesTensor has the sizes {sizes:?}"))
                    .input(INDICES, U32, &vec![1; dimensions], "1")
                    .input(VALUES, value_type, sizes, &values.join(" "))
                    .output(OUTPUT, value_type, &output)
                    .integer("Axis", 0);
                sketches.push(sketch);
            }
        }
        let comment = "OffValue is the first element, OnValue the second along the fastest dimension above 1; the rest is ignored.";
        Group { name: "positions", comment, sketches }
    }

    fn layouts(&self) -> Group {
        let mut sketches = Vec::new();
        for (index_type, value_type) in [(U32, F32), (I64, F64), (U32, F16), (I32, U8)] {
            for axis in 0..3 {
                let mut sizes = vec![2, 2, 2];
                sizes[axis] = 3;
                let indices = indices_for(&sizes, axis);
                let name = format!("{}_axis_{axis}", spelled(&self.operator, value_type));
                let shape =
                    Shape { types: (index_type, value_type), sizes: &sizes, axis, indices: &indices, values: "3 7" };
                let base = self.sketch(name, "", &shape);
                if axis == 0 || value_type == F32 {
                    sketches.extend(layouts::variants(&base, INDICES));
                }
                sketches.extend(layouts::variants(&base, OUTPUT));
                let repeated = self.sketch(base.name(), "", &Shape { indices: &"1 ".repeat(4), ..shape });
                sketches.extend(layouts::broadcasts(&repeated, INDICES));
            }
            let shape =
                Shape { types: (index_type, value_type), sizes: &[2, 3], axis: 1, indices: "2 0", values: "3 7" };
            let base = self.sketch(spelled(&self.operator, value_type), "", &shape);
            sketches.extend(layouts::variants(&base, VALUES));
            let equal = self.sketch(format!("{}_equal", base.name()), "", &Shape { values: "5 5", ..shape });
            sketches.extend(layouts::broadcasts(&equal, VALUES));
            let all = self
                .sketch(format!("{}_all_strided", base.name()), "Every tensor is strided, each in another way", &shape)
                .strides(INDICES, &[5, 1])
                .strides(VALUES, &[9, 4])
                .strides(OUTPUT, &[1, 2]);
            sketches.push(all);
        }
        sketches.extend(self.long_spans());
        let comment = "Every tensor in every layout that it may have, for elements of 8, 4, 2 and 1 bytes; outputs in \
            strides that span more than 4 KiB.";
        Group { name: "layouts", comment, sketches }
    }

    /// Outputs of more than 4 KiB.
    fn long_spans(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        for (turn, (index_type, value_type)) in [(U32, F32), (I64, F64), (U32, F16), (I32, U8)].into_iter().enumerate()
        {
            let sizes = [if value_type == F64 { 7 } else { 17 }, 5, 23];
            let indices = without(&sizes, 1);
            let base = Sketch::new(&self.operator, format!("{}_axis_1", spelled(&self.operator, value_type)), "")
                // Of seven indices in turn, two are out of range.
                .input_of(INDICES, index_type, &indices, ramp(index_type, count(&indices), 0, 1, 7))
                .input(VALUES, value_type, &[1, 1, 2], "3 7")
                .output(OUTPUT, value_type, &sizes)
                .integer("Axis", 1);
            sketches.extend(layouts::long_spans(&base, OUTPUT));
            if turn == 0 {
                let (rows, _) = layouts::long_strides(&indices, index_type.bytes() as u64);
                let (_, columns) = layouts::long_strides(&sizes, value_type.bytes() as u64);
                let name = format!("{}_indices_and_output_beyond_4_kib", spelled(&self.operator, value_type));
                let title = "Indices and output are strided, each in another way and over more than 4 KiB";
                let both = base.named(name, title).strides(INDICES, &rows).strides(OUTPUT, &columns);
                sketches.push(both);
            }
        }
        sketches
    }

    /// Sequences that implementations write in blocks of 16 bytes or more: rows of 80 bytes that fill more than 1 KiB, and
    /// rows of 128 bytes between which sequences lie, with indices that are read four at a time.
    fn blocks(&self) -> Vec<Sketch> {
        let mut sketches = Vec::new();
        let base = |name: &str, title: &str, values: DataType, sizes: &[u64], axis: i64| {
            Sketch::new(&self.operator, name.to_owned(), title)
                .input(VALUES, values, &[1, 1, 2], "3 7")
                .output(OUTPUT, values, sizes)
                .integer("Axis", axis)
        };
        let sizes = [2, 20, 20];
        let indices = without(&sizes, 2);
        let rows = base("rows_of_80_bytes", "Forty rows of twenty elements of 4 bytes", F32, &sizes, 2).input_of(
            INDICES,
            U32,
            &indices,
            ramp(U32, count(&indices), 0, 1, 23),
        );
        sketches.push(rows);
        let edges: [(DataType, &str); 4] = [
            (I32, "-1 0 4 5 -5 -6 2147483647 -2147483648"),
            (I64, "-1 4294967296 4 -4294967295 -5 4294967297 -4294967297 0"),
            (U32, "0 4 5 4294967295 4294967291 2147483648 1 3"),
            (U64, "0 4294967296 18446744073709551615 4 18446744069414584321 5 1 3"),
        ];
        for (index_type, edges) in edges {
            for (value_type, inner) in [(F32, 32), (F64, 16)] {
                let spelling = spelled(&self.operator, index_type);
                let name = format!("planes_of_{}_indices_{spelling}", spelled(&self.operator, value_type));
                let title = format!("Rows of 128 bytes, and indices at the edges of sequences of five, {spelling}");
                let repeated = vec![edges; 2 * inner as usize / 8].join(" ");
                let planes = base(&name, &title, value_type, &[2, 5, inner], 1);
                let planes = planes.input(INDICES, index_type, &[2, 1, inner], &repeated);
                sketches.push(planes);
            }
        }
        sketches
    }

    fn sizes(&self) -> Group {
        let mut sketches = Vec::new();
        let mut turn = 0;
        for size in super::sizes_around_powers_of_two() {
            turn += 1;
            let (value_type, index_type) = (VALUE_TYPES[turn % 11], INDEX_TYPES[turn % 4]);
            // As many sequences as that, each of three elements; the period of the indices is no power of two.
            let many = ramp(index_type, size, 0, 1, 5);
            let sketch = |name: String, title: String, indices: &[u64], data, output: &[u64], axis: i64| {
                Sketch::new(&self.operator, name, title)
                    .input_of(INDICES, index_type, indices, data)
                    .input(VALUES, value_type, &[1, 2], "3 7")
                    .output(OUTPUT, value_type, output)
                    .integer("Axis", axis)
            };
            let title = format!("{} of three elements", counted(size as usize, "sequence"));
            sketches.push(sketch(format!("rows_{size}"), title.clone(), &[size, 1], many.clone(), &[size, 3], 1));
            sketches.push(sketch(format!("columns_{size}"), title, &[1, size], many, &[3, size], 0));
            let last = constant(index_type, 2, &(size - 1).to_string(), &[(1, "0")]);
            let title = format!("Two sequences of {size} elements; the first index is that of the last element");
            let [row, column] = [[2, 1], [1, 2]];
            sketches.push(sketch(format!("row_length_{size}"), title.clone(), &row, last.clone(), &[2, size], 1));
            sketches.push(sketch(format!("column_length_{size}"), title, &column, last, &[size, 2], 0));
        }
        let beyond = |name: &str, title: &str, size: u64, index: &str| {
            Sketch::new(&self.operator, name, title)
                .input(INDICES, U32, &[1], index)
                .input(VALUES, U8, &[2], "3 7")
                .output(OUTPUT, U8, &[size])
                .integer("Axis", 0)
        };
        let title = "More elements than a FLOAT32 counts exactly";
        sketches.push(beyond("count_beyond_float32", title, (1 << 24) + 1, "5"));
        let title = "An index that a FLOAT32 does not hold exactly";
        sketches.push(beyond("index_beyond_float32", title, (1 << 24) + 2, "16777217"));
        sketches.extend(self.blocks());
        let comment = "Sizes around powers of two up to 2^17, where lanes, workgroups, 16-bit counters and grids end, and rows \
            that are whole blocks of bytes.";
        Group { name: "sizes", comment, sketches }
    }

    /// Every type where the number of sequences, or the length of one, leaves 16 bits.
    fn limits(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, value_type) in VALUE_TYPES.into_iter().enumerate() {
            let index_type = INDEX_TYPES[turn % 4];
            let name = spelled(&self.operator, value_type);
            for size in super::LIMITS {
                let make = |what: &str, title: String, indices: &[u64], data, output: &[u64]| {
                    Sketch::new(&self.operator, format!("{name}_{what}_{size}"), title)
                        .input_of(INDICES, index_type, indices, data)
                        .input(VALUES, value_type, &[1, 2], "3 7")
                        .output(OUTPUT, value_type, output)
                        .integer("Axis", 1)
                };
                let many = ramp(index_type, size, 0, 1, 5);
                let title = format!("{size} sequences of two elements");
                sketches.push(make("rows", title, &[size, 1], many, &[size, 2]));
                let last = constant(index_type, 2, &(size - 1).to_string(), &[(0, "1")]);
                let title = format!("The last index of {size}");
                sketches.push(make("row_length", title, &[2, 1], last, &[2, size]));
            }
        }
        let comment = "Every data type where the number of sequences, or the length of one, leaves 16 bits.";
        Group { name: "limits", comment, sketches }
    }

    /// What the documents leave open.
    fn open(&self) -> Group {
        let mut sketches = Vec::new();
        for value_type in VALUE_TYPES {
            for (what, strides) in [("innermost_is_slowest", [4, 4, 1, 2]), ("innermost_is_far", [1, 1, 3, 8])] {
                let name = format!("{}_{what}", spelled(&self.operator, value_type));
                let title = format!(
                    "{}: the dimension with the least stride is not the last one",
                    self.operator.family.spelling(value_type)
                );
                let sketch = Sketch::new(&self.operator, name, title)
                    .input(INDICES, U32, &[1, 1, 1, 1], "1")
                    .input(VALUES, value_type, &[1, 1, 2, 2], "10 30 20 40")
                    .strides(VALUES, &strides)
                    .output(OUTPUT, value_type, &[1, 1, 1, 2])
                    .integer("Axis", 3);
                sketches.push(sketch.observe(""));
            }
        }
        Group { name: "open", comment: "Questions that the documents leave open: the answers are recorded.", sketches }
    }

    /// A tensor beyond 2^31 bytes, for whose elements the formula is simple.
    fn large(&self) -> Group {
        let make = |name: &str, rows: u64, depth: u64| {
            Sketch::new(&self.operator, name, format!("{rows} sequences of {depth} elements, all indices out of range"))
                .input_of(INDICES, U32, &[rows, 1], constant(U32, rows, &depth.to_string(), &[]))
                .input(VALUES, U8, &[1, 2], "3 7")
                .output(OUTPUT, U8, &[rows, depth])
                .integer("Axis", 1)
                .claims("index-equal-size")
                .formula(vec![(OUTPUT.to_owned(), digest_of_repeated(&[3], rows * depth))])
        };
        let large = make("all_off", 1 << 16, (1 << 15) + 1).large();
        let comment = "An output of more than 2^31 bytes, and the same formula small. Runs with `--tier large`.";
        Group { name: "large", comment, sketches: vec![make("all_off_small", 1 << 6, (1 << 5) + 1), large] }
    }
}

impl Plan for OneHot {
    fn plain(&self, cell: &Cell) -> Sketch {
        let axis = cell.dimensions - 1;
        let sizes = around(cell.dimensions, axis);
        let indices = indices_for(&sizes, axis);
        let types = if cell.tensor == INDICES {
            (cell.data_type, F32)
        } else if self.below_3_0(cell) {
            (U32, cell.data_type)
        } else {
            (INDEX_TYPES[cell.turn % 4], cell.data_type)
        };
        self.sketch("", "", &Shape { types, sizes: &sizes, axis, indices: &indices, values: "3 7" })
    }

    fn bases(&self) -> Vec<Sketch> {
        let make = |name: &str, title: &str, types, sizes: &[u64], axis| {
            let indices = indices_for(sizes, axis);
            self.sketch(name, title, &Shape { types, sizes, axis, indices: &indices, values: "3 7" })
        };
        vec![
            make("plain", "A plain case of four dimensions", (U32, F32), &[2, 1, 2, 3], 3),
            make("middle", "Three dimensions and the axis in the middle", (I64, I16), &[2, 3, 2], 1),
            make("wide", "Elements of 64 bits", (U64, F64), &[3, 2], 0),
            make("bytes", "Elements of one byte", (I32, U8), &[3, 5], 1),
        ]
    }

    fn groups(&self) -> Vec<Group> {
        vec![
            self.axes(),
            self.indices(),
            self.values(),
            self.positions(),
            self.layouts(),
            self.sizes(),
            self.limits(),
            self.open(),
            self.large(),
        ]
    }
}

impl OneHot {
    /// Whether an earlier level than 3_0 has the cell, where other types of indices do not exist yet.
    fn below_3_0(&self, cell: &Cell) -> bool {
        let level = self.operator.family.level("3_0");
        let rows = self.operator.support.iter().filter(|row| Some(row.from) < level);
        rows.flat_map(|row| &row.tensors).any(|(tensor, dimensions, types)| {
            *tensor == cell.tensor && dimensions.contains(cell.dimensions) && types.contains(&cell.data_type)
        })
    }
}

/// The sizes of indices: 1 along the axis.
fn without(sizes: &[u64], axis: usize) -> Vec<u64> {
    sizes.iter().enumerate().map(|(at, &size)| if at == axis { 1 } else { size }).collect()
}

/// Sizes with 3 along the axis, 2 beside it and 1 further away.
fn around(dimensions: usize, axis: usize) -> Vec<u64> {
    let size = |at: usize| match at.abs_diff(axis) {
        0 => 3,
        1 => 2,
        _ => 1,
    };
    (0..dimensions).map(size).collect()
}

/// Indices in turn: each element of a sequence of three, and one far behind the last.
fn indices_for(sizes: &[u64], axis: usize) -> String {
    let turns = ["2", "0", "5", "1"];
    let indices = (0..count(&without(sizes, axis)) as usize).map(|at| turns[at % turns.len()]);
    indices.collect::<Vec<_>>().join(" ")
}

/// Index classes of a data type for sequences of four elements: name and index.
fn index_classes(data_type: DataType) -> Vec<(&'static str, String)> {
    let (least, greatest) = extremes(data_type);
    let wide = data_type.bytes() == 8;
    let mut classes = vec![
        ("first", "0".to_owned()),
        ("last", "3".to_owned()),
        ("size", "4".to_owned()),
        ("size_plus_1", "5".to_owned()),
        ("twice_the_size", "8".to_owned()),
        ("2_to_the_8", "256".to_owned()),
        ("2_to_the_16_plus_1", "65537".to_owned()),
        ("2_to_the_24_plus_1", "16777217".to_owned()),
        ("2_to_the_31_minus_1", "2147483647".to_owned()),
    ];
    if data_type.is_signed_integer() {
        classes.extend([
            ("minus_1", "-1".to_owned()),
            ("minus_size", "-4".to_owned()),
            ("minus_size_minus_1", "-5".to_owned()),
            ("minus_twice_the_size", "-8".to_owned()),
            ("least", least),
        ]);
        if wide {
            classes.extend([
                ("2_to_the_31", "2147483648".to_owned()),
                ("2_to_the_32", "4294967296".to_owned()),
                ("2_to_the_32_plus_1", "4294967297".to_owned()),
                ("2_to_the_32_minus_1", "4294967295".to_owned()),
                ("minus_2_to_the_32", "-4294967296".to_owned()),
                ("minus_2_to_the_32_plus_1", "-4294967295".to_owned()),
                ("minus_2_to_the_32_minus_1", "-4294967297".to_owned()),
                ("greatest", greatest),
            ]);
        }
    } else {
        classes.extend([
            ("2_to_the_31", "2147483648".to_owned()),
            ("greatest", greatest),
            ("2_to_the_32_minus_4", "4294967292".to_owned()),
        ]);
        if wide {
            classes.extend([
                ("2_to_the_32", "4294967296".to_owned()),
                ("2_to_the_32_plus_1", "4294967297".to_owned()),
                ("2_to_the_40_minus_1", "1099511627775".to_owned()),
                ("2_to_the_63", "9223372036854775808".to_owned()),
                ("2_to_the_63_plus_1", "9223372036854775809".to_owned()),
                ("2_to_the_64_minus_4", "18446744073709551612".to_owned()),
            ]);
        }
    }
    classes
}

/// OffValue and OnValue in one text, with a name.
fn value_pairs(data_type: DataType) -> Vec<(&'static str, String)> {
    let (least, greatest) = extremes(data_type);
    let mut pairs = vec![
        ("small", "3 7".to_owned()),
        ("on_below_off", "7 3".to_owned()),
        ("equal", "5 5".to_owned()),
        ("zero_and_one", "0 1".to_owned()),
        ("extremes", format!("{least} {greatest}")),
        ("extremes_swapped", format!("{greatest} {least}")),
    ];
    match (data_type, data_type.is_float()) {
        (_, true) => {
            let [quiet, signalling, subnormal] = odd_floats(data_type);
            pairs.extend([
                ("negative_zero_on", "0.0 -0.0".to_owned()),
                ("negative_zero_off", "-0.0 0.0".to_owned()),
                ("infinities", "-.inf .inf".to_owned()),
                ("infinite_on", "1 .inf".to_owned()),
                ("infinite_off", "-.inf 1".to_owned()),
                ("nan_on", format!("0 {quiet}")),
                ("nan_off", format!("{quiet} 0")),
                ("signalling_nan", format!("{signalling} 1")),
                ("subnormal_on", format!("0 {subnormal}")),
                ("fractions", "0.1 -0.3".to_owned()),
            ]);
        }
        (I64 | U64, _) => pairs.extend([
            ("beyond_float64", "9007199254740992 9007199254740993".to_owned()),
            ("equal_low_words", "4294967297 1".to_owned()),
            ("equal_high_words", "4294967297 4294967298".to_owned()),
        ]),
        (I32 | U32, _) => pairs.push(("beyond_float32", "16777216 16777217".to_owned())),
        _ => {}
    }
    if data_type.is_signed_integer() {
        pairs.push(("minus_one", "-1 -2".to_owned()));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_of_the_newest_row_has_its_turn() {
        assert_eq!(VALUE_TYPES.len(), 11);
        assert!([I16, U16].iter().all(|data_type| VALUE_TYPES.contains(data_type)));
    }
}
