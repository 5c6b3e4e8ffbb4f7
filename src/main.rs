//! The command `opcert`.

fn main() -> std::process::ExitCode {
    opcert::cli::main()
}
