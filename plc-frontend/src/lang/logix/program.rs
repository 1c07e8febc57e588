//! Programs with their tags and routines, tags of the controller, and tasks.

use std::collections::{BTreeMap, BTreeSet};

use super::aliases::Aliases;
use super::calls::Scope;
use super::ladder::Ladder;
use super::operands::class_of;
use super::partial_exports::{is_outside, target_routine};
use super::program_names::identifier;
use super::types::{Members, Shape, shape_of};
use super::values::initial_value;
use super::{
    Reader, aliases, attribute, flags, ident_of, key, other_programs, prescan_of_routines, prescan_order, sfc, subroutines,
};
use crate::ast::{
    ActionDecl, Body, Expr, ExprKind, Ident, Item, Pou, PouKind, Section, Stmt, StmtKind, TypeSpec, TypeSpecKind, VarBlock,
    VarDecl,
};
use crate::hir::{Address, AddressArea, AddressSize};
use crate::lang::xml::Element;
use crate::text::Span;

/// Ending of the name of an action, behind that of its routine.
pub(super) const ACTION: &str = "_Routine";

/// Name of the bit of a program that is TRUE before its first cycle.
const FIRST: &str = "Before__First_Scan";

/// S:FS as programs are read: TRUE in the first scan of each program.
pub(super) const FIRST_SCAN: &str = "S__F";

impl Reader {
    /// Reads the tags and programs of a controller.
    pub(super) fn programs(&mut self, controller: Element<'_>) {
        let tags: Vec<_> = controller.children_named("Tags").flat_map(Element::children).collect();
        self.modules(controller);
        let mut globals = shapes_of(&tags);
        globals.extend(self.shapes.declared.clone());
        let aliases = self.aliases(&tags, &Aliases::new());
        aliases::add_shapes(&aliases, &self.shapes, &mut globals);
        self.name_wholes(&tags, None, &aliases, &globals);
        let transitions = sfc::transition_tags(controller);
        let is_declared = |tag: &Element<'_>| ident_of(*tag).is_some_and(|name| !transitions.contains(&key(&name.text)));
        for tag in tags.into_iter().filter(is_declared) {
            if self.is_module_twin(tag) {
                continue;
            }
            if let Some(mut var) = self.tag(tag, &globals) {
                self.name_target(&mut var, &aliases, &globals);
                let block = VarBlock::new(Section::Global, vec![var], tag.tag_span());
                self.unit.items.push(Item::Globals(block));
            }
        }
        if controller.filled("MajorFaultProgram").is_some() {
            let words = "controller fault handler: no major fault occurs, which would call it and go on behind the instruction";
            self.note(words, controller.tag_span());
        }
        if controller.filled("PowerLossProgram").is_some() {
            self.note("power-up handler: the controller does not lose its power while it runs", controller.tag_span());
        }
        let programs: Vec<_> = controller.children_named("Programs").flat_map(Element::children).collect();
        let is_target = |p: &Element<'_>| !is_outside(*p) || target_routine(*p).is_some();
        let read: Vec<_> = programs.into_iter().filter(is_target).collect();
        self.others(controller, !read.is_empty());
        let identifiers: Vec<Option<Ident>> =
            read.iter().map(|program| identifier(*program, &read, &globals, &self.shapes)).collect();
        let named: Vec<_> =
            read.iter().copied().zip(&identifiers).filter_map(|(program, own)| Some((program, own.clone()?))).collect();
        if !self.tasks(controller, &named) && 1 < read.len() {
            self.note("order of programs that no task runs", controller.tag_span());
        }
        let running: Vec<_> = named.into_iter().filter(|(_, own)| self.runs(&own.text)).collect();
        let (others, shapes) = other_programs::tags(&running, &globals);
        self.named_elsewhere = other_programs::in_text(&others, &self.plain);
        self.shapes.others = others;
        globals.extend(shapes);
        let are_several = 1 < read.len();
        if self.plain.contains(FIRST_SCAN) {
            let span = controller.tag_span();
            // Without a program nothing sets it.
            let unknown = TypeSpec { kind: TypeSpecKind::Opaque("S:FS of an unknown program".to_owned()), span };
            let ty = if read.is_empty() { unknown } else { TypeSpec::named("BOOL", span) };
            let var = VarDecl::new(Ident::new(FIRST_SCAN, span), ty, span);
            self.unit.items.push(Item::Globals(VarBlock::new(Section::Global, vec![var], span)));
        }
        if self.shapes.uses_flags {
            self.unit.items.push(flags::declarations(controller.tag_span()));
        }
        for (program, name) in read.into_iter().zip(identifiers) {
            if let Some(name) = name {
                self.program(program, name, &globals, &aliases);
            }
        }
        if are_several && self.shapes.prescans_globals.get() {
            let words = "prescan of tags that several programs see: each comes before the first scan of its program";
            self.note(words, controller.tag_span());
        }
    }

