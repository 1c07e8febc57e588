//! Types and initial values of variables, each resolved when first needed: a constant may stand in the bounds of an array whose
//! elements initialise another constant.

use crate::ast;
use crate::hir::{AddressArea, Init, PouKind, Project, Section, Type, TypeId, Var};
use crate::resolve::declare::declarations::Declarations;
use crate::resolve::findings::{Bad, Findings, Mark, Res};
use crate::resolve::names::tables::{Local, Slot, Typed, Unusable, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::families::{Family, family};
use crate::text::{Diagnostic, Span, codes};

impl Resolver<'_> {
    /// Resolves all types and initial values that are not resolved yet.
    pub(crate) fn finish_vars(&mut self) {
        for index in 0..self.names.declared.len() {
            let span = self.decls.types.get(index).map_or(Span::none(), |d| d.name.span);
            // Broken ones have been reported already.
            let _reported = self.declared_type(index, span);
        }
        self.settle_vars(self.decls.vars.keys().copied().collect());
        self.project.pous.ids().for_each(|pou| self.take_first_output(pou));
        for pou in self.decls.overlays.keys().copied().collect::<Vec<_>>() {
            self.overlay(pou);
        }
        for i in 0..self.decls.externals.len() {
            let (pou, decl) = self.decls.externals[i];
            if let Some(&Local::External(global)) = self.names.locals[pou.0 as usize].get(&key(&decl.name.text)) {
                self.check_external(pou, decl, VarRef::Global(global));
            }
        }
        self.decls.members.settled = true;
    }

    /// Resolves the variables of a POU that was added later.
    pub(crate) fn settle(&mut self, pou: crate::hir::PouId) {
        self.settle_vars(self.project.pous[pou].vars.ids().map(|id| VarRef::Local(pou, id)).collect());
        self.take_first_output(pou);
        self.overlay(pou);
    }

    /// Resolves the types of variables, then their initial values.
    fn settle_vars(&mut self, vars: Vec<VarRef>) {
        for &var in &vars {
            if self.var_type(var).is_ok() {
                self.check_section(var);
            }
        }
        for var in vars {
            let _reported = self.var_init(var);
        }
    }

    /// Returns the variable's type; resolves it first if necessary.
    pub(crate) fn var_type(&mut self, var: VarRef) -> Res<TypeId> {
        if let Some(Unusable::Broken) = self.names.unusable.get(&var) {
            return Err(Bad::Reported);
        }
        let Some(&site) = self.decls.vars.get(&var) else { return Ok(self.project.var(var).ty) };
        match self.vars.types.get(&var) {
            Some(Slot::Done(typed)) => return Ok(typed.ty),
            Some(Slot::Broken) => return Err(Bad::Reported),
            Some(Slot::Busy) => return Err(self.project.constant_cycle(&mut self.findings, var)),
            Some(Slot::Waiting) | None => {}
        }
        self.vars.types.insert(var, Slot::Busy);
        let outer = (self.vars.initialising.take(), std::mem::take(&mut self.vars.is_value_in_type));
        let (mark, before) = (self.findings.mark(), self.findings.n_guesses());
        let result = self.type_spec(site.owner, site.ty, None);
        (self.vars.initialising, self.vars.is_value_in_type) = outer;
        let result = self.or_guessed(result, mark, before, site.ty.span);
        match result {
            Ok(typed) => {
                let typed = self.copied_in(var, typed);
                let ty = typed.ty;
                self.project.var_mut(var).ty = ty;
                self.vars.types.insert(var, Slot::Done(typed));
                Ok(ty)
            }
            Err(why) => {
                self.vars.types.insert(var, Slot::Broken);
                self.names.unusable.insert(var, Unusable::Broken);
                Err(why)
            }
        }
    }

    /// Returns a type; one that is not modelled where a part of it is not, or where its error may come from a guess.
    pub(crate) fn or_guessed(&mut self, result: Res<Typed>, mark: Mark, before: usize, span: Span) -> Res<Typed> {
        match result {
            Ok(typed) => return Ok(typed),
            Err(Bad::Gap(gap)) => return Ok(self.unmodelled_type(*gap, span)),
            Err(Bad::Reported) => {}
        }
        let gap = self.findings.blame_guess(mark, before, span).ok_or(Bad::Reported)?;
        let ty = self.types.anonymous(&mut self.project, Type::Opaque(format!("with a {}", gap.construct)), span);
        Ok(Typed { ty, init: Init::Default })
    }

    /// Returns the type of a variable; one that is not modelled for an instance in VAR_INPUT or a result, which is a copy.
    fn copied_in(&mut self, var: VarRef, typed: Typed) -> Typed {
        let row = self.project.var(var);
        let words = match row.section {
            Section::Input => "function block instance in VAR_INPUT",
            Section::Result => "function block instance as a result",
            Section::Output | Section::InOut | Section::Local | Section::Temp | Section::Global => return typed,
        };
        if !self.project.holds_instance(typed.ty) {
            return typed;
        }
        let (words, span) = (words.to_owned(), row.span);
        let ty = self.types.anonymous(&mut self.project, Type::Opaque(words), span);
        Typed { ty, init: Init::Default }
    }

    /// Resolves the variable's initial value into its row, if that is not done.
    pub(crate) fn var_init(&mut self, var: VarRef) -> Res<()> {
        let Some(&site) = self.decls.vars.get(&var) else { return Ok(()) };
        self.var_type(var)?;
        match self.vars.inits.get(&var) {
            Some(Slot::Done(())) => return Ok(()),
            Some(Slot::Broken) => return Err(Bad::Reported),
            Some(Slot::Busy) => return Err(self.project.constant_cycle(&mut self.findings, var)),
            Some(Slot::Waiting) | None => {}
        }
        self.vars.inits.insert(var, Slot::Busy);
        let typed = match self.vars.types.get(&var) {
            Some(Slot::Done(typed)) => typed.clone(),
            Some(Slot::Waiting | Slot::Busy | Slot::Broken) | None => return Err(Bad::Reported),
        };
        let (mark, before) = (self.findings.mark(), self.findings.n_guesses());
        let result = match site.init {
            Some(init) => {
                let scope = Scope { owner: site.owner, uses: Uses::Constant };
                // It is an error if the type needs a constant with such a value.
                let started = (!self.project.var(var).constant).then_some(var);
                let outer = (self.vars.initialising, std::mem::take(&mut self.vars.is_value_in_type));
                self.vars.initialising = started;
                let init = self.initializer(scope, init, &typed);
                (self.vars.initialising, self.vars.is_value_in_type) = outer;
                init
            }
            None => Ok(typed.init),
        };
        let result = match result {
            Err(why) if self.starts_with_any(var, site.init, &why, mark, before) => Ok(Init::Default),
            Err(Bad::Gap(gap)) if self.keep_called_value(var, &gap) => Ok(Init::Default),
            Err(Bad::Reported) => match self.findings.blame_guess(mark, before, self.project.var(var).span) {
                Some(gap) => Err(Bad::Gap(Box::new(gap))),
                None => Err(Bad::Reported),
            },
            result => result,
        };
        match result {
            Ok(init) => {
                self.project.var_mut(var).init = init;
                self.vars.inits.insert(var, Slot::Done(()));
                Ok(())
            }
            Err(why) => {
                if let Bad::Gap(gap) = &why {
                    self.wait_for_homes(var, gap);
                    let (construct, effect) = (gap.construct.clone(), gap.effect.clone());
                    self.names.unusable.entry(var).or_insert(Unusable::Gap { construct, effect });
                }
                self.vars.inits.insert(var, Slot::Broken);
                Err(why)
            }
        }
    }

    /// Checks the rules of a variable's section.
    fn check_section(&mut self, var: VarRef) {
        let row = self.project.var(var);
        let (ty, section, span, name) = (row.ty, row.section, row.span, row.name.clone());
        let in_function = match var {
            VarRef::Global(_) => false,
            // The variables of a method end with the call, and so do instances among them: this does no harm.
            VarRef::Local(pou, _) => {
                matches!(self.project.pous[pou].kind, PouKind::Function(_)) && !self.names.members.contains_key(&pou)
            }
        };
        if self.project.holds_instance(ty) {
            let why = match section {
                Section::Temp => Some("a VAR_TEMP does not keep its value, and an instance must"),
                Section::Local | Section::Output if in_function => {
                    Some("a FUNCTION does not keep values between calls, and an instance must")
                }
                Section::Local | Section::Input | Section::Output | Section::InOut | Section::Result | Section::Global => None,
            };
            if why.is_some() && (self.dialect.mixes() || self.is_of_guess(var)) {
                // CODESYS and TwinCAT make a new instance for each call.
                self.forget_type(var, "function block instance in memory that does not keep it");
            } else if let Some(why) = why {
                let message = format!("`{name}` cannot hold a function block instance: {why}");
                let help = Some("pass it as VAR_IN_OUT, or declare it in the VAR section of a block".to_owned());
                self.findings.error_with_help(codes::INSTANCE_SECTION, span, message, "an instance", help);
            }
        }
        let time = matches!(self.project.types[ty].ty, Type::Time | Type::LTime);
        self.project.var_mut(var).stopwatch &= time;
        self.decls.check_address(&self.project, &mut self.findings, var);
    }

    /// Returns whether the type of a variable names a guess, or the variable belongs to one.
    fn is_of_guess(&self, var: VarRef) -> bool {
        let is_guess = |pou| self.names.guess_of(&self.project, pou).is_some();
        let is_part = if let VarRef::Local(pou, _) = var { is_guess(pou) } else { false };
        is_part || self.decls.vars.get(&var).is_some_and(|site| self.names.guesses.in_type(site.ty).is_some())
    }

    /// Makes a variable one that is not modelled.
    fn forget_type(&mut self, var: VarRef, words: &str) {
        let span = self.project.var(var).span;
        let ty = self.types.anonymous(&mut self.project, Type::Opaque(words.to_owned()), span);
        self.project.var_mut(var).ty = ty;
        self.vars.types.insert(var, Slot::Done(Typed { ty, init: Init::Default }));
    }

    fn check_external(&mut self, pou: crate::hir::PouId, decl: &ast::VarDecl, global: VarRef) {
        let Ok(Typed { ty, .. }) = self.type_spec(Some(pou), &decl.ty, None) else { return };
        let Ok(expected) = self.var_type(global) else { return };
        if ty != expected {
            let (found, declared) = (self.project.type_name(ty), self.project.type_name(expected));
            let (name, place) = (self.project.var(global).name.clone(), self.project.var(global).span);
            let message = format!("`{name}` is declared external as {found}, but the global variable is of type {declared}");
            let finding = Diagnostic::error(codes::EXTERNAL_TYPE, decl.ty.span, message, format!("of type {found}"));
            self.findings.report(finding.label(place, format!("of type {declared}")));
        }
        if let Some(init) = &decl.init {
            let message = format!("the initial value of `{}` belongs to its VAR_GLOBAL declaration", decl.name.text);
            self.findings.error(codes::BAD_INITIALIZER, init.span, message, "has no effect here");
        }
    }
}

