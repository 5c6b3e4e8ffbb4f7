//! The plan of `openvino/one_hot_1`.
//!
//! Where the values themselves are not the point, on_value is 7 and off_value is 3, so that neither a swap of the two
//! nor memory that was never written goes unnoticed.

use std::sync::Arc;

use opcert_backend::DataType::{self, BF16, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

use super::sketch::{Sketch, constant, digest_of_repeated, ramp};
use super::support::Cell;
use super::values::{count, extremes, odd_floats, spelled};
use super::{Group, Plan};
use crate::case::Data;
use crate::spec::Operator;

const VALUE_TYPES: [DataType; 13] = [F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool];
const INDEX_TYPES: [DataType; 2] = [I64, I32];

pub(super) struct OpenVinoOneHot1 {
    pub(super) operator: Arc<Operator>,
}

/// What differs from case to case.
#[derive(Clone, Copy)]
struct Shape<'a> {
    /// The data types of indices and values.
    types: (DataType, DataType),
    /// The sizes of the indices.
    sizes: &'a [u64],
    axis: i64,
    depth: u64,
    /// The indices as texts between spaces.
    indices: &'a str,
    /// on_value and off_value, in this order.
    values: [&'a str; 2],
}

impl OpenVinoOneHot1 {
    fn sketch(&self, name: impl Into<String>, title: impl Into<String>, shape: &Shape<'_>) -> Sketch {
        let indices = super::values::elements(shape.types.0, shape.indices).unwrap_or_default();
        self.sketch_of(name, title, shape, Data::Elements(indices))
    }

    fn sketch_of(&self, name: impl Into<String>, title: impl Into<String>, shape: &Shape<'_>, indices: Data) -> Sketch {
        let Shape { types: (index_type, value_type), sizes, axis, depth, values: [on, off], .. } = *shape;
        Sketch::new(&self.operator, name, title)
            .input_of("indices", index_type, sizes, indices)
            .input("depth", index_type, &[], &depth.to_string())
            .input("on_value", value_type, &[], on)
            .input("off_value", value_type, &[], off)
            .output("output", value_type, &inserted(sizes, axis, depth))
            .integer("axis", axis)
    }

    /// Every axis from both ends, for every rank of indices from 0 to 7.
    fn axes(&self) -> Group {
        let mut sketches = Vec::new();
        for rank in 0..=7usize {
            let positions = rank as i64 + 1;
            for axis in -positions..positions {
                let sizes: Vec<u64> = (0..rank).map(|at| if at + 2 < rank { 1 } else { 2 }).collect();
                let end = if axis < 0 { format!("minus_{}", -axis) } else { axis.to_string() };
                let title = format!("The new axis {axis} for indices of rank {rank}");
                let indices = indices_for(&sizes);
                let shape = Shape { sizes: &sizes, axis, indices: &indices, ..PLAIN };
                sketches.push(self.sketch(format!("axis_{end}_of_rank_{rank}"), title, &shape));
            }
        }
        let comment = "Every axis, counted from both ends, for every rank of indices up to 7.";
        Group { name: "axes", comment, sketches }
    }

    /// Every element type of values and indices with every rank, and with the first, a middle and the last axis.
    fn types(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, value_type) in VALUE_TYPES.into_iter().enumerate() {
            let values = plain_values(value_type);
            let name = spelled(&self.operator, value_type);
            for rank in 0..=7usize {
                let sizes: Vec<u64> = (0..rank).map(|at| if at == 0 { 3 } else { 1 }).collect();
                let indices = indices_for(&sizes);
                let types = (INDEX_TYPES[(turn + rank) % 2], value_type);
                let shape = Shape { types, sizes: &sizes, indices: &indices, values, ..PLAIN };
                let title = format!("Values of {name}, indices of rank {rank}");
                sketches.push(self.sketch(format!("{name}_rank_{rank}"), title, &shape));
            }
            for (position, axis) in [("first", 0), ("middle", 1), ("last", 2)] {
                let types = (INDEX_TYPES[turn % 2], value_type);
                let shape = Shape { types, sizes: &[2, 2], axis, indices: "1 0 3 2", values, ..PLAIN };
                let title = format!("Values of {name} along the {position} of three axes");
                sketches.push(self.sketch(format!("{name}_{position}_axis"), title, &shape));
            }
        }
        for index_type in INDEX_TYPES {
            let name = spelled(&self.operator, index_type);
            for rank in 0..=7usize {
                let sizes: Vec<u64> = (0..rank).map(|at| if at + 1 == rank { 3 } else { 1 }).collect();
                let indices = indices_for(&sizes);
                let shape = Shape { types: (index_type, U8), sizes: &sizes, axis: 0, indices: &indices, ..PLAIN };
                let title = format!("Indices and depth of {name} and of rank {rank}");
                sketches.push(self.sketch(format!("indices_{name}_rank_{rank}"), title, &shape));
            }
        }
        let comment = "Every element type with every rank of indices up to 7, and with every position of the axis.";
        Group { name: "types", comment, sketches }
    }

    /// Each class of index between two valid ones, so that a write beside its own place shows.
    fn indices(&self) -> Group {
        let mut sketches = Vec::new();
        for index_type in INDEX_TYPES {
            let spelling = spelled(&self.operator, index_type);
            for (class, index) in index_classes(index_type) {
                for (place, axis) in [("rows", 1), ("columns", 0)] {
                    let indices = format!("1 {index} 2");
                    let types = (index_type, F32);
                    let shape = Shape { types, sizes: &[3], axis, depth: 4, indices: &indices, ..PLAIN };
                    let title = format!("The {spelling} index {index} between two others");
                    sketches.push(self.sketch(format!("{spelling}_{class}_in_{place}"), title, &shape));
                }
                let shape = Shape { types: (index_type, F32), sizes: &[], depth: 4, indices: index, ..PLAIN };
                let title = format!("The {spelling} index {index} alone, without dimensions");
                sketches.push(self.sketch(format!("{spelling}_{class}_alone"), title, &shape));
            }
            for index in ["0", "1", "2"] {
                let shape = Shape { types: (index_type, F32), sizes: &[1], depth: 1, indices: index, ..PLAIN };
                let title = format!("The {spelling} index {index} where depth is 1");
                sketches.push(self.sketch(format!("{spelling}_{index}_of_one"), title, &shape));
            }
        }
        let comment = "Every class of index in both types, along rows, along columns and alone.";
        Group { name: "indices", comment, sketches }
    }

    fn values(&self) -> Group {
        let mut sketches = Vec::new();
        for value_type in VALUE_TYPES {
            for (what, on, off) in value_pairs(value_type) {
                let types = (I64, value_type);
                let shape = Shape { types, sizes: &[2], indices: "1 5", values: [&on, &off], ..PLAIN };
                let name = spelled(&self.operator, value_type);
                let title = format!("{name}: on_value is {on}, off_value is {off}");
                sketches.push(self.sketch(format!("{name}_{what}"), title, &shape));
            }
        }
        let comment = "Pairs of values that a computation, a conversion or a comparison would change.";
        Group { name: "values", comment, sketches }
    }

    fn sizes(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, size) in super::sizes_around_powers_of_two().into_iter().enumerate() {
            let value_type = VALUE_TYPES[turn % VALUE_TYPES.len()];
            let types = (INDEX_TYPES[turn % 2], value_type);
            let shape = Shape { types, values: plain_values(value_type), ..PLAIN };
            // The period of the indices is no power of two, and some of them are out of range.
            let many = ramp(types.0, size, 0, 1, 5);
            let title = if size == 1 { "One index".to_owned() } else { format!("{size} indices") };
            for (place, axis) in [("rows", -1), ("columns", 0)] {
                let shape = Shape { sizes: &[size], axis, ..shape };
                let sketch = self.sketch_of(format!("{place}_{size}"), title.clone(), &shape, many.clone());
                sketches.push(sketch);
            }
            let last = constant(types.0, 2, &(size - 1).to_string(), &[(1, "0")]);
            for (place, axis) in [("row_length", 1), ("column_length", 0)] {
                let shape = Shape { sizes: &[2], axis, depth: size, ..shape };
                let title = format!("The last index that a depth of {size} has, and the first one");
                sketches.push(self.sketch_of(format!("{place}_{size}"), title, &shape, last.clone()));
            }
        }
        let comment = "Sizes around powers of two up to 2^17, where lanes, workgroups, 16-bit counters and grids end.";
        Group { name: "sizes", comment, sketches }
    }

    /// Every type where the number of indices, or depth, leaves 16 bits; and what a FLOAT32 does not hold.
    fn limits(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, value_type) in VALUE_TYPES.into_iter().enumerate() {
            let types = (INDEX_TYPES[turn % 2], value_type);
            let shape = Shape { types, values: plain_values(value_type), ..PLAIN };
            let name = spelled(&self.operator, value_type);
            for size in super::LIMITS {
                let many = Shape { sizes: &[size], depth: 2, ..shape };
                let indices = ramp(types.0, size, 0, 1, 5);
                let sketch = self.sketch_of(format!("{name}_rows_{size}"), format!("{size} indices"), &many, indices);
                sketches.push(sketch);
                let deep = Shape { sizes: &[2], depth: size, ..shape };
                let last = constant(types.0, 2, &(size - 1).to_string(), &[(0, "1")]);
                let title = format!("The last index that a depth of {size} has");
                sketches.push(self.sketch_of(format!("{name}_depth_{size}"), title, &deep, last));
            }
        }
        for (name, title, depth, index) in [
            ("count_beyond_float32", "More elements than an f32 counts exactly", (1 << 24) + 1, "5"),
            ("index_beyond_float32", "An index that an f32 does not hold exactly", (1 << 24) + 2, "16777217"),
        ] {
            let shape = Shape { types: (I64, U8), sizes: &[1], depth, indices: index, ..PLAIN };
            sketches.push(self.sketch(name, title, &shape));
        }
        let comment =
            "Every element type where the number of indices, or depth, leaves 16 bits; and what an f32 does not hold.";
        Group { name: "limits", comment, sketches }
    }

    fn open(&self) -> Group {
        let mut sketches = Vec::new();
        for index_type in INDEX_TYPES {
            let spelling = spelled(&self.operator, index_type);
            let mut negative = vec![("minus_1", "-1"), ("minus_depth", "-3"), ("minus_depth_minus_1", "-4")];
            negative.push(if index_type == I64 {
                ("minus_2_to_the_32_plus_1", "-4294967295")
            } else {
                ("least", "-2147483648")
            });
            for (what, index) in negative {
                let indices = format!("1 {index} 2");
                let shape = Shape { types: (index_type, F32), sizes: &[3], indices: &indices, ..PLAIN };
                let title = format!("The {spelling} index {index}, with valid ones beside it");
                let sketch = self.sketch(format!("{spelling}_{what}"), title, &shape);
                sketches.push(sketch.observe(""));
            }
        }
        for (indices, depth) in [(I32, I64), (I64, I32)] {
            let [one, other] = [indices, depth].map(|data_type| spelled(&self.operator, data_type));
            let shape = Shape { types: (indices, F32), sizes: &[3], indices: "1 0 3", ..PLAIN };
            let sketch = self.sketch(
                format!("indices_{one}_depth_{other}"),
                format!("Indices of {one} and a depth of {other}"),
                &shape,
            );
            let three = super::values::elements(depth, "3").unwrap_or_default();
            let sketch = sketch.with("depth", |tensor| tensor.data_type = depth).data("depth", Data::Elements(three));
            sketches.push(sketch.observe(""));
        }
        for (name, sizes, axis) in [("no_index", &[0][..], 1), ("no_row", &[0, 2], 1), ("no_column", &[2, 0], 0)] {
            let shape = Shape { sizes, axis, ..PLAIN };
            let sketch = self.sketch(name, format!("Indices of the sizes {sizes:?}"), &shape);
            sketches.push(sketch.observe(""));
        }
        Group { name: "open", comment: "Questions that the documents leave open: the answers are recorded.", sketches }
    }

    /// A tensor beyond 2^31 bytes, for whose elements the formula is simple.
    fn large(&self) -> Group {
        let make = |name: &str, rows: u64, depth: u64| {
            let shape = Shape { types: (I64, U8), sizes: &[rows], depth, ..PLAIN };
            let title = format!("{rows} indices that equal the depth {depth}");
            let indices = constant(I64, rows, &depth.to_string(), &[]);
            self.sketch_of(name, title, &shape, indices)
                .claims("index-at-or-above-depth")
                .formula(vec![("output".to_owned(), digest_of_repeated(&[3], rows * depth))])
        };
        let large = make("all_off", 1 << 16, (1 << 15) + 1).large();
        let comment = "An output of more than 2^31 bytes, and the same formula small. Runs with `--tier large`.";
        Group { name: "large", comment, sketches: vec![make("all_off_small", 1 << 6, (1 << 5) + 1), large] }
    }
}

