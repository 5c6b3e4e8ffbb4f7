//! The whole command `opcert` for this backend: `cargo run -p certify-your-own --example small -- certify --isolate`.
use opcert::cli::BackendEntry;

fn main() -> std::process::ExitCode {
    opcert::cli::main_with(&[BackendEntry::new("small", || Box::new(certify_your_own::SmallBackend))])
}
