//! A plant in one file of PLCopen XML: as many POUs as other plants have files, each with variables and a body in ST.

use super::{PlantFile, each, numbered};

/// Head of the file.
const HEAD: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<project xmlns="http://www.plcopen.org/xml/tc6_0201">
  <fileHeader companyName="" productName="plant" productVersion="1" creationDateTime="2024-01-01T00:00:00"/>
  <contentHeader name="plant">
    <coordinateInfo><fbd><scaling x="1" y="1"/></fbd><ld><scaling x="1" y="1"/></ld><sfc><scaling x="1" y="1"/></sfc></coordinateInfo>
  </contentHeader>
  <types>
    <dataTypes>
      <dataType name="Settings"><baseType><struct>
        <variable name="High"><type><INT/></type></variable>
        <variable name="Low"><type><INT/></type></variable>
        <variable name="Ramp"><type><REAL/></type></variable>
      </struct></baseType></dataType>
    </dataTypes>
    <pous>
"#;

/// A block; `{c}` is its number, `{inner}` a variable that is an instance of the block before it.
const BLOCK: &str = r#"      <pou name="Station_{c}" pouType="functionBlock">
        <interface>
          <inputVars>
            <variable name="Enable"><type><BOOL/></type></variable>
            <variable name="Level"><type><INT/></type></variable>
          </inputVars>
          <outputVars>
            <variable name="Done"><type><BOOL/></type></variable>
            <variable name="Position"><type><INT/></type></variable>
          </outputVars>
          <localVars>
            <variable name="Delay"><type><derived name="TON"/></type></variable>
            <variable name="Set"><type><derived name="Settings"/></type></variable>
            <variable name="Trace"><type><array><dimension lower="0" upper="15"/><baseType><INT/></baseType></array></type></variable>
{vars}          </localVars>
        </interface>
        <body><ST><xhtml xmlns="http://www.w3.org/1999/xhtml">Delay(IN := Enable, PT := T#5s);
{steps}Done := Delay.Q;
Position := Trace[3];
</xhtml></ST></body>
      </pou>
"#;

/// A variable of a block.
const VARIABLE: &str = "            <variable name=\"Count{i}\"><type><INT/></type><initialValue><simpleValue value=\"{i}\"/></initialValue></variable>\n";

/// Some statements of a block.
const STEP: &str = "IF Enable AND Level &gt; Set.Low + {i} THEN
  Trace[{i}] := Level + Count{i};
  Count{i} := (Count{i} + 1) MOD 100;
END_IF;
";

/// Tail of the file: the entry calls each tenth block, which has those before it inside.
const MAIN: &str = r#"      <pou name="Main" pouType="program">
        <interface>
          <inputVars>
            <variable name="Run"><type><BOOL/></type></variable>
            <variable name="Level"><type><INT/></type></variable>
          </inputVars>
          <localVars>
{vars}          </localVars>
        </interface>
        <body><ST><xhtml xmlns="http://www.w3.org/1999/xhtml">{calls}</xhtml></ST></body>
      </pou>
    </pous>
  </types>
  <instances><configurations/></instances>
</project>
"#;

/// Blocks that stand in each other: each has an instance of the one before it.
const NESTED: usize = 5;

/// Returns the one file of a plant of `n` POUs.
pub(super) fn files(n: usize) -> Vec<PlantFile> {
    let (variables, steps) = (each(1..=12, VARIABLE), each(1..=12, STEP));
    let block = |number: usize| {
        let is_inner = number % NESTED != 1;
        let inner =
            format!("            <variable name=\"Inner\"><type><derived name=\"Station_{}\"/></type></variable>\n", number - 1);
        let call = "Inner(Enable := Enable, Level := Level);\n";
        let vars = if is_inner { format!("{variables}{inner}") } else { variables.clone() };
        let steps = if is_inner { format!("{steps}{call}") } else { steps.clone() };
        numbered(&BLOCK.replace("{vars}", &vars).replace("{steps}", &steps), "{c}", number)
    };
    let blocks: String = (1..n).map(block).collect();
    let outer = || (1..n).filter(|number| number % NESTED == 0);
    let vars = each(outer(), "            <variable name=\"S{i}\"><type><derived name=\"Station_{i}\"/></type></variable>\n");
    let main = MAIN.replace("{vars}", &vars).replace("{calls}", &each(outer(), "S{i}(Enable := Run, Level := Level);\n"));
    vec![PlantFile::new("plant.xml", format!("{HEAD}{blocks}{main}"))]
}
