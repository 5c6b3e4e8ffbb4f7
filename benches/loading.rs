//! How long many small cases take to load, check, run and judge, and how that grows: `cargo bench --bench loading`.
//!
//! Each line is the median of several rounds over a file tree of so many cases, generated from the documented ones.
#![expect(clippy::expect_used, reason = "a benchmark that cannot go on ends")]

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use opcert::case::CaseSource;
use opcert::check::Suite;
use opcert::judge::{Outcome, judge};
use opcert::plan::{Plan, Selection};
use opcert::run::{Live, run};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

const CASES_PER_FILE: usize = 100;
const ROUNDS: usize = 5;

fn main() {
    let specs = Specs::load(&Source::embedded_specs()).expect("the embedded specifications load");
    println!(
        "{:>8} {:>12} {:>12} {:>12} {:>14} {:>10}",
        "cases", "load+check", "run+judge", "total", "per case", "peak RSS"
    );
    for count in [625, 1_250, 2_500, 5_000, 10_000, 20_000] {
        let folder = tempfile::tempdir().expect("a folder for the cases");
        write_cases(folder.path(), count);
        let mut rounds: Vec<[Duration; 2]> = (0..ROUNDS).map(|_| round(&specs, folder.path(), count)).collect();
        rounds.sort_by_key(|[load, run]| *load + *run);
        let [load, run] = rounds[ROUNDS / 2];
        let total = load + run;
        println!(
            "{count:>8} {load:>12.1?} {run:>12.1?} {total:>12.1?} {:>14.1?} {:>10}",
            total / count as u32,
            peak_memory()
        );
    }
}

fn round(specs: &Specs, folder: &Path, count: usize) -> [Duration; 2] {
    let start = Instant::now();
    let source = CaseSource(Source::Path(folder.to_owned()));
    let suite = Suite::load(&source, specs, |_| true).expect("the cases are valid");
    let loaded = start.elapsed();
    let backend = CpuBackend::new();
    let plan = Plan::new(suite.cases, specs, &backend, &Selection::default()).expect("the claims exist");
    let mut passed = 0;
    run(&plan.entries, &Live(&backend), 0, judge, |_, event| {
        passed += usize::from(event.outcome == Outcome::Pass);
        ControlFlow::Continue(())
    })
    .expect("threads start");
    assert_eq!(passed, count, "not every case passed");
    [loaded, start.elapsed() - loaded]
}

/// Three positive cases to one refused twin, as small as the documented ones.
fn write_cases(folder: &Path, count: usize) {
    for file in 0..count.div_ceil(CASES_PER_FILE) {
        let mut text = "operator: directml/one_hot\ncases:\n".to_owned();
        for case in 0..CASES_PER_FILE.min(count - file * CASES_PER_FILE) {
            let written = if case % 4 == 3 {
                write!(
                    text,
                    "  case_{case}:\n    twin: case_{}\n    change: {{attributes.Axis: 4}}\n    covers: [axis-in-range]\n    \
                     expect: {{refuses: [axis-in-range]}}\n    refused_at: [\"3_0\", \"6_4\"]\n",
                    case - 1
                )
            } else {
                write!(
                    text,
                    "  case_{case}:\n    title: One of many\n    level: \"3_0\"\n    covers: [negative-from-end]\n    tensors:\n      \
                     IndicesTensor: {{type: INT32, sizes: [1, 1, 3, 1], data: [[[[-3], [100], [3]]]]}}\n      \
                     ValuesTensor: {{type: FLOAT32, sizes: [1, 1, 1, 2], data: [[[[0, 1]]]]}}\n      \
                     OutputTensor: {{type: FLOAT32, sizes: [1, 1, 3, 4]}}\n    attributes: {{Axis: 3}}\n    expect:\n      \
                     OutputTensor: [[[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]]]\n"
                )
            };
            written.expect("text can be written");
        }
        fs::write(folder.join(format!("many_{file}.yaml")), text).expect("the cases can be written");
    }
}

/// The most memory that this process has had, where the system tells.
fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes.map_or_else(|| "unknown".to_owned(), |kibibytes| format!("{} MiB", kibibytes / 1024))
}