const PLAIN: Shape<'static> =
    Shape { types: (I64, F32), sizes: &[], axis: -1, depth: 3, indices: "", values: ["7", "3"] };

impl Plan for OpenVinoOneHot1 {
    /// The operation has no support table.
    fn plain(&self, _: &Cell) -> Sketch {
        self.sketch("", "", &PLAIN)
    }

    fn bases(&self) -> Vec<Sketch> {
        let make = |name: &str, title: &str, types, sizes: &[u64], axis| {
            let indices = indices_for(sizes);
            self.sketch(name, title, &Shape { types, sizes, axis, indices: &indices, ..PLAIN })
        };
        vec![
            make("plain", "A plain case: indices of rank 2, the new axis at the end", (I64, F32), &[2, 4], -1),
            make("front", "Indices of rank 1, the new axis in front", (I32, I8), &[4], 0),
            make("scalar", "An index without dimensions", (I64, U64), &[], 0),
        ]
    }

    fn groups(&self) -> Vec<Group> {
        vec![
            self.axes(),
            self.types(),
            self.indices(),
            self.values(),
            self.sizes(),
            self.limits(),
            self.open(),
            self.large(),
        ]
    }
}

/// The sizes of the output.
fn inserted(sizes: &[u64], axis: i64, depth: u64) -> Vec<u64> {
    let mut inserted = sizes.to_vec();
    let at = if axis < 0 { axis + sizes.len() as i64 + 1 } else { axis };
    inserted.insert(at as usize, depth);
    inserted
}

