//! Calls of S7 controllers whose arguments are also used by another name. No rule: such calls are only noted.
//!
//! S7 controllers copy a simple VAR_IN_OUT to the call and back behind it. They give a function its structures and arrays by
//! address. The model has it the other way round. It makes no difference where the called code uses an argument by its parameter
//! alone.
//!
//! ```scl
//! "DB_A"(io := "DB_G".a);   // FB_A reads "DB_G".a, too: it still has the value from before the call
//! ```
//!
//! Source: Siemens, S7-1200 System Manual, chapter "Block optimization and passing parameters".

use std::collections::{BTreeMap, BTreeSet};

use crate::hir::walk::Access;
use crate::hir::{
    Address, CallArgs, Elem, Expr, ExprKind, GlobalId, Place, PouId, PouKind, Project, Root, Section, Stmt, StmtKind, VarId,
    Visit, walk,
};
use crate::text::{Origin, Span};

/// Returns the calls of the user's bodies whose arguments the called code may use by another name.
///
/// Soundness: all that a call may reach counts, also where no run reaches it. Cost: for each call with such an argument, the places of
/// all bodies that it reaches.
pub(crate) fn copied_arguments(project: &Project) -> Vec<Span> {
    let mut bodies: BTreeMap<PouId, Body<'_>> = BTreeMap::new();
    for (id, pou) in project.pous.iter_enumerated() {
        let mut body = Body::default();
        body.body(&pou.body);
        walk::calls(&pou.body, |callee| {
            body.calls.insert(callee);
        });
        bodies.insert(id, body);
    }
    let mut found = Vec::new();
    for (id, pou) in project.pous.iter_enumerated().filter(|(_, pou)| pou.origin == Origin::User) {
        let mut search = Search { project, pou: id, bodies: &bodies, found: Vec::new() };
        search.body(&pou.body);
        found.append(&mut search.found);
    }
    found
}

/// Places and calls of a body.
#[derive(Default)]
struct Body<'p> {
    places: Vec<(&'p Place, Access)>,
    calls: BTreeSet<PouId>,
}

impl<'p> Visit<'p> for Body<'p> {
    fn place(&mut self, place: &'p Place, access: Access) {
        self.places.push((place, access));
        self.place_parts(place);
    }
}

struct Search<'p> {
    project: &'p Project,
    /// The POU whose body is searched.
    pou: PouId,
    bodies: &'p BTreeMap<PouId, Body<'p>>,
    found: Vec<Span>,
}

impl<'h> Visit<'h> for Search<'_> {
    fn stmt(&mut self, stmt: &'h Stmt) {
        if let StmtKind::CallInstance { pou, args, .. } = &stmt.kind {
            self.call_at(*pou, args, None, stmt.span);
        } else if let StmtKind::Assign { target, value } = &stmt.kind
            && let ExprKind::Call(callee, args) = &value.kind
        {
            // A function writes a structure that it returns into the target.
            self.call_at(*callee, args, Some(target), value.span);
        }
        self.stmt_parts(stmt);
    }

    fn expr(&mut self, e: &'h Expr) {
        if let ExprKind::Call(callee, args) = &e.kind {
            self.call_at(*callee, args, None, e.span);
        }
        self.expr_parts(e);
    }
}

