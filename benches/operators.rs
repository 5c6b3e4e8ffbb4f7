//! How fast the CPU backend is: `cargo bench --bench operators`. The same table as `opcert bench`, by the same function;
//! see docs/BENCH.md.
#![expect(clippy::expect_used, reason = "a benchmark that cannot go on ends")]

use opcert::bench::{Bench, table};
use opcert::source::Source;
use opcert::spec::Specs;
use opcert_cpu::CpuBackend;

fn main() {
    let specs = Specs::load(&Source::embedded_specs()).expect("the embedded specifications load");
    let measured =
        Bench::new(&specs, &CpuBackend::new(), false).run(|at| eprintln!("{}/{} {}", at.done, at.all, at.row));
    let measured = measured.expect("everything that is measured exists");
    anstream::print!("{}", table(&measured.report));
    assert!(measured.wrong.is_empty(), "wrong answers: `opcert bench` shows them");
}
