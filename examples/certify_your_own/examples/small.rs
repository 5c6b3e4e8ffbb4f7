//! The whole command `opcert` for this backend: `cargo run -p certify-your-own --example small -- certify --isolate`.
fn main() -> std::process::ExitCode {
    opcert::cli::main_with(&[("small", || Box::new(certify_your_own::SmallBackend))])
}
