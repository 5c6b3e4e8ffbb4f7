//! The plan of `directml/nonzero_coordinates`.
//!
//! Elements that are not zero are seldom 1, so that a sum of values is not taken for a count, and they stand at
//! irregular places, so that neither another order of rows nor another order of columns comes out right.

use std::sync::Arc;

use opcert_backend::DataType::{self, F16, F32, I8, I16, I32, U8, U16, U32};

use super::sketch::{Sketch, constant, ramp};
use super::support::Cell;
use super::values::{count, extremes, spelled};
use super::{Group, Plan, layouts};
use crate::case::{Data, Digest, Elements, ExpectedTensor, Pattern};
use crate::render::counted;
use crate::spec::Operator;

const INPUT: &str = "InputTensor";
const COUNT: &str = "OutputCountTensor";
const COORDINATES: &str = "OutputCoordinatesTensor";

const INPUT_TYPES: [DataType; 8] = [F32, F16, I32, I16, I8, U32, U16, U8];

/// What the large cases with rows cover.
const BASIC: &str = "count-value coordinates-value";

/// Sizes by effective rank, from 1 to 8, two of each: the first is above 1, and those behind it need not be.
const OF_RANK: [[&[u64]; 2]; 8] = [
    [&[3], &[2]],
    [&[2, 3], &[3, 2]],
    [&[2, 1, 3], &[2, 3, 2]],
    [&[2, 1, 3, 2], &[3, 2, 1, 2]],
    [&[2, 3, 1, 2, 1], &[2, 1, 2, 1, 3]],
    [&[2, 1, 2, 1, 3, 1], &[2, 2, 1, 1, 2, 2]],
    [&[2, 1, 1, 3, 1, 2, 1], &[2, 1, 2, 1, 2, 1, 2]],
    [&[3, 1, 2, 1, 1, 2, 1, 1], &[2, 1, 1, 2, 1, 2, 1, 2]],
];

pub(super) struct NonzeroCoordinates {
    pub(super) operator: Arc<Operator>,
}

/// The input, and how many of its coordinates a row holds.
#[derive(Clone, Copy)]
struct Shape<'a> {
    data_type: DataType,
    sizes: &'a [u64],
    columns: usize,
}

/// A name, a description, and whether the element at a position counts.
type Place = (&'static str, &'static str, fn(usize) -> bool);

impl NonzeroCoordinates {
    /// A case with the elements of the input as texts between spaces.
    fn sketch(&self, name: impl Into<String>, title: impl Into<String>, shape: Shape<'_>, elements: &str) -> Sketch {
        let sketch = Sketch::new(&self.operator, name, title).input(INPUT, shape.data_type, shape.sizes, elements);
        with_outputs(sketch, shape)
    }

    /// A case with an input that a formula describes.
    fn described(&self, name: impl Into<String>, title: impl Into<String>, shape: Shape<'_>, data: Data) -> Sketch {
        let sketch = Sketch::new(&self.operator, name, title).input_of(INPUT, shape.data_type, shape.sizes, data);
        with_outputs(sketch, shape)
    }

    fn spelling(&self, data_type: DataType) -> &str {
        self.operator.family.spelling(data_type)
    }

    fn coordinates(&self) -> Group {
        let mut sketches = Vec::new();
        for dimensions in 1..=8 {
            for leading in 0..dimensions {
                for columns in dimensions - leading..=dimensions {
                    let turn = sketches.len();
                    let sizes = [&vec![1; leading], OF_RANK[dimensions - leading - 1][turn % 2]].concat();
                    let name = format!("dimensions_{dimensions}_leading_{leading}_columns_{columns}");
                    let title = format!("{sizes:?} and {columns} of {dimensions} coordinates");
                    sketches.push(self.irregular(name, title, &sizes, columns, turn));
                }
            }
        }
        for dimensions in 2..=8 {
            let mut sizes = vec![1; dimensions];
            sizes[0] = 2;
            let name = format!("ones_behind_of_{dimensions}");
            let title = "Sizes of 1 behind a larger one count as well";
            sketches.push(self.irregular(name, title, &sizes, dimensions, dimensions));
            sizes[dimensions - 1] = 3;
            let name = format!("ones_between_of_{dimensions}");
            sketches.push(self.irregular(name, "Sizes of 1 between larger ones count", &sizes, dimensions, dimensions));
        }
        for dimensions in 4..=8 {
            let sizes = vec![2; dimensions];
            let shape = Shape { data_type: INPUT_TYPES[dimensions % 8], sizes: &sizes, columns: dimensions };
            let data = ramp(shape.data_type, count(&sizes), 0, 1, 3);
            let name = format!("twos_of_{dimensions}");
            let title = format!("Each of {dimensions} dimensions has the size 2, and two of three elements count");
            sketches.push(self.described(name, title, shape, data));
        }
        let comment = "Every dimension count with every number of leading sizes of 1 and every number of columns that it \
            allows.";
        Group { name: "coordinates", comment, sketches }
    }