impl Search<'_> {
    fn call_at(&mut self, callee: PouId, args: &CallArgs, result: Option<&Place>, span: Span) {
        let is_scalar = |place: &&Place| self.project.types[place.ty].ty.is_scalar();
        let is_function = matches!(self.project.pous[callee].kind, PouKind::Function(_));
        let outputs: Vec<&Place> = args.outputs.iter().map(|(_, place)| place).chain(result).collect();
        let copied = args.in_outs.iter().map(|(_, place)| place).filter(is_scalar);
        let written = outputs.iter().copied().filter(|place| is_function && !is_scalar(place));
        let copied: Vec<&Place> = copied.chain(written).collect();
        let values = args.inputs.iter().filter(|_| is_function);
        let values = values.filter_map(|(_, value)| if let ExprKind::Read(place) = &value.kind { Some(place) } else { None });
        let addressed: Vec<&Place> = values.filter(|place| !is_scalar(place)).collect();
        if copied.is_empty() && addressed.is_empty() {
            return;
        }
        let lent: Vec<&Place> = args.in_outs.iter().map(|(_, place)| place).chain(outputs).collect();
        let is_repeated = |place: &&Place| lent.iter().filter(|other| self.overlap(place, other)).count() > 1;
        let is_lent = |place: &&Place| lent.iter().any(|other| self.overlap(place, other));
        if copied.iter().any(is_repeated) || addressed.iter().any(is_lent) {
            self.found.push(span);
            return;
        }
        for pou in self.reached(callee) {
            let Some(body) = self.bodies.get(&pou) else { continue };
            let uses = |place: &&Place| body.places.iter().any(|(used, _)| self.may_be(place, pou, used));
            let writes = |place: &&Place| {
                let mut written = body.places.iter().filter(|(_, access)| *access != Access::Read);
                written.any(|(used, _)| self.may_be(place, pou, used))
            };
            if copied.iter().any(uses) || addressed.iter().any(writes) {
                self.found.push(span);
                return;
            }
        }
    }

    /// Returns a POU and all that it calls.
    fn reached(&self, pou: PouId) -> BTreeSet<PouId> {
        let (mut reached, mut todo) = (BTreeSet::new(), vec![pou]);
        while let Some(pou) = todo.pop() {
            if reached.insert(pou) {
                todo.extend(self.bodies.get(&pou).into_iter().flat_map(|body| &body.calls));
            }
        }
        reached
    }

    /// Returns whether a place in the called code may be that of an argument of this call.
    ///
    /// Soundness: the caller got a structure as a VAR_IN_OUT from anywhere, so its parts may be all places of their types.
    fn may_be(&self, argument: &Place, user: PouId, used: &Place) -> bool {
        let is_followed = |place: &Place| place.path.iter().any(|elem| matches!(elem, Elem::Deref(_)));
        if is_followed(used) {
            return true;
        }
        let is_lent = |var: VarId| {
            let var = &self.project.pous[self.pou].vars[var];
            var.section == Section::InOut && !self.project.types[var.ty].ty.is_scalar()
        };
        if is_followed(argument) || matches!(argument.root, Root::Var(var) if is_lent(var)) {
            let is_persistent = match used.root {
                Root::Var(var) => self.project.persists_in(user, var),
                Root::Global(_) | Root::This(_) | Root::Instance(_) => true,
            };
            return is_persistent && (used.ty == argument.ty || !self.project.types[used.ty].ty.is_scalar());
        }
        match argument.root {
            Root::Global(_) | Root::Instance(_) => self.overlap(argument, used) || self.is_instance_of_user(argument, user, used),
            Root::Var(var) => self.project.persists_in(self.pou, var) && self.is_own(Some(var), user, used),
            Root::This(_) => self.is_own(None, user, used),
        }
    }

    /// Returns whether an argument lies in an instance of the block that uses a variable of its own.
    fn is_instance_of_user(&self, argument: &Place, user: PouId, used: &Place) -> bool {
        let members = self.project.members_on(Some(self.pou), argument);
        let has_views = self.project.local_views.contains_key(&user);
        match used.root {
            Root::Var(var) => members.into_iter().any(|(pou, own)| pou == user && (own == var || has_views)),
            Root::This(_) => members.into_iter().any(|(pou, _)| pou == user),
            Root::Global(_) | Root::Instance(_) => false,
        }
    }

    /// Returns whether a place is, or lies in, this variable of an instance of the calling block; `None` for any variable.
    fn is_own(&self, var: Option<VarId>, user: PouId, used: &Place) -> bool {
        let var = var.filter(|_| !self.project.local_views.contains_key(&self.pou));
        let is_it = |(pou, own): (PouId, VarId)| pou == self.pou && var.is_none_or(|var| var == own);
        let is_direct = matches!(used.root, Root::Var(own) if user == self.pou && is_it((user, own)));
        // A whole instance has all of its variables.
        let is_whole = self.project.block_of(used.ty) == Some(self.pou) || matches!(used.root, Root::This(_));
        is_direct || is_whole || self.project.members_on(Some(user), used).into_iter().any(is_it)
    }

    /// Returns whether two places of one POU, or of global variables, may share memory.
    fn overlap(&self, a: &Place, b: &Place) -> bool {
        let is_same = |(a, b): (&Elem, &Elem)| match (a, b) {
            (Elem::Field(a), Elem::Field(b)) => a == b,
            (Elem::Member(a), Elem::Member(b)) => a == b,
            (Elem::Index(_) | Elem::Bits { .. } | Elem::Deref(_) | Elem::Field(_) | Elem::Member(_), _) => true,
        };
        if a.root == b.root {
            return a.path.iter().zip(&b.path).all(is_same);
        }
        let (Root::Global(a), Root::Global(b)) = (a.root, b.root) else { return false };
        let address = |global: GlobalId| self.project.globals[global].address.as_ref();
        matches!((address(a), address(b)), (Some(a), Some(b)) if shares_bits(a, b))
    }
}

