//! Search for the places of a program whose meaning depends on the controller.

use crate::ast;
use crate::ast::walk::{self, Node};
use crate::dialect::{Arithmetic, Blocks, Dialect, Enable, Logic, Loops, Overflow, Preset, ZeroTime};
use crate::hir::{Extent, Project};
use crate::lang::br::{INIT, init_of};
use crate::lang::{C_CODE, PYTHON_CODE, TWO_CYCLES};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::controller::{loops, widths};
use crate::resolve::findings::Findings;
use crate::resolve::names::tables::Names;
use crate::resolve::prepare::declaration_order;
use crate::resolve::prepare::device_applications::BESIDE;
use crate::resolve::resolver::Resolver;
use crate::text::source::{Origin, SourceSet, Span};

impl Resolver<'_> {
    /// Notes what files of POUs make necessary to assume.
    pub(crate) fn note_files(&mut self, units: &[ast::Unit]) {
        for ignored in units.iter().flat_map(|unit| &unit.ignored) {
            if ignored.what == C_CODE {
                let effect = "the C code is not read; what it writes at inputs (%I) has any value in each cycle";
                self.findings.record_assumed(ignored.span, "C code of Beremiz writes inputs (%I) only", effect);
            } else if ignored.what == PYTHON_CODE {
                let effect = "the Python code is not read; it may write any global variable (`PLCGlobals`) between two cycles";
                self.findings.record_assumed(ignored.span, "Python code of Beremiz writes no variables of the program", effect);
            }
        }
        let configurations = declaration_order::all(units)
            .filter_map(|item| if let ast::Item::Configuration(configuration) = item { Some(configuration) } else { None });
        let resources = configurations.flat_map(|configuration| &configuration.resources);
        let n_tasks = resources.filter(|it| !it.is_of_one_task || !it.programs.is_empty()).flat_map(|it| &it.tasks).count();
        for assumed in units.iter().flat_map(|unit| &unit.assumed).filter(|assumed| assumed.about.is_empty()) {
            self.findings.record_assumed(assumed.span, assumed.condition.clone(), assumed.reason);
            if assumed.reason == BESIDE {
                self.project.beside.insert(assumed.span, Extent::Nameable);
            }
            if assumed.reason == TWO_CYCLES {
                // Of several tasks, the interval decides in which cycles each runs.
                let extent = if n_tasks == 1 { Extent::Time } else { Extent::All };
                self.project.beside.insert(assumed.span, extent);
            }
        }
        for item in units.iter().flat_map(|unit| &unit.items) {
            let ast::Item::Pou(pou) = item else { continue };
            for assumed in &pou.assumed {
                self.findings.record_assumed(assumed.span, assumed.condition.clone(), assumed.reason);
                // What an event starts is not in the run, and writes what it can name.
                if pou.event.as_ref().is_some_and(|event| event.span == assumed.span) {
                    self.project.beside.insert(assumed.span, Extent::Nameable);
                }
            }
        }
    }

    /// Notes programs of B&R with a part that runs before the first cycle.
    pub(crate) fn note_first_parts(&mut self, units: &[ast::Unit]) {
        for item in units.iter().flat_map(|unit| &unit.items) {
            if let ast::Item::Pou(pou) = item
                && let Some(span) = init_of(pou)
            {
                let effect = "here it runs at the beginning of the first cycle, with the inputs of that cycle; on the controller it runs \
                              earlier";
                self.findings.record_assumed(span, format!("`{INIT}` of `{}`", pou.name.text), effect);
            }
        }
    }

    /// Notes standard blocks with controller-dependent behaviour.
    pub(crate) fn note_blocks(&mut self, units: &[ast::Unit], sources: &SourceSet) {
        let (mut found, mut boxes) = (Vec::new(), Vec::new());
        let is_users = |unit: &&ast::Unit| sources.files.get(unit.file).is_some_and(|f| f.origin == Origin::User);
        let users: Vec<&ast::Unit> = units.iter().filter(is_users).collect();
        for unit in &users {
            walk::unit(unit, &mut |node| {
                if let Node::Stmt(stmt) = node {
                    boxes.extend(disabled_box(stmt).map(|(open, name)| (open, name, stmt.span)));
                } else if let Node::Block(block) = node {
                    for var in &block.vars {
                        let blocks = types_in(&var.ty).into_iter().flat_map(|ty| of_block(ty, self.dialect));
                        let edge = (var.edge == Some(ast::Edge::Falling)).then_some(Behaviour::FirstFall);
                        found.extend(blocks.chain(edge).map(|open| (open, var.name.text.clone(), var.span)));
                    }
                } else if let Node::Item(ast::Item::Type(declared)) = node {
                    let blocks = types_in(&declared.ty).into_iter().flat_map(|ty| of_block(ty, self.dialect));
                    found.extend(blocks.map(|open| (open, declared.name.text.clone(), declared.span)));
                }
            });
        }
        for (open, name, span) in found {
            self.findings.note_behaviour_of(self.dialect, open, &name, span);
        }
        for (open, name, span) in boxes {
            self.dialect.note_disabled(&mut self.findings, open, &name, true, span);
        }
        let follows = self.dialect.preset == Preset::ControllerDependent;
        let zero = self.dialect.zero_time == ZeroTime::ControllerDependent;
        if !self.names.has_timers(&self.project, units) {
            return;
        }
        for timer in crate::stdlib::timers(&users) {
            if timer.varies && follows {
                self.findings.note_behaviour_of(self.dialect, Behaviour::TimerTime, &timer.name, timer.span);
            }
            if timer.may_be_zero && zero {
                self.findings.note_behaviour_of(self.dialect, Behaviour::ZeroTime, &timer.name, timer.span);
            }
        }
    }

    /// Notes statements and expressions with controller-dependent meaning.
    pub(crate) fn note_bodies(&mut self) {
        let mut found = Vec::new();
        for (id, _) in self.project.pous.iter_enumerated().filter(|(_, pou)| pou.origin == Origin::User) {
            // Manuals of CODESYS and TwinCAT define their loops. Loops over changing values are lowered already.
            if self.dialect.loops == Loops::Once || self.dialect.compiles_to_c() {
                found.extend(loops::behaviours(&self.project, id, self.dialect));
            }
            let widths: &[u8] = match self.dialect.arithmetic {
                Arithmetic::AtLeast32 => &[32],
                Arithmetic::OfOperands if self.dialect.compiles_to_c() => &[8, 16],
                Arithmetic::OfOperands => &[],
            };
            for bits in widths {
                let open = if *bits == 32 { Behaviour::Width } else { Behaviour::Promotion(*bits) };
                let keeps = self.dialect.overflow == Overflow::Wraps;
                found.extend(widths::width_dependent(&self.project, id, *bits, keeps).into_iter().map(|span| (open, span)));
            }
        }
        if self.dialect.compiles_to_c() {
            found.extend(crate::rule::c_order(&self.project).into_iter().map(|place| match place {
                crate::rule::COrder::Twice(span) => (Behaviour::Twice, span),
                crate::rule::COrder::Inputs(span) => (Behaviour::InputOrder, span),
            }));
            self.note_subranges();
        }
        if self.dialect.copies_arguments() {
            let calls = crate::rule::copied_arguments(&self.project).into_iter();
            found.extend(calls.map(|span| (Behaviour::CopiedArgument, span)));
        }
        if self.dialect.logic == Logic::ControllerDependent {
            found.extend(crate::rule::skippable(&self.project).into_iter().map(|span| (Behaviour::ShortCircuit, span)));
        }
        for (open, span) in found {
            self.findings.note_behaviour(self.dialect, open, span);
        }
    }

    /// Notes variables with a subrange, which some controllers enforce.
    fn note_subranges(&mut self) {
        let vars = self.project.pous.iter().filter(|pou| pou.origin == Origin::User).flat_map(|pou| pou.vars.iter());
        let limited = |var: &&crate::hir::Var| !var.constant && self.project.holds_subrange(var.ty);
        let found: Vec<(String, Span)> =
            vars.chain(self.project.globals.iter()).filter(limited).map(|var| (var.name.clone(), var.span)).collect();
        for (name, span) in found {
            self.findings.note_behaviour_of(self.dialect, Behaviour::Subrange, &name, span);
        }
    }
}

