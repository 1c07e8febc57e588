//! Charts with their results, scan by scan, with 100 ms from scan to scan.

use crate::lang::logix::tests::restarts::{check_restarts, restarting};
use crate::lang::logix::tests::{check_export, export, project, routine};

fn chart_tag(name: &str, ty: &str, preset: i32) -> String {
    let member = format!("<DataValueMember Name=\"PRE\" DataType=\"DINT\" Radix=\"Decimal\" Value=\"{preset}\"/>");
    let data = format!("<Data Format=\"Decorated\"><Structure DataType=\"{ty}\">{member}</Structure></Data>");
    format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\">{data}</Tag>\n")
}

fn content(lines: &str) -> String {
    format!("<STContent><Line Number=\"0\"><![CDATA[{lines}]]></Line></STContent>")
}

fn step(id: u32, name: &str, actions: &str) -> String {
    let is_initial = id == 0;
    format!("<Step ID=\"{id}\" X=\"{id}\" Y=\"0\" Operand=\"{name}\" InitialStep=\"{is_initial}\">{actions}</Step>\n")
}

fn action(id: u32, name: &str, qualifier: &str, lines: &str) -> String {
    let attributes = format!("ID=\"{id}\" Operand=\"{name}\" Qualifier=\"{qualifier}\"");
    if lines.is_empty() {
        return format!("<Action {attributes} IsBoolean=\"true\"/>");
    }
    format!("<Action {attributes} IsBoolean=\"false\"><Body>{}</Body></Action>", content(lines))
}

fn transition(id: u32, condition: &str) -> String {
    let body = content(condition);
    format!("<Transition ID=\"{id}\" X=\"{id}\" Y=\"0\" Operand=\"Tran_{id}\"><Condition>{body}</Condition></Transition>\n")
}

fn links(ends: &[(u32, u32)]) -> String {
    ends.iter().map(|(from, to)| format!("<DirectedLink FromID=\"{from}\" ToID=\"{to}\" Show=\"true\"/>\n")).collect()
}

fn branch(id: u32, ty: &str, legs: &[u32]) -> String {
    let legs: String = legs.iter().map(|leg| format!("<Leg ID=\"{leg}\"/>")).collect();
    format!("<Branch ID=\"{id}\" X=\"0\" Y=\"0\" BranchType=\"{ty}\">{legs}</Branch>\n")
}

/// Returns an export whose main routine calls a chart.
fn of_chart(options: &str, elements: &[String]) -> String {
    let steps = ["One", "Two", "Three", "Four"].map(|name| chart_tag(name, "SFC_STEP", 200)).concat();
    let actions = ["Act", "Other"].map(|name| chart_tag(name, "SFC_ACTION", 200)).concat();
    let stop = "<Tag Name=\"End\" TagType=\"Base\" DataType=\"SFC_STOP\"/>\n";
    let chart = elements.concat();
    let chart = format!("<Routine Name=\"Chart\" Type=\"SFC\"><SFCContent SheetSize=\"A4\">{chart}</SFCContent></Routine>");
    let text = export("JSR(Chart,0);", &[chart, routine("Called", "XIC(a)OTE(q);")].concat());
    let options =
        format!("Name=\"C\" SFCExecutionControl=\"CurrentActive\" SFCRestartPosition=\"InitialStep\" SFCLastScan=\"{options}\"");
    text.replace("Name=\"C\"", &options).replace("<Tags>", &format!("<Tags>{steps}{actions}{stop}"))
}

/// Returns a chart of two steps in a circle, with an action of the first one.
fn circle(options: &str, action: &str) -> String {
    let ends = links(&[(0, 10), (10, 1), (1, 11), (11, 0)]);
    of_chart(options, &[step(0, "One", action), step(1, "Two", ""), transition(10, "a"), transition(11, "b"), ends])
}

fn ledger(text: &str) -> String {
    let mut sources = crate::text::SourceSet::default();
    sources.add("test.L5X", text);
    format!("{:?}", crate::load(&sources, &crate::LoadOptions::default()).value.ledger)
}

#[test]
fn a_restart_begins_at_the_initial_step() {
    let text = circle("DontScan", &action(2, "Act", "NonStored", "x := x + 1;"));
    let cycles = ["a", "", "R", ""];
    check_restarts(&text, &cycles, "One.X", &[0, 0, 1, 1]);
    check_restarts(&text, &cycles, "Two.X", &[1, 1, 0, 0]);
    check_restarts(&text, &cycles, "x", &[8, 8, 9, 10]);
    let ledger = format!("{:?}", restarting(&text, None).ledger);
    assert!(ledger.contains("restart of charts: steps and actions begin as in the first scan"), "{ledger}");
}

