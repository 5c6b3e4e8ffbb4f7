//! The search: samples, what both make of each, and the smallest one of each class.

use std::collections::BTreeMap;

use opcert_backend::{DataType, Descriptor};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::class::{Class, Part};
use crate::case::{Data, splitmix64};
use crate::check::{InputData, violations};
use crate::definition::{Definition, Evaluation, Open, Output};
use crate::element;
use crate::fuzz::shrink;
use crate::mapping::{Mapping, Said, Unsaid};
use crate::sample::{Choices, Draw, Sample, Sampler};
use crate::spec::{Level, Operator};

/// What is compared, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// How descriptors of one operator are said as those of the other.
    pub mapping: &'a Mapping,
    /// The levels of `from` and of `to`.
    pub levels: (Level, Level),
    /// What all samples follow from.
    pub seed: u64,
    /// So many are drawn.
    pub samples: u64,
}

/// How many samples came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All that were drawn.
    pub samples: u64,
    /// Both answer the same, bit for bit where the types are the same.
    pub same: u64,
    /// Both leave the same elements open, and answer the others alike.
    pub open: u64,
    /// The definition of `from` has no answer.
    pub unanswered: u64,
    /// `from` leaves something open, and `to` accepts it.
    pub answered: u64,
}

/// A class of differences.
#[derive(Clone, Debug)]
pub struct Found {
    /// What differs.
    pub class: Class,
    /// How many samples are in it.
    pub samples: u64,
    /// The smallest that was found.
    pub witness: Witness,
}

/// A sample that shows a difference.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The descriptor of `from`.
    pub descriptor: Descriptor,
    /// Its data.
    pub inputs: Vec<InputData>,
    /// What it is by `to`, unless that cannot be said.
    pub said: Option<Said>,
    /// What `from` makes of it, as text: the element that differs and its place, or what comes of all.
    pub from: String,
    /// The line by which it does so.
    pub from_line: Option<String>,
    /// What `to` makes of it.
    pub to: String,
    /// The line by which it does so.
    pub to_line: Option<String>,
    /// What backends make of it by `from`, where any was asked.
    pub from_ran: Vec<Answered>,
    /// What backends make of it by `to`.
    pub to_ran: Vec<Answered>,
}

/// The answer of a backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answered {
    /// Its name and version.
    pub backend: String,
    /// What came out, or why nothing did.
    pub answer: String,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Compared {
    /// How many samples came to what.
    pub counts: Counts,
    /// All classes that were seen.
    pub classes: Vec<Class>,
    /// What differs, that first which gives other numbers.
    pub found: Vec<Found>,
    /// How many more classes were seen than are shown.
    pub left_out: usize,
}

/// What comes of a sample.
enum Outcome {
    Same,
    Open,
    Unanswered,
    Other(Box<(Class, Witness)>),
}

/// The number of a sample, and whether it has a tensor without elements.
type Drawn = (u64, bool);

/// So many samples are drawn at once.
const BATCH: u64 = 1 << 13;
/// So many classes are shrunk and shown.
const MOST_CLASSES: usize = 24;
/// How an answer begins that is a refusal, where the other side leaves open whether to accept.
const REFUSED: &str = "refused: ";
/// One sample of so many has a tensor without elements.
const EMPTY_ONCE_IN: u64 = 32;
/// So many smaller samples are tried for each.
const SHRINKING: usize = 4000;

