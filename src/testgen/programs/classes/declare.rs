//! Classes, the function and the main program: first their variables, then their statements.

use std::fmt::Write as _;

use super::places::root;
use super::plan::{Class, Ex, Place, Plan, Root, Section, Stmt, To, Ty, Unit, Var};
use super::terms::{BODY, Form, MEMBERS, SERVE, form};
use crate::programs::rng::Rng;

const HEAD: &str = "\
TYPE
    Pair : STRUCT
        a : INT;
        on : BOOL;
    END_STRUCT;
END_TYPE

INTERFACE IPut
METHOD Put : INT
VAR_INPUT
    much : INT;
END_VAR
END_METHOD
PROPERTY Level : INT
GET
END_GET
SET
END_SET
END_PROPERTY
END_INTERFACE

INTERFACE ITake EXTENDS IPut
METHOD Take : BOOL
VAR_INPUT
    go : BOOL := TRUE;
END_VAR
VAR_IN_OUT
    x : INT;
END_VAR
VAR_OUTPUT
    left : INT;
END_VAR
END_METHOD
END_INTERFACE

";

const LETTERS: [char; 6] = ['A', 'B', 'C', 'D', 'E', 'F'];

/// Generator of a program.
pub(super) struct Maker {
    pub(super) rng: Rng,
    pub(super) plan: Plan,
    pub(super) here: Here,
    /// The class of the function's parameter.
    served: usize,
    /// The class of the instance that `Visit` takes.
    pub(super) visited: usize,
}

/// The present unit.
#[derive(Default)]
pub(super) struct Here {
    pub(super) vars: Vec<Var>,
    pub(super) statics: Vec<Place>,
    pub(super) class: Option<usize>,
    pub(super) member: Option<&'static str>,
    pub(super) level: usize,
    pub(super) is_main: bool,
    pub(super) loops: usize,
    pub(super) in_index: usize,
    /// References with a target here.
    pub(super) guarded: Vec<String>,
}

impl Maker {
    pub(super) fn new(seed: u64) -> Maker {
        Maker {
            rng: Rng::new(seed ^ 0xc1a5),
            plan: Plan { end: 1, ..Plan::default() },
            here: Here::default(),
            served: 0,
            visited: 0,
        }
    }

    pub(super) fn program(mut self) -> (String, Plan) {
        let mut text = HEAD.to_owned();
        let n = 2 + self.rng.below(3);
        for _ in 0..n {
            self.class();
        }
        (self.served, self.visited) = (self.rng.below(n), self.rng.below(n));
        self.globals(&mut text);
        let heads = self.main();
        for class in 0..n {
            self.write_class(&mut text, class);
        }
        self.write_function(&mut text);
        self.write_main(&mut text, &heads);
        (text, self.plan)
    }

    /// Parameters of the function.
    pub(super) fn served(&self) -> Vec<(&'static str, Section, Ty)> {
        let how = if self.served.is_multiple_of(2) { Section::InOut } else { Section::Handed };
        vec![
            ("b", how, Ty::Block(self.served)),
            ("x", Section::InOut, Ty::Int),
            ("any", Section::Input, Ty::Any(0)),
            ("r", Section::Handed, Ty::Int),
        ]
    }

    pub(super) fn instances(&self) -> Vec<usize> {
        (0..self.plan.classes.len()).filter(|c| !self.plan.classes[*c].is_abstract).collect()
    }

    pub(super) fn scalar(&mut self, name: String, section: Section) -> Var {
        let ty = if self.rng.chance(70) { Ty::Int } else { Ty::Bool };
        let init = if self.rng.chance(40) { Some(if ty == Ty::Bool { 1 } else { self.rng.below(9) as i64 }) } else { None };
        Var { init, ..Var::new(name, ty, section) }
    }

    pub(super) fn reference(&mut self) -> Ty {
        let n = self.plan.classes.len();
        let block = self.rng.below(n.max(1));
        match self.rng.below(8) {
            0 | 1 => Ty::Ref(To::Int),
            2 => Ty::Ptr(To::Int),
            3 => Ty::Ptr(To::Pair),
            4 if 0 < n => Ty::Ref(To::Block(block)),
            5 if 0 < n => Ty::Ptr(To::Block(block)),
            _ => Ty::Any(self.rng.below(2)),
        }
    }

