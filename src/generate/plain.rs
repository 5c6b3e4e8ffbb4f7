//! Plain cases of any operator, for the cells of its support table and for refusals: small ones, whose values are such as
//! documents speak of in plain words.

use std::sync::Arc;

use opcert_backend::{DataType, TensorDescriptor};

use super::sketch::Sketch;
use crate::case::splitmix64;
use crate::kind::MOST_DIMENSIONS;
use crate::sample::{Absence, Boldness, Choices, Draw, Sample, Sampler, Wish};
use crate::spec::{Level, Operator, Tensor};

/// So many samples are drawn for a case until the documents say what comes out.
const TRIES: u64 = 8;
/// So many names of an attribute that is one of several are tried for a cell.
const NAMES_TRIED: usize = 3;

/// Makes plain cases of an operator: what is broken in one on purpose has to be the only thing that is odd about it.
pub(super) struct Plain<'a> {
    pub(super) operator: &'a Arc<Operator>,
    pub(super) sampler: &'a Sampler,
}

/// A case to be broken: its name, what is said of it, the sizes of the operator's subject, the axes, and the bytes that an
/// element of the subject has.
type Base = (&'static str, &'static str, &'static [u64], &'static [i64], Option<usize>);

/// Plainest first. Those that an operator does not have are left out.
const BASES: [Base; 6] = [
    ("plain", "Four dimensions, all of another size", &[2, 3, 1, 4], &[1], None),
    ("apart", "Two axes with another dimension between them", &[2, 3, 1, 4], &[1, 3], None),
    (
        "five",
        "Five dimensions, of which one in front, one within and the last have one element",
        &[1, 2, 1, 3, 1],
        &[3],
        Some(2),
    ),
    ("matrix", "Two dimensions, of elements of 64 bits", &[3, 2], &[0], Some(8)),
    ("line", "One dimension, of bytes", &[5], &[0], Some(1)),
    ("single", "One element", &[1, 1, 1, 1], &[3], None),
];

/// Those of operators that work each element out by itself.
const OF_ELEMENTS: [&str; 3] = ["plain", "matrix", "line"];