#[test]
fn a_step_acts_before_its_transition_is_tested() {
    let text = circle("DontScan", &action(2, "Act", "NonStored", "x := x + 1;"));
    let cycles = ["", "a", "a", "b", "", "a", "a", "b"];
    check_export(&text, &cycles, "One.X", &[1, 0, 0, 1, 1, 0, 0, 1]);
    check_export(&text, &cycles, "Two.X", &[0, 1, 1, 0, 0, 1, 1, 0]);
    // The action acts in the scan in which its step is left, and not in that in which it is entered.
    check_export(&text, &cycles, "x", &[8, 9, 9, 9, 10, 11, 11, 11]);
    check_export(&text, &cycles, "Act.Q", &[1, 0, 0, 0, 1, 0, 0, 0]);
    check_export(&text, &["", ""], "One.SA", &[0, 1]);
}

#[test]
fn tags_of_transitions_have_no_value() {
    let tag = "<Tag Name=\"Tran_10\" TagType=\"Base\" DataType=\"BOOL\"/>";
    let text = circle("DontScan", "").replace("<Tags>", &format!("<Tags>{tag}"));
    assert!(project(&text).leaves().iter().all(|leaf| !leaf.name.contains("Tran_10")));
    let text = text.replace("<Programs>", &format!("<Tags>{tag}</Tags><Programs>"));
    assert!(project(&text).leaves().iter().all(|leaf| !leaf.name.contains("Tran_10")));
}

#[test]
fn steps_have_times() {
    let text = circle("DontScan", "");
    let cycles = ["", "", "", "a", "b", "", ""];
    check_export(&text, &cycles, "One.T", &[0, 100, 200, 300, 0, 0, 100]);
    check_export(&text, &cycles, "One.DN", &[0, 0, 1, 1, 0, 0, 0]);
    check_export(&text.replace("CDATA[a]", "CDATA[One.DN]"), &[""; 6], "Two.X", &[0, 0, 1, 1, 1, 1]);
}

#[test]
fn qualifiers_of_actions() {
    let cycles = ["", "", "a", "", "b", "", "", "", "a"];
    let rows: &[(&str, [i128; 9])] = &[
        ("N", [8, 9, 10, 10, 10, 11, 12, 13, 14]),
        ("P1", [8, 8, 8, 8, 8, 9, 9, 9, 9]),
        ("P0", [7, 7, 8, 8, 8, 8, 8, 8, 9]),
        ("P", [8, 8, 9, 9, 9, 10, 10, 10, 11]),
        ("L", [8, 9, 9, 9, 9, 10, 11, 11, 11]),
        ("D", [7, 7, 8, 8, 8, 8, 8, 9, 10]),
        ("S", [8, 9, 10, 11, 12, 13, 14, 15, 16]),
        ("SL", [8, 9, 9, 9, 9, 9, 9, 9, 9]),
        ("SD", [7, 7, 8, 9, 10, 11, 12, 13, 14]),
        ("DS", [7, 7, 8, 9, 10, 11, 12, 13, 14]),
    ];
    for (qualifier, expected) in rows {
        check_export(&circle("DontScan", &action(2, "Act", qualifier, "x := x + 1;")), &cycles, "x", expected);
    }
    check_export(&circle("DontScan", &action(2, "Act", "TimeDelayed", "")), &cycles[..4], "Act.Q", &[0, 0, 0, 0]);
}

#[test]
fn bits_of_boolean_actions() {
    let cycles = ["", "", "a", "", "b", ""];
    let rows: &[(&str, [i128; 6])] = &[
        ("N", [1, 1, 0, 0, 0, 1]),
        ("P1", [1, 0, 0, 0, 0, 1]),
        ("P0", [0, 0, 1, 0, 0, 0]),
        ("P", [1, 0, 1, 0, 0, 1]),
        ("L", [1, 1, 0, 0, 0, 1]),
        ("D", [0, 0, 0, 0, 0, 0]),
        ("S", [1, 1, 1, 1, 1, 1]),
        ("SD", [0, 0, 1, 1, 1, 1]),
    ];
    for (qualifier, expected) in rows {
        check_export(&circle("DontScan", &action(2, "Act", qualifier, "")), &cycles, "Act.Q", expected);
    }
}

#[test]
fn a_stored_action_ends_at_its_reset() {
    let first = action(2, "Act", "S", "x := x + 1;");
    let ends = links(&[(0, 10), (10, 1), (1, 11), (11, 0)]);
    let second = step(1, "Two", &action(3, "Act", "R", ""));
    let text = of_chart("DontScan", &[step(0, "One", &first), second, transition(10, "a"), transition(11, "b"), ends]);
    // The first step is scanned before the second one, which resets its action.
    check_export(&text, &["", "a", "", "", "b", ""], "x", &[8, 9, 10, 10, 10, 11]);
    check_export(&text, &["", "a", "", "", "b", ""], "Act.A", &[1, 1, 0, 0, 0, 1]);
}