impl Dialect {
    /// Notes charts whose first call does not evaluate transitions: other controllers do.
    pub(crate) fn note_charts(&self, findings: &mut Findings, charts: &[crate::lang::sfc::FirstCall]) {
        for chart in charts {
            findings.note_behaviour_of(self, Behaviour::FirstChartCall, &chart.name, chart.span);
        }
    }

    /// Notes a call of an instance or a function whose EN may be FALSE; `is_drawn` if it is a box of a network.
    pub(crate) fn note_disabled(&self, findings: &mut Findings, open: Behaviour, name: &str, is_drawn: bool, span: Span) {
        let differs = match self.enable {
            // Siemens skips the call. CODESYS and TwinCAT skip it, too, according to their manuals.
            Enable::SkipsCall | Enable::NoMeaning => false,
            Enable::ControllerDependent => true,
            // Boxes are lowered before the dialect is known, so their calls are skipped in every dialect.
            Enable::SkipsBody => is_drawn,
        };
        if differs {
            findings.note_behaviour_of(self, open, name, span);
        }
    }
}

impl Names {
    /// Returns whether the program has timers of the standard.
    fn has_timers(&self, project: &Project, units: &[ast::Unit]) -> bool {
        units.iter().flat_map(|unit| &unit.items).any(|item| {
            matches!(item, ast::Item::Pou(pou) if crate::stdlib::is_timer(&pou.name.text) && self.pous.get(&crate::resolve::key(&pou.name.text))
                .is_some_and(|pou| project.pous[*pou].origin == Origin::Stdlib))
        })
    }
}