impl Comparison<'_> {
    /// Draws the samples, and says what differs. The same seed gives the same text.
    #[must_use]
    pub fn run(&self) -> Compared {
        let sampler = Sampler::new(&self.mapping.from);
        let mut counts = Counts::default();
        let mut classes: BTreeMap<Class, (Drawn, u64)> = BTreeMap::new();
        let mut first = 0;
        while first < self.samples {
            let end = (first + BATCH).min(self.samples);
            let outcome = |number| {
                // Tensors without elements are tried, whether an operator takes them or not.
                let empty = number % EMPTY_ONCE_IN == EMPTY_ONCE_IN - 1;
                let empty = empty && self.sample(&sampler, (number, true)).is_some();
                let sample = self.sample(&sampler, (number, empty));
                ((number, empty), sample.map_or(Outcome::Unanswered, |sample| self.outcome(&sample)))
            };
            let outcomes: Vec<(Drawn, Outcome)> = (first..end).into_par_iter().map(outcome).collect();
            for (number, outcome) in outcomes {
                counts.samples += 1;
                match outcome {
                    Outcome::Same => counts.same += 1,
                    Outcome::Open => counts.open += 1,
                    Outcome::Unanswered => counts.unanswered += 1,
                    Outcome::Other(other) => {
                        let (class, witness) = *other;
                        let is_open = matches!(class, Class::Open { part: Part::From, .. });
                        counts.answered += u64::from(is_open && !witness.to.starts_with(REFUSED));
                        classes.entry(class).or_insert((number, 0)).1 += 1;
                    }
                }
            }
            first = end;
        }
        let mut classes: Vec<(Class, (Drawn, u64))> = classes.into_iter().collect();
        classes.sort_by_key(|(class, (number, samples))| (class.rank(), std::cmp::Reverse(*samples), *number));
        let seen = classes.iter().map(|(class, _)| class.clone()).collect();
        let left_out = classes.len().saturating_sub(MOST_CLASSES);
        classes.truncate(MOST_CLASSES);
        let found = classes.into_par_iter().with_max_len(1).filter_map(|(class, (number, samples))| {
            let witness = self.smallest(&sampler, &class, number)?;
            Some(Found { class, samples, witness })
        });
        Compared { counts, classes: seen, found: found.collect(), left_out }
    }

    fn choices(&self, number: u64) -> Choices<'static> {
        Choices::random(splitmix64(self.seed ^ splitmix64(number)))
    }

    fn sample(&self, sampler: &Sampler, (number, empty): Drawn) -> Option<Sample> {
        self.chosen(sampler, &mut self.choices(number), empty)
    }

    /// The sample that is chosen, if it is valid.
    fn chosen(&self, sampler: &Sampler, choices: &mut Choices<'_>, empty: bool) -> Option<Sample> {
        let (operator, level) = (&*self.mapping.from, self.levels.0);
        let sample = sampler.draw(&mut Draw { choices, operator, level, strided: false, data: true, empty })?;
        (!empty || self.is_valid(&sample.descriptor)).then_some(sample)
    }

    fn is_valid(&self, descriptor: &Descriptor) -> bool {
        !violations(&self.mapping.from, descriptor, self.levels.0).iter().any(|each| each.gates)
    }

    /// The requirement that leaves open whether `from` accepts a descriptor. No other than an empty one is drawn of which that
    /// can be.
    fn doubt(&self, descriptor: &Descriptor) -> Option<String> {
        if descriptor.tensors.iter().all(|entry| !entry.tensor.sizes.contains(&0)) {
            return None;
        }
        let broken = violations(&self.mapping.from, descriptor, self.levels.0);
        broken.into_iter().find(|each| !each.gates).map(|each| each.requirement)
    }

    /// The smallest sample of a class that can be made of one.
    fn smallest(&self, sampler: &Sampler, class: &Class, (number, empty): Drawn) -> Option<Witness> {
        let shows = |choices: &mut Choices<'_>| match self.outcome(&self.chosen(sampler, choices, empty)?) {
            Outcome::Other(other) if other.0 == *class => Some(other.1),
            _ => None,
        };
        let mut choices = self.choices(number);
        let witness = shows(&mut choices)?;
        let numbers = shrink(choices.drawn().to_vec(), SHRINKING, |choices| shows(choices).is_some());
        let witness = shows(&mut Choices::replay(&numbers)).unwrap_or(witness);
        Some(self.in_single_precision(class, &witness).unwrap_or(witness))
    }

    /// The same with floats of 32 bits for those of 64, if that shows the class as well: more runtimes have code for it.
    fn in_single_precision(&self, class: &Class, Witness { descriptor, inputs, .. }: &Witness) -> Option<Witness> {
        let is_double = |name: &str| descriptor.tensor(name).is_some_and(|tensor| tensor.data_type == DataType::F64);
        let single = |name: &str, elements: &[u8]| {
            if is_double(name) { in_single_precision(elements) } else { Some(elements.to_vec()) }
        };
        let single_input = |InputData { name, data }: &InputData| {
            Some(InputData { name: name.clone(), data: Data::Elements(single(name, &data.elements())?) })
        };
        let inputs = inputs.iter().map(single_input).collect::<Option<Vec<InputData>>>()?;
        let mut descriptor = descriptor.clone();
        for constant in &mut descriptor.constants {
            constant.bytes = single(&constant.name, &constant.bytes)?;
        }
        let doubles = descriptor.tensors.iter_mut().filter(|entry| entry.tensor.data_type == DataType::F64);
        doubles.for_each(|entry| entry.tensor.data_type = DataType::F32);
        if !self.is_valid(&descriptor) {
            return None;
        }
        match self.outcome(&Sample { descriptor, inputs }) {
            Outcome::Other(other) if other.0 == *class => Some(other.1),
            _ => None,
        }
    }

    /// What both make of a sample.
    fn outcome(&self, sample: &Sample) -> Outcome {
        let Mapping { from, to, .. } = self.mapping;
        let Sample { descriptor, inputs } = sample;
        let data: Vec<_> = inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
        let data: Vec<(&str, &[u8])> = data.iter().map(|(name, bytes)| (*name, bytes.as_ref())).collect();
        let witness = |said: Option<Said>, from: Told, to: Told| Witness {
            descriptor: descriptor.clone(),
            inputs: inputs.clone(),
            said,
            from: from.text,
            from_line: from.line,
            to: to.text,
            to_line: to.line,
            from_ran: Vec::new(),
            to_ran: Vec::new(),
        };
        let other = |class, witness| Outcome::Other(Box::new((class, witness)));
        let Ok(ours) = from.definition.evaluate(descriptor, &data) else { return Outcome::Unanswered };
        let accepted = || Told::of(of_outputs(from, descriptor, &ours.outputs));
        let said = match self.mapping.said(descriptor, &data, self.levels.1) {
            Ok(said) => said,
            Err(unsaid) => {
                let reason = match &unsaid {
                    Unsaid::Condition { .. } => unsaid.to_string(),
                    Unsaid::Impossible(message) => without_numbers(message),
                };
                return other(Class::Unsaid { reason }, witness(None, accepted(), Told::of(unsaid.to_string())));
            }
        };
        let broken = violations(to, &said.descriptor, self.levels.1);
        if let Some(question) = self.doubt(descriptor) {
            let refusal = broken.iter().find(|each| each.gates);
            if refusal.is_none() && !broken.is_empty() {
                return Outcome::Open;
            }
            let answer =
                refusal.map_or_else(|| "it is accepted".to_owned(), |each| format!("{REFUSED}{}", each.message));
            let class = Class::Open { part: Part::From, questions: vec![question] };
            let open = Told::of("left open whether to accept it".to_owned());
            return other(class, witness(Some(said), open, Told::of(answer)));
        }
        // Other things that are broken as well are classes of their own, where they are broken alone.
        if let Some(first) = broken.iter().find(|each| each.gates).or(broken.first()) {
            let (requirement, message) = (first.requirement.clone(), Told::of(first.message.clone()));
            let class = if first.gates { Class::Refused { requirement } } else { Class::Doubtful { requirement } };
            return other(class, witness(Some(said), accepted(), message));
        }
        let given: Vec<(&str, &[u8])> =
            said.inputs.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        let found = to.definition.evaluate(&said.descriptor, &given).map_err(|fault| match fault.other_sizes {
            Some((name, sizes)) => format!("`{name}` has the sizes {sizes:?}"),
            None => fault.to_string(),
        });
        let back = found.and_then(|found| Ok((self.mapping.back(descriptor, &said, &found.outputs)?, found)));
        let (theirs, found) = match back {
            Ok(theirs) => theirs,
            Err(message) => {
                let class = Class::Unsaid { reason: without_numbers(&message) };
                return other(class, witness(Some(said), accepted(), Told::of(message)));
            }
        };
        self.difference(descriptor, (&ours, &theirs, &found)).map_or_else(
            || if is_open(&ours) { Outcome::Open } else { Outcome::Same },
            |(class, from, to)| other(class, witness(Some(said), from, to)),
        )
    }

    /// The first element that differs.
    fn difference(
        &self,
        descriptor: &Descriptor,
        (ours, theirs, found): (&Evaluation, &[Output], &Evaluation),
    ) -> Option<(Class, Told, Told)> {
        let Mapping { from, to, .. } = self.mapping;
        let mut first = None;
        for output in &ours.outputs {
            let name = &output.name;
            let Some(other) = theirs.iter().find(|other| other.name == *name) else { continue };
            let Some(tensor) = descriptor.tensor(name) else { continue };
            let width = tensor.data_type.bytes();
            let elements = output.bytes.chunks_exact(width).zip(other.bytes.chunks_exact(width));
            for (at, (one, another)) in elements.enumerate() {
                let (one_open, another_open) = (output.open_at(at), other.open_at(at));
                let is_same = match (one_open, another_open) {
                    (None, None) => one == another,
                    (Some(_), Some(_)) => true,
                    _ => false,
                };
                if is_same {
                    continue;
                }
                let place = crate::layout::coordinates(at, &tensor.sizes);
                let of = self.mapping.output_of(name);
                let decided = of.and_then(|of| found.outputs.iter().find(|output| output.name == of));
                let line = decided.and_then(|output| output.decided.get(at)).copied();
                // Of what comes of several elements, the first open one says why it is open.
                let line = line.or_else(|| another_open.and_then(|_| first_open(found)));
                let (one_line, other_line) = (Some(output.decided[at]), line);
                let (cited, others_cited) = (cited(&from.definition, one_line), cited(&to.definition, other_line));
                let class = match (one_open, another_open) {
                    (Some(_), _) => Class::Open { part: Part::From, questions: cited },
                    (_, Some(_)) => Class::Open { part: Part::To, questions: others_cited },
                    _ => Class::Differs { output: name.clone(), from: cited, to: others_cited },
                };
                let told = |definition: &Definition, element: &[u8], open, line: Option<usize>| Told {
                    text: format!("`{name}` at {place:?} is {}", shown(element, tensor.data_type, open)),
                    line: line.map(|line| definition.text_of(line)),
                };
                let ours = told(&from.definition, one, one_open, one_line);
                let theirs = told(&to.definition, another, another_open, other_line);
                // Other numbers say more than what is open.
                if first.as_ref().is_none_or(|(known, ..): &(Class, Told, Told)| class.rank() < known.rank()) {
                    let is_most = class.rank() == 0;
                    first = Some((class, ours, theirs));
                    if is_most {
                        return first;
                    }
                }
            }
        }
        first
    }
}

