//! Pictures of automata.

use kernel::cfa::Op;
use kernel::cfa::picture::picture;
use kernel::draw::NodeKind;
use kernel::expr::Value;
use testgen::automata::examples::Builder;

#[test]
fn operations_stand_on_the_edges() {
    let mut b = Builder::new();
    let x = b.var("x", Value::int(16, 0));
    let l = b.then(b.cfa.head, Op::Havoc(x));
    let zero = b.is(x, 0);
    b.close(l, zero);
    let picture = picture(&b.pool, &b.cfa, 10);
    let texts: Vec<&str> = picture.edges.iter().map(|edge| edge.text.as_str()).collect();
    assert!(texts.contains(&"havoc x") && texts.contains(&"[x = 0]"), "{texts:?}");
    assert!(picture.nodes.iter().any(|node| node.kind == NodeKind::Error && node.text == "error"));
    assert!(picture.nodes.iter().any(|node| node.kind == NodeKind::Head));
}
