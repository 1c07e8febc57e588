//! `scanproof diagnostics`: facts for a support case as one text, without secrets, names of users and texts of programs.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use super::config::line;
use super::configuration::effective;
use super::print::out;
use crate::store::audit::verify;
use crate::store::backup::{counts, damage};

/// Arguments of `diagnostics`.
#[derive(Args)]
pub struct DiagnosticsArgs {
    /// File to write; it must not exist. Without it the text is printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Flags as for `scanproof serve`
    #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
    flags: Vec<OsString>,
}

/// Takes `--out FILE` out of the flags: it may stand behind those of `serve`.
fn taken_out(flags: Vec<OsString>) -> (Option<PathBuf>, Vec<OsString>) {
    let (mut out, mut rest, mut flags) = (None, Vec::new(), flags.into_iter());
    while let Some(flag) = flags.next() {
        if flag == "--out" {
            out = flags.next().map(PathBuf::from);
        } else if let Some(file) = flag.to_str().and_then(|flag| flag.strip_prefix("--out=")) {
            out = Some(PathBuf::from(file));
        } else {
            rest.push(flag);
        }
    }
    (out, rest)
}

/// Writes the facts.
pub(super) fn run(args: DiagnosticsArgs) -> Result<u8, Failure> {
    let (behind, flags) = taken_out(args.flags);
    let (serve, settings) = effective(flags)?;
    let mut text = String::from("Scanproof: facts for a support case. No secrets, no names of users, no programs.\n");
    section(&mut text, "machine", &machine(&serve.data));
    let settings: Vec<String> = settings.iter().map(line).collect();
    section(&mut text, "settings", &settings);
    section(&mut text, "database", &database(&serve.data));
    let Some(file) = args.out.or(behind) else {
        out(text.trim_end());
        return Ok(0);
    };
    let failed = |error: std::io::Error| Failure::bad_input(format!("{}: {error}", file.display()));
    let mut opened = std::fs::File::create_new(&file).map_err(failed)?;
    std::io::Write::write_all(&mut opened, text.as_bytes()).map_err(failed)?;
    out(&format!("{} written", file.display()));
    Ok(0)
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    // Writing to a text never fails.
    let _ = write!(text, "\n== {title}\n{}\n", lines.join("\n"));
}

fn machine(data: &Path) -> Vec<String> {
    let system = rustix::system::uname();
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find(|line| line.starts_with("MemTotal")).unwrap_or("MemTotal: unknown").to_owned();
    let mut lines = vec![
        format!("version: {}", env!("CARGO_PKG_VERSION")),
        format!("kernel: {} {}", system.sysname().to_string_lossy(), system.release().to_string_lossy()),
        format!("machine: {}", system.machine().to_string_lossy()),
        format!("cores: {}", std::thread::available_parallelism().map_or(0, usize::from)),
        total.split_whitespace().collect::<Vec<_>>().join(" "),
        format!("time: {}", jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ")),
    ];
    match rustix::fs::statvfs(data) {
        Ok(disk) => lines.push(format!("free on the disk of the database: {} MB", (disk.f_bavail * disk.f_frsize) >> 20)),
        Err(error) => lines.push(format!("disk of the database: {error}")),
    }
    let kept = crate::run::sandbox::missing();
    lines.extend(kept.iter().map(|what| format!("workers keep {what}: this kernel cannot take that from them")));
    lines
}

fn database(data: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    match damage(data) {
        Ok(None) => lines.push("all pages are whole".into()),
        Ok(Some(damage)) => lines.push(format!("damaged: {damage}")),
        Err(error) => return vec![format!("cannot be looked at: {error}")],
    }
    match counts(data) {
        Ok(counts) => lines.extend(counts.iter().map(|(what, n)| format!("{what}: {n}"))),
        Err(error) => lines.push(format!("rows cannot be counted: {error}")),
    }
    match verify(data, None) {
        Ok((_, Ok(rows))) => lines.push(format!("audit log: whole, {rows} rows")),
        Ok((_, Err(defect))) => lines.push(format!("audit log: tampered with: {defect}")),
        Err(error) => lines.push(format!("audit log cannot be checked: {error}")),
    }
    lines
}