/// Returns whether two addresses may have bits in common. The last number but that of a bit counts bytes.
fn shares_bits(a: &Address, b: &Address) -> bool {
    let bits = |address: &Address| {
        let (first, rest) = address.path.split_first()?;
        let start = u64::from(*first) * 8 + rest.first().map_or(0, |bit| u64::from(*bit));
        Some((start, start + u64::from(address.size.bits())))
    };
    a.area == b.area && matches!((bits(a), bits(b)), (Some((a, a_end)), Some((b, b_end))) if a < b_end && b < a_end)
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId;
    use crate::text::SourceSet;
    use crate::{LoadOptions, load};

    #[test]
    fn arguments_that_calls_copy_are_used_by_their_parameters_alone() {
        let data = "TYPE \"U\"\nSTRUCT v : Int; END_STRUCT;\nEND_TYPE\nDATA_BLOCK \"D\"\nVAR a : Int; b : Int; s : \"U\"; END_VAR\nBEGIN\nEND_DATA_BLOCK\n";
        let check = |code: &str, call: &str, dialect: DialectId, expected: usize| {
            let mut sources = SourceSet::default();
            let main = "ORGANIZATION_BLOCK \"Main\"\nBEGIN\n";
            sources.add("a.scl", format!("{data}{code}\n{main}{call}\nEND_ORGANIZATION_BLOCK\n"));
            let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
            assert!(!loaded.has_errors(), "{code}: {:?}", loaded.diagnostics);
            let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.construct.contains("by its parameter only"));
            assert_eq!(gaps.count(), expected, "{code}{call}");
        };
        let tia = DialectId::SiemensTia;
        let set = |body: &str| {
            format!(
                "FUNCTION \"F\" : Void\nVAR_IN_OUT io : Int; END_VAR\nVAR_INPUT i : Int; s : \"U\"; END_VAR\nBEGIN\n{body}\nEND_FUNCTION"
            )
        };
        let call = "\"F\"(io := \"D\".a, i := \"D\".b, s := \"D\".s);";
        check(&set("#io := 5; \"D\".b := \"D\".a;"), call, tia, 1);
        check(&set("#io := 5; \"D\".a := 1;"), call, tia, 1);
        check(&set("#io := 5; \"D\".b := #i;"), call, tia, 0);
        check(&set("\"D\".b := \"D\".s.v;"), call, tia, 0);
        check(&set("\"D\".s.v := 9; #io := #s.v;"), call, tia, 1);
        let nested = format!("FUNCTION \"G\" : Void\nBEGIN\n\"D\".a := 1;\nEND_FUNCTION\n{}", set("\"G\"();"));
        check(&nested, call, tia, 1);
        let two = "FUNCTION \"F\" : Void\nVAR_IN_OUT x : Int; y : Int; END_VAR\nBEGIN\n#x := 1; #y := 2;\nEND_FUNCTION";
        check(two, "\"F\"(x := \"D\".a, y := \"D\".a);", tia, 1);
        check(two, "\"F\"(x := \"D\".a, y := \"D\".b);", tia, 0);
        let block = "FUNCTION_BLOCK \"B\"\nVAR n : Int; END_VAR\nBEGIN\n\"F\"(#n);\nEND_FUNCTION_BLOCK\nDATA_BLOCK \"I\"\n\"B\"\nBEGIN\nEND_DATA_BLOCK\n";
        let through = |name: &str| {
            format!("{block}FUNCTION \"F\" : Void\nVAR_IN_OUT x : Int; END_VAR\nBEGIN\n#x := 1; \"{name}\" := 2;\nEND_FUNCTION")
        };
        check(&through("I\".\"n"), "\"I\"();", tia, 1);
        check(&through("D\".\"a"), "\"I\"();", tia, 0);
        let part = "FUNCTION \"F\" : Void\nVAR_IN_OUT x : Int; END_VAR\nBEGIN\n#x := 1; \"D\".s.v := 2;\nEND_FUNCTION\n\
             FUNCTION_BLOCK \"B\"\nVAR_IN_OUT s : \"U\"; END_VAR\nBEGIN\n\"F\"(#s.v);\nEND_FUNCTION_BLOCK\n\
             DATA_BLOCK \"I\"\n\"B\"\nBEGIN\nEND_DATA_BLOCK\n";
        check(part, "\"I\"(s := \"D\".s);", tia, 1);
        let own = "FUNCTION_BLOCK \"B\"\nVAR_IN_OUT io : Int; END_VAR\nVAR n : Int; m : Int; END_VAR\nBEGIN\n#io := 5; #m := #n;\nEND_FUNCTION_BLOCK\n\
                   DATA_BLOCK \"I\"\n\"B\"\nBEGIN\nEND_DATA_BLOCK\n";
        check(own, "\"I\"(io := \"I\".n);", tia, 1);
        check(own, "\"I\"(io := \"D\".a);", tia, 0);
        let result = "FUNCTION \"F\" : \"U\"\nVAR_INPUT x : \"U\"; END_VAR\nBEGIN\n#F.v := 1; #F.v := #x.v;\nEND_FUNCTION";
        check(result, "\"D\".s := \"F\"(\"D\".s);", tia, 1);
    }
}
