//! Random exports of Studio 5000 with drawn routines: a chart of steps in circles, and a function block diagram.

use super::rng::Rng;

const INPUTS: &[&str] = &["a", "b", "c"];
const CONDITIONS: &[&str] = &["a", "b", "NOT c", "S0.DN", "S1.T > 150", "x > 3", "A1.Q", "a AND NOT b", "q", "TRUE"];
const STATEMENTS: &[&str] =
    &["x := x + 1;", "p := a;", "IF b THEN x := 0; END_IF;", "q := NOT q;", "p := A2.A OR S1.X;", "JSR(Called);", "x := S2.T;"];
const QUALIFIERS: &[&str] = &["N", "P", "P0", "P1", "L", "D", "S", "SL", "SD", "DS"];
/// Blocks with their tags' types, the names of their inputs and of their output.
const BLOCKS: &[(&str, &str, &[&str], &str)] = &[
    ("BAND", "FBD_BOOLEAN_AND", &["In1", "In2", "EnableIn"], "Out"),
    ("BOR", "FBD_BOOLEAN_OR", &["In1", "In2", "In3"], "Out"),
    ("BXOR", "FBD_BOOLEAN_XOR", &["In1", "In2"], "Out"),
    ("BNOT", "FBD_BOOLEAN_NOT", &["In"], "Out"),
    ("SETD", "DOMINANT_SET", &["Set", "Reset"], "OutNot"),
    ("RESD", "DOMINANT_RESET", &["Set", "Reset"], "Out"),
    ("TONR", "FBD_TIMER", &["TimerEnable", "Reset"], "DN"),
];

/// Returns an export with drawn routines of this seed.
pub fn export(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let (chart, chart_tags) = chart(&mut rng);
    let (diagram, diagram_tags) = diagram(&mut rng);
    let last = *rng.pick(&["DontScan", "DontScan", "ProgrammaticReset", "AutomaticReset"]);
    let inputs: String = INPUTS.iter().map(|name| tag(name, "BOOL", " Usage=\"Input\"", "")).collect();
    let bits: String = ["p", "q", "o"].iter().map(|name| tag(name, "BOOL", "", "")).collect();
    let numbers = tag("x", "DINT", "", "");
    let main = rung_routine("Main", "JSR(Chart,0);XIC(c)JSR(Diagram,0);");
    let called = rung_routine("Called", "XIC(a)OTE(q);XIC(b)ADD(x,1,x);");
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content><Controller Use=\"Target\" Name=\"C\" SFCExecutionControl=\"CurrentActive\" \
         SFCRestartPosition=\"InitialStep\" SFCLastScan=\"{last}\"><Programs><Program Name=\"P\" MainRoutineName=\"Main\">\
         <Tags>{inputs}{bits}{numbers}{chart_tags}{diagram_tags}</Tags><Routines>{main}{called}{chart}{diagram}</Routines></Program>\
         </Programs></Controller></RSLogix5000Content>"
    )
}

fn tag(name: &str, ty: &str, usage: &str, members: &str) -> String {
    let data = if members.is_empty() {
        String::new()
    } else {
        format!("<Data Format=\"Decorated\"><Structure DataType=\"{ty}\">{members}</Structure></Data>")
    };
    format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\"{usage}>{data}</Tag>\n")
}

fn preset(value: usize) -> String {
    format!("<DataValueMember Name=\"PRE\" DataType=\"DINT\" Value=\"{value}\"/>")
}

fn rung_routine(name: &str, text: &str) -> String {
    let rung = format!("<Rung Number=\"0\" Type=\"N\"><Text><![CDATA[{text}]]></Text></Rung>");
    format!("<Routine Name=\"{name}\" Type=\"RLL\"><RLLContent>{rung}</RLLContent></Routine>\n")
}

fn lines(text: &str) -> String {
    format!("<STContent><Line Number=\"0\"><![CDATA[{text}]]></Line></STContent>")
}

