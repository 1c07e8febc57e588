//! Lag of the default behind single engines: questions for which it takes more than [`FACTOR`] times the processor time of the
//! best engine, and [`GRACE`] more.
//!
//! Asks about the programs of some paths, or else about the growing families at the sizes of SIZES. The environment variables
//! SIZES, GROWING (names of families), CPU (time for each run) and BINARY change the defaults. Processor time includes
//! certification. Other work on the machine lengthens all runs, and changes their order seldom.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::OUT;
use crate::bench_tables::setting;
use crate::families::GROWING;
use crate::tool;

/// The default may take this multiple of the time of the best engine.
const FACTOR: f64 = 2.0;
/// Seconds that it may take beyond that.
const GRACE: f64 = 0.1;

/// Single engines, beside the default.
const CONFIGURATIONS: &str = "default: { }
bmc: { engine: bmc }
random: { engine: random }
k-induction: { engine: k-induction }
intervals: { engine: intervals }
kiki: { engine: kiki }
pdr: { engine: pdr }
pdr-words: { engine: pdr, options: { level: words } }
cegar: { engine: cegar }
cegar-values: { engine: cegar, options: { domain: EXPL, maxenum: \"50\" } }
impact: { engine: impact }
bam: { engine: bam }
";

/// Processor time of the default and of the best engine for one question.
#[derive(Debug, PartialEq)]
struct Lag {
    question: String,
    /// `None`: the default did not decide it.
    default: Option<f64>,
    best: f64,
    engine: String,
}

/// Measures all questions about programs; prints those with a lag. An empty list of paths stands for the families.
pub(crate) fn measure(paths: &[&str]) -> Result<(), String> {
    let folder = Path::new(OUT).join("lag");
    let named = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(named)?;
    let configurations = folder.join("engines.yaml");
    std::fs::write(&configurations, CONFIGURATIONS).map_err(named)?;
    let mut suite: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    if suite.is_empty() {
        let (sizes, chosen) = (setting("SIZES", "10 30"), setting("GROWING", ""));
        let is_chosen = |name: &str| chosen.is_empty() || chosen.split_whitespace().any(|word| word == name);
        for family in GROWING.iter().filter(|family| is_chosen(family.name)) {
            for size in family.sizes.iter().filter(|size| sizes.split_whitespace().any(|word| word == size.to_string())) {
                let program = family.write_one(&folder.join("programs"), *size).map_err(named)?;
                suite.push(program.to_string_lossy().into_owned());
            }
        }
    }
    let cpu = setting("CPU", "5s");
    let mut command = Command::new(tool::binary());
    command.arg("bench").arg("--quiet").args(&suite).arg("--configs").arg(&configurations);
    command.args(["--cpu", &cpu, "--time", "60s", "--out"]).arg(&folder);
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if !status.success() {
        return Err(format!("{command:?} ended with {status}"));
    }
    let table = std::fs::read_to_string(folder.join("results.csv")).map_err(named)?;
    let (n_questions, lags) = lags(&table);
    println!(
        "{} of {n_questions} questions that some engine decides: more than {FACTOR} times the best, and {GRACE} s",
        lags.len()
    );
    for Lag { question, default, best, engine } in lags {
        let default = default.map_or("open".to_owned(), |seconds| format!("{seconds:.2} s"));
        println!("{question}: {default}, {engine} {best:.2} s");
    }
    Ok(())
}

/// Reads the table of `scanproof bench`. Returns the number of questions that some engine decides, and the lags of the default,
/// largest first.
fn lags(table: &str) -> (usize, Vec<Lag>) {
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap_or_default();
    let column = |name: &str| header.iter().position(|word| *word == name);
    let columns = ["configuration", "name", "property", "status", "cputime (s)"].map(column);
    let mut times: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for row in rows {
        let [configuration, name, property, status, seconds] =
            columns.map(|at| at.and_then(|at| row.get(at)).copied().unwrap_or_default());
        if let (true, Ok(seconds)) = (["true", "false"].contains(&status), seconds.parse()) {
            times.entry(format!("{name} {property}")).or_default().insert(configuration.to_owned(), seconds);
        }
    }
    let n_questions = times.len();
    let lag = |(question, mut times): (String, BTreeMap<String, f64>)| {
        let default = times.remove("default");
        let (engine, best) = times.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let lags = default.is_none_or(|seconds| FACTOR * best + GRACE < seconds);
        lags.then_some(Lag { question, default, best, engine })
    };
    let mut lags: Vec<Lag> = times.into_iter().filter_map(lag).collect();
    let loss = |lag: &Lag| lag.default.unwrap_or(f64::INFINITY) - lag.best;
    lags.sort_by(|a, b| loss(b).total_cmp(&loss(a)));
    (n_questions, lags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_with_a_lag_are_told() {
        let rows = [
            ("default", "quick", "true", 0.29),
            ("pdr", "quick", "true", 0.10),
            ("default", "slow", "false", 0.31),
            ("bmc", "slow", "false", 0.10),
            ("random", "slow", "false", 0.20),
            // An engine that decides nothing is no measure.
            ("kiki", "slow", "TIMEOUT", 0.01),
            ("default", "open", "TIMEOUT", 5.0),
            ("intervals", "open", "true", 1.0),
            ("default", "only", "true", 4.0),
            ("default", "none", "TIMEOUT", 5.0),
        ];
        let mut table = "configuration\tname\tproperty\tstatus\tcputime (s)\n".to_owned();
        for (configuration, property, status, seconds) in rows {
            table += &format!("{configuration}\ta.st\t{property}\t{status}\t{seconds}\n");
        }
        let lag = |question: &str, default, best, engine: &str| Lag {
            question: question.to_owned(),
            default,
            best,
            engine: engine.to_owned(),
        };
        let expected = vec![lag("a.st open", None, 1.0, "intervals"), lag("a.st slow", Some(0.31), 0.10, "bmc")];
        assert_eq!(lags(&table), (4, expected));
    }
}
