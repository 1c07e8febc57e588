//! Initial values and arguments of declarations that call functions before the first cycle.
//!
//! Variables that such a function may write start with any value, as those that FB_init may write.

use std::collections::BTreeSet;

use crate::ast;
use crate::ast::calls::{InitialCall, MemberNames};
use crate::ast::starting_types::defaults;
use crate::hir::{PouId, PouKind, Section};
use crate::resolve::names::tables::{Slot, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::startup::fb_init::Starts;
use crate::resolve::startup::uncertain::{Uncertain, writes_outside};
use crate::text::Span;

/// Call in an initial value, or in an argument of a declaration.
pub(crate) const INITIAL_CALL: &str = "writes of a function that an initial value calls";
/// FB_init of an instance in a program that no task runs.
pub(crate) const IDLE: &str = "FB_init in a program that no task runs, with `linkalways`";

/// Call before the first cycle.
#[derive(Debug)]
pub(crate) struct StartCall {
    span: Span,
    /// POU with the declaration; `None` for a global variable.
    home: Option<PouId>,
    /// The variable lives in a call, not in an instance.
    is_in_call: bool,
    /// `None`: it is not known.
    function: Option<PouId>,
}

impl Resolver<'_> {
    /// Finds the calls in initial values that are no constants, and in arguments of declarations.
    ///
    /// Soundness: a method or a property may write its instance and more; which one it is, is not found.
    pub(crate) fn initial_calls(&self, refused: &[(VarRef, &[ast::Arg])]) -> Vec<StartCall> {
        let mut members = MemberNames::default();
        self.decls.pous.iter().for_each(|pou| members.add(pou));
        let mut found = Vec::new();
        for (var, site) in &self.decls.vars {
            let is_constant =
                matches!(self.vars.inits.get(var), Some(Slot::Done(())) | None) && !self.vars.called.contains_key(var);
            let values = site.init.filter(|_| !is_constant).into_iter().chain(defaults(site.ty));
            let calls = values.flat_map(|init| members.calls_of(init));
            found.extend(calls.filter_map(|call| self.start_call(&members, self.home(*var), site.owner, &call)));
        }
        for decl in &self.decls.types {
            let calls = decl.init.iter().chain(defaults(&decl.ty)).flat_map(|init| members.calls_of(init));
            found.extend(calls.filter_map(|call| self.start_call(&members, (None, false), None, &call)));
        }
        for (var, args) in refused {
            let owner = self.decls.vars.get(var).and_then(|site| site.owner);
            let calls = args.iter().flat_map(|arg| members.calls_of_arg(arg));
            found.extend(calls.filter_map(|call| self.start_call(&members, self.home(*var), owner, &call)));
        }
        found
    }

    /// Returns the POU with a variable, and whether the variable lives in a call.
    fn home(&self, var: VarRef) -> (Option<PouId>, bool) {
        let VarRef::Local(pou, id) = var else { return (None, false) };
        let row = &self.project.pous[pou];
        let is_member = self.names.members.contains_key(&pou);
        (Some(pou), is_member || matches!(row.kind, PouKind::Function(_)) || row.vars[id].section == Section::Temp)
    }

    /// Returns a call that may run code of the user. `home`: the POU with the variable, and whether the variable lives in a call.
    fn start_call(
        &self,
        members: &MemberNames,
        (home, is_in_call): (Option<PouId>, bool),
        owner: Option<PouId>,
        call: &InitialCall<'_>,
    ) -> Option<StartCall> {
        let (name, is_plain) = match call {
            InitialCall::Plain(name) => (*name, true),
            InitialCall::Other(name) => (*name, false),
        };
        let name = &*self.names.qualified(Scope { owner, uses: Uses::Constant }, name);
        let is_alone = is_plain && name.path.is_empty() && !members.is_method(&name.root.text);
        let function = self.names.pous.get(&self.names.meant(&name.root)).copied().filter(|_| is_alone);
        // A function that no file declares is one of the system: it writes no variable of the program, or it is a stub.
        if is_alone && function.is_none() && !self.decls.overloaded_functions.contains(&key(&name.root.text)) {
            return None;
        }
        Some(StartCall { span: name.root.span, home, is_in_call, function })
    }

    /// Returns the calls of the run that write more than their own variables: those whose function is known, and the places of
    /// the others.
    pub(crate) fn uncertain_initial_calls(&self, starts: &Starts) -> (Vec<Uncertain>, BTreeSet<Span>) {
        let (mut known, mut others) = (Vec::new(), BTreeSet::new());
        if starts.initial.is_empty() && self.decls.linked.is_empty() {
            return (known, others);
        }
        let (live, linked) = self.live_blocks();
        for call in &starts.initial {
            let is_live = call.is_in_call || call.home.is_none_or(|home| live.contains(&home));
            match call.function.filter(|_| !call.is_in_call) {
                _ if !is_live => {}
                None => {
                    others.insert(call.span);
                }
                Some(function) if writes_outside(&self.project, function) => {
                    let instance = String::new();
                    known.push(Uncertain { span: call.span, construct: INITIAL_CALL, instance, method: Some(function) });
                }
                Some(_) => {}
            }
        }
        for method in linked.iter().filter_map(|block| starts.methods.get(block)).flatten() {
            if writes_outside(&self.project, *method) {
                let span = self.project.pous[*method].span;
                known.push(Uncertain { span, construct: IDLE, instance: String::new(), method: Some(*method) });
            }
        }
        (known, others)
    }

    /// Returns the programs and blocks that have instances, with those that they extend; then the blocks inside of programs that no
    /// task runs and that the controller has, too.
    fn live_blocks(&self) -> (BTreeSet<PouId>, BTreeSet<PouId>) {
        let running: Vec<PouId> = self.project.instances.iter().map(|instance| instance.pou).collect();
        let is_linked =
            |id: PouId| self.decls.pous.get(id.0 as usize).is_some_and(|pou| self.decls.linked.contains(&pou.span.file));
        let idle = self.project.pous.ids().filter(|id| self.project.pous[*id].kind == PouKind::Program && !running.contains(id));
        let linked: Vec<PouId> = idle.filter(|id| is_linked(*id)).collect();
        let inside = |pous: &[PouId]| -> BTreeSet<PouId> {
            let types = pous.iter().flat_map(|pou| self.project.pous[*pou].vars.iter().map(|var| var.ty));
            types.flat_map(|ty| self.project.types_inside(ty)).filter_map(|ty| self.project.block_of(ty)).collect()
        };
        let of_linked = inside(&linked);
        let globals = self.project.globals.iter().flat_map(|var| self.project.types_inside(var.ty));
        let mut live: BTreeSet<PouId> = globals.filter_map(|ty| self.project.block_of(ty)).collect();
        live.extend(inside(&running));
        live.extend(running.into_iter().chain(linked).chain(of_linked.iter().copied()));
        let bases: Vec<PouId> = live.iter().flat_map(|block| self.names.chain(*block).iter().copied()).collect();
        live.extend(bases);
        (live, of_linked)
    }
}

