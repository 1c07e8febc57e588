//! The command line: one file per command. It prints; other modules do the work.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod admin;
mod agent;
mod args;
mod audit;
mod backup;
mod bench;
mod broker;
mod check_certificate;
mod config;
mod configuration;
mod diagnostics;
mod export;
mod fmt;
mod folder;
mod healthcheck;
mod import;
mod obstacles;
mod oidc;
mod print;
mod programs;
mod remote;
mod reports;
mod reuse;
mod selftest;
mod serve;
mod session;
mod simulate;
mod text;
mod undecided;
mod verify;
mod verify_report;

pub use admin::AdminArgs;
pub use agent::AgentArgs;
pub use args::LimitArgs;
pub use audit::AuditArgs;
pub use backup::{BackupArgs, RestoreArgs};
pub use bench::args::BenchArgs;
pub use broker::BrokerArgs;
pub use check_certificate::CheckCertificateArgs;
pub use config::ConfigArgs;
pub use diagnostics::DiagnosticsArgs;
pub use export::ExportArgs;
pub use fmt::FmtArgs;
pub use healthcheck::HealthcheckArgs;
pub use import::ImportArgs;
pub use remote::RemoteArgs;
pub use selftest::SelftestArgs;
pub use serve::ServeArgs;
pub use simulate::SimulateArgs;
pub use verify::VerifyArgs;
pub use verify_report::VerifyReportArgs;

/// Exit code for a wrong command line.
pub const USAGE: u8 = 2;
/// Exit code for input that cannot be read or understood.
pub const BAD_INPUT: u8 = 3;
/// Exit code if something can be broken, or was broken in a run.
pub const BROKEN: u8 = 40;
/// Exit code if something is not decided, or if there was nothing to check.
pub const UNDECIDED: u8 = 30;
/// Exit code for an internal error, and where something outside does not answer.
pub const INTERNAL: u8 = 1;

/// Error that ends a command early: exit code and message.
#[derive(Debug)]
struct Failure {
    code: u8,
    message: String,
    /// It is a mistake of this program, which a report mends.
    is_internal: bool,
}

impl Failure {
    fn new(code: u8, message: impl ToString) -> Failure {
        Failure { code, message: message.to_string(), is_internal: false }
    }

    /// Returns the failure for a wrong command line.
    fn usage(message: impl ToString) -> Failure {
        Failure::new(USAGE, message)
    }
    /// Returns the failure for input that cannot be read or understood.
    fn bad_input(message: impl ToString) -> Failure {
        Failure::new(BAD_INPUT, message)
    }
    /// Returns the failure for an internal error.
    fn internal(message: impl ToString) -> Failure {
        Failure { is_internal: true, ..Failure::new(INTERNAL, message) }
    }
    /// Returns the failure of something outside: no answer, a port or a folder in use. Its exit code is that of an internal error.
    fn outside(message: impl ToString) -> Failure {
        Failure::new(INTERNAL, message)
    }
    /// Prints the message and returns the exit code.
    fn tell(self) -> u8 {
        let kind = if self.is_internal { "internal error" } else { "error" };
        print::complain(&format!("{kind}: {}", self.message));
        self.code
    }
}

impl From<programs::Problem> for Failure {
    fn from(problem: programs::Problem) -> Failure {
        Failure::bad_input(problem.0)
    }
}

#[derive(Parser)]
#[command(
    name = "scanproof",
    version,
    about = "Verifies PLC programs: a proof, a counterexample in your own code, or an honest 'not decided'",
    after_help = "Exit codes: 0 all requirements hold · 40 something can be broken · 30 something is not decided, or there was \
                  nothing to check · \
                  3 input cannot be understood · 2 wrong command line · 1 internal error · 130 stopped"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Verify programs: every requirement, assertion and automatic check
    Verify(VerifyArgs),
    /// Print the import of programs: POUs, gaps, findings; verifies nothing
    Import(ImportArgs),
    /// Print a program as it was understood, in Structured Text
    Fmt(FmtArgs),
    /// Write the model of one requirement for another tool: Theta CFA, Horn clauses, btor2, SMV or C
    Export(ExportArgs),
    /// Check a certificate that `verify --certificates` wrote: a proof with a fresh solver, a violation by running the program
    CheckCertificate(CheckCertificateArgs),
    /// Check that a signed report of the service is unchanged
    VerifyReport(VerifyReportArgs),
    /// Verify on a service: the client of its REST API
    Remote(RemoteArgs),
    /// Run a program cycle by cycle with given inputs
    Simulate(SimulateArgs),
    /// Serve the web pages and the REST API
    Serve(ServeArgs),
    /// Do runs of a server on this machine, over a broker
    Agent(AgentArgs),
    /// Print the settings of `serve`, and where each comes from
    Config(ConfigArgs),
    /// Print facts for a support case, without secrets
    Diagnostics(DiagnosticsArgs),
    /// Ask a running service whether it is ready for work
    Healthcheck(HealthcheckArgs),
    /// Add users and make tokens while the service is stopped
    Admin(AdminArgs),
    /// Check that the audit log is whole
    Audit(AuditArgs),
    /// Write the data of the service to one file, while it runs
    Backup(BackupArgs),
    /// Put a backup back, or check it
    Restore(RestoreArgs),
    /// Verify the samples inside this binary and check the certificate of each answer: qualifies an installation
    Selftest(SelftestArgs),
    /// Measure configurations: every case with every configuration, each in its own worker process
    Bench(BenchArgs),
    /// Print the JSON schema of `verify --json`
    Schema,
    /// Worker process of a run: reads its assignment from standard input
    #[command(hide = true)]
    Worker,
}

/// Runs the command of the command line and returns its exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are not errors and go to standard output.
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { USAGE } else { 0 });
        }
    };
    let ended = match cli.command {
        Command::Verify(args) => verify::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::CheckCertificate(args) => check_certificate::run(&args),
        Command::VerifyReport(args) => verify_report::run(&args),
        Command::Remote(args) => remote::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Serve(_) => serve::run(),
        Command::Agent(args) => agent::run(&args),
        Command::Diagnostics(args) => diagnostics::run(args),
        Command::Config(args) => config::run(args),
        Command::Healthcheck(args) => healthcheck::run(&args),
        Command::Admin(args) => admin::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Backup(args) => backup::run(&args),
        Command::Restore(args) => backup::run_restore(&args),
        Command::Selftest(args) => selftest::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Schema => print::json(&crate::report::schema::verification()).map(|()| 0),
        Command::Worker => Ok(crate::run::worker::main()),
    };
    ExitCode::from(print::told(ended.unwrap_or_else(Failure::tell)))
}
