//! Addresses of VAR_CONFIG: those of variables of programs become the addresses of their declarations.
//!
//! The address of a variable inside of a function block differs from instance to instance. Such a one stays in its section, and
//! is a condition of answers.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{Configuration, Item, PouKind, Section, Unit, VarDecl};
use crate::resolve::names::tables::{Key, key};

/// Moves the addresses of variables that programs declare without numbers, as `AT %I*`.
pub(crate) fn settle(units: &mut [Unit]) {
    let instances = instances(units);
    let mut programs: BTreeMap<Key, usize> = BTreeMap::new();
    let pous =
        units.iter().flat_map(|unit| &unit.items).filter_map(|item| if let Item::Pou(pou) = item { Some(pou) } else { None });
    for pou in pous.filter(|pou| pou.kind == PouKind::Program) {
        *programs.entry(key(&pou.name.text)).or_default() += 1;
    }
    let mut found = BTreeMap::new();
    for configured in configured(units) {
        let Some((root, variable)) = program_and_variable(configured) else { continue };
        let program = match instances.get(&key(root)) {
            Some(Some(program)) => program.clone(),
            // Several instances of one program share the declaration.
            Some(None) => continue,
            None if instances.is_empty() => key(root),
            None => continue,
        };
        if let (Some(address), Some(1)) = (&configured.address, programs.get(&program)) {
            found.insert((program, key(variable)), address.clone());
        }
    }
    let mut settled = BTreeSet::new();
    for pou in units.iter_mut().flat_map(|unit| &mut unit.items) {
        let Item::Pou(pou) = pou else { continue };
        if pou.kind != PouKind::Program {
            continue;
        }
        let program = key(&pou.name.text);
        for var in pou.vars.iter_mut().flat_map(|block| &mut block.vars) {
            let own = found.get(&(program.clone(), key(&var.name.text)));
            if let (Some(address), Some((declared, _))) = (own, &mut var.address)
                && declared.path.is_empty()
            {
                var.address = Some(address.clone());
                settled.insert(address.1);
            }
        }
    }
    for item in units.iter_mut().flat_map(|unit| &mut unit.items) {
        let Item::Configuration(configuration) = item else { continue };
        let inner = configuration.resources.iter_mut().flat_map(|resource| &mut resource.vars);
        for block in configuration.vars.iter_mut().chain(inner).filter(|block| block.section == Section::Config) {
            for decl in &mut block.vars {
                decl.address.take_if(|(_, span)| settled.contains(span));
            }
        }
    }
}

/// Returns the program of each instance that a configuration makes; `None` for a program with several instances.
fn instances(units: &[Unit]) -> BTreeMap<Key, Option<Key>> {
    let runs = configurations(units).flat_map(|configuration| &configuration.resources).flat_map(|resource| &resource.programs);
    let runs: Vec<(Key, Key)> = runs.map(|run| (key(&run.name.text), key(&run.program.root.text))).collect();
    let n_instances = |program: &Key| runs.iter().filter(|(_, other)| other == program).count();
    runs.iter().map(|(name, program)| (name.clone(), (n_instances(program) == 1).then(|| program.clone()))).collect()
}

fn configurations(units: &[Unit]) -> impl Iterator<Item = &Configuration> {
    let items = units.iter().flat_map(|unit| &unit.items);
    items.filter_map(|item| if let Item::Configuration(configuration) = item { Some(configuration) } else { None })
}

fn configured(units: &[Unit]) -> impl Iterator<Item = &VarDecl> {
    let blocks =
        configurations(units).flat_map(|one| one.vars.iter().chain(one.resources.iter().flat_map(|resource| &resource.vars)));
    blocks.filter(|block| block.section == Section::Config).flat_map(|block| &block.vars)
}

/// Returns the names of a path of two: `MAIN.x`. Longer ones lead into blocks, or begin with a resource.
fn program_and_variable(decl: &VarDecl) -> Option<(&str, &str)> {
    let (before, variable) = decl.name.text.rsplit_once('.')?;
    (!before.contains('.')).then_some((before, variable))
}
