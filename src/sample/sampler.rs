//! Valid descriptors with data, of any operator: the descriptor by solving its checks, the data by what its definition does
//! with each input.

use opcert_backend::{Constant, DataType, Descriptor, NamedAttribute, NamedTensor, TensorDescriptor};

use super::choices::Choices;
use super::data::{self, Doubtful, Odd};
use super::draw::{Draw, Sample};
use super::layout::{self, Strides};
use super::sequences::{self, Looked};
use super::solve::{Solver, Wish};
use crate::case::Elements;
use crate::check::InputData;
use crate::definition::{Landmarks, Use, Uses};
use crate::expected::{Expected, expected};
use crate::kind::Solved;
use crate::spec::Operator;

/// How samples of an operator are drawn.
#[derive(Debug)]
pub(crate) struct Sampler {
    solver: Solver,
    uses: Uses,
    /// For each tensor what in its data leaves the answer open.
    doubtful: Vec<Doubtful>,
}

/// How the data of an input is drawn: the tensor and its number, what is done with its elements and the numbers that they
/// are compared with, what in them leaves the answer open and what of that is wanted.
type Drawing<'d> =
    dyn Fn(&mut Draw<'_, '_>, &NamedTensor, usize, (&Use, &Landmarks), (Doubtful, Option<Odd>)) -> InputData + 'd;

/// So many samples are drawn to find out whether something in the data leaves the answer open.
const TRIED: u64 = 48;

impl Sampler {
    pub(crate) fn new(operator: &Operator) -> Self {
        let constants = operator.tensors.iter().filter(|tensor| tensor.constant).map(|tensor| tensor.name.as_str());
        let uses = operator.definition.uses(&constants.collect::<Vec<_>>());
        let doubtful = vec![Doubtful::default(); operator.tensors.len()];
        let mut sampler = Self { solver: Solver::new(operator), uses, doubtful };
        // All of them are avoided while each is tried.
        let all = Doubtful { nan: true, subnormal: true, negative: true, tie: true, beyond: true };
        let avoided = vec![all; operator.tensors.len()];
        let mut found = sampler.doubtful.clone();
        for (tensor, found) in found.iter_mut().enumerate() {
            for odd in [Odd::Nan, Odd::Subnormal, Odd::Negative, Odd::Tie, Odd::Beyond] {
                sampler.doubtful.clone_from(&avoided);
                found.set(odd, sampler.leaves_open(operator, (tensor, odd)));
            }
        }
        sampler.doubtful = found;
        sampler
    }

    /// Whether the answer is open to some samples in which a tensor has odd elements; whatever an index beyond the ends may
    /// give is.
    fn leaves_open(&self, operator: &Operator, odd: (usize, Odd)) -> bool {
        let is_index = self.is_index(operator, odd.0);
        if is_index && odd.1 == Odd::Tie {
            return self.one_place_leaves_open(operator, odd.0);
        }
        self.tried(operator, odd).any(|sample| match expected(operator, &sample.descriptor, &sample.inputs) {
            Ok(Expected::Open { .. }) => true,
            Ok(Expected::Values(values)) => is_index && odd.1 == Odd::Beyond && has_undefined(&values),
            Err(_) => false,
        })
    }

    /// Whether the answer is open, or elements are undefined, where all indices of a tensor name the first place, and not where
    /// there is one alone.
    fn one_place_leaves_open(&self, operator: &Operator, tensor: usize) -> bool {
        let opened = self.tried(operator, (tensor, Odd::Tie)).filter_map(|mut sample| {
            let entry = place_in(operator, &sample.descriptor, tensor).map(|at| &sample.descriptor.tensors[at])?;
            let (same, count) = (data::constant(entry, 0), entry.tensor.element_count());
            sample.inputs.iter_mut().filter(|input| input.name == same.name).for_each(|input| *input = same.clone());
            let is_open = match expected(operator, &sample.descriptor, &sample.inputs) {
                Ok(Expected::Open { .. }) => true,
                Ok(Expected::Values(values)) => has_undefined(&values),
                Err(_) => false,
            };
            is_open.then_some(count)
        });
        let counts: Vec<Option<u64>> = opened.collect();
        !counts.is_empty() && !counts.contains(&Some(1))
    }