/// Indices in turn: each position of a depth of 3, and the one behind the last.
fn indices_for(sizes: &[u64]) -> String {
    let turns = ["2", "0", "3", "1"];
    (0..count(sizes) as usize).map(|at| turns[at % turns.len()]).collect::<Vec<_>>().join(" ")
}

fn plain_values(data_type: DataType) -> [&'static str; 2] {
    if data_type == Bool { ["true", "false"] } else { ["7", "3"] }
}

/// Classes of indices for a depth of 4, none of them negative.
fn index_classes(data_type: DataType) -> Vec<(&'static str, &'static str)> {
    let mut classes = vec![
        ("first", "0"),
        ("last", "3"),
        ("depth", "4"),
        ("depth_plus_1", "5"),
        ("twice_the_depth", "8"),
        ("2_to_the_8", "256"),
        ("2_to_the_16_plus_1", "65537"),
        ("2_to_the_24_plus_1", "16777217"),
        ("2_to_the_31_minus_1", "2147483647"),
    ];
    if data_type == I64 {
        classes.extend([
            ("2_to_the_31", "2147483648"),
            ("2_to_the_32", "4294967296"),
            ("2_to_the_32_plus_1", "4294967297"),
            ("2_to_the_32_minus_1", "4294967295"),
            ("2_to_the_53_plus_1", "9007199254740993"),
            ("2_to_the_63_minus_1", "9223372036854775807"),
        ]);
    }
    classes
}

