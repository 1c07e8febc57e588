//! Order in which elements run.

use super::draw::{blocks, ladder};

#[test]
fn feedback_reads_the_cycle_before() {
    // From left to right: t1 sees the old output of t2, t2 the new one of t1.
    let expected = "t1(IN := t2.Q);
         let _w1_0 := t1.Q;
         t2(IN := _w1_0);
         let _w1_1 := t2.Q;";
    blocks("1 block TON t1 IN<2.Q -> Q @0,50\n2 block TON t2 IN<1.Q -> Q @90,0", expected);
    // The order is the same if an element outside of the loop needs t2 first.
    blocks(
        "1 block TON t1 IN<2.Q -> Q @0,50\n2 block TON t2 IN<1.Q -> Q @90,40\n3 out x <2.Q @200,0",
        &format!("{expected}\nx := _w1_1;"),
    );
    // A function in the loop.
    blocks(
        "1 block TON t1 IN<2 -> Q @0,0\n2 block NOT IN<1.Q -> OUT @90,0\n3 out x <2 @200,0",
        "let _w1_1 := NOT(t1.Q);
         t1(IN := _w1_1);
         let _w1_0 := t1.Q;
         x := _w1_1;",
    );
    blocks("1 block TON t IN:!<1.Q -> Q:!", "t(IN := NOT NOT t.Q);\nlet _w1_0 := NOT t.Q;");
}

#[test]
fn a_variable_in_a_loop_has_its_value_before() {
    // As in a counter of Beremiz: the sum reads the variable that it is written to.
    blocks(
        "1 var step @0,0\n2 block ADD IN1<1 IN2<3 -> OUT @50,0\n3 both Cnt <2 @90,0\n4 out Out <3 @150,0",
        "let _w1_1 := ADD(IN1 := step, IN2 := Cnt);\nCnt := _w1_1;\nlet _w1_2 := Cnt;\nOut := _w1_2;",
    );
}

#[test]
fn loops_without_memory_are_a_mistake() {
    blocks(
        "1 block NOT IN<2 -> OUT @0,0\n2 block NOT IN<1 -> OUT @90,0\n3 out x <2 @200,0\n4 out y <5 @0,90\n5 var a @0,80",
        "<value of an element that runs later in the cycle>\nlet _w1_1 := NOT(NOT(?));\nx := _w1_1;\ny := a;\nP1104@1",
    );
}

#[test]
fn an_execution_order_counts_more_than_the_place() {
    blocks(
        "1 var a @0,0\n2 out x <1 @90,0 #2\n3 var x @0,50\n4 out y <3 @90,50 #1\n5 out z <6 @90,10\n6 var b @0,10",
        "y := x;\nx := a;\nz := b;",
    );
    // An output that is needed before its element runs has its value of the cycle before, if there is one.
    blocks("1 block TON t IN=a -> Q #2\n2 out x <1.Q #1", "x := t.Q;\nt(IN := a);\nlet _w1_0 := t.Q;");
    blocks(
        "1 block NOT IN=a -> OUT #2\n2 out x <1 #1",
        "<value of an element that runs later in the cycle>\nx := ?;\nlet _w1_0 := NOT(a);",
    );
    blocks("1 label l\n2 out x <3 #1\n3 var a", "x := a;\n<label without an execution order among elements that have one>\nl:");
}

#[test]
fn without_positions_the_order_of_the_file_counts() {
    ladder("1 rail\n2 coil y <1 @x\n3 coil x <1 @90,0", "y := TRUE;\nx := TRUE;\nP1109@2");
}

#[test]
fn one_wire_has_one_value() {
    // x is written between the two ends of the wire.
    blocks(
        "1 var x @0,0\n2 block ADD IN1<1 IN2=1 -> OUT @50,0\n3 out x <2 @90,0\n4 out y <1 @90,50",
        "let _w1_0 := x;\nx := ADD(IN1 := _w1_0, IN2 := 1);\ny := _w1_0;",
    );
    // Two calls of one instance: each wire has the value of its call.
    blocks(
        "1 block TON t IN=a -> Q @0,0\n2 block TON t IN=b -> Q @0,50\n3 block AND IN1<1.Q IN2<2.Q -> OUT @90,60\n4 out x <3 @200,60",
        "t(IN := a);\nlet _w1_0 := t.Q;\nt(IN := b);\nlet _w1_1 := t.Q;\nx := AND(IN1 := _w1_0, IN2 := _w1_1);",
    );
}
