//! Random expressions, calls and values of references.

use super::declare::Maker;
use super::plan::{Arg, Call, Callee, Ex, ExKind, Link, LinkKind, Place, Receiver, Root, Section, Step, To, Ty};

/// Signature of a member, the same in every class that defines it.
pub(super) struct Form {
    pub(super) params: Vec<(&'static str, Section, Ty)>,
    pub(super) result: Option<Ty>,
    /// It calls only members of lower levels, so that nothing calls itself.
    pub(super) level: usize,
}

/// Level of bodies, and of the main program.
pub(super) const BODY: usize = 6;
pub(super) const MAIN: usize = 7;
/// Level of the function.
pub(super) const SERVE: usize = 3;

pub(super) const MEMBERS: [&str; 6] = ["Level", "Level :=", "Put", "Take", "Visit", "Tie"];

/// Returns the form of a member; `visited` is the class of the instance argument.
pub(super) fn form(member: &str, visited: usize) -> Form {
    use Section::{InOut, Input, Output};
    let (params, result, level) = match member {
        "Level" => (vec![], Some(Ty::Int), 0),
        "Level :=" => (vec![("Level", Input, Ty::Int)], None, 0),
        "Put" => (vec![("much", Input, Ty::Int)], Some(Ty::Int), 1),
        "Take" => (vec![("x", InOut, Ty::Int), ("go", Input, Ty::Bool), ("left", Output, Ty::Int)], Some(Ty::Bool), 2),
        "Visit" => (vec![("o", InOut, Ty::Block(visited)), ("times", Input, Ty::Int)], Some(Ty::Int), 3),
        "Tie" => (vec![("p", Input, Ty::Ptr(To::Int)), ("other", Input, Ty::Any(0))], None, 4),
        other => unreachable!("{other}"),
    };
    Form { params, result, level }
}

/// Returns the members of an interface.
fn promises(interface: usize, member: &str) -> bool {
    member == "Put" || member.starts_with("Level") || interface == 1 && member == "Take"
}

impl Ex {
    pub(super) fn literal(value: i64) -> Ex {
        Ex { text: format!("INT#{value}"), kind: ExKind::Literal(value) }
    }
    pub(super) fn read(place: Place) -> Ex {
        Ex { text: place.text.clone(), kind: ExKind::Read(place) }
    }
    pub(super) fn limited(self, low: i64, high: i64) -> Ex {
        Ex { text: format!("LIMIT({low}, {}, {high})", self.text), kind: ExKind::Limit(low, Box::new(self), high) }
    }
    pub(super) fn is_literal(&self) -> bool {
        matches!(self.kind, ExKind::Literal(_))
    }
    pub(super) fn two(op: &'static str, a: Ex, b: Ex) -> Ex {
        Ex { text: format!("({} {op} {})", a.text, b.text), kind: ExKind::Op(op, Box::new(a), Box::new(b)) }
    }
}

impl Maker {
    pub(super) fn value(&mut self, ty: Ty, depth: usize) -> Ex {
        if ty == Ty::Bool { self.truth(depth) } else { self.number(depth) }
    }

    fn number(&mut self, depth: usize) -> Ex {
        if depth == 0 {
            return self.atom(Ty::Int);
        }
        match self.rng.below(10) {
            0..4 => {
                let op = *self.rng.pick(&["+", "-", "+", "*"]);
                Ex::two(op, self.number(depth - 1), self.number(depth - 1))
            }
            4..7 => self.call_value(Ty::Int, depth - 1).unwrap_or_else(|| self.atom(Ty::Int)),
            7 => {
                let low = self.rng.below(4) as i64 - 2;
                self.number(depth - 1).limited(low, low + 9)
            }
            _ => self.atom(Ty::Int),
        }
    }

    fn truth(&mut self, depth: usize) -> Ex {
        if depth == 0 {
            return self.atom(Ty::Bool);
        }
        match self.rng.below(12) {
            0..3 => {
                let op = *self.rng.pick(&["=", "<>", "<", ">="]);
                Ex::two(op, self.number(depth - 1), self.number(depth - 1))
            }
            3..6 => {
                let op = *self.rng.pick(&["AND", "OR", "XOR", "AND_THEN", "OR_ELSE"]);
                Ex::two(op, self.truth(depth - 1), self.truth(depth - 1))
            }
            6 => {
                let e = self.truth(depth - 1);
                Ex { text: format!("(NOT {})", e.text), kind: ExKind::Not(Box::new(e)) }
            }
            7..9 => self.call_value(Ty::Bool, depth - 1).unwrap_or_else(|| self.atom(Ty::Bool)),
            9 => self.refers().unwrap_or_else(|| self.atom(Ty::Bool)),
            10 => self.same().unwrap_or_else(|| self.atom(Ty::Bool)),
            _ => self.atom(Ty::Bool),
        }
    }