#[test]
fn last_scans() {
    let cycles = ["", "a", "", "b"];
    let text = |options: &str, lines: &str| circle(options, &action(2, "Act", "N", lines));
    check_export(&text("DontScan", "x := x + 1;"), &cycles, "x", &[8, 9, 9, 9]);
    check_export(&text("ProgrammaticReset", "x := x + 1;"), &cycles, "x", &[8, 10, 10, 10]);
    check_export(&text("ProgrammaticReset", "p := Act.Q; q := One.LS;"), &cycles, "p", &[1, 0, 0, 0]);
    check_export(&text("ProgrammaticReset", "p := Act.Q; q := One.LS;"), &cycles, "q", &[0, 1, 1, 1]);
    check_export(&text("AutomaticReset", "x := x + 1;"), &cycles, "x", &[8, 9, 9, 9]);
    assert!(ledger(&text("AutomaticReset", "JSR(Called);")).contains("postscan of an action"));
    assert!(!ledger(&text("DontScan", "JSR(Called);")).contains("postscan of an action"));
    let timed = circle("ProgrammaticReset", &action(2, "Act", "L", "x := 1;"));
    assert!(ledger(&timed).contains("last scan of an action"));
}

#[test]
fn the_first_transition_of_a_selection_is_taken() {
    let elements = [
        step(0, "One", ""),
        step(1, "Two", ""),
        step(2, "Three", ""),
        transition(10, "a"),
        transition(11, "b"),
        transition(12, "c"),
        transition(13, "c"),
        branch(20, "Selection", &[21, 22]),
        branch(30, "Selection", &[31, 32]),
        links(&[(0, 20), (21, 10), (22, 11), (10, 1), (11, 2), (1, 12), (2, 13), (12, 31), (13, 32), (30, 0)]),
    ];
    let text = of_chart("DontScan", &elements);
    let cycles = ["", "ab", "", "c", "b", "c"];
    check_export(&text, &cycles, "Two.X", &[0, 1, 1, 0, 0, 0]);
    check_export(&text, &cycles, "Three.X", &[0, 0, 0, 0, 1, 0]);
    // Priorities of its own, and legs that the drawing has in another order, are gaps.
    let own = text.replace("BranchType=\"Selection\"", "BranchType=\"Selection\" Priority=\"UserDefined\"");
    assert!(ledger(&own).contains("priorities of its own"));
    assert!(ledger(&text.replace("ID=\"11\" X=\"11\"", "ID=\"11\" X=\"3\"")).contains("order of the drawing"));
}

#[test]
fn simultaneous_branches_begin_and_end_together() {
    let elements = [
        step(0, "One", ""),
        step(1, "Two", &action(4, "Act", "N", "x := x + 1;")),
        step(2, "Three", ""),
        step(3, "Four", &action(5, "Other", "N", "y := y + 1;")),
        transition(10, "a"),
        transition(11, "b"),
        transition(12, "c"),
        branch(20, "Simultaneous", &[21, 22]),
        branch(30, "Simultaneous", &[31, 32]),
        // The first leg has one step, the second leg two.
        links(&[(0, 10), (10, 20), (21, 1), (22, 2), (2, 11), (11, 3), (1, 31), (3, 32), (30, 12), (12, 0)]),
    ];
    let text = of_chart("DontScan", &elements);
    let cycles = ["c", "a", "c", "b", "c", "c"];
    check_export(&text, &cycles, "Two.X", &[0, 1, 1, 1, 0, 0]);
    check_export(&text, &cycles, "Three.X", &[0, 1, 1, 0, 0, 0]);
    check_export(&text, &cycles, "Four.X", &[0, 0, 0, 1, 0, 0]);
    check_export(&text, &cycles, "One.X", &[1, 0, 0, 0, 1, 1]);
    // The last step of a leg acts at least once.
    check_export(&text, &["a", "bc", "c", "c"], "y", &[3, 3, 4, 4]);
    check_export(&text, &["a", "bc", "c", "c"], "One.X", &[0, 0, 1, 1]);
}

#[test]
fn a_stop_stays() {
    let stop = "<Stop ID=\"9\" X=\"0\" Y=\"0\" Operand=\"End\"/>".to_owned();
    let elements = [step(0, "One", &action(2, "Act", "N", "x := x + 1;")), transition(10, "a"), stop, links(&[(0, 10), (10, 9)])];
    let text = of_chart("DontScan", &elements);
    check_export(&text, &["", "a", "", "a"], "End.X", &[0, 1, 1, 1]);
    check_export(&text, &["", "a", "", "a"], "x", &[8, 9, 9, 9]);
}

