//! Runs of the interpreter show the violations of families, and none of what holds.

use answer::replay::{Case, CycleInputs, Replayed};
use plc_frontend::hir::{Leaf, Role, Type, Value};
use testgen::readings::Numbers;
use testgen::stated::Stated;

use crate::families::{Answer, Family, GROWING, Generated};

/// Cycles of a run. The longest violation of those below needs 101.
const CYCLES: usize = 120;
/// Random runs of each program.
const RUNS: u64 = 20;

/// Returns a value of a type: the greatest that is finite, or a random one, often at an end of its range.
fn value(ty: &Type, is_steady: bool, numbers: &mut Numbers) -> Value {
    if matches!(ty, Type::Bool) {
        return Value::Bool(is_steady || numbers.below(8) != 0);
    }
    if matches!(ty, Type::Real(_)) {
        let choices = [f32::NAN, f32::INFINITY, -1.0, 0.0, 100.0, 40.0, 60.0, f32::MIN_POSITIVE];
        let between = f32::from(u16::try_from(numbers.below(65_536)).unwrap_or(0)) / 600.0;
        let random = choices.get(numbers.below(16) as usize).copied().unwrap_or(between);
        return Value::real(if is_steady { 100.0 } else { random });
    }
    let between = i128::from(numbers.below(65_536)) - 32_768;
    let random = [-32_768, 32_767, 0, 1, 100].get(numbers.below(8) as usize).copied().unwrap_or(between);
    Value::Int(if is_steady { i128::from(i16::MAX) } else { random })
}

/// Returns a run of random inputs, or one in which every input has its greatest value all the time, and nothing is reset.
fn run(stated: &Stated, is_steady: bool, numbers: &mut Numbers) -> Vec<CycleInputs> {
    let project = &stated.loaded.project;
    let leaves: Vec<Leaf> = project.leaves().into_iter().filter(|leaf| leaf.role == Role::Input).collect();
    let given = |leaf: &Leaf, numbers: &mut Numbers| {
        let resets = ["Stop", "Reset", "Drain"].iter().any(|word| leaf.name.contains(word));
        let at_random = value(&project.types[leaf.ty].ty, is_steady, numbers);
        (leaf.name.clone(), if resets && is_steady { Value::Bool(false) } else { at_random })
    };
    let cycle = |_| CycleInputs { inputs: leaves.iter().map(|leaf| given(leaf, numbers)).collect(), dt_ns: 100_000_000 };
    (0..CYCLES).map(cycle).collect()
}

fn is_broken(stated: &Stated, n: usize, inputs: &[CycleInputs]) -> bool {
    match Case::of(&stated.loaded, &stated.assumptions, &stated.claims[n]).replay(inputs) {
        Replayed::Violated { .. } => true,
        Replayed::Held => false,
        other @ (Replayed::Ended { .. } | Replayed::Excluded { .. } | Replayed::Unfit(_)) => panic!("{other:?}"),
    }
}

fn answers_are_those_of_runs(family: &Family, size: usize) {
    let Generated { program, requirements } = (family.program)(size);
    let stated = Stated::new(&program, &requirements);
    let mut numbers = Numbers(size as u64);
    let steady = run(&stated, true, &mut numbers);
    assert!(!steady[0].inputs.is_empty());
    let random: Vec<_> = (0..RUNS).map(|_| run(&stated, false, &mut numbers)).collect();
    for (n, (id, answer)) in family.answers.iter().enumerate() {
        let broken = is_broken(&stated, n, &steady) || random.iter().any(|run| is_broken(&stated, n, run));
        assert_eq!(broken, *answer == Answer::Violated, "{} {size} {id}", family.name);
    }
}

#[test]
fn small_programs_behave_as_their_answers_say() {
    for family in GROWING {
        for size in family.sizes.iter().filter(|size| **size <= 10 || family.sizes[0] == **size) {
            answers_are_those_of_runs(family, *size);
        }
    }
}
