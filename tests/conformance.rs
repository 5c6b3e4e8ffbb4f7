//! Every case as a test of the bundled CPU backend.
fn main() -> std::process::ExitCode {
    opcert::conformance(opcert_cpu::CpuBackend::new())
}
