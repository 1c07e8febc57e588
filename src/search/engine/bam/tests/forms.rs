//! Canonical forms: put back in place of its regions, every block gives the automaton again.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ids::Id;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::super::form::{Action, Numbered, Steps, Target};
use super::super::program::{Instance, Origin, Program};
use super::super::regions::{Blocks, Regions};
use super::with_calls;
use kernel::cfa::pass::Reduced;
use kernel::cfa::{Cfa, Edge, EdgeId, ModelOptions, Op, SiteKind, build};
use kernel::expr::{ExprId, ExprPool, Sort, Value, VarId};
use testgen::programs::rng::Rng;
use testgen::programs::{Size, program};

/// Returns the reduced automaton of a program. A fault is an error, and so is a Bool that is TRUE at the end of a cycle.
pub(super) fn automaton(text: &str) -> Reduced {
    let (pool, cfa) = unreduced(text);
    with_calls(&pool, &cfa)
}

/// Returns it before its reductions.
pub(super) fn unreduced(text: &str) -> (ExprPool, Cfa) {
    let mut sources = SourceSet::default();
    sources.add("main.st", text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
    let mut model = build(&parsed.value.project, &ModelOptions::default()).unwrap();
    let error = model.cfa.error;
    for site in model.sites.iter().filter(|site| matches!(site.kind, SiteKind::Fault(_))) {
        model.cfa.edges.push(Edge { source: site.loc, target: error, op: Op::Skip, span: None });
    }
    let is_flag = |var: &VarId| model.pool.var_decl(*var).sort == Sort::Bool;
    let flags: Vec<VarId> = model.leaves.iter().map(|(_, var)| *var).filter(is_flag).collect();
    let flags: Vec<ExprId> = flags.into_iter().map(|var| model.pool.var(var)).collect();
    let any = model.pool.or_all(flags);
    model.cfa.edges.push(Edge { source: model.points.eoc, target: error, op: Op::Assume(any), span: None });
    (model.pool, model.cfa)
}

/// Checks that two expressions have the same value for many values of their variables. Simplification may give them other forms.
fn same(pool: &ExprPool, a: ExprId, b: ExprId) {
    if a == b {
        return;
    }
    assert_eq!(pool.vars_of(&[a, b]).len(), pool.vars_of(&[b]).len());
    let mut rng = Rng::new(u64::from(a.0));
    for _ in 0..40 {
        let values: BTreeMap<VarId, Value> =
            pool.vars_of(&[b]).into_iter().map(|var| (var, random(&mut rng, pool.var_decl(var).sort))).collect();
        let value = |e| pool.eval(e, &|var| values.get(&var).copied()).unwrap();
        assert_eq!(value(a), value(b), "{} {}", pool.show(a), pool.show(b));
    }
}

fn random(rng: &mut Rng, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(rng.chance(50)),
        Sort::BitVec(width) => {
            let any = i128::from(rng.next() as i64);
            Value::int(width, *rng.pick(&[-1, 0, 1, 2, 3, 7, 100, any]))
        }
        Sort::Float(_) | Sort::Int | Sort::Array(..) => Value::zero(sort),
    }
}

