//! Tests of the condition about tags that only the program writes.

use super::job::{Job, SourceText, Task};
use super::limits::Limits;
use super::subject::Subject;
use super::understand::understand;
use kernel::property::spec::Specification;

/// Returns the condition of `never: q` about tags that only the program writes.
fn told(tags: &str, rungs: &str, rows: &str) -> String {
    told_beside("", tags, rungs, rows)
}

/// Returns the same for an export with these definitions.
fn told_beside(definitions: &str, tags: &str, rungs: &str, rows: &str) -> String {
    let own = |name: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" ExternalAccess=\"Read/Write\"/>");
    let input = |name: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"Input\"/>");
    let rungs: String =
        rungs.split('|').map(|rung| format!("<Rung Number=\"0\" Type=\"N\"><Text><![CDATA[{rung};]]></Text></Rung>")).collect();
    let text = format!(
        "<RSLogix5000Content TargetType=\"Program\"><Controller Use=\"Context\" Name=\"C\">{definitions}<Programs><Program Use=\"Target\" \
         Name=\"P\" MainRoutineName=\"Main\"><Tags>{}{}{}{}{tags}</Tags><Routines><Routine Name=\"Main\" Type=\"RLL\"><RLLContent>{rungs}</RLLContent>\
         </Routine></Routines></Program></Programs></Controller></RSLogix5000Content>",
        input("a"),
        input("b"),
        own("q"),
        own("x")
    );
    let sources = vec![SourceText { name: "p.L5X".into(), text }];
    let spec = Specification::from_yaml(&format!("{rows}\nrequirements: [{{ never: q }}]")).unwrap();
    let understood = understand(&Job::new(sources, spec, Task::Verify, Limits::default()));
    let findings = &understood.outcome.import.diagnostics;
    let Some(Subject::Program(program)) = understood.subject else { panic!("{rungs}: {findings:?}") };
    let claim = &program.stated.requirements[0].claim;
    let depends = answer::decide::cone(&program.loaded, &program.model, claim, &[]).unwrap();
    let texts = program.dependence.frozen(&program.loaded, Some(&depends)).into_iter().map(|condition| condition.text);
    texts.filter(|text| text.starts_with("only")).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_tag_that_a_scan_reads_before_it_writes_is_written_by_this_program_only() {
    let check = |tags: &str, rungs: &str, expected: &str| assert_eq!(told(tags, rungs, ""), expected, "{rungs}");
    let tag = |name: &str, form: &str| format!("<Tag Name=\"{name}\" TagType=\"Base\" {form}/>");
    let dint = tag("n", "DataType=\"DINT\"");
    let x = "only this program writes `x` between two scans";
    let n = "only this program writes `n` between two scans";
    // Each scan writes it first.
    check("", "XIC(a)OTE(x)|XIC(x)OTE(q)", "");
    check(&dint, "MOV(3,n)|GRT(n,2)OTE(q)", "");
    check(&dint, "XIC(a)OTE(n.3)|XIC(n.3)OTE(q)", "");
    // The program keeps the value: by a seal, a mask, a limit, a single bit, a write that never executes, and a latch.
    check("", "XIC(x)XIO(a)OTE(x)|XIC(x)OTE(q)", x);
    check(&dint, "AND(n,7,n)|XIC(n.0)OTE(q)", n);
    check(&dint, "GRT(n,9)MOV(9,n)|GRT(n,3)OTE(q)", n);
    check(&dint, "XIC(a)OTE(n.3)|XIC(n.4)OTE(q)", n);
    check("", "AFI()OTL(x)|XIC(x)OTE(q)", x);
    check("", "XIC(a)OTL(x)|XIC(b)OTU(x)|XIC(x)OTE(q)", x);
    let array = tag("l", "DataType=\"DINT\" Dimensions=\"4\"");
    check(&array, "XIC(a)MOV(5,l[1])|GRT(l[1],3)OTE(q)", "only this program writes `l` between two scans");
    check(&array, "MOV(5,l[1])|GRT(l[1],9)OTE(q)", "");
    check(&tag("t", "DataType=\"TIMER\""), "XIC(a)TON(t,?,?)|XIC(t.DN)OTE(q)", "only this program writes `t` between two scans");
    // What q does not depend on is not told, and neither is what no value of the cycle before can change.
    check("", "XIC(x)XIO(a)OTE(x)|XIC(b)OTE(q)", "");
    check("", "[XIC(a),XIC(x)]XIO(b)OTE(x)|XIC(x)XIC(b)OTE(q)", "");
    check("", "XIC(b)OTU(x)|XIC(x)XIC(b)OTE(q)", "");
}

#[test]
fn tags_that_nothing_else_writes_have_no_condition() {
    let rungs = "XIC(y)XIO(a)OTE(y)|XIC(y)OTE(q)";
    let tag = |access: &str| format!("<Tag Name=\"y\" TagType=\"Base\" DataType=\"BOOL\"{access}/>");
    let y = "only this program writes `y` between two scans";
    let check =
        |access: &str, rows: &str, expected: &str| assert_eq!(told(&tag(access), rungs, rows), expected, "{access}{rows}");
    check("", "", y);
    check(" ExternalAccess=\"Read/Write\"", "", y);
    check(" ExternalAccess=\"Read Only\"", "", "");
    check(" ExternalAccess=\"None\"", "", "");
    check("", "memory: [y]", "");
    check("", "inputs: [y]", "");
}

/// An Add-On Instruction without memory decides in each scan alone; one with a latch does not.
#[test]
fn instructions_without_memory_have_no_condition() {
    let parameter = |name: &str, usage: &str| {
        let is_own = !name.starts_with("Enable");
        format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"{usage}\" Required=\"{is_own}\"/>")
    };
    let enables = parameter("EnableIn", "Input") + &parameter("EnableOut", "Output");
    let check = |logic: &str, rungs: &str, expected: &str| {
        let gate = format!(
            "<AddOnInstructionDefinitions><AddOnInstructionDefinition Name=\"Gate\"><Parameters>{enables}{}{}</Parameters><LocalTags>\
             <LocalTag Name=\"m\" DataType=\"BOOL\"/></LocalTags><Routines><Routine Name=\"Logic\" Type=\"RLL\"><RLLContent>\
             <Rung Number=\"0\" Type=\"N\"><Text><![CDATA[{logic}]]></Text></Rung></RLLContent></Routine></Routines>\
             </AddOnInstructionDefinition></AddOnInstructionDefinitions>",
            parameter("In", "Input"),
            parameter("Out", "Output")
        );
        let found = told_beside(&gate, "<Tag Name=\"i\" TagType=\"Base\" DataType=\"Gate\"/>", rungs, "");
        assert_eq!(found, expected, "{logic} {rungs}");
    };
    let i = "only this program writes `i` between two scans";
    check("XIC(In)OTE(m)XIC(m)OTE(Out);", "Gate(i,a,x)|XIC(x)XIO(a)OTE(q)", "");
    // In a row, the output is that of the input; beside it, the latch decides.
    check("XIC(In)OTL(m)XIC(m)OTE(Out);", "Gate(i,a,x)|XIC(x)XIO(a)OTE(q)", "");
    check("[XIC(In)OTL(m),XIC(m)OTE(Out)];", "Gate(i,a,x)|XIC(x)XIO(a)OTE(q)", i);
    // It is skipped, and its output stays.
    check("XIC(In)OTE(m)XIC(m)OTE(Out);", "XIC(b)Gate(i,a,x)|XIC(i.Out)XIO(a)OTE(q)", i);
}