    fn is_index(&self, operator: &Operator, tensor: usize) -> bool {
        self.uses.of(&operator.definition, &operator.tensors[tensor].name).is_some_and(data::is_index)
    }

    /// Samples in which a tensor has odd elements.
    fn tried<'s>(&'s self, operator: &'s Operator, (tensor, odd): (usize, Odd)) -> impl Iterator<Item = Sample> + 's {
        (0..TRIED).filter_map(move |number| {
            let mut choices = Choices::random(number);
            let level = operator.family.highest();
            let mut draw = Draw { choices: &mut choices, operator, level, strided: false, data: true, empty: false };
            self.sample(&mut draw, |at| (at == tensor).then_some(odd))
        })
    }

    /// Draws a valid descriptor with data; nothing where the definition gives none its sizes. What leaves the answer open is only
    /// observed: most samples have nothing odd.
    pub(crate) fn draw(&self, draw: &mut Draw<'_, '_>) -> Option<Sample> {
        let odd = match draw.choices.below(64) {
            54..=55 if self.doubtful.iter().any(|doubtful| doubtful.beyond) => Some(Odd::Beyond),
            56..=60 if self.doubtful.iter().any(|doubtful| doubtful.tie) => Some(Odd::Tie),
            61 => Some(Odd::Negative),
            62 => Some(Odd::Nan),
            63 => Some(Odd::Subnormal),
            _ => None,
        };
        self.sample(draw, |_| odd)
    }

    /// A valid descriptor as it is wished for, one tensor of which is laid out in some way, with data that tells as many
    /// mistakes apart as it can; nothing where there is none.
    pub(crate) fn wished(
        &self,
        draw: &mut Draw<'_, '_>,
        wish: &Wish,
        layout: Option<(usize, Strides)>,
    ) -> Option<Sample> {
        let solved = self.solver.draw(draw, wish).filter(|solved| layout.is_none_or(|(at, _)| solved.present[at]))?;
        let mut sample = self.descriptor(draw, solved, layout);
        let along = wish.axes.as_deref().unwrap_or_default();
        let pointwise = self.is_pointwise(draw.operator);
        let looked = Looked { along, pointwise, turn: wish.turn, alone: wish.alone, boldness: wish.boldness };
        let telling =
            |draw: &mut Draw<'_, '_>, entry: &NamedTensor, number, used: (&Use, &Landmarks), (doubtful, _)| {
                sequences::draw(draw, entry, number, used, (doubtful, looked))
            };
        self.fill(draw, &mut sample, &telling, |_| None);
        Some(sample)
    }

    /// Whether there is a valid descriptor as it is wished for, one tensor of which is laid out in some way that is not
    /// packed.
    pub(crate) fn is_there(&self, draw: &mut Draw<'_, '_>, wish: &Wish, layout: Option<(usize, Strides)>) -> bool {
        let solved = self.solver.draw(draw, wish);
        solved.is_some_and(|solved| {
            layout.is_none_or(|(at, kind)| solved.present[at] && layout::is_other(kind, &solved.sizes[at]))
        })
    }

    /// Whether each output element follows from the elements in its own place alone.
    pub(crate) fn is_pointwise(&self, operator: &Operator) -> bool {
        let inputs = operator.tensors.iter().filter(|tensor| !tensor.constant);
        let mut used = inputs.filter_map(|tensor| self.uses.of(&operator.definition, &tensor.name));
        used.all(|used| !used.elsewhere)
    }