/// Names with on_value and off_value.
fn value_pairs(data_type: DataType) -> Vec<(&'static str, String, String)> {
    if data_type == Bool {
        let pairs =
            [("on", "true", "false"), ("off", "false", "true"), ("both", "true", "true"), ("none", "false", "false")];
        return pairs.map(|(name, on, off)| (name, on.to_owned(), off.to_owned())).to_vec();
    }
    let (least, greatest) = extremes(data_type);
    let mut pairs: Vec<(&str, &str, &str)> = vec![
        ("small", "7", "3"),
        ("on_below_off", "3", "7"),
        ("equal", "5", "5"),
        ("one_and_zero", "1", "0"),
        ("extremes", &greatest, &least),
        ("extremes_swapped", &least, &greatest),
    ];
    let odd = if data_type.is_float() { odd_floats(data_type) } else { Default::default() };
    let [quiet, signalling, subnormal] = &odd;
    match data_type {
        F64 | F32 | F16 | BF16 => pairs.extend([
            ("negative_zero_on", "-0.0", "0.0"),
            ("negative_zero_off", "0.0", "-0.0"),
            ("infinities", ".inf", "-.inf"),
            ("infinite_on", ".inf", "1"),
            ("infinite_off", "1", "-.inf"),
            ("nan_on", quiet.as_str(), "0"),
            ("nan_off", "0", quiet.as_str()),
            ("signalling_nan", "1", signalling.as_str()),
            ("subnormal_on", subnormal.as_str(), "0"),
            ("fractions", "-0.3", "0.1"),
        ]),
        I64 | U64 => pairs.extend([
            ("beyond_float64", "9007199254740993", "9007199254740992"),
            ("equal_low_words", "1", "4294967297"),
            ("equal_high_words", "4294967298", "4294967297"),
            ("beyond_32_bits", "4294967295", "2147483648"),
        ]),
        I32 | U32 => pairs.push(("beyond_float32", "16777217", "16777216")),
        _ => {}
    }
    if data_type.is_signed_integer() {
        pairs.push(("minus_one", "-2", "-1"));
    }
    pairs.into_iter().map(|(name, on, off)| (name, on.to_owned(), off.to_owned())).collect()
}