/// Returns the call in a box of a network that EN may skip, with the name of the callee.
fn disabled_box(stmt: &ast::Stmt) -> Option<(Behaviour, String)> {
    let ast::StmtKind::If(branches, _) = &stmt.kind else { return None };
    let [(ast::Expr { kind: ast::ExprKind::Name(condition), .. }, body)] = branches.as_slice() else { return None };
    if !crate::lang::is_enable_name(&condition.root.text) {
        return None;
    }
    body.iter().find_map(|stmt| {
        if let ast::StmtKind::Call(name, args) = &stmt.kind {
            let is_given = args.iter().any(|arg| !matches!(arg, ast::Arg::Output { .. }));
            is_given.then(|| (Behaviour::DisabledInputs, name.root.text.clone()))
        } else if let ast::StmtKind::Let(_, ast::Expr { kind: ast::ExprKind::Call(name, _), .. })
        | ast::StmtKind::Keep(_, ast::Expr { kind: ast::ExprKind::Call(name, _), .. }) = &stmt.kind
        {
            Some((Behaviour::DisabledResult, name.root.text.clone()))
        } else {
            None
        }
    })
}

/// Returns the names of all types in a type specification.
fn types_in(ty: &ast::TypeSpec) -> Vec<&str> {
    let mut names = Vec::new();
    walk::type_spec(ty, &mut |node| {
        if let Node::Type(ast::TypeSpec { kind: ast::TypeSpecKind::Name(name), .. }) = node {
            names.push(name.text.as_str());
        }
    });
    names
}

/// Returns the behaviours of a standard block that differ between controllers.
fn of_block(name: &str, dialect: &Dialect) -> Vec<Behaviour> {
    let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    let counts = is("CTU") && dialect.blocks == Blocks::Words;
    let clock = is("RTC") && dialect.compiles_to_c();
    let rows = [(is("F_TRIG"), Behaviour::FirstFall), (counts, Behaviour::Counter), (clock, Behaviour::Clock)];
    rows.into_iter().filter(|(is_open, _)| *is_open).map(|(_, open)| open).collect()
}
