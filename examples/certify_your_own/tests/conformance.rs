//! Every case of opcert as a test of this backend.
fn main() -> std::process::ExitCode {
    opcert::conformance(certify_your_own::SmallBackend)
}
