//! Ladder: power, contacts, coils, jumps.

use super::draw::ladder;

#[test]
fn series_is_and_parallel_is_or() {
    ladder(
        "1 rail
         2 contact a <1
         3 contact:! b <2
         4 contact c <1
         5 coil x <3,4
         6 right <5",
        "let _w1_1 := a;
         let _w1_2 := _w1_1 AND NOT b;
         let _w1_3 := c;
         let _w1_4 := _w1_2 OR _w1_3;
         x := _w1_4;",
    );
    ladder("1 rail\n2 coil x <1", "x := TRUE;");
    ladder("1 rail\n2 contact a <1\n3 coil x <2\n4 coil y <3", "let _w1_1 := a;\nx := _w1_1;\ny := _w1_1;");
}

#[test]
fn contacts_remember_for_edges() {
    let rising = "let _w1_1c := a;
         let _w1_1cp := _w1_1c AND NOT _w1_1cm;
         _w1_1cm := _w1_1c;
         let _w1_1 := _w1_1cp;";
    // The power itself is the pulse.
    let rising = rising.replace("let _w1_1 := _w1_1cp;", "x := _w1_1cp;");
    ladder("1 rail\n2 contact:P a <1\n3 coil x <2", &rising);
    ladder(
        "1 rail\n2 contact b <1\n3 contact:N a <2\n4 coil x <3",
        "let _w1_1 := b;
         let _w1_2c := a;
         let _w1_2cp := NOT _w1_2c AND _w1_2cm;
         _w1_2cm := _w1_2c;
         let _w1_2 := _w1_1 AND _w1_2cp;
         x := _w1_2;",
    );
}

#[test]
fn every_coil_stores_in_its_way() {
    let coil = |modifiers: &str, expected: &str| {
        let text = format!("1 rail\n2 contact a <1\n3 coil{modifiers} x <2");
        ladder(&text, &format!("let _w1_1 := a;\n{expected}"));
    };
    coil("", "x := _w1_1;");
    coil(":!", "x := NOT _w1_1;");
    coil(":S", "IF _w1_1 THEN x := TRUE; END_IF");
    coil(":R", "IF _w1_1 THEN x := FALSE; END_IF");
    coil(":P", "let _w1_2e := _w1_1;\nlet _w1_2ep := _w1_2e AND NOT _w1_2em;\n_w1_2em := _w1_2e;\nx := _w1_2ep;");
    coil(":N", "let _w1_2e := _w1_1;\nlet _w1_2ep := NOT _w1_2e AND _w1_2em;\n_w1_2em := _w1_2e;\nx := _w1_2ep;");
    coil(
        ":PS",
        "let _w1_2e := _w1_1;\nlet _w1_2ep := _w1_2e AND NOT _w1_2em;\n_w1_2em := _w1_2e;\nIF _w1_2ep THEN x := TRUE; END_IF",
    );
    coil(":!S", "IF NOT _w1_1 THEN x := TRUE; END_IF\nP1105@3");
    coil(":!P", "let _w1_2e := _w1_1;\nlet _w1_2ep := _w1_2e AND NOT _w1_2em;\n_w1_2em := _w1_2e;\nx := _w1_2ep;\nP1105@3");
}

#[test]
fn a_coil_is_seen_by_what_runs_after_it() {
    // The upper network comes first, whatever the order in the file.
    ladder(
        "1 rail
         5 contact x <1 @10,100
         6 coil y <5 @90,100
         2 contact a <1 @10,10
         3 coil x <2 @90,10",
        "let _w1_3 := a;
         x := _w1_3;
         let _w1_1 := x;
         y := _w1_1;",
    );
    // The same holds within one network: the lower branch reads the value that the upper one wrote.
    ladder(
        "1 rail
         2 contact a <1 @10,0
         3 coil x <2 @90,0
         4 contact x <2 @20,50
         5 coil y <4 @90,50",
        "let _w1_1 := a;
         x := _w1_1;
         let _w1_3 := _w1_1 AND x;
         y := _w1_3;",
    );
}

#[test]
fn jumps_and_returns_depend_on_power() {
    ladder(
        "1 rail
         2 contact a <1 @10,0
         3 jump Over <2 @90,0
         4 contact b <1 @10,50
         5 coil x <4 @90,50
         6 label over @0,100
         7 contact c <1 @10,110
         8 return <7 @90,110
         9 return:! <10 @90,150
         10 contact d <1 @10,150",
        "let _w1_1 := a;
         IF _w1_1 THEN GOTO Over; END_IF
         let _w1_3 := b;
         x := _w1_3;
         over:
         let _w1_6 := c;
         IF _w1_6 THEN RETURN; END_IF
         let _w1_9 := d;
         IF NOT _w1_9 THEN RETURN; END_IF",
    );
    // Without an input they are always taken; a label beside its network stands before it.
    ladder(
        "1 rail
         2 contact a <1 @10,0
         3 coil x <2 @90,40
         4 label back @0,20
         5 jump back @0,90
         6 return @0,99",
        "back:
         let _w1_1 := a;
         x := _w1_1;
         GOTO back;
         RETURN;",
    );
    ladder("1 jump nowhere", "?\nP1106@1");
    ladder("1 label l\n2 label L\n3 jump l @0,9", "l:\nL:\nGOTO l;\nP1107@2");
}

#[test]
fn what_is_not_connected_is_a_finding_and_the_rest_is_read() {
    ladder(
        "1 rail
         2 contact a @0,0
         3 coil x <2 @90,0
         4 coil y @90,50
         5 contact b <1 @0,100
         6 coil z <5 @90,100",
        "let _w1_1 := ? AND a;
         x := _w1_1;
         y := ?;
         let _w1_4 := b;
         z := _w1_4;
         P1103@2
         P1103@4",
    );
    ladder("1 rail\n2 coil x <9\n3 coil y <1", "x := ?;\ny := TRUE;\nP1101@2");
    ladder("1 rail\n2 coil x <1\n2 coil y <1", "x := TRUE;\ny := TRUE;\nP1107@3");
    ladder("1 rail\n2 coil x <3\n3 right <2", "x := ?;\nP1101@2");
    ladder("1 rail\n2 odd\n3 comment words", "<odd element>");
    // Two values cannot be joined like power.
    ladder("1 var a\n2 var b\n3 out x <1,2", "x := a OR b;\nP1102@3");
}
