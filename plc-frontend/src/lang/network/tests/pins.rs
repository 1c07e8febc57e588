//! Blocks: calls, EN and ENO, in-outs, modifiers, inlined values and values with a variable.

use super::super::graph::Language;
use super::draw::{blocks, ladder, lowered};

#[test]
fn instances_are_called_and_their_outputs_read_after_the_call() {
    ladder(
        "1 rail
         2 contact a <1
         3 block TON t1 IN<2 PT=T#5s -> Q ET
         4 coil x <3.Q
         5 out elapsed <3.ET",
        "let _w1_1 := a;
         t1(IN := _w1_1, PT := T#5000ms);
         let _w1_2 := t1.Q;
         let _w1_2_1 := t1.ET;
         x := _w1_2;
         elapsed := _w1_2_1;",
    );
    // Unconnected inputs keep their last value; the block runs even if no element needs its outputs.
    blocks("1 block TON a.t[2] IN PT -> Q ET", "a.t[2]();");
    blocks("1 var a\n2 block TON t IN:!<1 PT -> Q:!\n3 out x <2.Q", "t(IN := NOT a);\nlet _w1_1 := NOT t.Q;\nx := _w1_1;");
    blocks("1 block TON t IN=a -> Q>x ET:!>y", "t(IN := a);\nx := t.Q;\ny := NOT t.ET;");
    blocks(
        "1 var a\n2 block CTU c CU:P<1 -> Q",
        "let _w1_1i0 := a;\nlet _w1_1i0p := _w1_1i0 AND NOT _w1_1i0m;\n_w1_1i0m := _w1_1i0;\nc(CU := _w1_1i0p);",
    );
    blocks("1 var a\n2 block TON t <1 -> Q", "t(a);\nP1110@2");
}

#[test]
fn functions_are_expressions() {
    blocks("1 var a\n2 var 5\n3 block ADD IN1<1 IN2<2 -> OUT\n4 out x <3", "x := ADD(IN1 := a, IN2 := 5);");
    // A value with two uses is computed once.
    blocks(
        "1 var a\n2 block ADD IN1<1 IN2=1 -> OUT\n3 out x <2\n4 out y <2",
        "let _w1_1 := ADD(IN1 := a, IN2 := 1);\nx := _w1_1;\ny := _w1_1;",
    );
    blocks("1 var a\n2 block NOT IN1<1 -> OUT\n3 block INT_TO_REAL In<2 -> OUT\n4 out x <3", "x := INT_TO_REAL(NOT(a));");
    // Power gets its own variable.
    ladder("1 rail\n2 block GT IN1=a IN2=b -> OUT\n3 coil x <2.OUT", "let _w1_1 := GT(IN1 := a, IN2 := b);\nx := _w1_1;");
    blocks("1 block f a?\n", "f();");
    blocks("1 block f -> OUT>x", "let _w1_0 := f();\nx := _w1_0;");
}

#[test]
fn blocks_run_if_enabled() {
    // The variable is not written while the block is skipped.
    ladder(
        "1 rail\n2 contact a <1\n3 block MOVE EN<2 IN=0 -> ENO OUT\n4 out x <3.OUT\n5 coil ok <3.ENO",
        "let _w1_1 := a;
         let _w1_2en := _w1_1;
         IF _w1_2en THEN x := MOVE(0); END_IF
         ok := _w1_2en;",
    );
    // All other elements see the last result.
    blocks(
        "1 var a\n2 block ADD EN<1 IN1=b IN2=1 -> ENO OUT\n3 block LT IN1<2.OUT IN2=9 -> OUT\n4 out x <3",
        "let _w1_1en := a;
         IF _w1_1en THEN keep _w1_1_1 := ADD(IN1 := b, IN2 := 1); END_IF
         x := LT(IN1 := _w1_1_1, IN2 := 9);",
    );
    blocks(
        "1 var a\n2 block ADD EN<1 IN1=b IN2=1 -> ENO OUT\n3 out x <2.OUT\n4 out y <2.OUT",
        "let _w1_1en := a;
         IF _w1_1en THEN let _w1_1_1 := ADD(IN1 := b, IN2 := 1); END_IF
         IF _w1_1en THEN x := _w1_1_1; END_IF
         IF _w1_1en THEN y := _w1_1_1; END_IF",
    );
    ladder(
        "1 rail\n2 contact a <1\n3 block TON t EN<2 IN=b -> ENO Q\n4 coil x <3.Q\n5 out y <3.Q",
        "let _w1_1 := a;
         let _w1_2en := _w1_1;
         IF _w1_2en THEN t(IN := b); END_IF
         let _w1_2_1 := t.Q;
         x := _w1_2_1;
         IF _w1_2en THEN y := _w1_2_1; END_IF",
    );
    // A chain of ENOs.
    blocks(
        "1 var a\n2 block f EN<1 -> ENO\n3 block g EN:!<2.ENO -> ENO>ok",
        "let _w1_1en := a;
         IF _w1_1en THEN f(); END_IF
         let _w1_2en := NOT _w1_1en;
         IF _w1_2en THEN g(); END_IF
         ok := _w1_2en;",
    );
    // An EN that is not connected, or always TRUE, changes nothing.
    ladder("1 rail\n2 block f EN<1 -> ENO\n3 coil ok <2.ENO", "f();\nok := TRUE;");
    blocks("1 block f EN? -> ENO", "f();");
    // A block that declares EN itself takes it as an argument.
    blocks("1 var a\n2 block GATED g EN<1", "g(EN := a);");
}

#[test]
fn functions_have_no_memory() {
    let check = |text: &str, expected: &str| {
        let lowered = lowered(text, Language::Ladder, false);
        let codes: Vec<&str> = lowered.diagnostics.iter().map(|d| d.code).collect();
        let found = super::print::stmts(&lowered.stmts);
        assert!(codes.join(" ") == expected || (codes.is_empty() && found.contains(expected)), "{codes:?}\n{found}");
    };
    check("1 rail\n2 contact:P a <1\n3 coil x <2", "P1108");
    check("1 var a\n2 block ADD EN<1 IN1=b IN2=1 -> OUT\n3 block LT IN1<2 IN2=9 -> OUT\n4 out x <3", "<result of a block");
}

#[test]
fn further_outputs_of_functions_need_their_declaration() {
    blocks(
        "1 block SPLIT A=a -> SPLIT REST\n2 out x <1.SPLIT\n3 out y <1.REST",
        "x := SPLIT(a, REST => _w1_0_1);\ny := _w1_0_1;",
    );
    blocks("1 block SPLIT A=a -> OUT REST>y", "SPLIT(a, REST => _w1_0_1);\ny := _w1_0_1;");
    blocks(
        "1 block other A=a -> OUT REST\n2 out y <1.REST",
        "<output of a function whose declaration is in another file>\nother(a);\n<value of an element that runs later in the cycle>\ny := ?;",
    );
}

#[test]
fn in_outs_are_the_variables_themselves() {
    blocks("1 var a[1].b\n2 block f i ~io<1 -> Q\n3 block f j ~io<2.io", "i(io := a[1].b);\nj(io := a[1].b);");
    // One wire to an in-out and to an input: the input gets the value, the in-out the variable.
    blocks("1 var v\n2 block f i ~io<1\n3 block g j IN<1", "let _w1_0 := v;\ni(io := v);\nj(IN := _w1_0);");
    blocks("1 block ADD IN1=a IN2=b -> OUT\n2 block f i ~io<1", "let _w1_0 := ADD(IN1 := a, IN2 := b);\ni(io := ?);\nP1110@2");
    blocks("1 block f i ~io=v\n2 out x <1.io", "i(io := v);\nx := v;");
    blocks("1 both v <2\n2 var 3\n3 out x <1", "v := 3;\nx := v;");
}

#[test]
fn connectors_carry_wires_on() {
    blocks("1 var a @0,50\n2 connector C <1 @50,50\n3 continuation c @0,0\n4 out x <3 @90,0", "let _w1_1 := a;\nx := _w1_1;");
    blocks("1 continuation none\n2 out x <1", "x := ?;\nP1103@1");
    blocks("1 connector C\n2 continuation C\n3 out x <2", "x := ?;\nP1103@1");
    blocks("1 var v\n2 connector C <1\n3 continuation C\n4 block f i ~io<3", "let _w1_1 := v;\ni(io := v);");
}

#[test]
fn two_wires_at_one_pin_of_a_diagram_are_a_mistake() {
    blocks("1 var a\n2 var b\n3 block f i IN<1,2", "i(IN := a OR b);\nP1102@3");
    blocks("1 block TON t IN -> Q ET\n2 out x <1", "t();\nx := ?;\nP1101@2");
    blocks("1 block TON t IN -> Q\n2 out x <1.ET", "t();\nx := ?;\nP1101@2");
    blocks("1 block TON t IN -> Q\n2 out x <1", "t();\nlet _w1_0 := t.Q;\nx := _w1_0;");
}