    /// Adds a class with fields and members.
    fn class(&mut self) {
        let index = self.plan.classes.len();
        let letter = LETTERS[index];
        let base = if 0 < index && self.rng.chance(65) { Some(self.rng.below(index)) } else { None };
        let mut class = base.map_or_else(Class::default, |base| {
            let base = &self.plan.classes[base];
            Class { fields: base.fields.clone(), in_outs: base.in_outs.clone(), ..Class::default() }
        });
        class.base = base;
        class.name = format!("Fb{letter}");
        class.inherited = (class.fields.len(), class.in_outs.len());
        class.is_abstract = index == 0 && self.rng.chance(35);
        let small = letter.to_ascii_lowercase();
        let mut sections = vec![Section::Local];
        sections.extend([Section::Input, Section::Output, Section::Local].into_iter().filter(|_| self.rng.chance(55)));
        for (i, section) in sections.into_iter().enumerate() {
            let mut var = self.scalar(format!("{small}{i}"), section);
            if section == Section::Input && self.rng.chance(25) {
                var.init = None;
                var.ty = self.reference();
            }
            if section == Section::Local && 0 < i {
                let former = self.instances();
                var.init = None;
                var.ty = match self.rng.below(6) {
                    0 => Ty::Pair,
                    1 => Ty::Row,
                    2 if !former.is_empty() => Ty::Block(*self.rng.pick(&former)),
                    _ => self.reference(),
                };
                var = self.instance(var.name, var.ty);
            }
            class.fields.push(var);
        }
        class.is_started = match base {
            Some(base) => self.plan.classes[base].is_started,
            // It changes all numbers, so there must be one.
            None => class.fields.iter().any(|var| var.ty == Ty::Int) && self.rng.chance(25),
        };
        if class.is_started && (base.is_none() || self.rng.chance(50)) {
            class.start = Some(Unit::default());
        }
        if base.is_none() && !class.is_started && self.rng.chance(20) {
            class.in_outs.push(Var::new(format!("{small}io"), Ty::Int, Section::InOut));
        }
        let base_of = |maker: &Maker, member: &str| base.and_then(|base| maker.plan.definer(base, member));
        for member in MEMBERS {
            let open =
                base_of(self, member).is_some_and(|c| self.plan.classes[c].members.get(member).is_some_and(Option::is_none));
            if open || self.rng.chance(if base.is_some() { 45 } else { 70 }) {
                class.members.insert(member, Some(Unit::default()));
            }
        }
        if class.is_abstract {
            class.members.insert(*self.rng.pick(&["Put", "Take", "Tie"]), None);
        }
        // A property has a GET and a SET.
        if class.members.contains_key("Level") || class.members.contains_key("Level :=") {
            class.members.insert("Level", Some(Unit::default()));
            class.members.insert("Level :=", Some(Unit::default()));
        }
        self.plan.classes.push(class);
        let has = |member: &str| self.plan.definer(index, member).is_some();
        let most = if has("Put") && has("Level") { Some(usize::from(has("Take"))) } else { None };
        self.plan.classes[index].interface = most.filter(|_| self.rng.chance(85));
    }

    fn globals(&mut self, text: &mut String) {
        let mut vars = vec![self.scalar("g0".to_owned(), Section::Local), Var::new("g1", Ty::Int, Section::Local)];
        vars.push(Var::new("gPair", Ty::Pair, Section::Local));
        let blocks = self.instances();
        if self.rng.chance(40) && !blocks.is_empty() {
            let class = *self.rng.pick(&blocks);
            let var = self.instance("gObj".to_owned(), Ty::Block(class));
            vars.push(var);
        }
        if self.rng.chance(30) {
            vars.push(Var::new("gAny", Ty::Any(0), Section::Local));
        }
        text.push_str("VAR_GLOBAL\n");
        for var in vars {
            let _ = writeln!(text, "    {}", self.declaration(&var));
            let at = self.plan.end;
            self.plan.end += self.plan.size(var.ty);
            self.plan.globals.push((var, at));
        }
        text.push_str("END_VAR\n\n");
    }

    /// Returns an instance or several, with the argument of FB_init.
    pub(super) fn instance(&mut self, name: String, ty: Ty) -> Var {
        let is_started = matches!(ty, Ty::Block(class) | Ty::Blocks(class) if self.plan.classes[class].is_started);
        let init = if is_started { Some(self.rng.below(9) as i64 - 2) } else { None };
        Var { init, ..Var::new(name, ty, Section::Local) }
    }