#[cfg(test)]
mod tests {
    use crate::hir::{Leaf, Start};
    use crate::text::{SourceSet, Treatment};
    use crate::{LoadOptions, load_isolated};

    /// Function that writes a global variable, and one that writes none.
    const FUNCTIONS: &str = "VAR_GLOBAL\n n : INT := 1; k : INT;\nEND_VAR\nFUNCTION F : INT\nF := 3; n := 7;\nEND_FUNCTION\n\
        FUNCTION Pure : INT\nVAR_INPUT\n i : INT;\nEND_VAR\nPure := i;\nEND_FUNCTION\n\
        FUNCTION_BLOCK B\nMETHOD M : INT\nM := 3; n := 7;\nEND_METHOD\nPROPERTY V : INT\nGET\nV := 3; n := 7;\nEND_GET\nEND_PROPERTY\n\
        END_FUNCTION_BLOCK\nTYPE S : STRUCT a : INT; b : INT; END_STRUCT END_TYPE\n";

    /// Checks the leaves that start with any value, and the conditions about all variables.
    #[track_caller]
    fn check(text: &str, free: &str, n_unclear: usize) {
        let mut sources = SourceSet::default();
        sources.add("a.st", format!("{FUNCTIONS}{text}"));
        let parsed = load_isolated(&sources, &LoadOptions::default());
        let project = &parsed.value.project;
        let is_free = |leaf: &Leaf| leaf.start == Start::Any;
        let found: Vec<String> = project.leaves().into_iter().filter(is_free).map(|leaf| leaf.name).collect();
        let gaps = &parsed.value.ledger.gaps;
        assert_eq!(found.join(" "), free, "{text}\n{gaps:#?}\n{:#?}", parsed.diagnostics);
        assert_eq!(project.unclear_starts.len(), n_unclear, "{text}\n{gaps:#?}");
        let assumed = gaps.iter().filter(|gap| gap.treatment == Treatment::Assumed && gap.construct == super::INITIAL_CALL);
        assert_eq!(assumed.count(), n_unclear, "{text}\n{gaps:#?}");
    }