impl Project {
    /// Returns the row of a variable.
    pub(crate) fn var(&self, var: VarRef) -> &Var {
        match var {
            VarRef::Global(id) => &self.globals[id],
            VarRef::Local(pou, id) => &self.pous[pou].vars[id],
        }
    }

    pub(crate) fn var_mut(&mut self, var: VarRef) -> &mut Var {
        match var {
            VarRef::Global(id) => &mut self.globals[id],
            VarRef::Local(pou, id) => &mut self.pous[pou].vars[id],
        }
    }

    fn constant_cycle(&self, findings: &mut Findings, var: VarRef) -> Bad {
        let (name, span) = (self.var(var).name.clone(), self.var(var).span);
        let message = format!("the declaration of `{name}` needs its own value");
        findings.error(codes::CONSTANT_CYCLE, span, message, "declared by way of itself")
    }

    /// Returns the width of an elementary value, if the type has one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "`int_type` lists the integer-like types")]
    pub(crate) fn elementary_bits(&self, ty: TypeId) -> Option<u32> {
        match &self.types[ty].ty {
            Type::Bool => Some(1),
            Type::Real(crate::hir::RealType::Real) => Some(32),
            Type::Real(crate::hir::RealType::LReal) => Some(64),
            _ => self.int_type(ty).map(|t| u32::from(t.bits)),
        }
    }
}

impl Declarations<'_> {
    fn check_address(&self, project: &Project, findings: &mut Findings, var: VarRef) {
        let row = project.var(var);
        let Some(address) = row.address.clone() else { return };
        let (ty, span, name) = (row.ty, row.span, row.name.clone());
        let place = self.vars.get(&var).map_or(span, |site| span.to(site.ty.span));
        let fits = match project.elementary_bits(ty) {
            Some(bits) => bits <= address.size.bits() || address.path.is_empty(),
            // Only the start of an array or structure is checked here; its extent is checked with the overlaps.
            None => family(project, ty) == Family::Compound,
        };
        if !fits && family(project, ty) != Family::Opaque {
            let message = format!("`{name}` of type {} is wider than its address", project.type_name(ty));
            let help = "the address size of the type is X for BOOL, B for 8, W for 16, D for 32, L for 64 bits";
            let finding = Diagnostic::error(codes::BAD_ADDRESS, place, message, "wider than the address");
            findings.report(finding.warning().help(help));
        }
        if address.area == AddressArea::Input && project.var(var).constant {
            findings.error(codes::BAD_ADDRESS, place, format!("the input `{name}` cannot be CONSTANT"), "an input");
        }
    }
}