/// Floats of 64 bits as those of 32 bits, if these equal them.
fn in_single_precision(elements: &[u8]) -> Option<Vec<u8>> {
    let elements = elements.as_chunks().0.iter().map(|&bytes| {
        let (double, single) = (f64::from_le_bytes(bytes), f64::from_le_bytes(bytes) as f32);
        (f64::from(single) == double || double.is_nan()).then(|| single.to_le_bytes())
    });
    Some(elements.collect::<Option<Vec<[u8; 4]>>>()?.concat())
}

/// What one of the two makes of a sample.
struct Told {
    text: String,
    line: Option<String>,
}

impl Told {
    const fn of(text: String) -> Self {
        Self { text, line: None }
    }
}

/// The line that leaves the first open element open.
fn first_open(found: &Evaluation) -> Option<usize> {
    found.outputs.iter().find_map(|output| {
        let at = output.open.iter().position(Option::is_some)?;
        output.decided.get(at).copied()
    })
}

fn is_open(found: &Evaluation) -> bool {
    found.outputs.iter().any(|output| output.open.iter().any(Option::is_some))
}

fn shown(element: &[u8], data_type: DataType, open: Option<Open>) -> String {
    match open {
        Some(Open::Undefined) => "undefined".to_owned(),
        Some(Open::Unspecified) => "left open".to_owned(),
        None => element::render(element, data_type),
    }
}