    #[test]
    fn what_a_function_of_an_initial_value_writes_starts_with_any_value() {
        let main = |vars: &str| format!("PROGRAM P\nVAR\n{vars}\nEND_VAR\nk := n;\nEND_PROGRAM\n");
        for (vars, free) in [
            ("w : INT := F();", "n P.w"),
            ("w : INT := 2 + F() * 3;", "n P.w"),
            ("w : REAL := INT_TO_REAL(F());", "n P.w"),
            ("w : BOOL := F() > 2;", "n P.w"),
            ("w : S := (a := F());", "n"),
            ("w : ARRAY [0..1] OF INT := [F(), 2];", "n"),
            ("w : INT := Pure(i := F());", "n P.w"),
        ] {
            check(&main(vars), free, 0);
        }
        check(&main("w : INT := Pure(1);"), "", 0);
        check(&main("w : DINT := INT_TO_DINT(4);"), "", 0);
        check(&main("f : B; w : INT := f.M();"), "", 1);
        check(&main("f : B; w : INT := f.V;"), "", 1);
        // A block counts if it has an instance; so does one that an instance extends.
        let block = "FUNCTION_BLOCK C\nVAR\n w : INT := F();\nEND_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK D EXTENDS C\nEND_FUNCTION_BLOCK\n";
        check(&(block.to_owned() + &main("c : C;")), "n P.c.w", 0);
        check(&(block.to_owned() + &main("c : ARRAY [0..1] OF D;")), "n P.c[0].w P.c[1].w", 0);
        check(&(block.to_owned() + &main("c : INT;")), "", 0);
        check(&("VAR_GLOBAL\n z : INT := F();\nEND_VAR\n".to_owned() + &main("c : INT;")), "n z", 0);
    }

    #[test]
    fn arguments_of_a_declaration_call_functions_too() {
        let block = "FUNCTION_BLOCK C\nVAR\n c : INT;\nEND_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT\n bInitRetains, bInCopyCode : BOOL; p : INT;\n\
            END_VAR\nc := p;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
        check(&format!("{block}PROGRAM P\nVAR\n f : C(p := F());\nEND_VAR\nk := n;\nEND_PROGRAM\n"), "n P.f.c", 0);
    }

    #[test]
    fn variables_of_a_call_get_their_values_in_the_body() {
        let check = |text: &str, expected: &str| {
            let mut sources = SourceSet::default();
            sources.add("a.st", format!("{FUNCTIONS}{text}"));
            let parsed = load_isolated(&sources, &LoadOptions::default());
            let project = &parsed.value.project;
            let mut machine = crate::interp::Machine::new(project, crate::interp::Limits::default());
            machine.begin(&std::collections::BTreeMap::new(), 100_000_000).unwrap();
            let end = machine.run(&mut crate::interp::Silent);
            let k = machine.leaves().into_iter().find(|(name, _)| name == "k").map(|(_, value)| format!("{value:?}"));
            assert_eq!((end.is_ok(), k.unwrap_or_default().as_str()), (true, expected), "{text}\n{}", project.to_st());
        };
        check("PROGRAM P\nVAR_TEMP\n t : INT := F();\nEND_VAR\nk := n + t; n := 1;\nEND_PROGRAM\n", "Int(10)");
        let function = "FUNCTION X : INT\nVAR\n t : INT := F();\nEND_VAR\nX := t;\nEND_FUNCTION\n";
        check(&format!("{function}PROGRAM P\nVAR\n x : INT;\nEND_VAR\nn := 1; x := X(); k := n + x;\nEND_PROGRAM\n"), "Int(10)");
        let method =
            "FUNCTION_BLOCK C\nMETHOD X : INT\nVAR\n t : INT := F();\nEND_VAR\nX := t;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
        check(
            &format!("{method}PROGRAM P\nVAR\n c : C; x : INT;\nEND_VAR\nn := 1; x := c.X(); k := n + x;\nEND_PROGRAM\n"),
            "Int(10)",
        );
    }

    #[test]
    fn what_the_controller_calls_without_a_task_is_not_lost() {
        let block = "FUNCTION_BLOCK C\nMETHOD FB_init : BOOL\nn := 7;\nEND_METHOD\nEND_FUNCTION_BLOCK\n";
        let load = |text: &str| {
            let mut sources = SourceSet::default();
            sources.add("a.st", format!("{FUNCTIONS}{block}PROGRAM P\nk := n;\nEND_PROGRAM\nCONFIGURATION c\nRESOURCE r ON p\nTASK t(INTERVAL := T#10ms, PRIORITY := 1);\nPROGRAM i WITH t : P;\nEND_RESOURCE\nEND_CONFIGURATION\n"));
            sources.add("b.st", text);
            load_isolated(&sources, &LoadOptions::default()).value
        };
        let linked = "{attribute 'linkalways'}\nPROGRAM Q\nVAR\n c : C;\nEND_VAR\nEND_PROGRAM\n";
        let is_free = |text: &str| load(text).project.leaves().iter().any(|leaf| leaf.name == "n" && leaf.start == Start::Any);
        assert!(is_free(linked));
        assert!(!is_free(&linked.replace("linkalways", "hide")));
        let slot = load("{attribute 'call_after_global_init_slot' := '50000'}\nFUNCTION G : BOOL\nn := 7;\nEND_FUNCTION\n");
        let spans: Vec<_> =
            slot.ledger.gaps.iter().filter(|gap| gap.construct.contains("global_init_slot")).map(|gap| gap.span).collect();
        assert_eq!(spans.len(), 1);
        assert_eq!(slot.project.beside.get(&spans[0]), Some(&crate::hir::Extent::All));
    }
}
