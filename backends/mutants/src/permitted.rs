//! What the documents leave open, done in a way that no other backend here does.

use std::collections::BTreeSet;
use std::iter::zip;

use opcert_backend::{Descriptor, Fault, Role, TensorDescriptor};

use crate::Permitted;
use crate::argmax::rules::{self as argmax, ArgMaxRules, Subset};
use crate::backend::Deviation;
use crate::descriptor::DescriptorRule;
use crate::dispatching::Dispatch;
use crate::element::Element;
use crate::layout::as_described;
use crate::nonzero_coordinates::rules::{self as nonzero_coordinates, NonzeroCoordinatesRules};
use crate::one_hot::rules::{self as one_hot, OneHotRules};

const fn refuses(
    name: &'static str,
    leaves_open: &'static str,
    about: &'static str,
    when: fn(&Descriptor) -> bool,
) -> Permitted {
    Permitted::new(name, leaves_open, about, Deviation::Descriptor(DescriptorRule::Refuses { when }))
}

const fn argmax(name: &'static str, leaves_open: &'static str, about: &'static str, rules: ArgMaxRules) -> Permitted {
    Permitted::new(name, leaves_open, about, Deviation::ArgMax(rules))
}

const fn nonzero(
    name: &'static str,
    leaves_open: &'static str,
    about: &'static str,
    rules: NonzeroCoordinatesRules,
) -> Permitted {
    Permitted::new(name, leaves_open, about, Deviation::NonzeroCoordinates(rules))
}

