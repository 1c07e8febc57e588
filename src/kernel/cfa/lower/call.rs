//! Calls: arguments in source order, by value or by reference; a reference through a variable index is a case split.

use std::rc::Rc;

use plc_frontend::hir::{CallArgs, Elem, Place, PouId, PouKind, Section, VarId as IecVarId};
use plc_frontend::source::Span;

use super::builder::Builder;
use super::effects::{elem_has_call, has_call};
use super::layout::{is_formal, scalars, sort_of};
use super::place::Spot;
use crate::cfa::automaton::LocKind;
use crate::cfa::model::ModelError;
use crate::cfa::network::{NetOp, ProcId};
use crate::cfa::too_large::{Measure, TooLarge};
use crate::expr::{ExprId, VarId};

impl Builder<'_, '_> {
    /// Calls a function and returns the scalars of its result, held.
    ///
    /// All inputs are evaluated, then the references, then the body runs, then the outputs are copied.
    pub(super) fn call_function(&mut self, pou: PouId, args: &CallArgs, span: Span) -> Result<Vec<ExprId>, ModelError> {
        let project = self.cx.project;
        let proc = self.procedure(pou, span)?;
        let references_call = args.in_outs.iter().any(|(_, place)| place_has_call(place));
        let last_call = args.inputs.iter().rposition(|(_, e)| has_call(e));
        let mut inputs = Vec::with_capacity(args.inputs.len());
        for (i, (_, value)) in args.inputs.iter().enumerate() {
            let mut values = self.expr_all(value)?;
            if references_call || last_call.is_some_and(|last| i < last) {
                values = values.into_iter().map(|v| self.hold(v)).collect();
            }
            inputs.push(values);
        }
        let references = self.references(pou, args)?;
        for (id, var) in project.pous[pou].vars.iter_enumerated().filter(|(_, v)| v.section == Section::Input) {
            let vars = self.cx.headers[proc].interface(id);
            match args.inputs.iter().position(|(given, _)| *given == id) {
                Some(at) => {
                    let given = vars.iter().zip(&inputs[at]).enumerate().filter(|(k, _)| !self.cx.layout.is_view(var.ty, *k));
                    for (_, (var, value)) in given.collect::<Vec<_>>() {
                        self.assign(*var, *value);
                    }
                }
                None => self.initialise(&vars, var.ty, &var.init),
            }
        }
        self.clear_results(proc, &project.pous[pou]);
        self.call(pou, proc, None, &references, span)?;

        let result: Vec<VarId> = match project.pous[pou].kind {
            PouKind::Function(Some(var)) => self.cx.headers[proc].interface(var).to_vec(),
            PouKind::Function(None) | PouKind::FunctionBlock | PouKind::Program => Vec::new(),
        };
        let mut result_values = Vec::with_capacity(result.len());
        for var in result {
            let value = self.pool.var(var);
            result_values.push(self.hold(value));
        }
        // An index that calls the function again would overwrite outputs that are not copied yet.
        let again = args.outputs.iter().any(|(_, place)| place_has_call(place));
        let mut outputs = Vec::with_capacity(args.outputs.len());
        for (var, place) in &args.outputs {
            let vars = self.cx.headers[proc].interface(*var);
            let mut values: Vec<ExprId> = vars.iter().map(|v| self.pool.var(*v)).collect();
            if again {
                values = values.into_iter().map(|v| self.hold(v)).collect();
            }
            outputs.push((place, values));
        }
        for (place, values) in outputs {
            let spot = self.held_place(place)?;
            self.write(&spot, &values)?;
        }
        Ok(result_values)
    }

    /// Calls an instance of a function block: its place first, then each input is evaluated and assigned at once,
    /// then the references, the body, and each output is copied.
    pub(super) fn call_instance(&mut self, place: &Place, pou: PouId, args: &CallArgs, span: Span) -> Result<(), ModelError> {
        let proc = self.procedure(pou, span)?;
        let instance = self.held_place(place)?;
        for (var, value) in &args.inputs {
            let values = self.expr_all(value)?;
            let input = self.member(&instance, pou, *var, span)?;
            self.write(&input, &values)?;
        }
        let references = self.references(pou, args)?;
        self.call(pou, proc, Some(&instance), &references, span)?;
        for (var, place) in &args.outputs {
            let output = self.member(&instance, pou, *var, span)?;
            let mut values = self.read_all(&output);
            if place_has_call(place) || values.len() > 1 {
                values = values.into_iter().map(|v| self.hold(v)).collect();
            }
            let target = self.held_place(place)?;
            self.write(&target, &values)?;
        }
        Ok(())
    }

