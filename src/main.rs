//! The `scanproof` binary: everything is in the library.

fn main() -> std::process::ExitCode {
    scanproof::cli::main()
}