    fn atom(&mut self, ty: Ty) -> Ex {
        if self.rng.chance(75)
            && let Some(place) = self.place(ty, false)
        {
            return Ex::read(place);
        }
        if ty == Ty::Bool {
            let b = self.rng.chance(50);
            Ex { text: if b { "TRUE" } else { "FALSE" }.to_owned(), kind: ExKind::Literal(i64::from(b)) }
        } else {
            let small = self.rng.below(9) as i64 - 2;
            Ex::literal(if self.rng.chance(6) { i64::from(i16::MAX) } else { small })
        }
    }

    /// Returns a test whether a reference has a target.
    pub(super) fn refers(&mut self) -> Option<Ex> {
        let all: Vec<Place> = self.places().into_iter().map(|found| found.0).filter(|p| p.ty.is_reference()).collect();
        if all.is_empty() {
            return None;
        }
        let place = self.rng.pick(&all).clone();
        let yes = self.rng.chance(60);
        Some(self.test(place, yes))
    }

    /// Returns `p <> 0`, `__ISVALIDREF(r)`
    pub(super) fn test(&mut self, place: Place, yes: bool) -> Ex {
        let op = if yes { "<>" } else { "=" };
        let text = match place.ty {
            Ty::Ref(_) => format!("{}__ISVALIDREF({})", if yes { "" } else { "NOT " }, place.text),
            Ty::Ptr(_) => format!("{} {op} {}", place.text, self.rng.pick(&["0", "NULL"])),
            Ty::Any(_) | Ty::Bool | Ty::Int | Ty::Pair | Ty::Row | Ty::Block(_) | Ty::Blocks(_) => {
                format!("{} {op} 0", place.text)
            }
        };
        Ex { text: format!("({text})"), kind: ExKind::Refers(place, yes) }
    }

    /// Returns a comparison of two pointers to values of one type, or of two interfaces.
    fn same(&mut self) -> Option<Ex> {
        let ty = *self.rng.pick(&[Ty::Ptr(To::Int), Ty::Any(0)]);
        let (a, b) = (self.place(ty, false)?, self.place(ty, false)?);
        Some(Ex { text: format!("({} = {})", a.text, b.text), kind: ExKind::Same(a, b) })
    }

    /// Returns a call that gives a value of a type.
    pub(super) fn call_value(&mut self, ty: Ty, depth: usize) -> Option<Ex> {
        let (text, call) = self.call(Some(ty), depth)?;
        Some(Ex { text, kind: ExKind::Call(Box::new(call)) })
    }

    /// Returns a call of a member or of the function; with or without a result.
    pub(super) fn call(&mut self, result: Option<Ty>, depth: usize) -> Option<(String, Call)> {
        if SERVE < self.here.level && (result == Some(Ty::Int) || result.is_none()) && self.rng.chance(20) {
            return self.serve(depth);
        }
        let mut ways = Vec::new();
        let places: Vec<Place> = self.places().into_iter().map(|found| found.0).collect();
        for member in MEMBERS {
            let form = form(member, self.visited);
            let wanted = match result {
                Some(ty) => form.result == Some(ty),
                None => member != "Level",
            };
            if !wanted {
                continue;
            }
            if form.level < self.here.level {
                self.ways(member, &places, &mut ways);
            }
            // The ancestor's version of this member.
            let base = self.here.class.and_then(|class| self.plan.classes[class].base);
            // An ancestor's member that uses VAR_IN_OUT of the body is a gap.
            let may_ascend =
                self.here.member.is_none() || self.here.class.is_none_or(|c| self.plan.classes[c].in_outs.is_empty());
            if let Some(base) = base
                && may_ascend
                && (form.level < self.here.level || self.here.member == Some(member))
                && let Some(definer) = self.plan.definer(base, member)
                && self.plan.classes[definer].members.get(member).is_some_and(Option::is_some)
            {
                for _ in 0..3 {
                    ways.push((member, "SUPER^.".to_owned(), Receiver::This, Callee::Of(definer, member)));
                }
            }
        }
        if ways.is_empty() {
            return None;
        }
        let (member, head, receiver, callee) = self.rng.pick(&ways).clone();
        let form = form(member, self.visited);
        match member {
            "Level" => {
                let call = Call { receiver, callee, inputs: vec![], in_outs: vec![], outputs: vec![] };
                Some((format!("{head}Level"), call))
            }
            "Level :=" => {
                let value = self.number(depth);
                let text = format!("{head}Level := {}", value.text);
                Some((text, Call { receiver, callee, inputs: vec![(0, Arg::Value(value))], in_outs: vec![], outputs: vec![] }))
            }
            _ => self.arguments(&form.params, format!("{head}{member}"), receiver, callee, depth),
        }
    }

