//! Which cases a person asks for.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use glob::Pattern;
use opcert_backend::{DataType, TensorDescriptor};

use crate::check::CheckedCase;
use crate::near::did_you_mean;
use crate::spec::Specs;

/// Terms that pick cases: globs over ids, `level:`, `type:` and `requirement:`. Terms of one kind widen the choice,
/// terms of different kinds narrow it.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
enum Term {
    /// A glob; without special characters, also what ids begin with: an operator, a file.
    Id(Pattern),
    Level(String),
    Type(String),
    Requirement(String),
}

/// A term that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{term}` is no filter: {reason}")]
pub struct FilterError {
    term: String,
    reason: String,
}

impl Filter {
    /// Reads terms.
    ///
    /// # Errors
    ///
    /// The first term that means nothing.
    pub fn parse<S: AsRef<str>>(terms: &[S]) -> Result<Self, FilterError> {
        let terms = terms.iter().map(|term| term.as_ref().parse()).collect::<Result<_, _>>()?;
        Ok(Self { terms })
    }

    /// The first term that names a level, a data type or a requirement that no specification has.
    #[must_use]
    pub fn unknown(&self, specs: &Specs) -> Option<FilterError> {
        let unknown = |term: &&Term| match term {
            Term::Id(_) => false,
            Term::Level(name) => specs.families().all(|family| family.level(name).is_none()),
            Term::Type(name) => {
                let named = |data_type: DataType| data_type.name() == name;
                specs.families().all(|family| family.data_type(name).is_none()) && !DataType::ALL.into_iter().any(named)
            }
            Term::Requirement(name) => specs.operators.iter().all(|operator| operator.resolve(name).is_none()),
        };
        let term = self.terms.iter().find(unknown)?;
        let mut known: Vec<&str> = match term {
            Term::Level(_) => specs.families().flat_map(|family| &family.levels).map(String::as_str).collect(),
            Term::Type(_) => specs.families().flat_map(|family| &family.types).map(|(name, _)| name.as_str()).collect(),
            Term::Requirement(_) => specs.requirements().map(|requirement| requirement.id.as_str()).collect(),
            Term::Id(_) => Vec::new(),
        };
        // Families share names; each stands where it is named first.
        let mut seen = BTreeSet::new();
        known.retain(|name| seen.insert(*name));
        let meant = did_you_mean(term.name(), known.iter().copied());
        let known = match term {
            Term::Requirement(_) => "`opcert explain OPERATOR` lists them".to_owned(),
            _ => format!("known: {}", known.join(" ")),
        };
        Some(FilterError { term: term.to_string(), reason: format!("no specification has that; {known}{meant}") })
    }

    /// The first glob over ids that picks none of the cases.
    #[must_use]
    pub fn idle(&self, cases: &[CheckedCase]) -> Option<String> {
        let mut ids = self.terms.iter().filter(|term| matches!(term, Term::Id(_)));
        ids.find(|term| !cases.iter().any(|case| term.picks(case))).map(ToString::to_string)
    }

    /// Whether it picks everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether cases of a file can be picked, so that it needs to be read. `stem` is the ids' common beginning.
    #[must_use]
    pub fn may_pick_from(&self, stem: &str) -> bool {
        let ids: Vec<&Pattern> = self.terms.iter().filter_map(Term::id).collect();
        ids.is_empty() || ids.iter().any(|pattern| may_match_below(pattern.as_str(), stem))
    }

    pub(crate) fn picks(&self, case: &CheckedCase) -> bool {
        let kinds: [fn(&Term) -> bool; 4] = [
            |term| matches!(term, Term::Id(_)),
            |term| matches!(term, Term::Level(_)),
            |term| matches!(term, Term::Type(_)),
            |term| matches!(term, Term::Requirement(_)),
        ];
        kinds.iter().all(|kind| {
            let mut terms = self.terms.iter().filter(|term| kind(term)).peekable();
            terms.peek().is_none() || terms.any(|term| term.picks(case))
        })
    }
}

impl Term {
    /// What stands behind the colon, or the whole of it.
    fn name(&self) -> &str {
        match self {
            Self::Id(pattern) => pattern.as_str(),
            Self::Level(name) | Self::Type(name) | Self::Requirement(name) => name,
        }
    }

    const fn id(&self) -> Option<&Pattern> {
        match self {
            Self::Id(pattern) => Some(pattern),
            _ => None,
        }
    }

