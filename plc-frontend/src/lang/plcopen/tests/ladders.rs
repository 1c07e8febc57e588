//! Random ladders of contacts and coils behave as their rungs say, cycle by cycle. The interpreter runs the program that was read
//! from XML; the test itself spreads power from the rail until nothing changes.

use std::collections::BTreeMap;

use super::drawings::{coil, contact};
use super::{loaded, project};
use crate::hir::Value;
use crate::interp::{Limits, Machine, Silent};
use testgen::programs::rng::Rng;

const INPUTS: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    Rising,
    Falling,
}

/// A contact or coil, wired to the rail (0) or to elements of its rung.
struct Element {
    id: u32,
    from: Vec<u32>,
    variable: String,
    negated: bool,
    change: Change,
    /// Of a coil: set, reset.
    storage: Option<bool>,
    is_coil: bool,
    at: (i32, i32),
}

/// Returns rungs from top to bottom. A rung does not read the variables that it writes, and writes each once.
fn ladder(rng: &mut Rng) -> Vec<Vec<Element>> {
    let n_rungs = 1 + rng.below(4);
    let mut coils: Vec<Vec<String>> = Vec::new();
    for rung in 0..n_rungs {
        coils.push((0..1 + rng.below(3)).map(|i| format!("x{rung}{i}")).collect());
    }
    let mut id = 0;
    let mut rungs = Vec::new();
    for rung in 0..n_rungs {
        let others = coils.iter().enumerate().filter(|(i, _)| *i != rung).flat_map(|(_, names)| names.clone());
        let readable: Vec<String> = INPUTS.iter().map(|n| (*n).to_owned()).chain(others).collect();
        let mut elements: Vec<Element> = Vec::new();
        let n_contacts = 1 + rng.below(6);
        for i in 0..n_contacts + coils[rung].len() {
            id += 1;
            let is_coil = n_contacts <= i;
            let mut from: Vec<u32> = elements.iter().filter(|e| !e.is_coil).map(|e| e.id).filter(|_| rng.chance(35)).collect();
            if from.is_empty() {
                from.push(if is_coil && rng.chance(70) { elements[rng.below(n_contacts.min(i))].id } else { 0 });
            }
            let change = *rng.pick(&[Change::None, Change::None, Change::None, Change::Rising, Change::Falling]);
            let storage = if is_coil && rng.chance(30) { Some(rng.chance(50)) } else { None };
            elements.push(Element {
                id,
                from,
                variable: if is_coil { coils[rung][i - n_contacts].clone() } else { rng.pick(&readable).clone() },
                negated: change == Change::None && storage.is_none() && rng.chance(40),
                change,
                storage,
                is_coil,
                at: (10 * i as i32, 1000 * rung as i32 + 10 * rng.below(9) as i32),
            });
        }
        rungs.push(elements);
    }
    rungs
}

/// Returns the file, with its elements in a random order.
fn xml(rungs: &[Vec<Element>], rng: &mut Rng) -> String {
    let mut drawn: Vec<String> = vec!["<leftPowerRail localId=\"0\"><position x=\"0\" y=\"0\"/></leftPowerRail>".to_owned()];
    for e in rungs.iter().flatten() {
        let mut more = format!("negated=\"{}\"", e.negated);
        match e.change {
            Change::None => {}
            Change::Rising => more += " edge=\"rising\"",
            Change::Falling => more += " edge=\"falling\"",
        }
        match e.storage {
            None => {}
            Some(true) => more += " storage=\"set\"",
            Some(false) => more += " storage=\"reset\"",
        }
        let from: Vec<String> = e.from.iter().map(u32::to_string).collect();
        let draw = if e.is_coil { coil } else { contact };
        let at = rng.below(drawn.len() + 1);
        drawn.insert(at, draw(e.id, e.at, &e.variable, &from.join(","), &more));
    }
    let declare = |names: Vec<&str>| -> String {
        names.iter().map(|n| format!("<variable name=\"{n}\"><type><BOOL/></type></variable>")).collect()
    };
    let coils = rungs.iter().flatten().filter(|e| e.is_coil).map(|e| e.variable.as_str()).collect();
    let pou = format!(
        "<pou name=\"Main\" pouType=\"program\"><interface><inputVars>{}</inputVars><localVars>{}</localVars></interface><body><LD>{}</LD></body></pou>",
        declare(INPUTS.to_vec()),
        declare(coils),
        drawn.concat()
    );
    project("", &pou, "")
}

/// Computes one cycle of all rungs. `before` holds the last values of elements with an edge.
fn cycle(rungs: &[Vec<Element>], values: &mut BTreeMap<String, bool>, before: &mut BTreeMap<u32, bool>) {
    let mut changed = |id: u32, change: Change, now: bool| {
        let last = before.insert(id, now).unwrap_or(false);
        match change {
            Change::None => now,
            Change::Rising => now && !last,
            Change::Falling => !now && last,
        }
    };
    for rung in rungs {
        let mut closed: BTreeMap<u32, bool> = BTreeMap::new();
        for e in rung.iter().filter(|e| !e.is_coil) {
            closed.insert(e.id, changed(e.id, e.change, values[&e.variable]) != e.negated);
        }
        let mut power: BTreeMap<u32, bool> = BTreeMap::from([(0, true)]);
        loop {
            let n_before = power.values().filter(|p| **p).count();
            for e in rung {
                let arrives = e.from.iter().any(|f| power.get(f).copied().unwrap_or(false));
                power.insert(e.id, arrives && (e.is_coil || closed[&e.id]));
            }
            if power.values().filter(|p| **p).count() == n_before {
                break;
            }
        }
        for e in rung.iter().filter(|e| e.is_coil) {
            let now = changed(e.id, e.change, power[&e.id]) != e.negated;
            match e.storage {
                None => drop(values.insert(e.variable.clone(), now)),
                Some(to) if now => drop(values.insert(e.variable.clone(), to)),
                Some(_) => {}
            }
        }
    }
}

#[test]
fn random_ladders_do_what_their_rungs_say() {
    for seed in 0..150 {
        let mut rng = Rng::new(seed);
        let rungs = ladder(&mut rng);
        let text = xml(&rungs, &mut rng);
        let loaded = loaded("main.xml", &text);
        assert!(loaded.diagnostics.is_empty(), "seed {seed}: {:#?}\n{text}", loaded.diagnostics);
        let project = loaded.value.project;
        let mut machine = Machine::new(&project, Limits::default());
        let coils: Vec<&str> = rungs.iter().flatten().filter(|e| e.is_coil).map(|e| e.variable.as_str()).collect();
        let mut values: BTreeMap<String, bool> = coils.iter().map(|n| ((*n).to_owned(), false)).collect();
        let mut before = BTreeMap::new();
        for number in 0..12 {
            let inputs: Vec<(&str, bool)> = INPUTS.iter().map(|name| (*name, rng.chance(50))).collect();
            values.extend(inputs.iter().map(|(name, value)| ((*name).to_owned(), *value)));
            let inputs = inputs.iter().map(|(name, value)| (format!("Main.{name}"), Value::Bool(*value))).collect();
            machine.begin(&inputs, 1_000_000).unwrap();
            machine.run(&mut Silent).unwrap();
            cycle(&rungs, &mut values, &mut before);
            for name in &coils {
                let found = machine.leaf(&format!("Main.{name}"));
                assert_eq!(found, Some(Value::Bool(values[*name])), "seed {seed}, cycle {number}, {name}\n{}", project.to_st());
            }
        }
    }
}
