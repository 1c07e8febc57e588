//! Random functions that call themselves and each other, in CODESYS. Each call has at most one further call on its way, so that
//! the automaton stays small.

use std::fmt::Write as _;

use super::rng::Rng;

/// Names of the functions.
const FUNCTIONS: [&str; 3] = ["Fa", "Fb", "Fc"];

/// Returns the text of a random program whose functions call themselves. Its entry is `PROGRAM Main`.
pub fn recursive(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let functions = &FUNCTIONS[..1 + rng.below(FUNCTIONS.len())];
    let mut text = String::from("VAR_GLOBAL\n g : INT;\nEND_VAR\n");
    for name in functions {
        function(&mut rng, &mut text, name, functions);
    }
    text.push_str("PROGRAM Main\nVAR_INPUT\n a, b : INT;\nEND_VAR\nVAR\n x, y, z : INT;\nEND_VAR\n");
    for _ in 0..1 + rng.below(2) {
        // Most depths are small; some are too large.
        let depth = if rng.chance(20) { "a MOD 40" } else { "a MOD 6" };
        let _ = writeln!(text, "{} := {};", rng.pick(&["x", "y", "z"]), call(&mut rng, functions, depth, ["x", "y"], "z"));
    }
    text.push_str("END_PROGRAM\n");
    text
}

/// Returns the text of a random program whose functions call themselves and pass values only. No call is deeper than 5. Its entry is
/// `PROGRAM Main`, which writes `x`.
pub fn recursive_values(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let functions = &FUNCTIONS[..1 + rng.below(2)];
    let mut text = String::from("VAR_GLOBAL\n g : INT;\nEND_VAR\n");
    for name in functions {
        let _ = write!(
            text,
            "FUNCTION {name} : INT\nVAR_INPUT\n n, k : INT;\nEND_VAR\nVAR_EXTERNAL\n g : INT;\nEND_VAR\nVAR\n l : INT;\nEND_VAR\n"
        );
        few(&mut rng, &mut text, &["l", "k", "g", name]);
        text.push_str("IF n > 0 THEN\n");
        let passed = small(&mut rng);
        let _ = writeln!(text, "l := {}(n - 1, {passed});", rng.pick(functions));
        few(&mut rng, &mut text, &["g", name, "k"]);
        let _ = writeln!(text, "{name} := {name} + l;\nEND_IF;\nEND_FUNCTION");
    }
    let depth = rng.below(5);
    let passed = rng.below(3);
    let _ = write!(
        text,
        "PROGRAM Main\nVAR_INPUT\n a : INT;\nEND_VAR\nVAR_EXTERNAL\n g : INT;\nEND_VAR\nVAR\n x : INT;\nEND_VAR\n\
         g := 0;\nx := {}(LIMIT(0, a, {depth}), {passed});\nEND_PROGRAM\n",
        rng.pick(functions)
    );
    text
}

/// Adds at most two assignments of small values.
fn few(rng: &mut Rng, text: &mut String, targets: &[&str]) {
    for _ in 0..rng.below(3) {
        let target = *rng.pick(targets);
        let value = small(rng);
        let _ = match rng.below(3) {
            0 => writeln!(text, "IF {} > {} THEN {target} := {value}; END_IF;", rng.pick(&["n", "k", "l", "g"]), rng.below(3)),
            1 => writeln!(text, "{target} := {target} + 1;"),
            _ => writeln!(text, "{target} := {value};"),
        };
    }
}

fn small(rng: &mut Rng) -> String {
    if rng.chance(40) { rng.below(4).to_string() } else { (*rng.pick(&["n", "k", "l", "g"])).to_owned() }
}

fn function(rng: &mut Rng, text: &mut String, name: &str, functions: &[&str]) {
    let _ = write!(
        text,
        "FUNCTION {name} : INT\nVAR_INPUT\n n : INT; k : INT;\nEND_VAR\nVAR_IN_OUT\n p, q : INT;\nEND_VAR\n\
         VAR_OUTPUT\n o : INT;\nEND_VAR\nVAR\n l, m : INT := {};\nEND_VAR\n",
        rng.below(5)
    );
    statements(rng, text, name);
    if rng.chance(30) {
        text.push_str("IF n <= 0 THEN RETURN; END_IF;\n");
    }
    text.push_str("IF n > 0 THEN\n");
    statements(rng, text, name);
    let references = *rng.pick(&[["p", "q"], ["q", "p"], ["l", "p"], ["m", "g"]]);
    let called = call(rng, functions, "n - 1", references, "l");
    let value = match rng.below(3) {
        0 => called,
        1 => format!("{} + {called}", value(rng)),
        _ => format!("{called} XOR {}", value(rng)),
    };
    let _ = writeln!(text, "{} := {value};", rng.pick(&[name, "m", "o"]));
    statements(rng, text, name);
    text.push_str("END_IF;\n");
    statements(rng, text, name);
    text.push_str("END_FUNCTION\n");
}

/// Returns a call; its second input may be left out.
fn call(rng: &mut Rng, functions: &[&str], depth: &str, [p, q]: [&str; 2], output: &str) -> String {
    let k = match rng.below(3) {
        0 => String::new(),
        1 => "k := g, ".to_owned(),
        _ => format!("k := {p} + 1, "),
    };
    let output = if rng.chance(60) { format!(", o => {output}") } else { String::new() };
    format!("{}(n := {depth}, {k}p := {p}, q := {q}{output})", rng.pick(functions))
}

/// Adds some assignments.
fn statements(rng: &mut Rng, text: &mut String, name: &str) {
    for _ in 0..rng.below(3) {
        let target = *rng.pick(&["p", "q", "l", "m", "o", "g", "k", name]);
        let _ = writeln!(text, "{target} := {} + {};", value(rng), value(rng));
    }
}

fn value(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => rng.below(9).to_string(),
        _ => (*rng.pick(&["n", "k", "p", "q", "l", "m", "g"])).to_owned(),
    }
}