    fn picks(&self, case: &CheckedCase) -> bool {
        let about = case.about();
        let family = &about.operator.family;
        match self {
            Self::Id(pattern) => {
                let below = about.id.strip_prefix(pattern.as_str());
                pattern.matches(&about.id) || below.is_some_and(|below| below.starts_with('/'))
            }
            Self::Level(name) => family.level(name).is_some_and(|level| match case {
                CheckedCase::Valid(case) => case.level == level,
                CheckedCase::Refused(case) => case.first <= level && level <= case.last,
            }),
            Self::Type(name) => {
                let spelled = |tensor: &TensorDescriptor| {
                    family.spelling(tensor.data_type) == name || tensor.data_type.name() == name
                };
                case.descriptor().tensors.iter().any(|entry| spelled(&entry.tensor))
            }
            Self::Requirement(name) => about.operator.resolve(name).is_some_and(|requirement| case.tests(requirement)),
        }
    }
}

impl FromStr for Term {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let error = |reason: &str| FilterError { term: text.to_owned(), reason: reason.to_owned() };
        match text.split_once(':') {
            Some((_, "")) => Err(error("nothing stands behind the colon")),
            Some(("level", name)) => Ok(Self::Level(name.to_owned())),
            Some(("type", name)) => Ok(Self::Type(name.to_owned())),
            Some(("requirement", name)) => Ok(Self::Requirement(name.to_owned())),
            Some((key, _)) => {
                let keys = ["level:", "type:", "requirement:"];
                let meant = did_you_mean(&format!("{key}:"), keys);
                Err(error(&format!("terms begin with `{}`, or are globs over case ids{meant}", keys.join("`, `"))))
            }
            None => Pattern::new(text).map(Self::Id).map_err(|problem| error(problem.msg)),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(pattern) => write!(formatter, "{pattern}"),
            Self::Level(name) => write!(formatter, "level:{name}"),
            Self::Type(name) => write!(formatter, "type:{name}"),
            Self::Requirement(name) => write!(formatter, "requirement:{name}"),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> = self.terms.iter().map(ToString::to_string).collect();
        formatter.write_str(&terms.join(" "))
    }
}

/// Whether a glob can match an id of a file. An id is the file's stem, a slash, and a name without one.
fn may_match_below(glob: &str, stem: &str) -> bool {
    let mut literals = glob.split(['*', '?']).take_while(|literal| !literal.contains('['));
    let first = glob.split(['*', '?', '[']).next().unwrap_or_default();
    let common = first.len().min(stem.len());
    if first.as_bytes()[..common] != stem.as_bytes()[..common] {
        return false;
    }
    // What a literal has up to its last slash stands in the stem, or at its end, one literal behind the other.
    let folder = format!("{stem}/");
    let mut rest = folder.as_str();
    literals.all(|literal| {
        let needed = literal.rfind('/').map_or("", |slash| &literal[..=slash]);
        match rest.find(needed) {
            Some(at) => {
                rest = &rest[at + needed.len()..];
                true
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_told_apart() {
        let filter = Filter::parse(&["directml/*", "level:3_0", "type:FLOAT16", "requirement:nan"]).unwrap();
        assert_eq!(filter.to_string(), "directml/* level:3_0 type:FLOAT16 requirement:nan");
        for wrong in ["level:", "colour:red", "a[b"] {
            assert!(Filter::parse(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_that_cannot_hold_a_case_are_left_closed() {
        let filter = Filter::parse(&["directml/one_hot/documented/example_1"]).unwrap();
        assert!(filter.may_pick_from("directml/one_hot/documented"));
        assert!(!filter.may_pick_from("directml/one_hot/by_hand"));
        assert!(Filter::parse(&["directml/*_1"]).unwrap().may_pick_from("directml/argmax/by_hand"));
        assert!(Filter::default().may_pick_from("anything"));
        let documented = Filter::parse(&["*/documented/*"]).unwrap();
        assert!(documented.may_pick_from("directml/argmax/documented"));
        assert!(!documented.may_pick_from("directml/argmax/generated/axes"));
        let deep = Filter::parse(&["*/generated/*axes/[a-f]*_1"]).unwrap();
        assert!(deep.may_pick_from("directml/argmax/generated/axes"));
        assert!(deep.may_pick_from("directml/argmax/generated/more_axes"));
        assert!(!deep.may_pick_from("directml/argmax/by_hand"));
        // A star may stand for slashes as well.
        assert!(Filter::parse(&["*_1"]).unwrap().may_pick_from("directml/argmax/generated/axes"));
        assert!(Filter::parse(&["directml/*ed/a*"]).unwrap().may_pick_from("directml/argmax/documented"));
        assert!(Filter::parse(&["directml/argmax"]).unwrap().may_pick_from("directml/argmax/documented"));
    }
}