/// In the order of the requirements.
pub(crate) const PERMITTED: &[Permitted] = &[
    Permitted::new(
        "refusals-name-nothing",
        "directml/tensor/dimension-count",
        "A refusal names no requirement, which no document asks for.",
        Deviation::Descriptor(DescriptorRule::NamesNothing),
    ),
    Permitted::new(
        "padding-written",
        "directml/tensor/total-size",
        "What lies beside the elements within the size in bytes is overwritten.",
        Deviation::Dispatch(|dispatch| {
            overwrite_padding(dispatch);
            Ok(())
        }),
    ),
    refuses(
        "memory-beyond-the-element-limit-refused",
        "directml/tensor/element-limit-reading",
        "More than 4294967295 places in memory are refused, and however many stated bytes have room for.",
        |descriptor| {
            descriptor.tensors.iter().any(|entry| {
                let room = entry.tensor.total_bytes.max(entry.tensor.span_bytes());
                room.is_none_or(|bytes| bytes / entry.tensor.data_type.bytes() as u64 > 1 << 32)
            })
        },
    ),
    Permitted::new(
        "implied-size-in-32-bits",
        "directml/tensor/element-limit-reading",
        "The index of the last element is computed in 32 bits, as in the code of the helper function.",
        Deviation::Descriptor(DescriptorRule::Accepts {
            requirement: "directml/tensor/total-size",
            when: |descriptor| descriptor.tensors.iter().any(|entry| last_index_exceeds_32_bits(&entry.tensor)),
        }),
    ),
    Permitted::new(
        "interleaved-outputs-accepted",
        "directml/tensor/output-interleaving",
        "Outputs whose strides do not nest are accepted as long as no two elements share a place.",
        Deviation::Descriptor(DescriptorRule::Accepts {
            requirement: "directml/tensor/output-overlap",
            when: |descriptor| {
                let outputs = descriptor.tensors.iter().filter(|entry| entry.role == Role::Output);
                outputs.map(|entry| &entry.tensor).all(|tensor| {
                    let places: BTreeSet<usize> = as_described(tensor).offsets().into_iter().collect();
                    tensor.element_count() == Some(places.len() as u64)
                })
            },
        }),
    ),
    argmax(
        "argmax-nan-ignored",
        "directml/argmax/nan",
        "NaN is less than everything else.",
        ArgMaxRules {
            key: |element| if element.is_nan() { -i128::MAX } else { (argmax::RIGHT.key)(element) },
            ..argmax::RIGHT
        },
    ),
    argmax(
        "argmax-first-nan-picked",
        "directml/argmax/nan",
        "The first NaN is the maximum, whatever the direction.",
        ArgMaxRules {
            winner: |subset| {
                let nan = subset.elements.iter().position(|element| element.is_nan());
                nan.map_or_else(|| (argmax::RIGHT.winner)(subset), |place| place as i64)
            },
            ..argmax::RIGHT
        },
    ),
    argmax(
        "argmax-nan-stops-the-search",
        "directml/argmax/nan",
        "Comparisons with NaN are false, so that a NaN at the beginning is never replaced.",
        ArgMaxRules { winner: unordered_maximum, ..argmax::RIGHT },
    ),
    argmax(
        "argmax-subnormals-flushed",
        "directml/argmax/subnormal",
        "A subnormal number is compared as a zero of its sign.",
        ArgMaxRules {
            key: |element| {
                let flushed = if element.is_subnormal() { element.bits - element.magnitude() } else { element.bits };
                (argmax::RIGHT.key)(Element { bits: flushed, ..element })
            },
            ..argmax::RIGHT
        },
    ),
    argmax(
        "argmax-index-in-the-order-of-axes",
        "directml/argmax/axes-order",
        "The index counts over the axes in the order in which they are listed.",
        ArgMaxRules {
            index: |place, reduction| {
                let dimensions = (0..).zip(reduction.reduced).filter(|(_, reduced)| **reduced);
                let coordinates: Vec<(i64, usize)> =
                    dimensions.map(|(dimension, _)| dimension).zip(reduction.coordinates(place)).collect();
                let listed = reduction.axes.iter().filter_map(|axis| coordinates.iter().find(|(each, _)| each == axis));
                let index = |index: i64, &(dimension, coordinate): &(i64, usize)| {
                    index * reduction.sizes[dimension as usize] as i64 + coordinate as i64
                };
                if reduction.axes.len() == coordinates.len() { listed.fold(0, index) } else { place }
            },
            ..argmax::RIGHT
        },
    ),
    refuses(
        "argmax-unsorted-axes-refused",
        "directml/argmax/axes-order",
        "Axes that are not sorted are refused.",
        |descriptor| descriptor.integers("Axes").is_some_and(|axes| !axes.is_sorted()),
    ),
    refuses(
        "argmax-duplicate-axes-refused",
        "directml/argmax/axes-duplicate",
        "An axis that is listed twice is refused.",
        |descriptor| {
            let axes = descriptor.integers("Axes").unwrap_or_default();
            (1..axes.len()).any(|place| axes[..place].contains(&axes[place]))
        },
    ),
    refuses(
        "argmax-empty-axes-refused",
        "directml/argmax/axes-empty",
        "An empty list of axes is refused.",
        |descriptor| descriptor.integers("Axes").is_some_and(<[i64]>::is_empty),
    ),
    Permitted::new(
        "nonzero-count-type-named",
        "directml/nonzero_coordinates/count-type",
        "A refusal names the requirement on the count's type, which says a part of the table again.",
        Deviation::Descriptor(DescriptorRule::Names {
            instead_of: "directml/nonzero_coordinates/tensor-support",
            requirement: "directml/nonzero_coordinates/count-type",
        }),
    ),
    refuses(
        "nonzero-different-dimension-counts-refused-at-3-0",
        "directml/nonzero_coordinates/same-dimension-count",
        "Before 4_0, tensors of different dimension counts are refused.",
        |descriptor| {
            let mut counts = descriptor.tensors.iter().map(|entry| entry.tensor.sizes.len());
            let first = counts.next();
            descriptor.level.as_str() < "4_0" && counts.any(|count| Some(count) != first)
        },
    ),
    Permitted::new(
        "nonzero-rows-beyond-the-count-written",
        "directml/nonzero_coordinates/rows-beyond-count",
        "Rows from the count on are filled with numbers that differ from dispatch to dispatch.",
        Deviation::Dispatch(fill_undefined_rows),
    ),
    nonzero(
        "nonzero-nan-is-zero",
        "directml/nonzero_coordinates/nan",
        "A NaN counts as zero.",
        NonzeroCoordinatesRules {
            nonzero: |element| (nonzero_coordinates::RIGHT.nonzero)(element) && !element.is_nan(),
            ..nonzero_coordinates::RIGHT
        },
    ),
    nonzero(
        "nonzero-subnormal-is-zero",
        "directml/nonzero_coordinates/subnormal",
        "A subnormal number counts as zero.",
        NonzeroCoordinatesRules {
            nonzero: |element| (nonzero_coordinates::RIGHT.nonzero)(element) && !element.is_subnormal(),
            ..nonzero_coordinates::RIGHT
        },
    ),
    Permitted::new(
        "one-hot-fastest-dimension-by-stride",
        "directml/one_hot/fastest-dimension-under-strides",
        "The fastest-changing dimension of Values is the one with the shortest stride, and the last of several.",
        Deviation::OneHot(OneHotRules {
            on_at: |values| {
                let separating = zip(&values.sizes, &values.strides).filter(|(size, _)| **size > 1);
                separating.map(|(_, &stride)| stride).min().unwrap_or(0)
            },
            ..one_hot::RIGHT
        }),
    ),
    Permitted::new(
        "openvino-negative-index-wraps",
        "openvino/one_hot_1/negative-index",
        "A negative index counts from the end.",
        Deviation::OpenVinoOneHot1(OneHotRules {
            place: |index| one_hot::within(index.value(), &one_hot::Index { from_end: true, ..*index }),
            ..one_hot::RIGHT
        }),
    ),
    Permitted::new(
        "openvino-negative-index-fails",
        "openvino/one_hot_1/negative-index",
        "A dispatch with a negative index reports an error.",
        Deviation::Dispatch(|dispatch| {
            if has_negative_index(dispatch) { Err(Fault::Failed("a negative index".to_owned())) } else { Ok(()) }
        }),
    ),
    Permitted::new(
        "openvino-negative-index-panics",
        "openvino/one_hot_1/negative-index",
        "A dispatch with a negative index panics.",
        Deviation::Dispatch(|dispatch| {
            assert!(!has_negative_index(dispatch), "a negative index");
            Ok(())
        }),
    ),
    refuses(
        "openvino-mixed-index-types-refused",
        "openvino/one_hot_1/mixed-index-types",
        "Different types of indices and depth are refused.",
        |descriptor| {
            let data_type = |name: &str| descriptor.tensor(name).map(|tensor| tensor.data_type);
            data_type("indices") != data_type("depth")
        },
    ),
    refuses(
        "openvino-empty-indices-refused",
        "openvino/one_hot_1/zero-size-dimension",
        "Indices with a size of 0 are refused.",
        |descriptor| descriptor.tensor("indices").is_some_and(|indices| indices.sizes.contains(&0)),
    ),
];