/// Returns a chart: a first step, a choice between two steps or two steps at once, and the way back.
fn chart(rng: &mut Rng) -> (String, String) {
    let is_simultaneous = rng.chance(40);
    let ty = if is_simultaneous { "Simultaneous" } else { "Selection" };
    let (mut text, mut tags) = (String::new(), String::new());
    for step in 0..3 {
        tags += &tag(&format!("S{step}"), "SFC_STEP", "", &preset(100 * rng.below(4)));
        tags += &tag(&format!("A{step}"), "SFC_ACTION", "", &preset(100 * rng.below(4)));
        let qualifier = rng.pick(QUALIFIERS);
        let statement = *rng.pick(STATEMENTS);
        let body = if rng.chance(70) { format!("<Body>{}</Body>", lines(statement)) } else { String::new() };
        let attributes = format!("Operand=\"A{step}\" Qualifier=\"{qualifier}\" IsBoolean=\"{}\"", body.is_empty());
        let action = format!("<Action ID=\"{}\" {attributes}>{body}</Action>", 40 + step);
        // A step may end what another one has stored.
        let ends = if step == 2 && rng.chance(30) {
            "<Action ID=\"50\" Operand=\"A0\" Qualifier=\"R\" IsBoolean=\"true\"/>"
        } else {
            ""
        };
        let is_initial = step == 0;
        text +=
            &format!("<Step ID=\"{step}\" X=\"{step}\" Operand=\"S{step}\" InitialStep=\"{is_initial}\">{action}{ends}</Step>\n");
    }
    for transition in 10..=13 {
        let condition = *rng.pick(CONDITIONS);
        let condition = lines(condition);
        text += &format!(
            "<Transition ID=\"{transition}\" X=\"{transition}\" Operand=\"T{transition}\"><Condition>{condition}</Condition></Transition>\n"
        );
    }
    text += &format!("<Branch ID=\"20\" BranchType=\"{ty}\"><Leg ID=\"21\"/><Leg ID=\"22\"/></Branch>\n");
    text += &format!("<Branch ID=\"30\" BranchType=\"{ty}\"><Leg ID=\"31\"/><Leg ID=\"32\"/></Branch>\n");
    let links: &[(u32, u32)] = if is_simultaneous {
        &[(0, 10), (10, 20), (21, 1), (22, 2), (1, 31), (2, 32), (30, 11), (11, 0)]
    } else {
        &[(0, 20), (21, 10), (22, 11), (10, 1), (11, 2), (1, 12), (2, 13), (12, 31), (13, 32), (30, 0)]
    };
    let links: String = links.iter().map(|(from, to)| format!("<DirectedLink FromID=\"{from}\" ToID=\"{to}\"/>\n")).collect();
    if is_simultaneous {
        // Only two transitions of four are used.
        let end = text.find("<Transition ID=\"12\"").unwrap_or(text.len());
        let next = text.find("<Branch ID=\"20\"").unwrap_or(text.len());
        text.replace_range(end..next, "");
    }
    (format!("<Routine Name=\"Chart\" Type=\"SFC\"><SFCContent>{text}{links}</SFCContent></Routine>\n"), tags)
}

/// Returns a diagram: each block reads inputs, blocks before it, or assumed data of blocks behind it.
fn diagram(rng: &mut Rng) -> (String, String) {
    let n_blocks = 2 + rng.below(4);
    let (mut text, mut tags) = (String::new(), String::new());
    for (at, input) in INPUTS.iter().chain(&["p"]).enumerate() {
        text += &format!("<IRef ID=\"{}\" Operand=\"{input}\"/>\n", 100 + at);
    }
    let rows: Vec<_> = (0..n_blocks).map(|_| *rng.pick(BLOCKS)).collect();
    // Blocks stand in any order in the file.
    let mut order: Vec<usize> = (0..n_blocks).collect();
    order.rotate_left(rng.below(n_blocks));
    for at in &order {
        let (ty, tag_type, ..) = rows[*at];
        let members = if tag_type == "FBD_TIMER" { preset(100 * rng.below(4)) } else { String::new() };
        tags += &tag(&format!("B{at}"), tag_type, "", &members);
        text += &format!("<Block Type=\"{ty}\" ID=\"{at}\" Operand=\"B{at}\" VisiblePins=\"\"/>\n");
    }
    for (at, (_, _, inputs, _)) in rows.iter().enumerate() {
        for pin in *inputs {
            let target = format!("ToID=\"{at}\" ToParam=\"{pin}\"");
            text += &match rng.below(6) {
                0 | 1 => format!("<Wire FromID=\"{}\" {target}/>\n", 100 + rng.below(4)),
                2 | 3 if 0 < at => {
                    let from = rng.below(at);
                    format!("<Wire FromID=\"{from}\" FromParam=\"{}\" {target}/>\n", rows[from].3)
                }
                4 => {
                    let from = at + rng.below(n_blocks - at);
                    format!("<FeedbackWire FromID=\"{from}\" FromParam=\"{}\" {target}/>\n", rows[from].3)
                }
                _ => String::new(),
            };
        }
    }
    let last = n_blocks - 1;
    text += &format!("<ORef ID=\"200\" Operand=\"o\"/><Wire FromID=\"{last}\" FromParam=\"{}\" ToID=\"200\"/>\n", rows[last].3);
    (
        format!("<Routine Name=\"Diagram\" Type=\"FBD\"><FBDContent><Sheet Number=\"1\">{text}</Sheet></FBDContent></Routine>\n"),
        tags,
    )
}
