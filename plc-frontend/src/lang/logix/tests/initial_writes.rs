//! Tags to which a program writes their initial values only.

use super::*;
use crate::environment::initial_writes;

fn idle(rungs: &str, rest: &str) -> Vec<String> {
    let project = project(&export(rungs, rest));
    let leaves = project.leaves();
    initial_writes(&project, &leaves, false).into_iter().map(|at| leaves[at].name.clone()).collect()
}

#[test]
fn a_command_that_the_program_only_clears_is_idle() {
    // An operator sets it. The initial values of the bits are TRUE, that of y is 3.
    assert_eq!(idle("XIC(p)OTE(q);XIC(q)OTL(p);", ""), ["P.p"]);
    assert_eq!(idle("XIC(p)OTE(q);XIC(q)JSR(Other,0);", &routine("Other", "OTL(p);")), ["P.p"]);
    assert_eq!(idle("XIC(p)OTE(q);XIC(q)OTU(p);", ""), [""; 0]);
    assert_eq!(idle("XIC(p)OTE(q);XIC(q)OTL(p);XIC(a)OTU(p);", ""), [""; 0]);
    assert_eq!(idle("XIC(a)MOV(3,y);MOV(y,x);", ""), ["P.y"]);
    assert_eq!(idle("XIC(a)MOV(4,y);MOV(y,x);", ""), [""; 0]);
    assert_eq!(idle("XIC(y.0)OTE(q);XIC(q)OTL(y.0);", ""), ["P.y"]);
    assert_eq!(idle("XIC(y.3)OTE(q);XIC(q)OTL(y.3);", ""), [""; 0]);
    // Tags that nothing reads, and those of the import, are not told.
    assert_eq!(idle("XIC(a)OTL(p);XIC(b)FOR(Other,z,1,2,1);", &routine("Other", "NOP();")), [""; 0]);
}