    /// Elements at irregular places, the last one among them.
    fn irregular(&self, name: String, title: impl Into<String>, sizes: &[u64], columns: usize, turn: usize) -> Sketch {
        let data_type = INPUT_TYPES[turn % 8];
        let elements = irregular(data_type, count(sizes) as usize, turn);
        self.sketch(name, title, Shape { data_type, sizes, columns }, &elements)
    }

    fn ones(&self) -> Group {
        let mut sketches = Vec::new();
        for dimensions in 1..=8 {
            for columns in 1..=dimensions {
                let data_type = INPUT_TYPES[sketches.len() / 2 % 8];
                let sizes = vec![1; dimensions];
                let shape = Shape { data_type, sizes: &sizes, columns };
                let name = format!("dimensions_{dimensions}_columns_{columns}");
                let title = format!("One element that is not zero, {columns} of {dimensions} coordinates");
                let sketch = self.sketch(&name, title, shape, "2");
                sketches.push(sketch);
                let title = format!("One element that is zero, {columns} of {dimensions} coordinates");
                let sketch = self.sketch(format!("{name}_zero"), title, shape, "0");
                sketches.push(sketch);
            }
        }
        let comment = "All sizes are 1, so that the effective rank is 0: every dimension count and number of columns.";
        Group { name: "ones", comment, sketches }
    }

    /// Dimension counts of the three tensors, each pair of two tensors' counts once at least.
    fn dimension_counts(&self) -> Group {
        let mut sketches = Vec::new();
        for of_input in 1..=8 {
            for of_count in 1..=8 {
                // None of these are different counts of only 4 and 5, which before 4_0 is an open question.
                let of_coordinates = 2 + (of_input + of_count + 3) % 7;
                let rank = of_input.min(2);
                let sizes = [&vec![1; of_input - rank], OF_RANK[rank - 1][of_count % 2]].concat();
                let data_type = INPUT_TYPES[sketches.len() % 8];
                let columns = rank + of_count % (of_input - rank + 1);
                let elements = irregular(data_type, count(&sizes) as usize, of_count);
                let name = format!("input_{of_input}_count_{of_count}_coordinates_{of_coordinates}");
                let title = format!(
                    "Dimensions of the input: {of_input}, the count: {of_count}, coordinates: {of_coordinates}"
                );
                let sketch = self.sketch(name, title, Shape { data_type, sizes: &sizes, columns }, &elements);
                let sketch = with_dimensions(sketch, of_count, of_coordinates);
                sketches.push(sketch);
            }
        }
        let comment = "From 4_0 on the three tensors may differ in their dimension count.";
        Group { name: "dimension_counts", comment, sketches }
    }