    fn words(&self, ty: Ty) -> String {
        let names: Vec<String> = self.plan.classes.iter().map(|class| class.name.clone()).collect();
        match ty {
            Ty::Bool => "BOOL".to_owned(),
            Ty::Int => "INT".to_owned(),
            Ty::Pair => "Pair".to_owned(),
            Ty::Row => "ARRAY [0..2] OF INT".to_owned(),
            Ty::Block(class) => names[class].clone(),
            Ty::Blocks(class) => format!("ARRAY [1..2] OF {}", names[class]),
            Ty::Ref(to) => format!("REFERENCE TO {}", to.words(&names)),
            Ty::Ptr(to) => format!("POINTER TO {}", to.words(&names)),
            Ty::Any(interface) => ["IPut", "ITake"][interface].to_owned(),
        }
    }

    fn declaration(&self, var: &Var) -> String {
        let init = match (var.ty, var.init) {
            (Ty::Bool, Some(value)) => format!(" := {}", if value == 1 { "TRUE" } else { "FALSE" }),
            (Ty::Block(_) | Ty::Blocks(_), Some(value)) => format!("(start := {value})"),
            (_, Some(value)) => format!(" := {value}"),
            (_, None) => String::new(),
        };
        let how = if var.section == Section::Handed { "REFERENCE TO " } else { "" };
        format!("{} : {how}{}{init};", var.name, self.words(var.ty))
    }

    pub(super) fn sections(&self, text: &mut String, vars: &[Var], words: &dyn Fn(Section) -> &'static str) {
        let sections =
            [Section::Input, Section::Handed, Section::InOut, Section::Output, Section::Local, Section::Temp, Section::Static];
        for section in sections {
            let here: Vec<&Var> = vars.iter().filter(|var| var.section == section).collect();
            if here.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{}", words(section));
            for var in here {
                let _ = writeln!(text, "    {}", self.declaration(var));
            }
            text.push_str("END_VAR\n");
        }
    }

    fn write_class(&mut self, text: &mut String, index: usize) {
        let class = self.plan.classes[index].clone();
        let modifier = if class.is_abstract { "ABSTRACT " } else { "" };
        let extends = class.base.map_or(String::new(), |base| format!(" EXTENDS {}", self.plan.classes[base].name));
        let implements = class.interface.map_or("", |i| [" IMPLEMENTS IPut", " IMPLEMENTS ITake"][i]);
        let _ = writeln!(text, "FUNCTION_BLOCK {modifier}{}{extends}{implements}", class.name);
        let small = class.name.to_ascii_lowercase();
        let mut temps = vec![Var { init: Some(7), ..Var::new(format!("t{small}"), Ty::Int, Section::Temp) }];
        temps.push(Var::new(format!("k{small}"), Ty::Int, Section::Temp));
        let mut own = class.fields[class.inherited.0..].to_vec();
        own.extend_from_slice(&class.in_outs[class.inherited.1..]);
        own.extend(temps.clone());
        self.sections(text, &own, &Section::words);
        for (member, unit) in &class.members {
            let form = form(member, self.visited);
            if unit.is_none() {
                let result = form.result.map_or(String::new(), |ty| format!(" : {}", self.words(ty)));
                let _ = writeln!(text, "METHOD ABSTRACT {member}{result}");
                self.sections(text, &parameters(&form), &Section::words);
                text.push_str("END_METHOD\n");
                continue;
            }
            let unit = self.member(text, index, member, &form);
            self.plan.classes[index].members.insert(member, Some(unit));
        }
        if class.start.is_some() {
            let unit = self.start(text, &class);
            self.plan.classes[index].start = Some(unit);
        }
        let mut vars = class.in_outs.clone();
        vars.extend(temps);
        self.here = Here { vars: vars.clone(), class: Some(index), level: BODY, ..Here::default() };
        let n = 1 + self.rng.below(3);
        let body = self.stmts(text, n, 2, 0);
        self.plan.classes[index].body = Unit { vars, result: None, body };
        text.push_str("END_FUNCTION_BLOCK\n\n");
    }