    /// Returns the owners whose members can be called from here.
    fn ways(&mut self, member: &'static str, places: &[Place], ways: &mut Vec<(&'static str, String, Receiver, Callee)>) {
        let callee = Callee::Member(member);
        if let (Some(class), false) = (self.here.class, self.here.is_main)
            && self.plan.definer(class, member).is_some()
        {
            let head = if self.rng.chance(30) || member.starts_with("Level") { "THIS^." } else { "" };
            for _ in 0..3 {
                ways.push((member, head.to_owned(), Receiver::This, callee.clone()));
            }
        }
        for place in places {
            let receiver = match place.ty {
                Ty::Block(class) if self.plan.definer(class, member).is_some() => match place.steps.split_last() {
                    Some((Step::Deref, before)) if self.plan.has_heirs(class) => {
                        Receiver::Behind(Place { steps: before.to_vec(), ..place.clone() })
                    }
                    _ => Receiver::Place(place.clone()),
                },
                Ty::Any(interface) if promises(interface, member) && self.is_guarded(place) => Receiver::Behind(place.clone()),
                Ty::Any(_) | Ty::Block(_) | Ty::Bool | Ty::Int | Ty::Pair | Ty::Row | Ty::Blocks(_) | Ty::Ref(_) | Ty::Ptr(_) => {
                    continue;
                }
            };
            ways.push((member, format!("{}.", place.text), receiver, callee.clone()));
        }
    }

    fn serve(&mut self, depth: usize) -> Option<(String, Call)> {
        self.arguments(&self.served(), "Serve".to_owned(), Receiver::This, Callee::Function(0), depth)
    }