/// Checks one region: each edge of its form, in its own names, is the edge that it stands for. Adds the edges seen.
fn check(
    pool: &mut ExprPool,
    cfa: &Cfa,
    (program, steps): (&Program, &Steps),
    numbered: &mut Numbered,
    at: &Instance,
    seen: &mut Vec<EdgeId>,
) {
    let info = &program.blocks[at.block];
    assert_eq!(at.vars.iter().collect::<BTreeSet<_>>().len(), at.vars.len(), "different variables have different numbers");
    for (edge, origin) in info.form.edges.iter().zip(&at.edges) {
        let target = match edge.target {
            Target::Loc(loc) => at.locs[loc as usize],
            Target::Error => cfa.error,
        };
        let bound: Vec<VarId> = edge.binding.iter().map(|number| at.vars[*number as usize]).collect();
        match (edge.action, *origin) {
            (Action::Step(step), Origin::Edge(id)) => {
                let (flat, block) = (&cfa.edges[id], &steps.all[step]);
                assert_eq!((flat.source, flat.target), (at.locs[edge.source as usize], target));
                let Op::Block(expected) = &flat.op else { panic!("large blocks only: {flat:?}") };
                let mut back: BTreeMap<VarId, ExprId> = BTreeMap::new();
                for (number, var) in bound.iter().enumerate() {
                    let sort = pool.var_decl(*var).sort;
                    back.insert(numbered.var(pool, number as u32, sort), pool.var(*var));
                }
                for (canonical, input) in block.inputs.iter().zip(&expected.inputs) {
                    back.insert(canonical.var, pool.var(input.var));
                }
                assert_eq!(block.inputs.len(), expected.inputs.len());
                let guard = pool.subst(block.guard, &back);
                same(pool, guard, expected.guard);
                let updates: BTreeMap<ExprId, ExprId> =
                    block.updates.iter().map(|(var, e)| (back[var], pool.subst(*e, &back))).collect();
                assert_eq!(updates.len(), expected.updates.len());
                for &(var, e) in &expected.updates {
                    let var = pool.var(var);
                    same(pool, updates[&var], e);
                }
                seen.push(id);
            }
            (Action::Call(block), Origin::Region(inner)) => {
                let inner = &program.regions[inner];
                assert_eq!((inner.block, &inner.vars), (block, &bound));
                assert_eq!(inner.locs[0], at.locs[edge.source as usize]);
                let exit = program.blocks[block].form.exit.loc().map(|exit| inner.locs[exit as usize]);
                assert!(exit.is_none_or(|exit| exit == target));
            }
            (action, origin) => panic!("{action:?} {origin:?}"),
        }
    }
}

#[test]
fn blocks_in_place_of_their_regions_give_the_automaton() {
    let (mut n_regions, mut n_blocks) = (0, 0);
    for seed in 0..60 {
        let Reduced { mut pool, cfa, .. } = automaton(&program(seed, Size { objects: seed % 2 == 0, ..Size::default() }));
        let regions = Regions::new(&cfa, Blocks::NAMED[seed as usize % 3].1);
        let mut numbered = Numbered::default();
        let mut steps = Steps::default();
        let program = Program::new(&mut pool, &cfa, &regions, &mut numbered, &mut steps);
        let mut seen = Vec::new();
        for at in program.regions.iter().chain([&program.main]) {
            check(&mut pool, &cfa, (&program, &steps), &mut numbered, at, &mut seen);
        }
        seen.sort_unstable();
        let reached: Vec<EdgeId> = (0..cfa.edges.len()).map(EdgeId::new).collect();
        assert_eq!(seen, reached, "seed {seed}: each edge is in one block");
        n_regions += program.regions.len();
        n_blocks += program.blocks.len() - 1;
    }
    assert!(100 < n_regions && n_blocks < n_regions, "{n_regions} regions, {n_blocks} blocks");
}

#[test]
fn equal_calls_are_one_block_and_aliased_ones_another() {
    let text = |calls: &str| {
        format!(
            "FUNCTION_BLOCK Swap VAR_IN_OUT a : INT; b : INT; END_VAR VAR n : INT; END_VAR
                n := a; a := b + 1; b := n; IF a > 100 THEN a := 0; END_IF;
            END_FUNCTION_BLOCK
            PROGRAM Main VAR s : ARRAY [1..3] OF Swap; x : INT; y : INT; z : INT; bad : BOOL; END_VAR
                {calls} bad := x + y = z;
            END_PROGRAM"
        )
    };
    let n_forms = |calls: &str| {
        let Reduced { mut pool, cfa, .. } = automaton(&text(calls));
        let regions = Regions::new(&cfa, Blocks::Both);
        let program = Program::new(&mut pool, &cfa, &regions, &mut Numbered::default(), &mut Steps::default());
        (program.regions.len(), program.blocks.len() - 1)
    };
    assert_eq!(n_forms("s[1](a := x, b := y); s[2](a := y, b := z); s[3](a := z, b := x);"), (3, 1));
    assert_eq!(n_forms("s[1](a := x, b := y); s[2](a := y, b := y); s[3](a := x, b := x);"), (3, 2));
}