    /// Which values are zero and which are not.
    fn values(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, data_type) in INPUT_TYPES.into_iter().enumerate() {
            for (what, words, elements) in values_of(data_type) {
                let length = elements.split_whitespace().count() as u64;
                let sizes = [1, 1, 1, length];
                let sizes = if turn % 2 == 0 { &sizes[..] } else { &sizes[3..] };
                let name = format!("{}_{what}", spelled(&self.operator, data_type));
                let title = format!("{}: {words}", self.spelling(data_type));
                let shape = Shape { data_type, sizes, columns: 1 };
                sketches.push(self.sketch(name, title, shape, &elements));
            }
        }
        let comment =
            "Values of every data type that a conversion, a comparison or a sum would take for something else.";
        Group { name: "values", comment, sketches }
    }

    /// Where elements that are not zero stand.
    fn places(&self) -> Group {
        let places: [Place; 7] = [
            ("nothing", "no element counts", |_| false),
            ("everything", "every element counts", |_| true),
            ("first", "the first element alone", |at| at == 0),
            ("last", "the last element alone", |at| at == 14),
            ("alternating", "every other element", |at| at % 2 == 1),
            ("across_rows", "a run across the end of a row", |at| (3..7).contains(&at)),
            ("one_zero", "all elements but one", |at| at != 7),
        ];
        let mut sketches = Vec::new();
        for (turn, data_type) in INPUT_TYPES.into_iter().enumerate() {
            for (what, words, counts) in places {
                let sizes = [1, 1, 3, 5];
                let sizes = if turn % 2 == 0 { &sizes[2..] } else { &sizes[..] };
                let elements = texts(data_type, 15, counts);
                let name = format!("{}_{what}", spelled(&self.operator, data_type));
                let title = format!("{}: {words}", self.spelling(data_type));
                let shape = Shape { data_type, sizes, columns: 2 };
                sketches.push(self.sketch(name, title, shape, &elements));
            }
        }
        let comment = "The same places in every data type: from no element to all of them.";
        Group { name: "places", comment, sketches }
    }

    fn order(&self) -> Group {
        let small: [&[u64]; 8] =
            [&[2, 2], &[4, 6], &[6, 4], &[2, 3, 4], &[4, 3, 2], &[1, 2, 3, 4], &[2, 3, 2, 2], &[2, 2, 1, 3, 2]];
        let mut sketches = Vec::new();
        for (turn, sizes) in small.into_iter().enumerate() {
            let data_type = INPUT_TYPES[turn];
            let shape = Shape { data_type, sizes, columns: sizes.len() };
            let length = count(sizes) as usize;
            for (what, words, elements) in [
                ("all", "Every element", texts(data_type, length, |_| true)),
                ("some", "Elements here and there", irregular(data_type, length, turn + 1)),
            ] {
                let name = format!("{what}_of_{}", joined(sizes));
                let title = format!("{words} in {sizes:?}");
                sketches.push(self.sketch(name, title, shape, &elements));
            }
        }
        for (turn, length) in [257, 1025, 4097].into_iter().enumerate() {
            let data_type = INPUT_TYPES[3 * turn];
            let shape = Shape { data_type, sizes: &[length], columns: 1 };
            let ends: Vec<(u64, &str)> = (0..length).filter(|at| (at + 1) % 256 < 2).map(|at| (at, "2")).collect();
            for (what, words, data) in [
                ("all", "Every element", constant(data_type, length, "2", &[])),
                ("most", "Two of three elements", ramp(data_type, length, 0, 1, 3)),
                ("ends", "The elements on both sides of multiples of 256", constant(data_type, length, "0", &ends)),
            ] {
                let title = format!("{words} of {length}");
                let name = format!("{what}_of_{length}");
                sketches.push(self.described(name, title, shape, data));
            }
        }
        let large: [&[u64]; 4] = [&[17, 61], &[61, 17], &[9, 10, 11], &[5, 6, 7, 8]];
        for (turn, sizes) in large.into_iter().enumerate() {
            let shape = Shape { data_type: INPUT_TYPES[2 * turn + 1], sizes, columns: sizes.len() };
            let data = ramp(shape.data_type, count(sizes), 0, 1, 7);
            let name = format!("most_of_{}", joined(sizes));
            let sketch = self.described(name, format!("Six of seven elements in {sizes:?}"), shape, data);
            sketches.push(sketch.clone());
            let name = format!("{}_transposed", sketch.name());
            let sketch = sketch.named(name, format!("Six of seven elements in {sizes:?}, the first dimension fastest"));
            let strides = reversed(&sketch, INPUT);
            sketches.push(sketch.strides(INPUT, &strides));
        }
        let comment = "Rows whose order in memory, by columns or by arrival would be another one, and tensors of \
            several workgroups.";
        Group { name: "order", comment, sketches }
    }

    fn layouts(&self) -> Group {
        let bases: [(&[u64], DataType, usize); 4] =
            [(&[2, 3], F32, 2), (&[2, 3, 2], F16, 3), (&[1, 2, 2, 3], U8, 3), (&[2, 1, 3, 1, 1, 2, 1, 1], I8, 8)];
        let mut sketches = Vec::new();
        for (turn, (sizes, data_type, columns)) in bases.into_iter().enumerate() {
            let shape = Shape { data_type, sizes, columns };
            let elements = irregular(data_type, count(sizes) as usize, turn);
            let base = self.sketch(spelled(&self.operator, data_type), "", shape, &elements);
            // The count is a single number in all of them, so that one of them is enough.
            let tensors = if turn == 0 { [INPUT, COORDINATES, COUNT].as_slice() } else { &[INPUT, COORDINATES] };
            for tensor in tensors {
                sketches.extend(layouts::variants(&base, tensor));
            }
            let [input, coordinates] = [INPUT, COORDINATES].map(|tensor| reversed(&base, tensor));
            let name = format!("{}_all", base.name());
            let all = base.named(name, "Input and coordinates have their first dimension fastest");
            let all = all.strides(INPUT, &input).strides(COORDINATES, &coordinates);
            sketches.push(all);
        }
        for data_type in [F32, I16, U8] {
            let repeated: [(&str, &[u64], &str); 5] = [
                ("rows", &[2, 3], "0 2 3 0 2 3"),
                ("columns", &[2, 3], "0 0 0 2 2 2"),
                ("elements", &[2, 3], "2 2 2 2 2 2"),
                ("zeros", &[1, 1, 2, 3], "0 0 0 0 0 0"),
                ("middle", &[2, 3, 2], "0 2 0 2 0 2 3 0 3 0 3 0"),
            ];
            for (what, sizes, elements) in repeated {
                let rank = sizes.iter().skip_while(|&&size| size == 1).count();
                let shape = Shape { data_type, sizes, columns: rank };
                let name = format!("{}_equal_{what}", spelled(&self.operator, data_type));
                let base = self.sketch(name, "", shape, elements);
                sketches.extend(layouts::broadcasts(&base, INPUT));
            }
        }
        let comment = "Every tensor in every layout that it may have, and an input whose elements share memory.";
        Group { name: "layouts", comment, sketches }
    }

    fn sizes(&self) -> Group {
        let mut sketches = Vec::new();
        for (turn, size) in super::sizes_around_powers_of_two().into_iter().enumerate() {
            let data_type = INPUT_TYPES[turn % 8];
            let four = [1, 1, 1, size];
            let sizes = if turn % 2 == 0 { &four[..] } else { &four[3..] };
            let shape = Shape { data_type, sizes, columns: 1 };
            let dense = constant(data_type, size, "2", &[]);
            let dense = self.described(
                format!("all_of_{size}"),
                format!("{}, none of them zero", counted(size as usize, "element")),
                shape,
                dense,
            );
            sketches.push(dense);
            let ends = [(0, "3"), (size / 2, "2"), (size - 1, "1")];
            let sparse = constant(data_type, size, "0", &ends);
            let title = format!("{size} elements: the first, the middle one and the last");
            sketches.push(self.described(format!("ends_of_{size}"), title, shape, sparse));
            let (name, sizes) = if turn % 2 == 0 {
                (format!("rows_{size}"), [size, 2])
            } else {
                (format!("columns_{size}"), [2, size])
            };
            let shape = Shape { data_type: INPUT_TYPES[(turn + 3) % 8], sizes: &sizes, columns: 2 };
            // The period is no power of two, so that zeros stand at another place in each row and each workgroup.
            let most = ramp(shape.data_type, 2 * size, 0, 1, 5);
            let title = format!("Four of five elements in {sizes:?}");
            sketches.push(self.described(name, title, shape, most));
        }
        let size = 65536 * 64 + 1;
        for (name, title, data) in [
            ("beyond_the_grid", "More than 65535 workgroups of 64 elements", ramp(U8, size, 0, 1, 3)),
            (
                "beyond_the_grid_at_the_end",
                "The last element alone, behind 65536 workgroups of 64",
                constant(U8, size, "0", &[(size - 1, "2")]),
            ),
        ] {
            let shape = Shape { data_type: U8, sizes: &[size], columns: 1 };
            sketches.push(self.described(name, title, shape, data));
        }
        let comment = "Sizes around powers of two up to 2^17, where lanes, workgroups, 16-bit counters and grids end.";
        Group { name: "sizes", comment, sketches }
    }

    /// Every type where a size leaves 16 bits or a workgroup, where one element is all there is, and repeated.
    fn limits(&self) -> Group {
        let mut sketches = Vec::new();
        for data_type in INPUT_TYPES {
            let name = self.spelling(data_type).to_lowercase();
            for size in [127, 128, 129].into_iter().chain(super::LIMITS) {
                let shape = Shape { data_type, sizes: &[size], columns: 1 };
                let title = format!("{size} elements, none of them zero");
                let sketch =
                    self.described(format!("{name}_{size}"), title, shape, constant(data_type, size, "2", &[]));
                sketches.push(sketch);
            }
            for columns in 1..=8 {
                let shape = Shape { data_type, sizes: &[1; 8], columns };
                let title = format!("One element in eight dimensions, {columns} of its coordinates");
                let sketch = self.sketch(format!("{name}_single_{columns}"), title, shape, "2");
                sketches.push(sketch);
            }
            for (what, row) in [("few", 21), ("many", 1367)] {
                let shape = Shape { data_type, sizes: &[3, row], columns: 2 };
                let title = format!("Every other element of three rows of {row}");
                let data = ramp(data_type, 3 * row, 0, 1, 2);
                let sketch = self.described(format!("{name}_scattered_{what}"), title, shape, data);
                sketches.push(sketch);
            }
        }
        let comment =
            "Every data type where sizes leave 16 bits or a workgroup, and where one element is all there is.";
        Group { name: "limits", comment, sketches }
    }

    /// Inputs on which rows that are appended as they are found come in another order each time.
    fn repeated(&self) -> Group {
        let scattered: Vec<(u64, &str)> = (0..30).map(|at| (at * at * 4 + 7 * at, "2")).collect();
        let cases: [(&str, &str, &[u64], DataType, Data); 6] = [
            ("few", "Elements of a single workgroup", &[3, 21], U8, ramp(U8, 63, 0, 1, 2)),
            ("all", "Every element", &[4099], U8, constant(U8, 4099, "2", &[])),
            ("every_other", "Every other element", &[3, 1367], I16, ramp(I16, 4101, 0, 1, 2)),
            ("scattered", "Elements ever further apart", &[4099], F32, constant(F32, 4099, "0", &scattered)),
            ("bits", "Bytes of which few are zero", &[1, 5, 29, 31], U8, Data::Pattern(Pattern::bits(3, U8, 4495))),
            (
                "at_both_ends",
                "Two elements far apart",
                &[65, 67],
                F16,
                constant(F16, 4355, "0", &[(0, "2"), (4354, "3")]),
            ),
        ];
        let make = |(name, title, sizes, data_type, data): (&str, &str, &[u64], DataType, Data)| {
            let rank = sizes.iter().skip_while(|&&size| size == 1).count();
            self.described(name, title, Shape { data_type, sizes, columns: rank }, data)
        };
        let comment = "Many elements and few over several workgroups: each dispatch gives the same rows in one order.";
        Group { name: "repeated", comment, sketches: cases.into_iter().map(make).collect() }
    }

    /// What the documents leave open.
    fn open(&self) -> Group {
        let mut sketches = Vec::new();
        for data_type in [F32, F16] {
            for (what, words, elements) in open_values(data_type) {
                let length = elements.split(' ').count() as u64;
                let name = format!("{}_{what}", spelled(&self.operator, data_type));
                let shape = Shape { data_type, sizes: &[1, 1, 1, length], columns: 1 };
                let title = format!("{}: {words}", self.spelling(data_type));
                sketches.push(self.sketch(name, title, shape, &elements).observe("count-in-range"));
            }
        }
        for (of_input, of_count, of_coordinates) in [(4, 4, 5), (4, 5, 4), (4, 5, 5), (5, 4, 4), (5, 4, 5), (5, 5, 4)] {
            let sizes = [&vec![1; of_input - 2], OF_RANK[1][0]].concat();
            let name = format!("input_{of_input}_count_{of_count}_coordinates_{of_coordinates}");
            let title =
                format!("Dimensions of the input: {of_input}, the count: {of_count}, coordinates: {of_coordinates}");
            let shape = Shape { data_type: F32, sizes: &sizes, columns: 2 };
            let sketch = self.sketch(name, title, shape, "0 2 0 3 0 4");
            let sketch = with_dimensions(sketch, of_count, of_coordinates);
            sketches.push(sketch.observe("count-in-range"));
        }
        Group { name: "open", comment: "Questions that the documents leave open: the answers are recorded.", sketches }
    }

    /// Inputs of more than 2^31 elements or bytes.
    fn large(&self) -> Group {
        let make = |name: &str, data_type: DataType, length: u64, positions: &[u64]| {
            let except: Vec<(u64, &str)> = positions.iter().map(|&at| (at, "2")).collect();
            let shape = Shape { data_type, sizes: &[length], columns: 1 };
            let title = format!("{} of {length} elements are not zero", positions.len());
            self.described(name, title, shape, constant(data_type, length, "0", &except))
                .claims(BASIC)
                .formula(rows_of(positions))
        };
        let mut sketches = Vec::new();
        for (what, data_type, half) in [("elements", U8, 1 << 31), ("bytes", F32, 1 << 29)] {
            // `half` is where an index, or the number of bytes in front of an element, leaves 31 bits.
            let positions = |half: u64| [0, half / 2, half - 1, half, half + 1, half + 4];
            let small = make(&format!("{what}_small"), data_type, 13, &positions(8));
            let large = make(&format!("{what}_beyond_2_to_the_31"), data_type, half + 5, &positions(half));
            sketches.extend([small, large.large()]);
        }
        let length = (1 << 24) + 1;
        let shape = Shape { data_type: U8, sizes: &[length], columns: 1 };
        let all = |name: &str, title: &str, shape: Shape<'_>| {
            let every: Vec<u64> = (0..count(shape.sizes)).collect();
            let data = constant(U8, count(shape.sizes), "2", &[]);
            let sketch = self.described(name, title, shape, data).claims(&format!("{BASIC} ascending-order"));
            sketch.formula(rows_of(&every))
        };
        let small = all("count_small", "All of 17 elements", Shape { sizes: &[17], ..shape });
        let large = all("count_beyond_float32", "A count that FLOAT32 does not hold exactly", shape);
        sketches.extend([small, large.large()]);
        let comment = "Inputs of more than 2^31 elements or bytes, a count above 2^24, and the same small. The large ones \
            run with `--tier large`.";
        Group { name: "large", comment, sketches }
    }
}