#[test]
fn a_chart_that_is_not_understood_is_a_gap() {
    let whole = circle("DontScan", &action(2, "Act", "N", "x := x + 1;"));
    let rows = [
        ("SFCExecutionControl=\"CurrentActive\"", "SFCExecutionControl=\"UntilFalse\"", "until a FALSE transition"),
        ("InitialStep=\"true\"", "InitialStep=\"false\"", "exactly one initial step"),
        ("FromID=\"1\" ToID=\"11\"", "FromID=\"1\" ToID=\"10\"", "without a branch"),
        ("FromID=\"1\" ToID=\"11\"", "FromID=\"1\" ToID=\"99\"", "loose end"),
        ("CDATA[a]", "CDATA[a :=]", "no expression"),
        ("Qualifier=\"N\"", "Qualifier=\"Odd\"", "qualifier of an action"),
        ("InitialStep=\"true\"", "InitialStep=\"true\" PresetUsesExpr=\"true\"", "time from an expression"),
        ("Operand=\"Two\"", "Operand=\"x\"", "not declared as such"),
        ("Operand=\"Two\"", "Operand=\"One\"", "several elements"),
        ("<Step ID=\"1\"", "<SbrRet ID=\"8\"/><Step ID=\"1\"", "element of a chart that is not known"),
        ("<Step ID=\"1\"", "<Step Force=\"false\" ID=\"1\"", "force of a chart"),
        ("x := x + 1;", "RETURN;", "end of an action"),
    ];
    let cleared = whole.replace("x := x + 1;", "x [:=] 1;").replace("DontScan", "AutomaticReset");
    assert!(ledger(&cleared).contains("assignment [:=] in a chart"), "{}", ledger(&cleared));
    assert!(!ledger(&whole).contains("of a chart that"));
    for (from, to, words) in rows {
        let text = whole.replace(from, to);
        assert_ne!(text, whole, "{from}");
        assert!(ledger(&text).contains(words), "{words}: {}", ledger(&text));
    }
    // Options that the export does not state are conditions.
    let silent = whole.replace(" SFCExecutionControl=\"CurrentActive\"", "").replace(" SFCLastScan=\"DontScan\"", "");
    let ledger = ledger(&silent);
    assert!(ledger.contains("execution of charts") && ledger.contains("last scan of steps"), "{ledger}");
    check_export(&silent, &["", "a"], "x", &[8, 9]);
}

/// The prescan clears the targets of `[:=]`; without automatic reset a step that is left keeps them.
#[test]
fn cleared_assignments_of_actions() {
    for options in ["DontScan", "ProgrammaticReset"] {
        let text = circle(options, &action(2, "Act", "N", "y [:=] x;"));
        assert!(!ledger(&text).contains("Unsupported"), "{}", ledger(&text));
        check_export(&text, &["a", "", ""], "y", &[7, 7, 7]);
        let text = of_chart(
            options,
            &[
                step(0, "One", ""),
                step(1, "Two", &action(2, "Act", "N", "y [:=] x;")),
                transition(10, "a"),
                transition(11, "b"),
                links(&[(0, 10), (10, 1), (1, 11), (11, 0)]),
            ],
        );
        check_export(&text, &["", "a", "", "b", ""], "y", &[0, 0, 7, 7, 7]);
    }
}

/// No page has the order in which actions are prescanned.
#[test]
fn the_order_of_a_prescan_is_named_where_it_makes_a_difference() {
    let is_named = |first: &str, second: &str| {
        let (first, second) = (action(2, "Act", "NonStored", first), action(3, "Other", "NonStored", second));
        let ends = links(&[(0, 10), (10, 1), (1, 11), (11, 0)]);
        let elements = [step(0, "One", &first), step(1, "Two", &second), transition(10, "a"), transition(11, "b"), ends];
        let more = [routine("Rises", "XIC(b)ONS(s)OTE(p);"), routine("Falls", "XIC(b)OSF(s,q);")].concat();
        let text = of_chart("DontScan", &elements);
        ledger(&text.replacen("<Routine Name=\"Called\"", &format!("{more}<Routine Name=\"Called\""), 1))
            .contains("prescan of the actions")
    };
    assert!(is_named("JSR(Rises,0);", "JSR(Falls,0);"));
    assert!(!is_named("JSR(Rises,0);", "JSR(Called,0);"));
    assert!(!is_named("JSR(Rises,0);", "JSR(Rises,0);"));
    assert!(!is_named("p [:=] 1;", "q [:=] 1;"));
    assert!(is_named("s [:=] 1;", "JSR(Rises,0);"));
}