    /// How many turns there are until all telling values of a tensor were there, by types: the most that one has. And
    /// whether a single sequence is meant, several having them all.
    pub(crate) fn turns(&self, operator: &Operator) -> (usize, bool) {
        let pointwise = self.is_pointwise(operator);
        let types = self.solver.types(operator.family.highest()).iter();
        let each = types.flat_map(|(tensors, types)| tensors.iter().map(move |&tensor| (tensor, types)));
        let turns = each.filter_map(|(tensor, types)| {
            let used = self.uses.of(&operator.definition, &operator.tensors[tensor].name)?;
            let most = types.iter().map(|&data_type| sequences::turns(used, data_type, pointwise)).max()?;
            Some((most, used.compared && !data::is_copied(used) && !pointwise))
        });
        turns.max().unwrap_or((1, true))
    }

    /// For each group of tensors with one data type how many telling indices there are in the type that has the most; 0 where
    /// none of them holds indices.
    pub(crate) fn indices(&self, operator: &Operator) -> Vec<usize> {
        let groups = self.solver.types(operator.family.highest()).iter();
        let count = |(tensors, types): &(Vec<usize>, Vec<DataType>)| {
            let each = tensors.iter().filter_map(|&tensor| {
                let used = self.uses.of(&operator.definition, &operator.tensors[tensor].name)?;
                let doubtful = self.doubtful[tensor];
                types.iter().map(|&data_type| sequences::indices(used, data_type, doubtful)).max()
            });
            each.max().unwrap_or(0)
        };
        groups.map(count).collect()
    }

    pub(crate) const fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Whether a descriptor leaves the answer open, for some data at least.
    pub(crate) fn is_open(&self, operator: &Operator, descriptor: &Descriptor) -> bool {
        let constants: Vec<(&str, &[u8])> =
            descriptor.constants.iter().map(|each| (each.name.as_str(), each.bytes.as_slice())).collect();
        // What cannot be worked out is not known to be clear.
        operator.definition.leaves_open(&self.uses, descriptor, &constants).unwrap_or(true)
    }

    /// Nothing is wished for: there is none only where the definition fails at the sizes that it is to give.
    fn sample(&self, draw: &mut Draw<'_, '_>, odd: impl Fn(usize) -> Option<Odd>) -> Option<Sample> {
        let solved = self.solver.draw(draw, &Wish::default())?;
        let mut sample = self.descriptor(draw, solved, None);
        self.fill(draw, &mut sample, &data::draw, odd);
        Some(sample)
    }

    /// The descriptor of these parts, with the data of its constants.
    fn descriptor(&self, draw: &mut Draw<'_, '_>, solved: Solved, layout: Option<(usize, Strides)>) -> Sample {
        let operator = draw.operator;
        let Solved { types, sizes, attributes, constants, present } = solved;
        let mut tensors: Vec<NamedTensor> = Vec::with_capacity(types.len());
        for (number, ((tensor, data_type), sizes)) in operator.tensors.iter().zip(types).zip(sizes).enumerate() {
            if !present[number] {
                continue;
            }
            let kind = layout.filter(|(at, _)| *at == number).map(|(_, kind)| kind);
            let mut drawn = draw.tensor(&tensor.name, tensor.role, data_type, sizes);
            if let Some(kind) = kind {
                drawn.tensor.strides = layout::of_kind(draw.choices, kind, tensor.role, &drawn.tensor.sizes);
                drawn.tensor.total_bytes = None;
            }
            tensors.push(drawn);
        }
        let mut given = Vec::with_capacity(attributes.len());
        let absent = self.solver.absent(draw.level);
        for (at, (attribute, value)) in operator.attributes.iter().zip(attributes).enumerate() {
            // What is the default may be left out.
            let is_given = attribute.default.as_ref() != Some(&value) || draw.choices.once_in(2);
            if is_given && !absent.contains(&at) {
                given.push(NamedAttribute { name: attribute.name.clone(), value });
            }
        }
        let mut descriptor = draw.descriptor(tensors, given);
        let mut inputs = Vec::new();
        for (at, value) in constants.into_iter().enumerate() {
            let place = place_in(operator, &descriptor, at);
            let (Some(value), Some(entry)) = (value, place.map(|at| &descriptor.tensors[at])) else { continue };
            let data = data::constant(entry, value);
            let bytes = data.data.elements().into_owned();
            inputs.push(data);
            descriptor.constants.push(Constant { name: entry.name.clone(), bytes });
        }
        self.clear(operator, &mut descriptor);
        Sample { descriptor, inputs }
    }