impl Plan for NonzeroCoordinates {
    fn plain(&self, cell: &Cell) -> Sketch {
        let dimensions = cell.dimensions;
        let rank = dimensions.min(2);
        let sizes = [&vec![1; dimensions - rank], OF_RANK[rank - 1][cell.turn % 2]].concat();
        let data_type = if cell.tensor == INPUT { cell.data_type } else { INPUT_TYPES[cell.turn % 8] };
        let columns = if cell.turn.is_multiple_of(3) { dimensions } else { rank };
        let elements = irregular(data_type, count(&sizes) as usize, cell.turn);
        self.sketch("", "", Shape { data_type, sizes: &sizes, columns }, &elements)
    }

    fn bases(&self) -> Vec<Sketch> {
        let make = |name: &str, title: &str, data_type, sizes: &[u64], columns| {
            let elements = irregular(data_type, count(sizes) as usize, 0);
            self.sketch(name, title, Shape { data_type, sizes, columns }, &elements)
        };
        vec![
            make("plain", "Four dimensions, one of size 1 in front and one within", F32, &[1, 2, 1, 3], 3),
            make(
                "five",
                "Five dimensions; only the size of 1 in front is left out of the effective rank",
                F16,
                &[1, 2, 1, 3, 1],
                5,
            ),
            make("matrix", "Two dimensions", I32, &[3, 2], 2),
            make("line", "One dimension", U8, &[5], 1),
            make("single", "One element", I16, &[1, 1, 1, 1], 1),
        ]
    }

