//! Which wrong backends stand for all that follow from an operator's specification.

use std::path::PathBuf;
use std::sync::Arc;

use opcert::coverage::cites;
use opcert::diagnostic::Diagnostic;
use opcert::fuzz::FuzzError;
use opcert::mutate::{
    Difference, Fate, Ready, Subject, Wrong, WrongBackend, alterations, general, hunt, listed, permitted, search,
};
use opcert::spec::{Requirement, Specs};
use opcert_backend::{Backend, Role};

use crate::trespass::trespassers;

/// The folder with the files of wrong backends.
pub const SEEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/wrong");

/// So many random samples are held against each one that no case notices.
const SEARCHED: u64 = 1000;

/// Each requirement gets so many of those that follow from a definition.
const FEW: usize = 6;

/// What became of all wrong backends of an operator.
#[derive(Debug)]
pub struct Hunted {
    /// Those that the suite notices.
    pub noticed: Vec<Fate>,
    /// Those that it does not notice, although they are told of in a file, or this sample tells them from what is right.
    pub missed: Vec<(Arc<Wrong>, Option<Difference>)>,
    /// How many nothing tells from what is right: neither a case nor a sample.
    pub equivalent: usize,
    /// Those that do what is allowed, and that a case calls wrong.
    pub accused: Vec<Fate>,
}

/// A wrong backend that stands for others.
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// The full id of the requirement that it breaks.
    pub breaks: String,
    /// What it does wrong.
    pub about: String,
    /// Where an implementation did that, or empty.
    pub seen: String,
    /// What runs.
    pub backend: Box<dyn Backend>,
    /// What follows from the specification or a file; nothing for one that is beyond safe code.
    wrong: Option<Arc<Wrong>>,
}

impl Chosen {
    /// Whether a case of an operator has to be run to say whether it notices this.
    pub fn may_show(&self, ready: &Ready, subject: &Subject) -> bool {
        self.wrong.as_ref().is_none_or(|wrong| wrong.may_show(ready, &subject.answers))
    }
}

impl Hunted {
    /// The wrong backends of files in which an implementation's mistake is told.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the files.
    pub fn seen(specs: &Specs) -> Result<Vec<Wrong>, Vec<Diagnostic>> {
        Ok(listed(&[PathBuf::from(SEEN)], specs)?.into_iter().filter(|wrong| wrong.seen.is_some()).collect())
    }

    /// Holds the suite and random samples against all that follow from the operator's specification, and those of files. Is not
    /// to be called from within a parallel iterator.
    ///
    /// # Errors
    ///
    /// When no samples of the operator can be drawn.
    pub fn of(specs: &Specs, subject: &Subject, seen: &[Wrong]) -> Result<Self, FuzzError> {
        let operator = &subject.operator;
        let of_files = seen.iter().filter(|wrong| wrong.operator.id == operator.id).cloned().collect();
        let mut fates = hunt(subject, of_files, true, |_| ());
        fates.extend(hunt(subject, [alterations(operator), general(operator)].concat(), false, |_| ()));
        let (mut noticed, hidden): (Vec<Fate>, Vec<Fate>) = fates.into_iter().partition(|fate| fate.kill.is_some());
        let hidden: Vec<Arc<Wrong>> = hidden.into_iter().map(|fate| fate.wrong).collect();
        let told = search(specs, subject, &hidden, SEARCHED, 1)?;
        let found = hidden.into_iter().zip(told);
        let (mut missed, equivalent): (Vec<_>, Vec<_>) =
            found.partition(|(wrong, difference)| wrong.seen.is_some() || difference.is_some());
        let equivalent = equivalent.len();
        // Not all large cases were run on them.
        let again = missed.iter().map(|(wrong, _)| Wrong::clone(wrong)).collect();
        let is_noticed: Vec<bool> = hunt(subject, again, true, |_| ())
            .into_iter()
            .map(|fate| {
                let is_noticed = fate.kill.is_some();
                noticed.extend(is_noticed.then_some(fate));
                is_noticed
            })
            .collect();
        let mut is_noticed = is_noticed.into_iter();
        missed.retain(|_| is_noticed.next() == Some(false));
        let mut accused = hunt(subject, permitted(operator), false, |_| ());
        accused.retain(|fate| fate.kill.is_some());
        Ok(Self { noticed, missed, equivalent, accused })
    }

    /// For each requirement that can be broken the wrong backends of files that break it, a few of those that follow from the
    /// specification, and those that touch memory which is not their own.
    #[must_use]
    pub fn chosen(&self, subject: &Subject) -> Vec<Chosen> {
        let operator = &subject.operator;
        let is_excused = |each: &Requirement| each.definition || each.restates.is_some() || each.untestable.is_some();
        let right = WrongBackend::new(&Arc::new(Wrong::unaltered(operator)), &subject.answers);
        let mut chosen = Vec::new();
        for requirement in operator.all_requirements().filter(|each| each.gates() && !is_excused(each)) {
            let is_own = operator.requirements.iter().any(|own| own.id == requirement.id);
            let named = |name: &str| if is_own { name.to_owned() } else { format!("{name} ({})", operator.id) };
            for wrong in few(subject, &self.noticed, &requirement.id) {
                chosen.push(Chosen {
                    name: named(&wrong.name),
                    breaks: requirement.id.clone(),
                    about: wrong.about.clone(),
                    seen: wrong.seen.clone().unwrap_or_default(),
                    backend: Box::new(WrongBackend::new(wrong, &subject.answers)),
                    wrong: Some(Arc::clone(wrong)),
                });
            }
            let family = format!("{}/", operator.family.name);
            // What writes an input does nothing where there is none.
            let has_inputs = operator.tensors.iter().any(|tensor| tensor.role == Role::Input);
            for trespasser in trespassers(&right).into_iter().filter(|each| has_inputs || !each.is_about_inputs()) {
                if requirement.id.strip_prefix(&family) == Some(trespasser.breaks) {
                    chosen.push(Chosen {
                        name: named(trespasser.name),
                        breaks: requirement.id.clone(),
                        about: trespasser.about.to_owned(),
                        seen: String::new(),
                        backend: Box::new(trespasser),
                        wrong: None,
                    });
                }
            }
        }
        chosen
    }
}

/// Of the wrong backends that break a requirement and are noticed by a case that cites it, those of files and a few others,
/// from all parts of the specification. One that breaks nothing else says the most.
fn few<'a>(subject: &Subject, noticed: &'a [Fate], requirement: &str) -> Vec<&'a Arc<Wrong>> {
    let of_case = |id: &str| subject.cases.iter().find(|ready| ready.planned.case.about().id == id);
    let is_cited = |fate: &&Fate| {
        let ready = fate.kill.as_ref().and_then(|kill| of_case(&kill.case));
        ready.is_some_and(|ready| cites(&ready.planned.case, requirement))
    };
    let breaking = noticed.iter().filter(|fate| fate.wrong.breaks.iter().any(|id| id == requirement));
    let breaking: Vec<&Arc<Wrong>> = breaking.filter(is_cited).map(|fate| &fate.wrong).collect();
    let (seen, others): (Vec<_>, Vec<_>) = breaking.into_iter().partition(|wrong| wrong.seen.is_some());
    let alone: Vec<&Arc<Wrong>> = others.iter().copied().filter(|wrong| wrong.breaks.len() == 1).collect();
    let others = if alone.is_empty() { others } else { alone };
    let count = others.len().min(FEW);
    seen.into_iter().chain((0..count).map(|number| others[number * others.len() / count])).collect()
}
