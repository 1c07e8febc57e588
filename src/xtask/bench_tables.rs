//! Tables of docs/cegar.md and docs/bam.md: measures the sets of configurations and puts each table between `<!-- NAME -->` and
//! `<!-- /NAME -->`.
//!
//! Wants a quiet machine. The environment variables SETS, FAMILIES, MODELS, TIME, CPU, JOBS, REPEAT and BINARY
//! change the defaults.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::{families, tool};

/// Document of the set `bam`, and that of all others.
const DOCUMENTS: [&str; 2] = ["docs/bam.md", "docs/cegar.md"];
const OUT: &str = "target/bench";
/// Numbers of locks in Table I of Beyer et al., FMCAD 2009.
const LOCKS: [u32; 12] = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 100];

pub(crate) fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

/// Programs of the set `bam`, beside small ones of each generated family.
const WITH_CALLS: [&str; 3] = ["samples/objects", "samples/recursion", "samples/voting"];
/// Largest of these.
const SMALL: usize = 10;

/// Measures all sets and writes their tables into their documents.
pub(crate) fn write() -> Result<(), String> {
    let families = setting("FAMILIES", "alarm batch conveyor motor press traffic valve voting");
    let mut suite: Vec<String> = families.split_whitespace().map(|family| format!("samples/{family}")).collect();
    let models = setting("MODELS", "../shared/bench/cfa");
    if Path::new(&models).is_dir() {
        suite.push(models);
    } else {
        eprintln!("no models in {models}: PLC programs only");
    }
    let locks = lock_family()?;
    let mut with_calls = families::write_small(&Path::new(OUT).join("families"), SMALL).map_err(|e| format!("{OUT}: {e}"))?;
    // Measurements have all calls written out.
    with_calls.retain(|folder| !folder.ends_with("recursion"));
    with_calls.extend(WITH_CALLS.map(str::to_owned));
    let mut written = BTreeSet::new();
    for set in setting("SETS", "locks rq1 rq2 rq3 rq4 rq5 rq6 table4 all-engines bam").split_whitespace() {
        println!("== {set}");
        let document = DOCUMENTS[usize::from(set != "bam")];
        let here = match set {
            "locks" => std::slice::from_ref(&locks),
            "bam" => with_calls.as_slice(),
            _ => suite.as_slice(),
        };
        let folder = format!("{OUT}/{set}");
        measure(here, set, &folder)?;
        let table = match set {
            "locks" => lock_table(&read(&format!("{folder}/results.csv"))?),
            _ => read(&format!("{folder}/summary.md"))?,
        };
        put(document, set, &table)?;
        written.insert(document);
    }
    written.into_iter().try_for_each(|document| put(document, "measured", &machine()))
}

/// Writes the family of programs with as many locks as in the paper; returns its folder.
fn lock_family() -> Result<String, String> {
    let folder = format!("{OUT}/family");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    for n in LOCKS {
        let made = Command::new("samples/locks/generate").arg(n.to_string()).output().map_err(|e| e.to_string())?;
        std::fs::write(format!("{folder}/test_locks.{n}.st"), made.stdout).map_err(|e| e.to_string())?;
    }
    std::fs::copy("samples/locks/test_locks.yaml", format!("{folder}/test_locks.yaml")).map_err(|e| e.to_string())?;
    Ok(folder)
}

fn measure(suite: &[String], set: &str, folder: &str) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let (time, jobs, cpu) = (setting("TIME", "1s"), setting("JOBS", "2"), setting("CPU", ""));
    let mut command = Command::new(tool::binary());
    command.arg("bench").args(suite).args(["--configs", set, "--time", &time, "--memory", "1GiB", "--jobs", &jobs]);
    command.args(["--repeat", &setting("REPEAT", "3"), "--out", folder, "-q"]);
    // The document names this machine: no agent of a fleet measures.
    command.env_remove("SCANPROOF_BROKER");
    if !cpu.is_empty() {
        // On a machine that has other work: processor time is limited, and more time may pass.
        command.args(["--cpu", &cpu]);
    }
    match command.status().map_err(|e| e.to_string())?.code() {
        // 3: a model that cannot be read is in the tables as an error.
        Some(0 | 3) => Ok(()),
        code => Err(format!("bench {set} ended with {code:?}; 1 means that an answer is wrong")),
    }
}

