//! Addresses as arguments of FB_init in blocks with several instances: each instance gives its own variable.

use crate::ast::{self, Arg, ExprKind};
use crate::hir::{Elem, Expr, Parts, Place, PouId, Project, Root, Type, TypeId, indices, n_elements};
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::types::elementary;
use crate::text::Span;

/// Most instances of a block whose variables become targets.
const MOST_INSTANCES: usize = 1_000;
/// Most places that wait for a look inside.
const MOST_LOOKED_AT: usize = 200_000;

/// Variable to which an argument refers.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// The variable, as the block around the declaration sees it.
    place: Place,
    /// Type of the reference.
    ty: TypeId,
}

impl Resolver<'_> {
    /// Returns the variable whose address an argument is; that of each instance becomes a target.
    pub(crate) fn argument_address(&mut self, scope: Scope, e: &ast::Expr, ty: TypeId) -> Res<Address> {
        let place = self.referent_of(scope, e)?;
        let owner = scope.owner.ok_or(Bad::Reported)?;
        self.can_refer(&place, ty)?;
        let effect = "what the argument refers to is not known";
        let too_many = || unsupported(e.span, "address as an argument in a block with too many instances", effect);
        let address = Address { place, ty };
        for instance in self.project.places_of(owner).ok_or_else(too_many)? {
            let place = self.target_in(&address, &instance, scope)?;
            self.number_of(place)?;
        }
        Ok(address)
    }

    /// Returns the reference to the variable of one instance; `None` if it is no target.
    pub(crate) fn reference_to(&self, address: &Address, instance: &Place) -> Option<Expr> {
        let place = self.target_in(address, instance, Scope { owner: None, uses: Uses::Code }).ok()?;
        let targets = self.references.targets.get(&self.project.family_of(place.ty))?;
        let at = targets.iter().position(|target| target.root == place.root && target.path == place.path)?;
        Some(Expr::int(at as i128 + 1, address.ty, address.place.span))
    }

    fn target_in(&self, address: &Address, instance: &Place, scope: Scope) -> Res<Place> {
        let of = &address.place;
        let first = if let Root::Var(var) = of.root { Some(Elem::Member(var)) } else { None };
        let path = instance.path.iter().cloned().chain(first).chain(of.path.iter().cloned()).collect();
        self.references.fixed(&self.names, &self.project, scope, &Place { root: instance.root, path, ..of.clone() })
    }

    /// Returns the variable in `ADR(x)`, `REF(x)`, `x`, `THIS` and `THIS^`.
    fn referent_of(&mut self, scope: Scope, e: &ast::Expr) -> Res<Place> {
        match &e.kind {
            ExprKind::Call(name, args) => {
                let is_address = ["ADR", "REF"].iter().any(|f| name.path.is_empty() && name.root.text.eq_ignore_ascii_case(f));
                match args.as_slice() {
                    [Arg::Positional(argument)] if is_address => self.referent_of(scope, argument),
                    _ => Err(Bad::Reported),
                }
            }
            ExprKind::Name(name) => match self.names.self_reference(&self.project, scope, name) {
                Some((false, [])) => self.this_place(scope, e.span).map(|(place, _)| place).ok_or(Bad::Reported),
                Some(_) | None => self.target(scope, e),
            },
            ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Error => {
                Err(Bad::Reported)
            }
        }
    }
}

