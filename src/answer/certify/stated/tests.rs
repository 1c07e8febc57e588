//! Conjunctions of parts share their nodes.

use std::collections::BTreeSet;

use super::*;
use kernel::expr::Sort;

#[test]
fn conjunctions_have_their_parts_and_share_nodes() {
    let mut pool = ExprPool::new();
    let parts: Vec<ExprId> = (0..300)
        .map(|i| {
            let var = pool.new_var(format!("v{i}"), Sort::Bool);
            pool.var(var)
        })
        .collect();
    let mut conjunctions = Conjunctions::new(&parts);
    let all: PartSet = (0..300).collect();
    let whole = conjunctions.of(&mut pool, &all);
    let sorted = |pool: &ExprPool, e: ExprId| pool.conjuncts(e).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&pool, whole), parts.iter().copied().collect());
    let mut invariants = BTreeMap::from([(LocId(0), whole)]);
    for left_out in 0..300 {
        let set: PartSet = (0..300).filter(|n| *n != left_out).collect();
        let fewer = conjunctions.of(&mut pool, &set);
        assert_eq!(sorted(&pool, fewer), set.iter().map(|n| parts[n]).collect());
        invariants.insert(LocId(1 + left_out as u32), fewer);
    }
    // A tenth of what lists would be.
    let nodes: Vec<ExprId> = invariants.values().copied().collect();
    assert!(pool.size(&nodes, usize::MAX) < 300 * 30, "{}", pool.size(&nodes, usize::MAX));
    let Numbered { parts: numbered, places } = Numbered::of(&pool, &invariants);
    assert_eq!(numbered.len(), parts.len());
    assert!(places.iter().all(|(place, set)| set.len() == if place.0 == 0 { 300 } else { 299 }));
    let none = Conjunctions::new(&parts).of(&mut pool, &PartSet::default());
    assert!(pool.is_true(none));
}

#[test]
fn invariant_of_a_place_is_the_conjunction_of_its_parts() {
    let mut pool = ExprPool::new();
    let vars: Vec<_> = (0..3).map(|i| pool.new_var(format!("v{i}"), Sort::Bool)).collect();
    let symbols = Symbols::new(&pool, &vars);
    let [a, b, c] = [0, 1, 2].map(|i| pool.var(vars[i]));
    let (either, other) = (pool.or(a, b), pool.or(b, c));
    let predicate = |e| Predicate::of_expr(&pool, e, &symbols).unwrap();
    let parts = [predicate(either), predicate(other)];
    let all = Predicate::all(&parts);
    assert_eq!((all.params.as_slice(), all.conjuncts().len()), (vars.as_slice(), 2));
    // Equal terms are one: three variables, two parts, and the whole.
    assert_eq!(all.terms.len(), 6);
    assert!(Predicate::all([]).is_true());
    assert_eq!(Predicate::all(&parts[..1]).params, vars[..2]);
}
