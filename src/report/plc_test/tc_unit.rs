//! The test as a function block of TcUnit, in a file of TwinCAT 3 that a project takes over as an existing item.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::program::{body, comment};
use super::{PlcTest, identifier};

/// Most characters of a message.
const MOST_IN_MESSAGE: usize = 200;

/// Returns the text of the file. The error says why a test from outside cannot see what the requirement is about.
pub fn tc_unit(test: &PlcTest) -> Result<String, String> {
    let Some(shown) = &test.observer.shown else {
        return Err("the requirement is about the inside of the code; no test of TcUnit sees it".to_owned());
    };
    let (block, method) = (format!("FB_{}", test.name), format!("{}_in_{}_cycles", identifier(&test.id), test.n_cycles()));
    let own = &test.own;
    let mut declaration = String::new();
    for line in &test.head {
        let _ = writeln!(declaration, "(* {} *)", comment(line));
    }
    let _ = writeln!(declaration, "FUNCTION_BLOCK {block} EXTENDS TcUnit.FB_TestSuite\nVAR");
    let _ = writeln!(declaration, "    {} : DINT; (* number of the cycle *)\n    {} : BOOL;", own.cycle, own.shown);
    for (name, ty) in test.declarations.iter().filter(|(name, _)| !test.is_compared(name)) {
        let _ = writeln!(declaration, "    {name} : {ty};");
    }
    declaration.push_str("END_VAR\n");
    let mut steps = format!("TEST('{}');\n", quoted(&method));
    let _ = writeln!(steps, "IF {} < {} THEN\n    {} := {} + 1;", own.cycle, test.n_cycles(), own.cycle, own.cycle);
    body(test).lines().for_each(|line| {
        let _ = writeln!(steps, "    {line}");
    });
    let _ = writeln!(steps, "    IF {shown} THEN\n        {} := TRUE;\n    END_IF;", own.shown);
    test.observer.last.iter().for_each(|line| {
        let _ = writeln!(steps, "    {line}");
    });
    steps.push_str("END_IF;\n");
    let is_goal = own.shown.starts_with("Reached");
    let assertion = if is_goal { "AssertTrue" } else { "AssertFalse" };
    let message = test.head.first().map_or(test.id.as_str(), String::as_str);
    // One assertion at the end: TcUnit counts each that it sees.
    let _ = writeln!(steps, "IF {} >= {} THEN", own.cycle, test.n_cycles());
    let _ = writeln!(
        steps,
        "    {assertion}(Condition := {}, Message := '{}');\n    TEST_FINISHED();\nEND_IF;",
        own.shown,
        quoted(message)
    );
    Ok(file(&block, &declaration, &method, &steps))
}

impl PlcTest {
    /// Returns whether a variable has an expected value: only the program compares them.
    fn is_compared(&self, name: &str) -> bool {
        let assigned = |line: &String| line.split_once(" := ").is_some_and(|(own, _)| own == name);
        self.expected.iter().flatten().any(assigned)
    }
}

/// Returns the file of a block with one method.
fn file(block: &str, declaration: &str, method: &str, steps: &str) -> String {
    let id = |part: &str| {
        let digest = Sha256::digest(format!("{part}\n{declaration}\n{steps}"));
        let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("{{{}-{}-{}-{}-{}}}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..32])
    };
    let data = |text: &str| text.replace("]]>", "]] >");
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<TcPlcObject Version=\"1.1.0.1\">\n  <POU Name=\"{block}\" Id=\"{}\" SpecialFunc=\"None\">\n    \
         <Declaration><![CDATA[{}]]></Declaration>\n    <Implementation>\n      <ST><![CDATA[{method}();\n]]></ST>\n    </Implementation>\n    \
         <Method Name=\"{method}\" Id=\"{}\">\n      <Declaration><![CDATA[METHOD {method}\n]]></Declaration>\n      <Implementation>\n        \
         <ST><![CDATA[{}]]></ST>\n      </Implementation>\n    </Method>\n  </POU>\n</TcPlcObject>\n",
        id("block"),
        data(declaration),
        id("method"),
        data(steps)
    )
}

/// Returns a text as the inside of a string literal.
fn quoted(text: &str) -> String {
    let plain = |c: char| if (' '..='~').contains(&c) { c } else { ' ' };
    text.chars().map(plain).take(MOST_IN_MESSAGE).collect::<String>().replace('$', "$$").replace('\'', "$'")
}