    fn groups(&self) -> Vec<Group> {
        vec![
            self.coordinates(),
            self.ones(),
            self.dimension_counts(),
            self.values(),
            self.places(),
            self.order(),
            self.layouts(),
            self.sizes(),
            self.limits(),
            self.repeated(),
            self.open(),
            self.large(),
        ]
    }
}

/// Adds both outputs: a count of as many dimensions as the input, and coordinates of as many, but two at the least.
fn with_outputs(sketch: Sketch, shape: Shape<'_>) -> Sketch {
    let dimensions = shape.sizes.len();
    let coordinates = [count(shape.sizes), shape.columns as u64];
    let sketch = sketch.output(COUNT, U32, &[1]).output(COORDINATES, U32, &coordinates);
    with_dimensions(sketch, dimensions, dimensions.max(2))
}

/// Gives both outputs as many dimensions as these, by sizes of 1 in front.
fn with_dimensions(sketch: Sketch, of_count: usize, of_coordinates: usize) -> Sketch {
    sketch.with(COUNT, |tensor| tensor.sizes = vec![1; of_count]).with(COORDINATES, |tensor| {
        let matrix = tensor.sizes.split_off(tensor.sizes.len() - 2);
        tensor.sizes = [vec![1; of_coordinates - 2], matrix].concat();
    })
}

