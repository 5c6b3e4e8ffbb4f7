//! How fast the CPU backend is: `cargo bench --bench operators`. The same table as `opcert bench`, by the same function;
//! see docs/BENCH.md.
#![expect(clippy::expect_used, reason = "a benchmark that cannot go on ends")]

use opcert::bench::{Bench, Workloads, table};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

fn main() {
    let specs = Specs::load(&Source::embedded_specs()).expect("the embedded specifications load");
    let workloads = Workloads::load(&Source::embedded_workloads(), &specs, |_| true);
    let workloads = workloads.expect("the embedded workloads load");
    let measured = Bench::new(&specs, &workloads, &CpuBackend::new(), false)
        .run(|at| eprintln!("{}/{} {}", at.done, at.all, at.row));
    let measured = measured.expect("everything that is measured exists");
    anstream::print!("{}", table(&measured.report, None));
    assert!(measured.wrong.is_empty(), "wrong answers: `opcert bench` shows them");
}