/// Everything that comes out, in a line.
pub(super) fn of_outputs(operator: &Operator, descriptor: &Descriptor, outputs: &[Output]) -> String {
    let outputs = outputs.iter().filter_map(|output| {
        let tensor = descriptor.tensor(&output.name)?;
        operator.tensor(&output.name)?;
        let width = tensor.data_type.bytes();
        let elements = output.bytes.chunks_exact(width).enumerate().take(MOST_SHOWN);
        let shown: Vec<String> =
            elements.map(|(at, element)| shown(element, tensor.data_type, output.open_at(at))).collect();
        let more = if output.bytes.len() / width > MOST_SHOWN { ", …" } else { "" };
        Some(format!("`{}` is {{{}{more}}}", output.name, shown.join(", ")))
    });
    outputs.collect::<Vec<_>>().join(", ")
}

/// So many elements of an output are shown where all are meant.
const MOST_SHOWN: usize = 8;

fn cited(definition: &Definition, line: Option<usize>) -> Vec<String> {
    let line = line.and_then(|line| definition.lines.get(line));
    line.map_or_else(Vec::new, |line| line.citations.iter().map(|citation| citation.name.clone()).collect())
}

/// A message in which each number is the same, so that it stands for a class.
fn without_numbers(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for letter in message.chars() {
        match letter {
            '0'..='9' if text.ends_with('…') => {}
            // That of a name, such as a data type's, says what it is.
            '0'..='9' if text.ends_with(|before: char| before.is_alphanumeric() || before == '_') => text.push(letter),
            '0'..='9' => text.push('…'),
            _ => text.push(letter),
        }
    }
    text
}