    fn procedure(&self, pou: PouId, span: Span) -> Result<ProcId, ModelError> {
        let name = &self.cx.project.pous[pou].name;
        let found = self.cx.proc_of.get(&pou).copied();
        found.ok_or_else(|| ModelError::unsupported(format!("`{name}` is not called by the program and has no model"), span))
    }
    fn member(&self, instance: &Spot, pou: PouId, var: IecVarId, span: Span) -> Result<Spot, ModelError> {
        let declared = &self.cx.project.pous[pou].vars[var];
        match self.cx.layout.member(pou, var) {
            Some(offset) => Ok(instance.member(offset, declared.ty)),
            None => Err(ModelError::unsupported(format!("`{}` is no input or output of an instance", declared.name), span)),
        }
    }

    /// Returns the references of each VAR_IN_OUT. One without an argument refers to a fresh variable.
    fn references(&mut self, pou: PouId, args: &CallArgs) -> Result<Vec<(IecVarId, Spot)>, ModelError> {
        let project = self.cx.project;
        let mut references = Vec::new();
        for (var, place) in &args.in_outs {
            references.push((*var, self.held_place(place)?));
        }
        for (id, var) in project.pous[pou].vars.iter_enumerated() {
            if var.section == Section::InOut && !references.iter().any(|(given, _)| *given == id) {
                let all = scalars(project, var.ty, &var.init);
                let vars: Rc<[VarId]> = all.iter().map(|s| self.temp("unbound", sort_of(project, s.ty))).collect();
                self.initialise(&vars, var.ty, &var.init);
                references.push((id, Spot::whole(vars, var.ty)));
            }
        }
        Ok(references)
    }

    /// Adds the call, once for each combination of the references' targets.
    fn call(
        &mut self,
        pou: PouId,
        proc: ProcId,
        instance: Option<&Spot>,
        references: &[(IecVarId, Spot)],
        span: Span,
    ) -> Result<(), ModelError> {
        let project = self.cx.project;
        let spots = instance.into_iter().chain(references.iter().map(|(_, spot)| spot));
        let combinations = spots.map(Spot::n_variants).fold(1, usize::saturating_mul);
        if self.cx.options.max_edges < combinations.saturating_add(self.graph.edges.len()) {
            return Err(ModelError::TooLarge(TooLarge::at(Measure::Steps, self.cx.options.max_edges, Some(span))));
        }
        let mut ways: Vec<(Option<ExprId>, Bindings)> = vec![(None, Bindings::default())];
        if let Some(instance) = instance {
            let size = project.pous[pou]
                .vars
                .iter_enumerated()
                .filter(|(id, _)| self.cx.layout.member(pou, *id).is_some())
                .map(|(_, v)| self.cx.layout.size(v.ty))
                .sum();
            ways = self.multiply(ways, instance, size, span, |way, vars| way.instance = vars)?;
        }
        for (var, spot) in references {
            let size = self.cx.layout.size(project.pous[pou].vars[*var].ty);
            ways = self.multiply(ways, spot, size, span, |way, vars| way.references.push((*var, vars)))?;
        }
        let after = self.loc(LocKind::Inner);
        let before = self.here;
        for (condition, way) in ways {
            let mut binding = Vec::new();
            for (id, var) in project.pous[pou].held().filter(|(_, v)| is_formal(&project.pous[pou], v)) {
                match way.references.iter().find(|(given, _)| *given == id) {
                    Some((_, vars)) => binding.extend(vars),
                    None => {
                        let Some(offset) = self.cx.layout.member(pou, id) else { unreachable!("every reference is bound") };
                        binding.extend(&way.instance[offset..offset + self.cx.layout.size(var.ty)]);
                    }
                }
            }
            self.here = before;
            if let Some(condition) = condition {
                self.assume(condition);
            }
            self.edge(self.here, after, NetOp::Call { proc, binding, span, rounds: self.rounds.clone() });
        }
        self.here = after;
        Ok(())
    }
    fn multiply(
        &mut self,
        ways: Vec<(Option<ExprId>, Bindings)>,
        spot: &Spot,
        size: usize,
        span: Span,
        bind: impl Fn(&mut Bindings, Vec<VarId>),
    ) -> Result<Vec<(Option<ExprId>, Bindings)>, ModelError> {
        let Some(variants) = spot.variants(self, size) else {
            return Err(ModelError::unsupported("single bits cannot be passed by reference", span));
        };
        let mut next = Vec::with_capacity(ways.len() * variants.len());
        for (condition, way) in &ways {
            for (here, vars) in &variants {
                let both = match (*condition, *here) {
                    (Some(a), Some(b)) => Some(self.pool.and(a, b)),
                    (a, b) => a.or(b),
                };
                let mut way = way.clone();
                bind(&mut way, vars.clone());
                next.push((both, way));
            }
        }
        Ok(next)
    }
}

/// Bindings of the formals of one call.
#[derive(Clone, Default)]
struct Bindings {
    instance: Vec<VarId>,
    references: Vec<(IecVarId, Vec<VarId>)>,
}

fn place_has_call(place: &Place) -> bool {
    place.path.iter().any(|elem: &Elem| elem_has_call(elem))
}
