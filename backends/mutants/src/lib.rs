//! Backends that are wrong on purpose.
//!
//! A suite of cases is worth as much as what it finds. Each [`Mutant`] here deviates from the specification in one
//! small way, and says which requirement it breaks. It is *killed* when a case goes wrong on it, and properly killed
//! when that case cites the requirement. The [`unmutated`] twin does everything right, so that the deviation alone
//! can be what a case notices. What the documents leave open is no mutant: a [`Permitted`] backend does one of the
//! things that are allowed, and no case may go wrong on it.
//!
//! The kernels were written for this purpose: a kernel follows a set of rules, each a function, and a mutant replaces
//! one of them. Descriptors are checked by `opcert-cpu`, whose refusals name one requirement each, so that a mutant
//! can drop a single one (`descriptor`). What can be done wrong whatever an operator computes is in `dispatching`.
//! Operators without a kernel here ([`has_kernel`]) are guarded by the wrong backends that follow from their definitions.
//!
//! | operator | kernel and mutants |
//! |---|---|
//! | `directml/argmax` | `argmax` |
//! | `directml/nonzero_coordinates` | `nonzero_coordinates` |
//! | `directml/one_hot` | `one_hot` |
//! | `openvino/one_hot_1` | `one_hot::rules`, `openvino_one_hot_1` |

mod argmax;
mod backend;
mod descriptor;
mod dispatching;
mod element;
mod layout;
mod nonzero_coordinates;
mod one_hot;
mod openvino_one_hot_1;
mod permitted;

use opcert_backend::Backend;

pub use backend::has_kernel;
use backend::{Deviating, Deviation};

/// A backend that is wrong in one way.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// What it is called: `index-wraps-modulo`.
    pub name: &'static str,
    /// The full id of the requirement that it breaks.
    pub breaks: &'static str,
    /// What it does wrong.
    pub about: &'static str,
    /// Where an implementation did this, or empty.
    pub seen: &'static str,
    deviation: Deviation,
}

impl Mutant {
    const fn new(name: &'static str, breaks: &'static str, about: &'static str, deviation: Deviation) -> Self {
        Self { name, breaks, about, seen: "", deviation }
    }

    const fn seen_in(self, place: &'static str) -> Self {
        Self { seen: place, ..self }
    }

    /// The backend. All operators but those that [`Self::concerns`] names behave rightly.
    #[must_use]
    pub fn backend(&self) -> Box<dyn Backend> {
        Box::new(Deviating::new(self.name, self.breaks, self.deviation))
    }

    /// Whether an operator may deviate: the one whose requirement is broken, or every one of the family.
    #[must_use]
    pub fn concerns(&self, operator: &str) -> bool {
        backend::concerns(self.breaks, operator)
    }
}

/// A backend that makes use of what the documents leave open.
#[derive(Clone, Copy, Debug)]
pub struct Permitted {
    /// What it is called: `nan-is-zero`.
    pub name: &'static str,
    /// The full id of the requirement that leaves it open.
    pub leaves_open: &'static str,
    /// What it does.
    pub about: &'static str,
    deviation: Deviation,
}

impl Permitted {
    const fn new(name: &'static str, leaves_open: &'static str, about: &'static str, deviation: Deviation) -> Self {
        Self { name, leaves_open, about, deviation }
    }

    /// The backend. All operators but those that [`Self::concerns`] names behave as the twin's do.
    #[must_use]
    pub fn backend(&self) -> Box<dyn Backend> {
        Box::new(Deviating::new(self.name, self.leaves_open, self.deviation))
    }

    /// Whether an operator may deviate: the one whose requirement leaves it open, or every one of the family.
    #[must_use]
    pub fn concerns(&self, operator: &str) -> bool {
        backend::concerns(self.leaves_open, operator)
    }
}

/// Every mutant, in the order in which the specifications list the requirements.
#[must_use]
pub fn mutants() -> Vec<Mutant> {
    let tables = [
        descriptor::directml_tensor::MUTANTS,
        dispatching::DIRECTML_MUTANTS,
        descriptor::directml_refuses_valid::MUTANTS,
        descriptor::argmax::MUTANTS,
        argmax::mutants::maximum::MUTANTS,
        argmax::mutants::subsets::MUTANTS,
        argmax::mutants::indices::MUTANTS,
        argmax::mutants::ties::MUTANTS,
        argmax::mutants::values::MUTANTS,
        descriptor::nonzero_coordinates::MUTANTS,
        nonzero_coordinates::mutants::count::MUTANTS,
        nonzero_coordinates::mutants::rows::MUTANTS,
        nonzero_coordinates::mutants::order::MUTANTS,
        descriptor::one_hot::MUTANTS,
        one_hot::mutants::sequences::MUTANTS,
        one_hot::mutants::value_positions::MUTANTS,
        one_hot::mutants::indices::MUTANTS,
        one_hot::mutants::value_bits::MUTANTS,
        dispatching::OPENVINO_MUTANTS,
        descriptor::openvino_refuses_valid::MUTANTS,
        descriptor::openvino_one_hot_1::MUTANTS,
        openvino_one_hot_1::MUTANTS,
    ];
    tables.concat()
}

/// Every deviation that is allowed.
#[must_use]
pub const fn permitted() -> &'static [Permitted] {
    permitted::PERMITTED
}

/// The backend that the mutants deviate from. It does everything right.
#[must_use]
pub fn unmutated() -> impl Backend {
    Deviating::new("unmutated", "", Deviation::None)
}