/// Strides with which the first dimension is the fastest.
fn reversed(sketch: &Sketch, tensor: &str) -> Vec<u64> {
    let sizes = sketch.tensor_of(tensor).map(|(_, descriptor)| descriptor.sizes.as_slice()).unwrap_or_default();
    (0..sizes.len()).map(|at| count(&sizes[..at])).collect()
}

/// Elements that are not zero at some places and zero at the others. No value stands twice in a row.
fn texts(data_type: DataType, length: usize, counts: impl Fn(usize) -> bool) -> String {
    let values = match data_type {
        F32 | F16 => ["0.5", "-1", "2", "-0.25", "3"],
        I32 | I16 | I8 => ["2", "-1", "3", "-2", "1"],
        _ => ["2", "1", "3", "5", "4"],
    };
    let elements = (0..length).map(|at| if counts(at) { values[at % 5] } else { "0" });
    elements.collect::<Vec<_>>().join(" ")
}

/// Elements that are not zero at places without a pattern, which differ from turn to turn; the last one is among them.
fn irregular(data_type: DataType, length: usize, turn: usize) -> String {
    // The squares modulo 11.
    texts(data_type, length, |at| at + 1 == length || [1, 3, 4, 5, 9].contains(&((at + turn) % 11)))
}

/// Numbers as a part of a name.
fn joined(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join("_")
}

