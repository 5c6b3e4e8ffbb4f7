//! What a backend claims, beside what there is to claim.

use opcert_backend::{ForeignText, Identity};

use super::{Decision, Selection};
use crate::check::{CheckedCase, Layout};
use crate::near::did_you_mean;
use crate::source::Source;
use crate::spec::{Family, Level, Operator, Specs};

/// How the reason begins for which a case does not run that the backend does not claim.
pub(crate) const UNCLAIMED: &str = "the backend does not claim ";

/// A backend claims what does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{backend}` {reason}")]
pub struct ClaimError {
    backend: ForeignText,
    reason: String,
}

/// Whether all that a backend claims exists: families and operators that are specified, at levels that they have, and
/// none of them twice. A claim that is overlooked would hold of nothing, or fall without a word.
///
/// What other specifications leave out of those that are part of the program may be claimed: nothing is asked of it.
///
/// # Errors
///
/// The first claim that does not hold good.
pub fn check_claims(identity: &Identity, specs: &Specs) -> Result<(), ClaimError> {
    let error = |reason: String| Err(ClaimError { backend: identity.name.clone(), reason: format!("claims {reason}") });
    if let Some(flaw) = identity.flaw() {
        return error(format!("feature levels, and {flaw}: nobody could be certified"));
    }
    if identity.claims.is_empty() {
        return error(format!("nothing, expected a feature level for any of {}", known(specs)));
    }
    for (name, level) in &identity.claims {
        let family = name.split_once('/').map(|(family, _)| family);
        if let Some(family) = family.filter(|family| identity.claims.contains_key(*family)) {
            return error(format!(
                "both `{family}` and `{name}`: a family stands for all of its operators; claim either it, or its \
                 operators one by one"
            ));
        }
        let Some(claimable) = Claimable::find(name, specs) else {
            if is_embedded(name) {
                continue;
            }
            return error(format!("`{name}`, which no specification has{}", there_is(name, specs)));
        };
        let family = claimable.family();
        let Some(claimed) = family.level(level) else {
            let levels = family.levels.join(" ");
            return error(format!("`{name}` at `{level}`, which is no feature level of it: {levels}"));
        };
        if let Claimable::Operator(operator) = claimable
            && claimed < operator.introduced
        {
            let first = family.level_name(operator.introduced);
            return error(format!("`{name}` at `{level}`, where there is none: it begins at {first}"));
        }
    }
    Ok(())
}

/// Whether the operators that a backend has code for are those that it claims: each is specified and claimed, and there
/// is one for each claim. One that is misspelt would be there and never be asked for.
///
/// # Errors
///
/// The first operator or claim that has no counterpart.
pub fn check_offer(identity: &Identity, operators: Option<&[String]>, specs: &Specs) -> Result<(), ClaimError> {
    let Some(operators) = operators else { return Ok(()) };
    let error = |reason: String| Err(ClaimError { backend: identity.name.clone(), reason });
    for (at, id) in operators.iter().enumerate() {
        if operators[..at].contains(id) {
            return error(format!("has the operator `{id}` twice"));
        }
        let is_operator = |name: &str| matches!(Claimable::find(name, specs), Some(Claimable::Operator(_)));
        if !(is_operator(id) || id.contains('/') && is_embedded(id)) {
            return error(format!("has the operator `{id}`, which no specification has{}", there_is(id, specs)));
        }
        if identity.claimed(id).is_none() {
            return error(format!("has the operator `{id}` and does not claim it, so that nobody asks for it"));
        }
    }
    let is_of =
        |id: &String, claim: &str| id.strip_prefix(claim).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match identity.claims.keys().find(|claim| !operators.iter().any(|id| is_of(id, claim))) {
        Some(claim) => {
            error(format!("claims `{claim}`, and has no operator of it: it has {}", quoted(operators.iter())))
        }
        None => Ok(()),
    }
}

/// Whether the specifications that are part of the program have a family or an operator of this name.
fn is_embedded(name: &str) -> bool {
    let embedded = Specs::load(&Source::embedded_specs()).ok();
    embedded.is_some_and(|embedded| Claimable::find(name, &embedded).is_some())
}

/// What can stand in a claim.
enum Claimable<'a> {
    Family(&'a Family),
    Operator(&'a Operator),
}

impl<'a> Claimable<'a> {
    fn find(name: &str, specs: &'a Specs) -> Option<Self> {
        let family = specs.families().find(|family| family.name == name).map(|family| Self::Family(family));
        let mut operators = specs.operators.iter();
        family.or_else(|| operators.find(|operator| operator.id == name).map(|operator| Self::Operator(operator)))
    }

    fn family(&self) -> &'a Family {
        match self {
            Self::Family(family) => family,
            Self::Operator(operator) => &operator.family,
        }
    }
}

/// The end of a message on a name that no specification has: what it was perhaps meant to be, or all that there is.
fn there_is(name: &str, specs: &Specs) -> String {
    let operators = specs.operators.iter().map(|operator| operator.id.as_str());
    let near = did_you_mean(name, specs.families().map(|family| family.name.as_str()).chain(operators));
    if near.is_empty() { format!("; there is {}", known(specs)) } else { near }
}

/// Everything that can be claimed.
fn known(specs: &Specs) -> String {
    let families = specs.families().map(|family| &family.name);
    quoted(families.chain(specs.operators.iter().map(|operator| &operator.id)))
}

fn quoted<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The highest level at which a case can run on a backend, from what it says of itself and without asking it.
///
/// # Errors
///
/// What becomes of the case where it cannot run.
pub fn claimed(case: &CheckedCase, identity: &Identity, selection: &Selection) -> Result<Level, Decision> {
    let operator = &case.about().operator;
    let family = &operator.family;
    let unclaimed = |what: &str| Err(Decision::NotRun(format!("{UNCLAIMED}{what}")));
    let Some(claimed) = identity.claimed(&operator.id).and_then(|level| family.level(level)) else {
        return unclaimed(&format!("`{}`", operator.id));
    };
    let first = match case {
        CheckedCase::Valid(case) => case.level,
        CheckedCase::Refused(case) => case.first,
    };
    if first > claimed {
        return unclaimed(&format!("`{}` above {}", operator.id, family.level_name(claimed)));
    }
    if matches!(case, CheckedCase::Refused(_)) && !identity.refuses_invalid {
        return unclaimed("to refuse invalid descriptors");
    }
    if case.about().layout == Layout::Strided && !identity.strided {
        return unclaimed("strided tensors");
    }
    let asked = selection.level.as_ref().and_then(|name| family.level(name));
    Ok(asked.map_or(claimed, |asked| asked.min(claimed)))
}
