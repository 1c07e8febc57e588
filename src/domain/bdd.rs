//! Binary decision diagrams as expressions.

use std::sync::OnceLock;

use biodivine_lib_bdd::{Bdd, BddVariable, BddVariableSet};

use crate::expr::{ExprId, ExprPool};

/// Variables for all diagrams; making a set is not cheap. More atoms than this are beyond any hope.
pub(crate) fn variables() -> &'static BddVariableSet {
    static SET: OnceLock<BddVariableSet> = OnceLock::new();
    SET.get_or_init(|| BddVariableSet::new_anonymous(4096))
}

/// The formula of `bdd`, where `atom` says what each variable stands for. Shared parts are shared.
pub(crate) fn to_expr(pool: &mut ExprPool, bdd: &Bdd, mut atom: impl FnMut(&mut ExprPool, BddVariable) -> ExprId) -> ExprId {
    let mut done: Vec<ExprId> = Vec::with_capacity(bdd.size());
    // The library keeps children before their parents: both terminals first, the root last.
    for node in bdd.pointers() {
        let e = match node.as_bool() {
            Some(value) => pool.bool(value),
            None => {
                let (low, high) = (done[bdd.low_link_of(node).to_index()], done[bdd.high_link_of(node).to_index()]);
                let atom = atom(pool, bdd.var_of(node));
                pool.ite(atom, high, low)
            }
        };
        done.push(e);
    }
    done[bdd.root_pointer().to_index()]
}