    /// Returns arguments in any order.
    fn arguments(
        &mut self,
        params: &[(&'static str, Section, Ty)],
        head: String,
        receiver: Receiver,
        callee: Callee,
        depth: usize,
    ) -> Option<(String, Call)> {
        let depth = depth.min(1);
        let mut call = Call { receiver, callee, inputs: vec![], in_outs: vec![], outputs: vec![] };
        let mut order: Vec<usize> = (0..params.len()).collect();
        for i in 0..order.len() {
            let other = self.rng.below(order.len());
            order.swap(i, other);
        }
        let mut texts = Vec::new();
        for i in order {
            let (name, section, ty) = params[i];
            match section {
                // It has an initial value.
                Section::Input if name == "go" && self.rng.chance(40) => {}
                Section::Input => {
                    let (text, value) = self.input(ty, depth)?;
                    let named = 1 < params.len() || self.rng.chance(60);
                    texts.push(format!("{}{text}", if named { format!("{name} := ") } else { String::new() }));
                    call.inputs.push((i, value));
                }
                Section::InOut | Section::Handed => {
                    let place = if member_of_block(&call.callee) { self.exactly(ty)? } else { self.given(ty)? };
                    texts.push(format!("{name} := {}", place.text));
                    call.in_outs.push((i, place));
                }
                Section::Output => {
                    if self.rng.chance(60)
                        && let Some(place) = self.place(ty, true)
                    {
                        texts.push(format!("{name} => {}", place.text));
                        call.outputs.push((i, place));
                    }
                }
                Section::Local | Section::Temp | Section::Static => {}
            }
        }
        Some((format!("{head}({})", texts.join(", ")), call))
    }

    /// Returns a value for an input of any kind, with its text.
    pub(super) fn input(&mut self, ty: Ty, depth: usize) -> Option<(String, Arg)> {
        if ty.is_reference() {
            let link = self.link(ty)?;
            return Some((link.text.clone(), Arg::Link(link)));
        }
        let value = self.value(ty, depth);
        Some((value.text.clone(), Arg::Value(value)))
    }

    /// Returns a variable for VAR_IN_OUT; of a block also an heir's instance.
    pub(super) fn given(&mut self, ty: Ty) -> Option<Place> {
        let Ty::Block(wanted) = ty else { return self.place(ty, true) };
        let all = self.places();
        // The target of a function's member calls must be known at its call, so not behind a reference. An heir's place calls
        // nothing either, so it is not evaluated before the call.
        let fits = |p: &Place| {
            p.class().is_some_and(|class| {
                let is_known = !(p.is_followed() && self.plan.has_heirs(class));
                is_known && self.plan.fits(wanted, class) && (class == wanted || !p.text.contains('('))
            })
        };
        let fit: Vec<Place> = all.into_iter().map(|found| found.0).filter(fits).collect();
        if fit.is_empty() { None } else { Some(self.rng.pick(&fit).clone()) }
    }

    /// Returns a variable for VAR_IN_OUT of a method, which takes no heir's instance.
    fn exactly(&mut self, ty: Ty) -> Option<Place> {
        let Ty::Block(wanted) = ty else { return self.place(ty, true) };
        let has_heirs = self.plan.has_heirs(wanted);
        let all = self.places();
        let fit: Vec<Place> =
            all.into_iter().map(|found| found.0).filter(|p| p.ty == ty && !(p.is_followed() && has_heirs)).collect();
        if fit.is_empty() { None } else { Some(self.rng.pick(&fit).clone()) }
    }

    /// Returns a value for a reference. `None` if there is no possible target.
    pub(super) fn link(&mut self, ty: Ty) -> Option<Link> {
        if self.rng.chance(4) && !matches!(ty, Ty::Ref(_)) {
            return Some(Link { text: "0".to_owned(), kind: LinkKind::Null });
        }
        let mut ways = Vec::new();
        for place in self.fixed_places() {
            let text = place.text.clone();
            let fits = match (ty, place.ty) {
                (Ty::Ref(To::Block(wanted)) | Ty::Ptr(To::Block(wanted)), Ty::Block(class)) => self.plan.fits(wanted, class),
                (Ty::Any(interface), Ty::Block(class)) => self.plan.implements(class, interface),
                (Ty::Ref(to) | Ty::Ptr(to), of) => to.ty() == of,
                _ => false,
            };
            if fits {
                let text = if let Ty::Ptr(_) = ty { format!("ADR({text})") } else { text };
                ways.push(Link { text, kind: LinkKind::To(place) });
            }
        }
        for (place, _) in self.places() {
            let fits = match (ty, place.ty) {
                (
                    Ty::Ref(To::Block(wanted)) | Ty::Ptr(To::Block(wanted)),
                    Ty::Ref(To::Block(class)) | Ty::Ptr(To::Block(class)),
                ) => self.plan.fits(wanted, class),
                (Ty::Ref(to) | Ty::Ptr(to), Ty::Ref(of) | Ty::Ptr(of)) => to == of,
                (Ty::Any(wanted), Ty::Any(interface)) => wanted <= interface,
                (Ty::Any(wanted), Ty::Ref(To::Block(class)) | Ty::Ptr(To::Block(class))) => self.plan.implements(class, wanted),
                _ => false,
            };
            if fits {
                let text = match (ty, place.ty) {
                    (Ty::Ptr(_), Ty::Ref(_)) => format!("ADR({})", place.text),
                    (Ty::Ref(_) | Ty::Any(_), Ty::Ptr(_)) => format!("{}^", place.text),
                    _ => place.text.clone(),
                };
                ways.push(Link { text, kind: LinkKind::Copy(place) });
            }
        }
        // The only instance of its class.
        if let (Ty::Any(interface), Some(class)) = (ty, self.here.class)
            && self.is_solo(class)
            && self.plan.implements(class, interface)
        {
            let this = super::places::root("THIS^", Root::This(0), Ty::Block(class));
            ways.push(Link { text: this.text.clone(), kind: LinkKind::To(this) });
        }
        if ways.is_empty() { None } else { Some(self.rng.pick(&ways).clone()) }
    }

    /// Returns true if a class has one instance and no heir: its variables exist once.
    pub(super) fn is_solo(&self, class: usize) -> bool {
        !self.here.is_main && !self.plan.has_heirs(class) && self.plan.count(class) == 1
    }
}

fn member_of_block(callee: &Callee) -> bool {
    !matches!(callee, Callee::Function(_))
}

impl Ty {
    pub(super) fn is_reference(self) -> bool {
        matches!(self, Ty::Ref(_) | Ty::Ptr(_) | Ty::Any(_))
    }
}