/// What comes out where the elements at these positions of one dimension are not zero.
fn rows_of(positions: &[u64]) -> Vec<(String, ExpectedTensor)> {
    let count = Elements { bytes: (positions.len() as u32).to_le_bytes().to_vec(), undefined: Vec::new() };
    let rows: Vec<u8> = positions.iter().flat_map(|&at| (at as u32).to_le_bytes()).collect();
    let digest = Digest { blake3: blake3::hash(&rows).to_hex().to_string(), defined: Some(positions.len()) };
    vec![(COUNT.to_owned(), ExpectedTensor::Elements(count)), (COORDINATES.to_owned(), ExpectedTensor::Digest(digest))]
}

/// Elements of a data type with a name and a description.
fn values_of(data_type: DataType) -> Vec<(&'static str, &'static str, String)> {
    let (least, greatest) = extremes(data_type);
    let each_bit = if data_type.is_float() { "each bit of the exponent alone" } else { "each bit alone" };
    let mut values = vec![
        ("extremes", "the least and the greatest number", format!("0 {least} 0 {greatest} 0")),
        ("single_bits", each_bit, single_bits(data_type)),
    ];
    let mut add = |name, words, elements: &str| values.push((name, words, elements.to_owned()));
    if data_type.is_float() || data_type.is_signed_integer() {
        add("sum", "numbers whose sum is no count", "2 -1 0 -1 0");
    } else {
        add("sum", "numbers whose sum wraps around to 0", &format!("1 0 {greatest} 0"));
    }
    match data_type {
        F32 | F16 => add_floats(data_type, &mut add),
        I32 | U32 => {
            let parts = "0x100 0 0x10000 0x1000000 0 0xFFFF0000 0xFFFFFF00 0 0xFF";
            add("empty_parts", "numbers of which some bytes are 0", parts);
            let floats = "0x80000000 0 0x7FC00000 0x7F800001 0 0x7F800000 0x1 0 0x807FFFFF";
            add("like_floats", "the bits of -0.0, NaN, infinity and subnormal numbers", floats);
        }
        I16 | U16 => {
            add("empty_parts", "numbers of which one byte is 0", "0x100 0 0xFF00 0x8000 0 0xFF 0x1");
            let floats = "0x8000 0 0x7E00 0x7C01 0 0x7C00 0x1 0 0x83FF";
            add("like_floats", "the bits of -0.0, NaN, infinity and subnormal numbers", floats);
            // As a word of 32 bits, the first two are 0x80000000 and the next two 0x00008000.
            add("like_words", "pairs that are the float -0.0, or half of a word", "0 0x8000 0x8000 0 0 0 0 1");
        }
        _ => {
            let words = "0 0 0 0x80 0x80 0 0 0 0 0x80 0 0 0 0 0 0 0 0 1 0";
            add("like_words", "groups of four that are the float -0.0, or a part of a word", words);
            add("like_halves", "pairs that are the half -0.0, or half of it", "0 0x80 0x80 0 0 0 0 0 1");
        }
    }
    values
}

type Add<'a> = dyn FnMut(&'static str, &'static str, &str) + 'a;

fn add_floats(data_type: DataType, add: &mut Add<'_>) {
    add("signed_zeros", "zeros of both signs among numbers", "-0.0 0.5 0.0 -0.0 -1 0.0");
    add("negative_zeros", "nothing but negative zeros", "-0.0 -0.0 -0.0");
    add("positive_zeros", "nothing but positive zeros", "0.0 0.0 0.0");
    add("infinities", "infinities and zeros of both signs", ".inf 0 -.inf -0.0");
    add("fractions", "numbers that are 0 as integers", "0.5 0 -0.5 0.25 0 0.1 -0.9");
    let (normals, parts) = match data_type {
        F32 => {
            ("0x00800000 0 0x80800000 -0.0 0x00FFFFFF", "0x3F800000 0 0x00800001 0x80800000 0 0x7F000000 0x01000000")
        }
        _ => ("0x0400 0 0x8400 -0.0 0x07FF", "0x3C00 0 0x0400 0x8400 0 0x7800 0x04FF"),
    };
    add("least_normal", "the least normal numbers beside zeros of both signs", normals);
    add("empty_parts", "bits of which the high or the low ones are 0", parts);
    if data_type == F32 {
        add("below_halves", "numbers that are 0 as FLOAT16", "1.0e-30 0 -1.0e-9 0 1.0e-37");
    }
}

