//! Bundles that were changed: each change is noticed, and named for what it is.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod backends;
mod bundle;
mod certificate;
mod files;
mod log;
mod signature;

use self::bundle::LOG;
use opcert::judge::Outcome;
use opcert::report::Log;

/// The id of the first case with an outcome.
fn id(outcome: Outcome) -> String {
    LOG.cases.iter().find(|event| event.outcome == outcome).unwrap().case.clone()
}

/// Removes the first failing case, and counts anew what is counted in the log.
fn without_failure(log: &mut Log) {
    let at = log.cases.iter().position(|event| event.outcome == Outcome::Fail).unwrap();
    log.cases.remove(at);
    log.header.planned -= 1;
}

fn assert_said(said: &[String], wanted: &[&str]) {
    for text in wanted {
        assert!(said.iter().any(|misfit| misfit.contains(text)), "`{text}` is not among {said:#?}");
    }
}