    /// Gives every other input its data.
    fn fill(
        &self,
        draw: &mut Draw<'_, '_>,
        sample: &mut Sample,
        data: &Drawing<'_>,
        odd: impl Fn(usize) -> Option<Odd>,
    ) {
        let operator = draw.operator;
        let Sample { descriptor, inputs } = sample;
        // Those that are only copied come first: nothing of them moves when there are fewer of the others.
        let copied =
            |at: usize| self.uses.of(&operator.definition, &operator.tensors[at].name).is_none_or(data::is_copied);
        let mut order: Vec<usize> = (0..operator.tensors.len()).collect();
        order.sort_by_key(|&at| !copied(at));
        for at in order {
            let Some(used) = self.uses.of(&operator.definition, &operator.tensors[at].name) else { continue };
            let Some(place) = place_in(operator, descriptor, at) else { continue };
            let entry = &descriptor.tensors[place];
            if inputs.iter().any(|input| input.name == entry.name) {
                continue;
            }
            let landmarks = if data::is_told_from_landmarks(used) {
                let given = descriptor.constants.iter().map(|each| (each.name.as_str(), each.bytes.as_slice()));
                let given: Vec<(&str, &[u8])> = given.collect();
                operator.definition.landmarks(used, descriptor, &given).unwrap_or_default()
            } else {
                Landmarks::default()
            };
            inputs.push(data(draw, entry, at, (used, &landmarks), (self.doubtful[at], odd(at))));
        }
        let place = |input: &InputData| operator.tensors.iter().position(|tensor| tensor.name == input.name);
        inputs.sort_by_key(place);
        give_sizes(operator, sample);
    }

    /// Takes back strides of inputs that leave open what the descriptor means.
    fn clear(&self, operator: &Operator, descriptor: &mut Descriptor) {
        let asked = |at: &usize| self.uses.opens_by_strides(*at);
        let places = (0..operator.tensors.len()).filter(asked).filter_map(|at| place_in(operator, descriptor, at));
        let strided: Vec<usize> = places.filter(|&place| descriptor.tensors[place].tensor.strides.is_some()).collect();
        if strided.is_empty() || !self.is_open(operator, descriptor) {
            return;
        }
        for at in strided {
            let tensor = &mut descriptor.tensors[at].tensor;
            let before = tensor.clone();
            (tensor.strides, tensor.total_bytes) = (None, None);
            if !self.is_open(operator, descriptor) {
                return;
            }
            descriptor.tensors[at].tensor = before;
        }
    }
}

/// The place of a tensor in a descriptor, by its number in the specification; nothing where it is left out.
fn place_in(operator: &Operator, descriptor: &Descriptor, number: usize) -> Option<usize> {
    descriptor.tensors.iter().position(|entry| entry.name == operator.tensors[number].name)
}

/// Gives the outputs their sizes that follow from values. Of what the definition has nothing for it says so when it is asked
/// for the elements.
fn give_sizes(operator: &Operator, Sample { descriptor, inputs }: &mut Sample) {
    if operator.tensors.iter().all(|tensor| tensor.sizes.is_none()) {
        return;
    }
    let given: Vec<_> = inputs.iter().map(|input| (input.name.as_str(), input.data.elements())).collect();
    let given: Vec<(&str, &[u8])> = given.iter().map(|(name, elements)| (*name, elements.as_ref())).collect();
    for (name, sizes) in operator.definition.sizes(descriptor, &given).unwrap_or_default() {
        for entry in descriptor.tensors.iter_mut().filter(|entry| entry.name == name) {
            entry.tensor = TensorDescriptor::packed(entry.tensor.data_type, sizes.clone());
        }
    }
}

fn has_undefined(values: &[(String, Elements)]) -> bool {
    values.iter().any(|(_, elements)| !elements.undefined.is_empty())
}
