//! Random environments for tiny programs: variables that are inputs, parameters, memory with any start, retained or passed by
//! reference. The rows are those of a requirement file; the values are listed, so that all can be tried.

use super::rng::Rng;
use super::tiny::Tiny;

/// A tiny program with its environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surrounded {
    /// The program and a requirement.
    pub tiny: Tiny,
    /// Rows of the requirement file about the environment; may be empty.
    pub rows: String,
    /// Leaves that the environment gives, the program's inputs among them.
    pub given: Vec<Given>,
}

/// Values that the environment may give to a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Canonical name.
    pub leaf: String,
    /// The values; 0 and 1 for BOOL.
    pub values: Vec<i128>,
    /// A BOOL.
    pub is_bool: bool,
    /// Given in every cycle, or before the first one only.
    pub moment: Moment,
}

/// Moment at which the environment gives a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Start of every cycle.
    EveryCycle,
    /// Start of the run.
    Start,
}

/// Most variables besides VAR_INPUT with another kind; more would be too many combinations.
const MOST: usize = 3;

/// Gives a program an environment.
pub fn surrounded(seed: u64) -> Surrounded {
    let tiny = super::tiny(seed);
    let mut rng = Rng::new(seed ^ 0x0e57);
    let inputs = tiny.inputs.iter().map(|leaf| bool_given(leaf, Moment::EveryCycle));
    let mut all = Surrounded { given: inputs.collect(), rows: String::new(), tiny };
    let is_block = rng.chance(40);
    let mut moved = Vec::new();
    let mut rows: [Vec<String>; 4] = Default::default();
    let names: Vec<String> = ["b0", "b1", "b2", "b3", "n0", "n1"].map(str::to_owned).into();
    for name in names {
        let Some(line) = all.tiny.program.lines().find(|line| line.trim_start().starts_with(&format!("{name} :"))) else {
            continue;
        };
        let line = format!("{line}\n");
        if MOST <= moved.len() + rows.iter().map(Vec::len).sum::<usize>() || !rng.chance(45) {
            continue;
        }
        let is_bool = name.starts_with('b');
        let is_written = all.tiny.program.contains(&format!("{name} := "));
        let leaf = format!("Main.{name}");
        let low = rng.below(3) as i128;
        let range = || if is_bool { String::new() } else { format!(", range: {low}..{}", low + 2) };
        let values: Vec<i128> = if is_bool { vec![0, 1] } else { (low..=low + 2).collect() };
        let given = |moment| Given { leaf: leaf.clone(), values: values.clone(), is_bool, moment };
        match rng.below(6) {
            0 => {
                rows[0].push(format!("{{ path: {name}{} }}", range()));
                all.given.push(given(Moment::EveryCycle));
            }
            1 if !is_written => {
                rows[1].push(format!("{{ path: Main.{name}{} }}", range()));
                all.given.push(given(Moment::Start));
            }
            2 if !is_written => rows[3].push(name.clone()),
            3 if is_bool && is_block => {
                moved.push(("VAR_IN_OUT", format!("    {name} : BOOL;\n"), line));
                if rng.chance(30) { rows[2].push(name.clone()) } else { all.given.push(given(Moment::EveryCycle)) }
            }
            4 if is_bool => {
                moved.push(("VAR RETAIN", line.clone(), line));
                all.given.push(given(Moment::Start));
            }
            _ => {
                rows[2].push(format!("{{ path: {name}{}, start: any }}", range()));
                all.given.push(given(Moment::Start));
            }
        }
    }
    let is_warm = moved.iter().any(|(section, ..)| *section == "VAR RETAIN");
    let mut program = all.tiny.program.clone();
    for (section, declared, line) in moved {
        program = program.replacen(&line, "", 1);
        program = program.replacen("\nVAR\n", &format!("\n{section}\n{declared}END_VAR\nVAR\n"), 1);
    }
    if is_block {
        program = program.replacen("PROGRAM Main", "FUNCTION_BLOCK Main", 1).replacen("END_PROGRAM", "END_FUNCTION_BLOCK", 1);
    }
    all.tiny.program = program;
    if is_warm {
        all.rows.push_str("start: warm\n");
    }
    for (key, rows) in ["inputs", "parameters", "memory", "frozen"].iter().zip(rows) {
        if !rows.is_empty() {
            all.rows.push_str(&format!("{key}: [{}]\n", rows.join(", ")));
        }
    }
    all
}

fn bool_given(leaf: &str, moment: Moment) -> Given {
    Given { leaf: leaf.to_owned(), values: vec![0, 1], is_bool: true, moment }
}