/// Returns the answers with their times and the size of the graph, one row for each number of locks.
fn lock_table(results: &str) -> String {
    let mut lines = results.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |row: &[&str], name: &str| -> String {
        head.iter().position(|h| *h == name).and_then(|i| row.get(i)).map(|cell| (*cell).to_owned()).unwrap_or_default()
    };
    let mut rows: BTreeMap<u32, BTreeMap<String, String>> = BTreeMap::new();
    for row in lines {
        let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
        let name = column(&row, "name");
        let Some(n) = name.split("test_locks.").nth(1).and_then(|rest| number(rest).parse().ok()) else { continue };
        let progress = column(&row, "progress");
        let states = progress.split(" abstract states").next().and_then(|text| text.rsplit(' ').next()).unwrap_or("–");
        let states = if progress.contains(" abstract states") { states } else { "–" };
        let status = column(&row, "status");
        let seconds: f64 = column(&row, "cputime (s)").parse().unwrap_or(0.0);
        let time = if status == "true" { format!("{seconds:.2} s") } else { status };
        rows.entry(n).or_default().insert(column(&row, "configuration"), format!("{states} | {time}"));
    }
    let mut table = vec![
        "| locks | large blocks, `PRED_BOOL`: states | time | single operations, `PRED_CART`: states | time |".to_owned(),
        "|--:|--:|--:|--:|--:|".to_owned(),
    ];
    for (n, row) in rows {
        let cell = |name: &str| row.get(name).map_or("– | –", String::as_str);
        table.push(format!("| {n} | {} | {} |", cell("LBE_PRED_BOOL"), cell("SBE_PRED_CART")));
    }
    table.join("\n")
}

/// Returns the sentence about version, limits and machine.
fn machine() -> String {
    let version = tool::run(&["--version"]).1;
    let cpu = setting("CPU", "");
    let cpu = if cpu.is_empty() { cpu } else { format!(" ({cpu} of processor time)") };
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        processors.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1)).unwrap_or("an unknown processor");
    let n_cores = processors.lines().filter(|line| line.starts_with("processor")).count();
    format!(
        "Measured with {}, {} of time{cpu} and 1 GiB of memory for each run, {} repetitions, {} runs at a time, on {name} \
         ({n_cores} cores).",
        version.trim(),
        setting("TIME", "1s"),
        setting("REPEAT", "3"),
        setting("JOBS", "2"),
    )
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}

/// Puts a table into a document, between its marks.
pub(crate) fn put(document: &str, name: &str, table: &str) -> Result<(), String> {
    let text = replaced(&read(document)?, name, table).ok_or_else(|| format!("{document} has no place for {name}"))?;
    std::fs::write(document, text).map_err(|e| format!("{document}: {e}"))
}

/// Returns the text with the table between the marks of `name`.
fn replaced(text: &str, name: &str, table: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let (head, rest) = text.split_once(&begin)?;
    let (_, tail) = rest.split_once(&end)?;
    Some(format!("{head}{begin}\n{}\n{end}{tail}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_goes_between_its_marks() {
        let text = "a\n<!-- t -->\nold\n<!-- /t -->\nb\n";
        assert_eq!(replaced(text, "t", "| new |\n").as_deref(), Some("a\n<!-- t -->\n| new |\n<!-- /t -->\nb\n"));
        assert_eq!(replaced(text, "u", "x"), None);
    }

    #[test]
    fn locks_have_a_row_for_each_number() {
        let results = "name\tstatus\tcputime (s)\tprogress\tconfiguration\n\
            a/test_locks.5.st\ttrue\t0.5\t12 abstract states\tLBE_PRED_BOOL\n\
            a/test_locks.5.st\ttimeout\t1.0\t\tSBE_PRED_CART\n";
        assert!(lock_table(results).ends_with("| 5 | 12 | 0.50 s | – | timeout |"), "{}", lock_table(results));
    }
}
