//! Random statements.

use std::fmt::Write as _;

use super::declare::Maker;
use super::plan::{Call, Callee, Ex, ExKind, Place, Receiver, Root, Section, Step, Stmt, To, Ty};
use super::terms::BODY;

impl Maker {
    /// Returns some statements, indented.
    pub(super) fn stmts(&mut self, text: &mut String, n: usize, depth: usize, indent: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..n {
            let stmt = self.stmt(text, depth, indent);
            stmts.extend(stmt);
        }
        if stmts.is_empty() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{};", "    ".repeat(indent));
        }
        stmts
    }

    fn stmt(&mut self, text: &mut String, depth: usize, indent: usize) -> Option<Stmt> {
        let pad = "    ".repeat(indent);
        let (line, stmt) = match self.rng.below(if depth == 0 { 15 } else { 22 }) {
            0..5 => self.assignment(2),
            5..9 => self.call_stmt(),
            9..11 => self.run().or_else(|| self.call_stmt()),
            11..13 => self.bind().or_else(|| self.assignment(2)),
            13 => self.copy().or_else(|| self.assignment(2)),
            14 => match self.rng.below(3) {
                0 if 0 < self.here.loops => Some(("EXIT".to_owned(), Stmt::Exit)),
                1 if 0 < indent => Some(("RETURN".to_owned(), Stmt::Return)),
                _ => self.assignment(1),
            },
            15..18 => return Some(self.branch(text, depth - 1, indent)),
            18..21 => return self.guarded(text, depth - 1, indent),
            _ => return self.repeated(text, depth - 1, indent),
        }?;
        let _ = writeln!(text, "{pad}{line};");
        Some(stmt)
    }

    fn assignment(&mut self, depth: usize) -> Option<(String, Stmt)> {
        let ty = if self.rng.chance(70) { Ty::Int } else { Ty::Bool };
        let place = self.place(ty, true)?;
        let value = self.value(ty, depth);
        Some((format!("{} := {}", place.text, value.text), Stmt::Assign(place, value)))
    }

    fn call_stmt(&mut self) -> Option<(String, Stmt)> {
        let (text, call) = self.call(None, 1)?;
        Some((text, Stmt::Call(call)))
    }

    /// Returns an assignment of another target to a reference.
    fn bind(&mut self) -> Option<(String, Stmt)> {
        let all = self.places();
        let fit: Vec<Place> = all.into_iter().filter(|(p, writable)| p.ty.is_reference() && *writable).map(|f| f.0).collect();
        if fit.is_empty() {
            return None;
        }
        let place = self.rng.pick(&fit).clone();
        let link = self.link(place.ty)?;
        let op = if let Ty::Ref(_) = place.ty { "REF=" } else { ":=" };
        Some((format!("{} {op} {}", place.text, link.text), Stmt::Bind(place, link)))
    }

    fn copy(&mut self) -> Option<(String, Stmt)> {
        let (to, from) = (self.place(Ty::Pair, true)?, self.place(Ty::Pair, false)?);
        Some((format!("{} := {}", to.text, from.text), Stmt::Copy(to, from)))
    }

    /// Returns a call of an instance, or of an ancestor's body.
    fn run(&mut self) -> Option<(String, Stmt)> {
        if self.here.level < BODY {
            return None;
        }
        let class = self.here.class?;
        let (is_main, base) = (self.here.is_main, self.plan.classes[class].base);
        if let Some(base) = base
            && self.rng.chance(40)
        {
            // The ancestor's VAR_IN_OUT come first here too.
            let given = self.plan.classes[base]
                .in_outs
                .iter()
                .enumerate()
                .map(|(i, var)| (i, Place { text: var.name.clone(), root: Root::Frame(i), steps: Vec::new(), ty: var.ty }));
            let in_outs = given.collect();
            let (receiver, callee) = (Receiver::This, Callee::BodyOf(base));
            let call = Call { receiver, callee, inputs: vec![], in_outs, outputs: vec![] };
            return Some(("SUPER^()".to_owned(), Stmt::Call(call)));
        }
        let all = self.places();
        let own = |p: &Place| is_main || matches!(p.root, Root::This(_)) && !p.steps.iter().any(|s| matches!(s, Step::Deref));
        let blocks: Vec<(Place, usize)> = all
            .into_iter()
            .filter_map(|(p, _)| match p.class() {
                // The body behind a reference is a gap.
                Some(class) if own(&p) && !(p.is_followed() && self.plan.has_heirs(class)) => Some((p, class)),
                Some(_) | None => None,
            })
            .collect();
        if blocks.is_empty() {
            return None;
        }
        let (instance, class) = self.rng.pick(&blocks).clone();
        let class = self.plan.classes[class].clone();
        let (mut texts, mut inputs, mut in_outs, mut outputs) = (vec![], vec![], vec![], vec![]);
        let Ty::Block(index) = instance.ty else { return None };
        for (i, field) in class.fields.iter().enumerate() {
            let offset = self.plan.offset(index, i);
            if field.section == Section::Input && self.rng.chance(60) {
                let (text, value) = self.input(field.ty, 1)?;
                texts.push(format!("{} := {text}", field.name));
                inputs.push((offset, value));
            } else if field.section == Section::Output
                && self.rng.chance(40)
                && let Some(place) = self.place(field.ty, true)
            {
                texts.push(format!("{} => {}", field.name, place.text));
                outputs.push((offset, place));
            }
        }
        for (i, var) in class.in_outs.iter().enumerate() {
            let place = self.place(var.ty, true)?;
            texts.push(format!("{} := {}", var.name, place.text));
            in_outs.push((i, place));
        }
        let text = format!("{}({})", instance.text, texts.join(", "));
        Some((text, Stmt::Run { instance, inputs, in_outs, outputs }))
    }

    fn branch(&mut self, text: &mut String, depth: usize, indent: usize) -> Stmt {
        let pad = "    ".repeat(indent);
        let condition = self.value(Ty::Bool, 2);
        let _ = writeln!(text, "{pad}IF {} THEN", condition.text);
        let n = 1 + self.rng.below(2);
        let yes = self.stmts(text, n, depth, indent + 1);
        let mut no = Vec::new();
        if self.rng.chance(50) {
            let _ = writeln!(text, "{pad}ELSE");
            no = self.stmts(text, 1, depth, indent + 1);
        }
        let _ = writeln!(text, "{pad}END_IF;");
        Stmt::If(condition, yes, no)
    }

    /// Returns statements that follow a reference, where it has a target.
    fn guarded(&mut self, text: &mut String, depth: usize, indent: usize) -> Option<Stmt> {
        let pad = "    ".repeat(indent);
        let references: Vec<Place> = self
            .places()
            .into_iter()
            .map(|found| found.0)
            .filter(|p| p.ty.is_reference() && !self.is_guarded(p) && !p.steps.iter().any(|s| matches!(s, Step::Index { .. })))
            .collect();
        if references.is_empty() {
            return None;
        }
        let place = self.rng.pick(&references).clone();
        let known = place.text.trim_start_matches("THIS^.").to_owned();
        let condition = self.test(place, true);
        self.here.guarded.push(known);
        // A condition may follow it at once, if the test is evaluated first.
        let condition = if self.rng.chance(30) {
            let more = self.value(Ty::Bool, 1);
            let text = format!("({} AND_THEN {})", condition.text, more.text);
            Ex { text, kind: ExKind::Op("AND_THEN", Box::new(condition), Box::new(more)) }
        } else {
            condition
        };
        let _ = writeln!(text, "{pad}IF {} THEN", condition.text);
        let n = 1 + self.rng.below(2);
        let yes = self.stmts(text, n, depth, indent + 1);
        self.here.guarded.pop();
        let _ = writeln!(text, "{pad}END_IF;");
        Some(Stmt::If(condition, yes, Vec::new()))
    }

    fn repeated(&mut self, text: &mut String, depth: usize, indent: usize) -> Option<Stmt> {
        let counter = self.here.vars.iter().position(|var| var.name.starts_with('k'))?;
        if 0 < self.here.loops {
            return None;
        }
        let pad = "    ".repeat(indent);
        let name = self.here.vars[counter].name.clone();
        let to = if self.rng.chance(50) { Ex::literal(self.rng.below(3) as i64) } else { self.value(Ty::Int, 1).limited(0, 2) };
        let _ = writeln!(text, "{pad}FOR {name} := 0 TO {} DO", to.text);
        self.here.loops += 1;
        let n = 1 + self.rng.below(2);
        let body = self.stmts(text, n, depth, indent + 1);
        self.here.loops -= 1;
        let _ = writeln!(text, "{pad}END_FOR;");
        let control = Place { text: name, root: Root::Frame(counter), steps: Vec::new(), ty: Ty::Int };
        Some(Stmt::For { control, to, body })
    }

    /// Returns statements that give most references of the main program a target at the start of each cycle.
    pub(super) fn bind_all(&mut self, text: &mut String) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for (place, _) in self.roots() {
            let bound = matches!(place.root, Root::This(_)) && place.ty.is_reference() && self.rng.chance(80);
            if bound && let Some(link) = self.link(place.ty) {
                let op = if let Ty::Ref(To::Int | To::Pair | To::Block(_)) = place.ty { "REF=" } else { ":=" };
                let _ = writeln!(text, "{} {op} {};", place.text, link.text);
                if !matches!(link.kind, super::plan::LinkKind::Null) {
                    self.here.guarded.push(place.text.clone());
                }
                stmts.push(Stmt::Bind(place, link));
            }
        }
        stmts
    }
}
