//! Places that a statement can name.

use super::declare::Maker;
use super::plan::{Ex, Place, Root, Section, Step, To, Ty, Var};

/// A place; TRUE if it may be assigned.
pub(super) type Found = (Place, bool);

impl Maker {
    /// Returns all places here; variable indices are chosen anew each time.
    pub(super) fn places(&mut self) -> Vec<Found> {
        let mut found = Vec::new();
        for (place, writable) in self.roots() {
            self.parts(place, writable, &mut found);
        }
        found
    }

    /// Returns the variables themselves.
    pub(super) fn roots(&mut self) -> Vec<Found> {
        let mut roots = Vec::new();
        for (i, var) in self.here.vars.iter().enumerate() {
            // Loops count with variables of their own.
            let writable = var.section != Section::Input && !var.name.starts_with('k');
            roots.push((root(&var.name, Root::Frame(i), var.ty), writable));
        }
        if let Some(class) = self.here.class {
            for (i, var) in self.plan.classes[class].fields.clone().iter().enumerate() {
                let this = !self.here.is_main && self.rng.chance(10);
                let name = format!("{}{}", if this { "THIS^." } else { "" }, var.name);
                roots.push((root(&name, Root::This(self.plan.offset(class, i)), var.ty), var.section != Section::Input));
            }
        }
        roots.extend(self.here.statics.iter().map(|place| (place.clone(), true)));
        let globals = self.plan.globals.iter().filter(|(var, _)| !var.name.is_empty());
        roots.extend(globals.map(|(var, address)| (root(&var.name, Root::Fixed(*address), var.ty), true)));
        roots
    }

    /// Adds a place and its parts.
    fn parts(&mut self, place: Place, writable: bool, found: &mut Vec<Found>) {
        if 7 < place.steps.len() {
            return;
        }
        match place.ty {
            Ty::Bool | Ty::Int => {}
            Ty::Pair => {
                found.push((part(&place, ".a", Step::At(0), Ty::Int), writable));
                found.push((part(&place, ".on", Step::At(1), Ty::Bool), writable));
            }
            Ty::Row => {
                let step = self.index(0, 2, 1);
                found.push((part(&place, &step.0, step.1, Ty::Int), writable));
            }
            Ty::Blocks(class) => {
                let step = self.index(1, 2, self.plan.size(Ty::Block(class)));
                self.parts(part(&place, &step.0, step.1, Ty::Block(class)), writable, found);
                return;
            }
            Ty::Block(class) => {
                for (i, var) in self.plan.classes[class].fields.clone().iter().enumerate() {
                    if let Section::Input | Section::Output = var.section {
                        let step = Step::At(self.plan.offset(class, i));
                        found.push((part(&place, &format!(".{}", var.name), step, var.ty), var.section == Section::Input));
                    }
                }
            }
            Ty::Ref(to) if self.is_guarded(&place) => self.parts(part(&place, "", Step::Deref, to.ty()), true, found),
            Ty::Ptr(to) if self.is_guarded(&place) => self.parts(part(&place, "^", Step::Deref, to.ty()), true, found),
            Ty::Ref(_) | Ty::Ptr(_) | Ty::Any(_) => {}
        }
        found.push((place, writable));
    }

    /// Returns true if a test before this statement shows that the reference has a target.
    pub(super) fn is_guarded(&self, place: &Place) -> bool {
        let text = place.text.trim_start_matches("THIS^.");
        self.here.guarded.iter().any(|known| known == text)
    }

    /// Returns `[2]` or `[LIMIT(1, x, 2)]`
    fn index(&mut self, low: i64, high: i64, stride: usize) -> (String, Step) {
        let n = low + self.rng.below((high - low + 1) as usize) as i64;
        let index = if self.rng.chance(50) { Ex::literal(n) } else { self.index_value().limited(low, high) };
        let text = if self.rng.chance(50) { index.text.trim_start_matches("INT#").to_owned() } else { index.text.clone() };
        (format!("[{text}]"), Step::Index { index: Box::new(index), low, stride })
    }

    /// Returns some INT, rarely one with side effects.
    fn index_value(&mut self) -> Ex {
        if self.here.in_index == 0 && self.rng.chance(4) {
            self.here.in_index += 1;
            let value = self.call_value(Ty::Int, 1);
            self.here.in_index -= 1;
            if let Some(value) = value {
                return value;
            }
        }
        let whole: Vec<Place> = self.roots().into_iter().map(|found| found.0).filter(|place| place.ty == Ty::Int).collect();
        if whole.is_empty() { Ex::literal(1) } else { Ex::read(self.rng.pick(&whole).clone()) }
    }

    /// Returns some place of a type.
    pub(super) fn place(&mut self, ty: Ty, written: bool) -> Option<Place> {
        let all = self.places();
        let fit: Vec<Place> = all.into_iter().filter(|(p, w)| p.ty == ty && (*w || !written)).map(|found| found.0).collect();
        if fit.is_empty() { None } else { Some(self.rng.pick(&fit).clone()) }
    }

    /// Returns the targets of references: places that exist once and are known before the program runs.
    pub(super) fn fixed_places(&mut self) -> Vec<Place> {
        let all = self.places();
        let mut fixed = Vec::new();
        for (place, _) in all {
            let is_known = place.steps.iter().all(|step| match step {
                Step::At(_) => true,
                Step::Index { index, .. } => index.is_literal(),
                Step::Deref => false,
            });
            let exists_once = match place.root {
                Root::Frame(_) => false,
                Root::This(_) => self.here.is_main || self.here.class.is_some_and(|class| self.is_solo(class)),
                Root::Fixed(_) => !self.here.statics.iter().any(|s| s.root == place.root),
            };
            if is_known && exists_once && !place.text.contains("THIS^") {
                fixed.push(place);
            }
        }
        fixed
    }
}

pub(super) fn root(name: &str, root: Root, ty: Ty) -> Place {
    Place { text: name.to_owned(), root, steps: Vec::new(), ty }
}

fn part(whole: &Place, text: &str, step: Step, ty: Ty) -> Place {
    let mut place = whole.clone();
    place.text.push_str(text);
    place.steps.push(step);
    place.ty = ty;
    place
}

impl Place {
    /// Returns the class whose instance it is.
    pub(super) fn class(&self) -> Option<usize> {
        if let Ty::Block(class) = self.ty { Some(class) } else { None }
    }

    /// Returns true for the target of a reference.
    pub(super) fn is_followed(&self) -> bool {
        matches!(self.steps.last(), Some(Step::Deref))
    }
}

impl Var {
    pub(super) fn new(name: impl Into<String>, ty: Ty, section: Section) -> Var {
        Var { name: name.into(), ty, section, init: None }
    }
}

impl To {
    /// Returns words in a declaration.
    pub(super) fn words(self, names: &[String]) -> String {
        match self {
            To::Int => "INT".to_owned(),
            To::Pair => "Pair".to_owned(),
            To::Block(class) => names[class].clone(),
        }
    }
}
