//! JUnit XML, as build servers read it.

use opcert_backend::ForeignText;
use opcert_backend::foreign::{printable, printable_line};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{Log, explain_failure};
use crate::judge::Outcome;
use crate::render::USUAL_WIDTH;

/// Renders a log: a suite per operator, a test per case. What is unsupported, not claimed or known to fail is skipped,
/// never passed.
///
/// # Errors
///
/// When the text cannot be XML.
pub fn junit(log: &Log) -> Result<String, SerializeError> {
    let mut report = Report::new(format!("opcert {}", log.header.backend.name));
    for operator in &log.header.operators {
        let mut suite = TestSuite::new(printable_line(&operator.id));
        for event in log.cases.iter().filter(|event| event.operator == operator.id) {
            let reason = event.reason.as_ref().map_or_else(|| event.outcome.to_string(), ForeignText::to_string);
            let status = match event.outcome {
                Outcome::Pass | Outcome::Observed => TestCaseStatus::success(),
                Outcome::ExpectedFailure => {
                    let why = event.waiver.as_ref().map(|waiver| format!("{}: {}", waiver.outcome, waiver.reason));
                    let mut status = TestCaseStatus::skipped();
                    status.set_type(event.outcome.name()).set_message(why.unwrap_or(reason));
                    status
                }
                Outcome::Unsupported | Outcome::NotRun | Outcome::Missing => {
                    let mut status = TestCaseStatus::skipped();
                    status.set_type(event.outcome.name()).set_message(reason);
                    status
                }
                outcome => {
                    let kind = if outcome == Outcome::Fail { NonSuccessKind::Failure } else { NonSuccessKind::Error };
                    let mut status = TestCaseStatus::non_success(kind);
                    status.set_type(outcome.name()).set_message(reason);
                    status.set_description(explain_failure(event, &log.header.repeat, false, USUAL_WIDTH));
                    status
                }
            };
            let mut case = TestCase::new(printable_line(&event.case), status);
            case.set_classname(printable_line(&event.operator));
            if !event.observed.is_empty() {
                let answers = event
                    .observed
                    .iter()
                    .map(|each| format!("observed: {} = {}", printable_line(&each.tensor), printable(&each.value)));
                case.set_system_out(answers.collect::<Vec<_>>().join("\n"));
            }
            suite.add_test_case(case);
        }
        if suite.tests > 0 {
            report.add_test_suite(suite);
        }
    }
    report.to_string()
}