/// Whether the index of the last element needs more than 32 bits.
fn last_index_exceeds_32_bits(tensor: &TensorDescriptor) -> bool {
    tensor.span_bytes().is_none_or(|bytes| bytes / tensor.data_type.bytes() as u64 > 1 << 32)
}

/// Changes every byte of the outputs that belongs to no element.
fn overwrite_padding(dispatch: &mut Dispatch<'_, '_, '_>) {
    for output in dispatch.outputs.iter_mut() {
        let layout = as_described(output.tensor);
        let mut padding = vec![true; output.bytes.len()];
        for offset in layout.offsets() {
            padding[offset * layout.width..(offset + 1) * layout.width].fill(false);
        }
        for (byte, _) in zip(&mut *output.bytes, padding).filter(|(_, padding)| *padding) {
            *byte = !*byte;
        }
    }
}

/// Fills the rows that the count leaves undefined.
fn fill_undefined_rows(dispatch: &mut Dispatch<'_, '_, '_>) -> Result<(), Fault> {
    let number = u64::from(dispatch.number);
    if let [count, rows] = dispatch.outputs {
        let counted = as_described(count.tensor).load(count.bytes, 0) as usize;
        let layout = as_described(rows.tensor);
        let columns = layout.sizes.last().copied().unwrap_or(1);
        for (place, offset) in layout.offsets().into_iter().enumerate().skip(counted * columns) {
            layout.store(rows.bytes, offset as i64, 0xDEAD_0000 + number * 7 + place as u64);
        }
    }
    Ok(())
}

/// The first maximum, or the last one, among elements of which a NaN neither exceeds nor is exceeded.
fn unordered_maximum(subset: &Subset<'_>) -> i64 {
    let mut best = 0;
    for place in 1..subset.keys.len() {
        let comparable = !subset.elements[place].is_nan() && !subset.elements[best].is_nan();
        let wins = subset.keys[place] > subset.keys[best] || subset.last && subset.keys[place] == subset.keys[best];
        if comparable && wins {
            best = place;
        }
    }
    best as i64
}

fn has_negative_index(dispatch: &Dispatch<'_, '_, '_>) -> bool {
    dispatch.inputs.first().is_some_and(|indices| {
        let data_type = indices.tensor.data_type;
        let elements = as_described(indices.tensor).elements(indices.bytes);
        elements.into_iter().any(|bits| Element { bits, data_type }.integer() < 0)
    })
}