    /// Returns whether a tag has the name of a module's tag as that is read here.
    fn is_module_twin(&self, tag: Element<'_>) -> bool {
        ident_of(tag).is_some_and(|name| self.shapes.modules.contains(&key(&name.text)))
    }

    /// Returns the gap of a program that sees a tag with the name of a module's tag: the text does not say which of both it means here.
    fn module_twin(&self, program: Element<'_>) -> Option<Stmt> {
        let controller = std::iter::successors(program.parent(), |e| e.parent()).find(|e| e.name() == "Controller");
        let lists = std::iter::once(program).chain(controller).flat_map(|owner| owner.children_named("Tags"));
        let twin = lists.flat_map(Element::children).find(|tag| self.is_module_twin(*tag))?;
        Some(Stmt::unsupported("tag with the name of a module's tag, whose colons are read as `_`", twin.tag_span()))
    }

    /// Returns the declaration of a tag; none for an alias that is no number or bit.
    fn tag(&mut self, tag: Element<'_>, variables: &Members) -> Option<VarDecl> {
        let (name, span) = (ident_of(tag)?, tag.tag_span());
        self.shapes.note_message(tag);
        self.shapes.note_members(tag);
        if aliases::is_alias(tag) {
            let shape = variables.get(&key(&name.text)).filter(|shape| shape.dimensions.is_empty())?;
            class_of(&shape.ty)?;
            return Some(VarDecl::new(name, TypeSpec::named(shape.ty.clone(), span), span));
        }
        let mut var = VarDecl::new(name, self.type_of(tag), span);
        if attribute(tag, "TagType").as_deref() == Some("Consumed") {
            // Another controller writes it.
            let address = Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() };
            var.address = Some((address, span));
            return Some(var);
        }
        if let Some(shape) = shape_of(tag).filter(|shape| sfc::is_chart_type(&shape.ty)) {
            var.init = sfc::initial_value(tag, &shape.ty);
            return Some(var);
        }
        if shape_of(tag).is_some_and(|shape| self.shapes.holds_instance(&shape.ty)) {
            self.note(super::aoi::OF_DEFINITION, span);
        } else {
            match initial_value(tag, &self.shapes) {
                Ok(value) => var.init = value,
                // Words at a note may be names that the file declares, so the type is not among them.
                Err(_) => self.note(super::values::NOT_READ, var.name.span),
            }
        }
        Some(var)
    }

    fn program(&mut self, program: Element<'_>, name: Ident, globals: &Members, outer: &Aliases) {
        let span = program.tag_span();
        let mut pou = Pou::new(PouKind::Program, name, span);
        let tags: Vec<_> = program.children_named("Tags").flat_map(Element::children).collect();
        let mut variables = globals.clone();
        variables.extend(shapes_of(&tags));
        let aliases = self.aliases(&tags, outer);
        aliases::add_shapes(&aliases, &self.shapes, &mut variables);
        variables.insert(FIRST_SCAN.to_owned(), Shape { ty: "BOOL".to_owned(), dimensions: Vec::new() });
        variables.extend(flags::shapes());
        self.name_wholes(&tags, Some(&pou.name.text), &aliases, &variables);
        let transitions = sfc::transition_tags(program);
        let is_declared = |tag: &Element<'_>| ident_of(*tag).is_some_and(|name| !transitions.contains(&key(&name.text)));
        for tag in tags.iter().copied().filter(is_declared) {
            let section = match attribute(tag, "Usage").as_deref() {
                Some("Input") => Section::Input,
                Some("Output") => Section::Output,
                Some("InOut") => Section::InOut,
                _ => Section::Var,
            };
            let Some(mut var) = self.tag(tag, &variables) else { continue };
            self.name_target(&mut var, &aliases, &variables);
            pou.vars.push(VarBlock::new(section, vec![var], tag.tag_span()));
        }
        let routines: Vec<_> = program.children_named("Routines").flat_map(Element::children).collect();
        let names = routines.iter().filter_map(|routine| ident_of(*routine));
        let declared: BTreeSet<String> = tags.iter().filter_map(|tag| ident_of(*tag)).map(|name| key(&name.text)).collect();
        let is_tag = |name: &str| variables.contains_key(&key(name)) || declared.contains(&key(name));
        let names: BTreeMap<_, _> = names.map(|name| (key(&name.text), action_name(&name.text, is_tag))).collect();
        self.shapes.subroutines = self.subroutines(&routines);
        let mut ladders = BTreeMap::new();
        for routine in &routines {
            let Some(name) = ident_of(*routine) else { continue };
            let ladder = self.routine(*routine, &variables, &names, &aliases);
            ladders.insert(key(&name.text), ladder);
        }
        let alone = target_routine(program).filter(|_| attribute(program, "Use").as_deref() == Some("Context"));
        if let Some(routine) = alone {
            let is_whole = attribute(routine, "Use").as_deref() == Some("Target");
            let words = "rungs that are exported without the others of their routine: they run alone, in each scan";
            self.note(
                if is_whole { "routine that is exported without its program: it runs alone, in each scan" } else { words },
                span,
            );
        }
        let main = alone.and_then(|routine| attribute(routine, "Name")).or_else(|| attribute(program, "MainRoutineName"));
        let main = main.unwrap_or_default();
        subroutines::without_circles(&key(&main), &mut ladders, &names);
        for routine in routines {
            let Some(name) = ident_of(routine) else { continue };
            let stmts = ladders.get(&key(&name.text)).map(|ladder| ladder.stmts.clone()).unwrap_or_default();
            let action = Ident::new(names.get(&key(&name.text)).cloned().unwrap_or_default(), name.span);
            pou.actions.push(ActionDecl { name: action, body: Body::Statements(stmts), span: routine.tag_span() });
        }
        self.breaks(&main, &ladders, &mut pou);
        let mut stmts = self.main(program, &main, &names, &ladders, &mut pou.vars);
        let mut copies = self.alias_copies(&aliases, &pou.vars, span);
        self.shapes.put_hosts(&variables, &mut copies, span);
        other_programs::put_paths(&self.shapes.others, &mut copies, span);
        stmts.extend(copies);
        stmts.splice(0..0, self.module_twin(program));
        pou.body = Body::Statements(stmts);
        if program.filled("FaultRoutineName").is_some() {
            let words = "fault routine: no major fault occurs, which would call it and go on behind the instruction";
            self.note(words, span);
        }
        let words = "inputs that change within a scan: each is taken to keep one value for the whole scan (`sampling: asynchronous` verifies the other case, too)";
        self.note(words, span);
        pou.diagrams = std::mem::take(&mut self.pictures);
        self.unit.items.push(Item::Pou(pou));
    }

    /// Declares the bit that BRK sets.
    ///
    /// Soundness: of a BRK in a routine that JSR calls, the manual does not say what ends.
    fn breaks(&mut self, main: &str, ladders: &BTreeMap<String, Ladder>, pou: &mut Pou) {
        let span = pou.span;
        if ladders.values().any(|ladder| ladder.loops || ladder.breaks) {
            let var = VarDecl::new(Ident::new(subroutines::BREAK, span), TypeSpec::named("BOOL", span), span);
            pou.vars.push(VarBlock::new(Section::Var, vec![var], span));
        }
        let called: BTreeSet<String> = ladders.values().flat_map(|ladder| &ladder.jumps_to).map(|name| key(name)).collect();
        let is_called = |name: &String| called.contains(name) || *name == key(main);
        if ladders.iter().any(|(name, ladder)| ladder.breaks && is_called(name)) {
            self.note("BRK in a routine that no FOR calls", span);
        }
    }

    /// Returns the statements of a program: its prescan once, then its main routine.
    fn main(
        &self,
        program: Element<'_>,
        main: &str,
        names: &BTreeMap<String, String>,
        ladders: &BTreeMap<String, Ladder>,
        vars: &mut Vec<VarBlock>,
    ) -> Vec<Stmt> {
        let span = program.tag_span();
        let scope = Scope {
            shapes: &self.shapes,
            variables: Members::new(),
            references: BTreeSet::new(),
            routines: names.clone(),
            aliases: Aliases::new(),
            is_instruction: false,
        };
        let Some(kind) = scope.call_of(main, span) else {
            if main.is_empty() && runs_nothing(program) {
                return self.messages(vars, span);
            }
            return vec![Stmt::unsupported("program without a main routine", span)];
        };
        let whole = prescan_of_routines::whole(main, ladders, span);
        for rule in whole.rules {
            self.shapes.assumed.add_everywhere(rule);
        }
        if !prescan_order::changes_nothing(&whole.unreached, &whole.stmts, vars) {
            self.shapes.assumed.add_everywhere(prescan_order::UNREACHED);
        }
        let mut prescan = whole.stmts;
        let own: BTreeSet<String> = vars.iter().flat_map(|block| &block.vars).map(|var| key(&var.name.text)).collect();
        let is_own = |stmt: &Stmt| {
            let StmtKind::Assign(Expr { kind: ExprKind::Name(name), .. }, _) = &stmt.kind else { return false };
            let root = key(&name.root.text);
            let read = format!("{}__{root}", key(&attribute(program, "Name").unwrap_or_default()));
            own.contains(&root) && !self.named_elsewhere.contains(&read)
        };
        if !prescan.iter().all(is_own) {
            self.shapes.prescans_globals.set(true);
        }
        let mut stmts = self.messages(vars, span);
        let uses_first = self.plain.contains(FIRST_SCAN);
        if !prescan.is_empty() || uses_first {
            let first = Ident::new(FIRST, span);
            let mut var = VarDecl::new(first.clone(), TypeSpec::named("BOOL", span), span);
            var.init = Some(crate::ast::Initializer::value(Expr::truth(true, span)));
            vars.push(VarBlock::new(Section::Var, vec![var], span));
            if uses_first {
                let bit = Expr::variable(Ident::new(FIRST_SCAN, span));
                stmts.push(Stmt::assign(bit, Expr::variable(first.clone()), span));
            }
            prescan.push(Stmt::assign(Expr::variable(first.clone()), Expr::truth(false, span), span));
            stmts.push(Stmt::when(Expr::variable(first), prescan, span));
        }
        stmts.push(Stmt { kind, span });
        stmts
    }

    /// Returns copies of the targets of aliases to the variables with their names, for requirements.
    fn alias_copies(&self, aliases: &Aliases, vars: &[VarBlock], span: Span) -> Vec<Stmt> {
        let globals = self.unit.items.iter().filter_map(|item| if let Item::Globals(block) = item { Some(block) } else { None });
        let vars = globals.chain(vars).flat_map(|block| &block.vars);
        let named =
            vars.filter_map(|var| Some((Ident::new(var.name.text.clone(), span), aliases.get(&key(&var.name.text))?.clone())));
        aliases::copies(&named.collect::<Vec<_>>())
    }

    /// Returns calls of the messages of a program and of the controller.
    fn messages(&self, vars: &[VarBlock], span: Span) -> Vec<Stmt> {
        let globals = self.unit.items.iter().filter_map(|item| if let Item::Globals(block) = item { Some(block) } else { None });
        let own = super::aoi::messages(vars, span);
        globals.flat_map(|block| super::aoi::messages(std::slice::from_ref(block), span)).chain(own).collect()
    }

    fn routine(
        &mut self,
        routine: Element<'_>,
        variables: &Members,
        names: &BTreeMap<String, String>,
        aliases: &Aliases,
    ) -> Ladder {
        let shapes = std::mem::take(&mut self.shapes);
        let scope = Scope {
            shapes: &shapes,
            variables: variables.clone(),
            references: BTreeSet::new(),
            routines: names.clone(),
            aliases: aliases.clone(),
            is_instruction: false,
        };
        let ladder = self.statements(routine, &scope);
        self.shapes = shapes;
        ladder
    }
}

/// Returns whether a program without a main routine runs nothing. Phases and sequences of equipment have routines of other names.
fn runs_nothing(program: Element<'_>) -> bool {
    attribute(program, "Type").is_none_or(|ty| ty.eq_ignore_ascii_case("Normal")) && !is_outside(program)
}

/// Returns the name of the action that a routine is here: one that no tag has. Names of Logix do not end with `_`.
fn action_name(routine: &str, is_tag: impl Fn(&str) -> bool) -> String {
    let name = format!("{routine}{ACTION}");
    if is_tag(&name) { format!("{name}_") } else { name }
}

/// Returns the shapes of tags by name.
pub(super) fn shapes_of(tags: &[Element<'_>]) -> Members {
    tags.iter().filter_map(|tag| Some((key(&ident_of(*tag)?.text), shape_of(*tag)?))).collect()
}