/// Each bit alone, with a zero behind every third. Of a float only the bits of the exponent, as those of the mantissa
/// make subnormal numbers and the sign makes a zero.
fn single_bits(data_type: DataType) -> String {
    let bits = match data_type {
        F32 => 23..31,
        F16 => 10..15,
        _ => 0..8 * data_type.bytes(),
    };
    let element = |at: usize| format!("{:#x}{}", 1u64 << at, if at.is_multiple_of(3) { " 0" } else { "" });
    bits.map(element).collect::<Vec<_>>().join(" ")
}

/// NaN and subnormal numbers among others, with a name and a description.
fn open_values(data_type: DataType) -> Vec<(&'static str, &'static str, String)> {
    // The bits of a quiet NaN, one with a payload, a negative one and a signalling one; of the least and the greatest
    // subnormal number, and the negatives of both.
    let [quiet, payload, negative, signalling, least, greatest, minus_least, minus_greatest] = match data_type {
        F32 => [
            "0x7FC00000",
            "0x7FC01234",
            "0xFFC00000",
            "0x7F800001",
            "0x00000001",
            "0x007FFFFF",
            "0x80000001",
            "0x807FFFFF",
        ],
        _ => ["0x7E00", "0x7E2A", "0xFE00", "0x7D01", "0x0001", "0x03FF", "0x8001", "0x83FF"],
    };
    vec![
        ("nan_quiet", "a quiet NaN", format!("1 0 {quiet} 0 2")),
        ("nan_with_payload", "a quiet NaN with a payload", format!("1 0 {payload} 0 2")),
        ("nan_negative", "a NaN with the sign bit", format!("1 0 {negative} 0 2")),
        ("nan_signalling", "a signalling NaN", format!("1 0 {signalling} 0 2")),
        ("nan_first", "NaN in front", format!("{quiet} 0 1 0 2")),
        ("nan_last", "NaN at the end", format!("1 0 2 0 {quiet}")),
        ("nan_all", "nothing but NaN", format!("{quiet} {quiet} {quiet}")),
        ("nan_all_kinds", "every kind of NaN", format!("{quiet} {payload} {negative} {signalling}")),
        ("nan_beside_zeros", "NaN between zeros of both signs", format!("-0.0 {quiet} 0.0 {negative} -0.0")),
        ("subnormal_least", "the least subnormal number", format!("1 0 {least} 0 2")),
        ("subnormal_greatest", "the greatest subnormal number", format!("1 0 {greatest} 0 2")),
        ("subnormal_minus_least", "the least subnormal number, negative", format!("1 0 {minus_least} 0 2")),
        ("subnormal_minus_greatest", "the greatest subnormal number, negative", format!("1 0 {minus_greatest} 0 2")),
        (
            "subnormal_all",
            "nothing but subnormal numbers",
            format!("{least} {greatest} {minus_least} {minus_greatest}"),
        ),
        ("subnormal_beside_zeros", "a subnormal number between zeros of both signs", format!("-0.0 {least} 0.0 -0.0")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_effective_rank_that_they_are_listed_under() {
        for (at, alternatives) in OF_RANK.into_iter().enumerate() {
            for sizes in alternatives {
                assert_eq!(sizes.len(), at + 1);
                assert!(sizes[0] > 1);
            }
        }
    }

    #[test]
    fn elements_here_and_there_leave_zeros_and_end_without_one() {
        let elements = irregular(I8, 12, 0);
        assert_eq!(elements, "0 -1 0 -2 1 2 0 0 0 1 0 -1");
        assert_eq!(texts(U8, 3, |_| false), "0 0 0");
    }

    #[test]
    fn each_bit_of_a_float_is_one_of_its_exponent() {
        assert_eq!(single_bits(F16), "0x400 0x800 0x1000 0 0x2000 0x4000");
        assert_eq!(single_bits(U8).split(' ').filter(|text| *text != "0").count(), 8);
    }
}