impl Project {
    /// Returns the places of all instances of a block; `None` if there are too many.
    fn places_of(&self, block: PouId) -> Option<Vec<Place>> {
        let mut found = Vec::new();
        let place = |root, ty| Place::of(root, ty, Span::none());
        let mut waiting: Vec<(Place, Option<PouId>)> = Vec::new();
        waiting.extend(self.globals.iter_enumerated().map(|(id, var)| (place(Root::Global(id), var.ty), None)));
        waiting
            .extend(self.instances.iter_enumerated().map(|(id, i)| (place(Root::Instance(id), elementary::BOOL), Some(i.pou))));
        while let Some((at, task)) = waiting.pop() {
            let here = task.or_else(|| if let Type::FunctionBlock(pou) = self.types[at.ty].ty { Some(pou) } else { None });
            if here == Some(block) {
                found.push(at.clone());
            }
            if MOST_INSTANCES < found.len() || MOST_LOOKED_AT < waiting.len() || 100 < at.path.len() {
                return None;
            }
            if let Some(pou) = here {
                for (var, row) in self.pous[pou].vars.iter_enumerated() {
                    if self.persists_in(pou, var) && self.holds_instance(row.ty) {
                        waiting.push((at.part(Elem::Member(var), row.ty), None));
                    }
                }
                continue;
            }
            match self.types[at.ty].ty.parts() {
                Parts::Fields(fields) => {
                    let fields = fields.iter().enumerate().filter(|(_, field)| self.holds_instance(field.ty));
                    waiting.extend(fields.map(|(k, field)| (at.part(Elem::Field(k as u32), field.ty), None)));
                }
                Parts::Elements(dims, elem) if self.holds_instance(elem) => {
                    for flat in 0..n_elements(dims) {
                        let index = |i: i64| Expr::int(i128::from(i), elementary::LINT, Span::none());
                        let index = indices(dims, flat as i64).into_iter().map(index).collect();
                        waiting.push((at.part(Elem::Index(index), elem), None));
                    }
                }
                Parts::Elements(..) | Parts::Variables(_) | Parts::Scalar => {}
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_run;

    /// Checks the values of `a.n` and `b.n`: each leaf adds to the variable that its box passes to it.
    #[track_caller]
    fn check(leaf: &str, input: &str, declaration: &str, expected: &[i128]) {
        let base = "FUNCTION_BLOCK Base\nVAR_INPUT n : INT; END_VAR\nEND_FUNCTION_BLOCK\n";
        let leaf = format!(
            "FUNCTION_BLOCK Leaf\nVAR p : {input}; END_VAR\nMETHOD FB_init : BOOL\nVAR_INPUT bInitRetains, bInCopyCode : BOOL; q : {input}; END_VAR\n\
            {leaf}\nEND_FUNCTION_BLOCK\n"
        );
        let block = format!("FUNCTION_BLOCK Box EXTENDS Base\nVAR l : {declaration}; END_VAR\nl();\nEND_FUNCTION_BLOCK\n");
        let main = "PROGRAM P\nVAR a : Box := (n := 5); b : ARRAY [0..1] OF Box; END_VAR\na(); b[1](); b[1]();\nEND_PROGRAM\n";
        check_run(&format!("{base}{leaf}{block}{main}"), &["P.a.n", "P.b[0].n", "P.b[1].n"], expected, &[]);
    }

    #[test]
    fn each_instance_passes_its_own_variable() {
        let pointer = "p := q; FB_init := TRUE;\nEND_METHOD\np^ := p^ + 1;";
        check(pointer, "POINTER TO INT", "Leaf(ADR(n))", &[6, 0, 2]);
        check(pointer, "POINTER TO INT", "Leaf(q := ADR(THIS^.n))", &[6, 0, 2]);
        let reference = "p REF= q; FB_init := TRUE;\nEND_METHOD\np := p + 1;";
        check(reference, "REFERENCE TO INT", "Leaf(n)", &[6, 0, 2]);
        check(reference, "REFERENCE TO INT", "Leaf(q := n)", &[6, 0, 2]);
        let whole = "p := q; FB_init := TRUE;\nEND_METHOD\np^.n := p^.n + 1;";
        check(whole, "POINTER TO Base", "Leaf(THIS)", &[6, 0, 2]);
        check(whole, "POINTER TO Base", "Leaf(ADR(THIS^))", &[6, 0, 2]);
        let whole = "p REF= q; FB_init := TRUE;\nEND_METHOD\np.n := p.n + 1;";
        check(whole, "REFERENCE TO Base", "Leaf(THIS^)", &[6, 0, 2]);
    }
}
