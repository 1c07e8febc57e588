//! Variables whose initial values are no constants: they start with any value.

use crate::ast::Initializer;
use crate::hir::{PouKind, Section};
use crate::resolve::findings::{Bad, Mark};
use crate::resolve::names::tables::VarRef;
use crate::resolve::resolver::Resolver;
use crate::resolve::types::families::{Family, family};
use crate::text::{Gap, Treatment, codes};

/// Construct of an initial value that is not known before the program runs.
pub(crate) const NO_CONSTANT: &str = "initial value that is no constant";

impl Resolver<'_> {
    /// Returns whether a variable starts with any value because its initial value failed with `why`. Errors since `mark` are
    /// warnings then. `before`: number of uses of guesses before the initial value.
    ///
    /// Soundness: the variable keeps its value between cycles, and computing the initial value writes nothing else. A proof holds
    /// for every start; a run names the condition that the variable can start so.
    pub(crate) fn starts_with_any(
        &mut self,
        var: VarRef,
        init: Option<&Initializer>,
        why: &Bad,
        mark: Mark,
        before: usize,
    ) -> bool {
        let Some(init) = init else { return false };
        let may_err = matches!(why, Bad::Gap(_)) || before < self.findings.n_guesses();
        if !may_err || !self.is_no_constant(why, mark) || !self.keeps_scalar(var) || self.vars.plain_failure != Some(init.span) {
            return false;
        }
        if let Bad::Reported = why {
            self.findings.warn_since(mark);
        }
        let row = self.project.var(var);
        let (span, name) = (row.span, row.name.clone());
        let gap = |construct: String, treatment, effect: &str| Gap { span, construct, treatment, effect: effect.to_owned() };
        let effect = "the model lets the variable start with any value of its type";
        self.findings.record(gap(NO_CONSTANT.to_owned(), Treatment::OverApproximated, effect));
        let effect = "its initial value is not known: the run starts with any value of its type";
        self.findings.record(gap(format!("`{name}` can start with the value of the run"), Treatment::AssumedByRuns, effect));
        self.project.unknown_starts.insert(span);
        true
    }

    /// Keeps the initial value of a variable for its computation before the first cycle, if it calls a function.
    ///
    /// Soundness: the variable keeps its value between cycles. Writes of the function are looked at with all initial calls.
    pub(crate) fn keep_called_value(&mut self, var: VarRef, gap: &Gap) -> bool {
        let Some(site) = self.decls.vars.get(&var).copied().filter(|_| self.keeps_scalar(var)) else { return false };
        let (ty, name) = (self.project.var(var).ty, self.project.var(var).name.clone());
        let called = site.init.and_then(|init| self.called_value(gap, init, site.owner, ty, &name));
        let is_called = called.is_some();
        self.vars.called.extend(called.map(|called| (var, called)));
        is_called
    }

    /// Returns whether an initial value reads what is no constant, and that is all that is wrong. The read failed with `why`.
    pub(crate) fn is_read_at_start(&self, why: &Bad, mark: Mark) -> bool {
        self.vars.initialising.is_some() && self.is_no_constant(why, mark)
    }

    fn is_no_constant(&self, why: &Bad, mark: Mark) -> bool {
        match why {
            Bad::Gap(gap) => gap.construct == NO_CONSTANT,
            Bad::Reported => self.findings.errors_are(codes::NOT_CONSTANT, mark),
        }
    }

    /// Returns whether a variable is a scalar that keeps its value, and no constant.
    fn keeps_scalar(&self, var: VarRef) -> bool {
        let row = self.project.var(var);
        let keeps = match var {
            VarRef::Global(_) => true,
            VarRef::Local(pou, _) => {
                let in_function = matches!(self.project.pous[pou].kind, PouKind::Function(_));
                let is_of_instance = matches!(row.section, Section::Input | Section::Output | Section::Local);
                is_of_instance && !in_function && !self.names.members.contains_key(&pou)
            }
        };
        let families = [Family::Bool, Family::Int, Family::Bits, Family::Real, Family::Time, Family::Enum, Family::Date];
        keeps && !row.constant && families.contains(&family(&self.project, row.ty))
    }
}