    /// Adds FB_init, which depends on its instance only.
    fn start(&mut self, text: &mut String, class: &Class) -> Unit {
        text.push_str("METHOD FB_init : BOOL\nVAR_INPUT\n    bInitRetains, bInCopyCode : BOOL;\n    start : INT;\nEND_VAR\n");
        let mut body = Vec::new();
        let own = |(i, var): (usize, &Var)| if var.ty == Ty::Int { Some((i, var.name.clone())) } else { None };
        let numbers: Vec<(usize, String)> = class.fields.iter().enumerate().filter_map(own).collect();
        let index = self.plan.classes.iter().position(|other| other.name == class.name).unwrap_or(0);
        for (field, name) in numbers {
            let place = root(&name, Root::This(self.plan.offset(index, field)), Ty::Int);
            let start = Ex::read(root("start", Root::Frame(0), Ty::Int));
            let twice = Ex::two("*", Ex::read(place.clone()), Ex::literal(2));
            let value = Ex::two("+", twice, start);
            let _ = writeln!(text, "{name} := {};", value.text);
            body.push(Stmt::Assign(place, value));
        }
        text.push_str("END_METHOD\n");
        Unit { vars: vec![Var::new("start", Ty::Int, Section::Input)], result: None, body }
    }

    fn member(&mut self, text: &mut String, class: usize, member: &'static str, form: &Form) -> Unit {
        let mut vars = parameters(form);
        let result = form.result.map(|ty| {
            vars.push(Var::new(member, ty, Section::Output));
            vars.len() - 1
        });
        let is_property = member.starts_with("Level");
        self.here = Here { class: Some(class), member: Some(member), level: form.level, ..Here::default() };
        let (head, tail) = match member {
            "Level" => ("PROPERTY Level : INT\nGET\n".to_owned(), "END_GET\n"),
            "Level :=" => ("SET\n".to_owned(), "END_SET\nEND_PROPERTY\n"),
            _ => {
                let words = form.result.map_or(String::new(), |ty| format!(" : {}", self.words(ty)));
                (format!("METHOD PUBLIC {member}{words}\n"), "END_METHOD\n")
            }
        };
        text.push_str(&head);
        if !is_property {
            let own =
                vec![Var { init: Some(3), ..Var::new("own", Ty::Int, Section::Local) }, Var::new("k", Ty::Int, Section::Local)];
            vars.extend(own);
            let mut written: Vec<Var> =
                vars.iter().enumerate().filter(|(i, _)| Some(*i) != result).map(|v| v.1.clone()).collect();
            if self.rng.chance(20) {
                let var = Var { init: Some(1), ..Var::new("kept", Ty::Int, Section::Static) };
                self.here.statics.push(root("kept", Root::Fixed(self.plan.end), Ty::Int));
                self.plan.globals.push((Var { name: String::new(), ..var.clone() }, self.plan.end));
                self.plan.end += 1;
                written.push(var);
            }
            self.sections(text, &written, &Section::words);
        }
        self.here.vars = vars.clone();
        let (n, depth) = if is_property { (1, 1) } else { (1 + self.rng.below(3), 2) };
        let body = self.stmts(text, n, depth, 0);
        text.push_str(tail);
        Unit { vars, result, body }
    }

    fn write_function(&mut self, text: &mut String) {
        let params = self.served();
        let mut vars: Vec<Var> = params.into_iter().map(|(name, section, ty)| Var::new(name, ty, section)).collect();
        vars.push(Var { init: Some(4), ..Var::new("own", Ty::Int, Section::Local) });
        vars.push(Var::new("k", Ty::Int, Section::Local));
        text.push_str("FUNCTION Serve : INT\n");
        self.sections(text, &vars, &Section::words);
        let result = Some(vars.len());
        vars.push(Var::new("Serve", Ty::Int, Section::Output));
        self.here = Here { vars: vars.clone(), level: SERVE, ..Here::default() };
        let n = 2 + self.rng.below(3);
        let body = self.stmts(text, n, 2, 0);
        text.push_str("END_FUNCTION\n\n");
        self.plan.functions.push(Unit { vars, result, body });
    }
}

fn parameters(form: &Form) -> Vec<Var> {
    let init = |name: &str| if name == "go" { Some(1) } else { None };
    let var = |(name, section, ty): &(&'static str, Section, Ty)| Var { init: init(name), ..Var::new(*name, *ty, *section) };
    form.params.iter().map(var).collect()
}