impl Plain<'_> {
    /// A case in which a tensor has a data type and a dimension count at a level; nothing where there is none. The others
    /// follow it, and take turns where they are free.
    pub(super) fn cell(
        &self,
        tensor: &str,
        (data_type, dimensions): (DataType, usize),
        level: Level,
        turn: usize,
    ) -> Option<Sketch> {
        let at = self.operator.tensors.iter().position(|each| each.name == tensor)?;
        let types = |(group, types): &(Vec<usize>, Vec<DataType>)| {
            if group.contains(&at) { Some(data_type) } else { types.get(turn % types.len().max(1)).copied() }
        };
        let types = self.sampler.solver().types(level).iter().map(|each| types(each).map(Some));
        let types: Vec<Option<DataType>> = types.collect::<Option<_>>()?;
        let beside = [dimensions, dimensions.wrapping_sub(1), dimensions + 1];
        let mut counts = beside.into_iter().chain(1..=MOST_DIMENSIONS).filter(|&count| count <= MOST_DIMENSIONS);
        counts.find_map(|count| {
            let inner = [[2, 3], [3, 2]][turn % 2];
            let mut sizes = vec![1; count];
            let wide = count.min(inner.len());
            sizes[count - wide..].copy_from_slice(&inner[inner.len() - wide..]);
            let axis = count.saturating_sub(1 + turn / 2 % 2) as i64;
            // What the documents leave open of one name they need not leave open of the next.
            (turn..turn + NAMES_TRIED).find_map(|name| {
                let wish = Wish {
                    sizes: Some(sizes.clone()),
                    axes: Some(vec![axis]),
                    counts: vec![(at, dimensions)],
                    types: types.clone(),
                    names: vec![name; self.operator.attributes.len()],
                    left_out: Some(self.left_out(turn).into_iter().filter(|&each| each != at).collect()),
                    turn,
                    boldness: Boldness::Plain,
                    ..Wish::default()
                };
                self.first(&wish, level)
            })
        })
    }

    /// Valid cases to be broken on purpose, plainest first, then the plainest without each tensor that may be left out. Where each
    /// element is worked out by itself, a few of them show all.
    pub(super) fn bases(&self) -> Vec<Sketch> {
        let subject = self.subject();
        let pointwise = self.sampler.is_pointwise(self.operator);
        let several = self.sampler.solver().names_several(self.operator, self.operator.family.highest());
        let base = |&(name, title, sizes, axes, bytes): &Base, turn: usize| {
            if axes.len() > 1 && !several || pointwise && !OF_ELEMENTS.contains(&name) {
                return None;
            }
            let at = |level: Level| {
                let types = self.sampler.solver().types(level).iter().map(|(group, types)| {
                    let width = bytes.filter(|_| group.contains(&subject));
                    let fits = types.iter().find(|each| width.is_none_or(|width| each.bytes() == width));
                    fits.or(types.first()).copied().map(Some)
                });
                let wish = Wish {
                    sizes: Some(sizes.to_vec()),
                    axes: Some(axes.to_vec()),
                    counts: vec![(subject, sizes.len())],
                    types: types.collect::<Option<_>>()?,
                    names: vec![0; self.operator.attributes.len()],
                    left_out: Some(self.left_out(turn)),
                    boldness: Boldness::Plain,
                    ..Wish::default()
                };
                self.first(&wish, level)
            };
            // From the first level on where there is such a case, so that all levels may refuse it.
            let sketch = at(self.operator.introduced).or_else(|| at(self.operator.family.highest()))?;
            Some(match turn {
                0 => sketch.named(name, title),
                turn => {
                    let (what, said) = self.about_absent(turn);
                    sketch.named(format!("{name}_{what}"), format!("{title}, and {said}"))
                }
            })
        };
        let turns = self.sampler.solver().absences().iter().map(|absence| absence.choices().len() - 1).sum();
        let otherwise = (1..=turns).filter_map(|turn: usize| base(&BASES[0], turn));
        BASES.iter().filter_map(|each| base(each, 0)).chain(otherwise).collect()
    }

    /// The tensors that are left out in a turn: as few as is usual, then by turns as many as each may leave out.
    pub(super) fn left_out(&self, turn: usize) -> Vec<usize> {
        let choices: Vec<Vec<Vec<usize>>> = self.sampler.solver().absences().iter().map(Absence::choices).collect();
        let others: usize = choices.iter().map(|each| each.len() - 1).sum();
        let mut other = (turn % (others + 1)).checked_sub(1);
        let each = choices.into_iter().map(|choices| {
            let at = other.filter(|&at| at + 1 < choices.len());
            other = other.filter(|_| at.is_none()).map(|other| other + 1 - choices.len());
            choices[at.map_or(0, |at| at + 1)].clone()
        });
        each.flatten().collect()
    }

    /// What is otherwise in a turn than usual: for names, and for titles.
    fn about_absent(&self, turn: usize) -> (String, String) {
        let (usual, left_out) = (self.left_out(0), self.left_out(turn));
        let differs = |at: &usize| usual.contains(at) != left_out.contains(at);
        let Some(at) = (0..self.operator.tensors.len()).find(differs) else {
            return ("as_usual".to_owned(), "nothing else".to_owned());
        };
        let tensor = &self.operator.tensors[at];
        if let Some(list) = tensor.list_name() {
            let is_there =
                |(other, tensor): &(usize, &Tensor)| !left_out.contains(other) && tensor.list_name() == Some(list);
            let count = self.operator.tensors.iter().enumerate().filter(is_there).count();
            return (format!("of_{count}"), format!("{count} of {list}"));
        }
        let short = crate::render::short(&tensor.name);
        (format!("without_{short}"), format!("no {}", tensor.name))
    }

    /// The number of the operator's subject.
    pub(super) fn subject(&self) -> usize {
        self.operator.tensors.iter().position(|each| each.name == self.operator.subject).unwrap_or(0)
    }

    /// A packed case as it is wished for, by a number with the sample; nothing where there is none, or where the documents
    /// leave open what comes out.
    pub(super) fn sketch(&self, wish: &Wish, level: Level, number: u64) -> Option<(Sample, Sketch)> {
        let mut choices = Choices::random(splitmix64(number));
        let mut draw =
            Draw { choices: &mut choices, operator: self.operator, level, strided: false, data: true, empty: false };
        let mut sample = self.sampler.wished(&mut draw, wish, None)?;
        for entry in &mut sample.descriptor.tensors {
            entry.tensor = TensorDescriptor::packed(entry.tensor.data_type, &entry.tensor.sizes[..]);
        }
        let sketch = Sketch::of_sample(self.operator, &sample);
        sketch.clone().complete().is_ok().then_some((sample, sketch))
    }

    fn first(&self, wish: &Wish, level: Level) -> Option<Sketch> {
        (0..TRIES).find_map(|number| self.sketch(wish, level, number)).map(|(_, sketch)| sketch)
    }
}
