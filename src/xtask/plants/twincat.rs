//! A plant of TwinCAT objects: ten per cell. A base block with methods and properties has heirs; a machine has instances of
//! them; lists of global variables are shared.

use super::{PlantFile, cells, each};

/// Objects of a cell besides its heirs: path, element, declaration, body and members.
const OBJECTS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "DUTs/ST_Settings_{c}.TcDUT",
        "DUT",
        "TYPE ST_Settings_{c} :\nSTRUCT\n\thigh, low : INT;\n\tramp : LREAL := 1.5;\n\tlimits : ARRAY[0..7] OF INT;\n\t\
         name : STRING(20);\nEND_STRUCT\nEND_TYPE\n",
        "",
        "",
    ),
    ("DUTs/E_Mode_{c}.TcDUT", "DUT", "TYPE E_Mode_{c} : (idle := 0, filling, heating, emptying);\nEND_TYPE\n", "", ""),
    (
        "GVLs/GVL_{c}.TcGVL",
        "GVL",
        "{attribute 'qualified_only'}\nVAR_GLOBAL\n\tsettings : ARRAY[0..9] OF ST_Settings_{c};\n\tcount : DINT;\n\t\
         enabled : BOOL;\nEND_VAR\nVAR_GLOBAL CONSTANT\n\tmost : INT := 9;\nEND_VAR\n",
        "",
        "",
    ),
    (
        "POUs/F_Scale_{c}.TcPOU",
        "POU",
        "FUNCTION F_Scale_{c} : INT\nVAR_INPUT\n\tvalue : INT;\n\twithin : ST_Settings_{c};\nEND_VAR\nVAR\n\tresult : INT;\nEND_VAR\n",
        "result := value;\nIF result > within.high THEN\n\tresult := within.high;\nELSIF result < within.low THEN\n\t\
         result := within.low;\nEND_IF\nF_Scale_{c} := result;\n",
        "",
    ),
    (
        "POUs/FB_Base_{c}.TcPOU",
        "POU",
        "FUNCTION_BLOCK FB_Base_{c}\nVAR_INPUT\n\tbEnable, bStart, bStop : BOOL;\n\tnLevel : INT;\nEND_VAR\nVAR_OUTPUT\n\t\
         bDone, bFault : BOOL;\n\tnPosition : INT;\nEND_VAR\nVAR\n\teMode : E_Mode_{c};\n\tfbDelay : TON;\n\tfbEdge : R_TRIG;\n\t\
         aTrace : ARRAY[0..15] OF INT;\n\tnAt, nSum : INT;\n\tstSettings : ST_Settings_{c};\nEND_VAR\n",
        "fbEdge(CLK := bStart);\nfbDelay(IN := bEnable, PT := T#5S);\nIF fbEdge.Q THEN\n\tReset();\nEND_IF\nStep(nLevel);\n\
         bDone := fbDelay.Q AND Level > 3;\n",
        MEMBERS,
    ),
    (
        "POUs/FB_Machine_{c}.TcPOU",
        "POU",
        "FUNCTION_BLOCK FB_Machine_{c}\nVAR_INPUT\n\tbEnable, bStart, bStop : BOOL;\n\tnLevel : INT;\nEND_VAR\nVAR_OUTPUT\n\t\
         bDone : BOOL;\nEND_VAR\nVAR\n\tfbTank : FB_Tank_{c};\n\tfbPump : FB_Pump_{c};\n\taRow : ARRAY[0..2] OF FB_Valve_{c};\n\t\
         i : INT;\nEND_VAR\n",
        "fbTank(bEnable := bEnable, bStart := bStart, bStop := bStop, nLevel := nLevel);\n\
         fbPump(bEnable := fbTank.bDone, bStart := bStart, bStop := bStop, nLevel := nLevel);\nFOR i := 0 TO 2 DO\n\t\
         aRow[i](bEnable := fbPump.bDone, bStart := bStart, bStop := bStop, nLevel := nLevel + i);\nEND_FOR\n\
         GVL_{c}.count := GVL_{c}.count + 1;\nGVL_{c}.settings[3].high := F_Scale_{c}(value := nLevel, within := GVL_{c}.settings[2]);\n\
         fbTank.Level := nLevel;\nbDone := fbTank.bDone AND fbPump.bDone AND NOT aRow[0].bFault;\n",
        "",
    ),
];

/// Methods and a property of the base block.
const MEMBERS: &str = "    <Method Name=\"Reset\">\n      <Declaration><![CDATA[METHOD PUBLIC Reset : BOOL\n]]></Declaration>\n      \
     <Implementation>\n        <ST><![CDATA[nSum := 0;\nnAt := 0;\neMode := E_Mode_{c}.idle;\nReset := TRUE;\n]]></ST>\n      \
     </Implementation>\n    </Method>\n    <Method Name=\"Step\">\n      <Declaration><![CDATA[METHOD PROTECTED Step : BOOL\nVAR_INPUT\n\
     \tvalue : INT;\nEND_VAR\nVAR\n\tnext : INT;\nEND_VAR\n]]></Declaration>\n      <Implementation>\n        \
     <ST><![CDATA[next := F_Scale_{c}(value := value, within := stSettings);\naTrace[nAt MOD 16] := next;\nnAt := (nAt + 1) MOD 16;\n\
     nSum := nSum + next;\nStep := nSum > 100;\n]]></ST>\n      </Implementation>\n    </Method>\n    <Property Name=\"Level\">\n      \
     <Declaration><![CDATA[PROPERTY PUBLIC Level : INT\n]]></Declaration>\n      <Get Name=\"Get\">\n        \
     <Declaration><![CDATA[VAR\nEND_VAR\n]]></Declaration>\n        <Implementation>\n          \
     <ST><![CDATA[Level := nSum / 16;\n]]></ST>\n        </Implementation>\n      </Get>\n      <Set Name=\"Set\">\n        \
     <Declaration><![CDATA[VAR\nEND_VAR\n]]></Declaration>\n        <Implementation>\n          <ST><![CDATA[nSum := Level * 16;\n]]></ST>\n        \
     </Implementation>\n      </Set>\n    </Property>\n";

/// Blocks that extend the base block of their cell.
const HEIRS: &[&str] = &["Tank", "Pump", "Valve"];

/// Declaration of an heir; `{name}` is its name.
const HEIR: &str =
    "FUNCTION_BLOCK FB_{name}_{c} EXTENDS FB_Base_{c}\nVAR\n\tfbWatch : TOF;\n\tnParts : ARRAY[0..9] OF DINT;\nEND_VAR\n";

/// Some statements of an heir; `{i}` is a number.
const STEP: &str = "IF bEnable AND nLevel > GVL_{c}.settings[{i}].low + {i} THEN\n\tnParts[{i}] := nParts[{i}] + 1; // step {i}\n\t\
     GVL_{c}.settings[{i}].limits[{i} MOD 8] := nLevel;\nELSIF NOT bStop AND fbWatch.Q THEN\n\tnParts[{i}] := 0;\nEND_IF\n";

/// Method of an heir that overrides that of the base block.
const OVERRIDE: &str = "    <Method Name=\"Reset\">\n      <Declaration><![CDATA[METHOD PUBLIC Reset : BOOL\n]]></Declaration>\n      \
     <Implementation>\n        <ST><![CDATA[nParts[0] := 0;\nReset := SUPER^.Reset();\n]]></ST>\n      </Implementation>\n    </Method>\n";

/// Returns the files of a plant.
pub(super) fn files(n: usize) -> Vec<PlantFile> {
    let cells = cells(n.saturating_sub(1), OBJECTS.len() + HEIRS.len());
    let mut files = Vec::new();
    for cell in 1..=cells {
        for (path, element, declaration, body, members) in OBJECTS {
            let text = object(element, path, declaration, body, members);
            files.push(PlantFile::of_cell(&format!("cell_{{c}}/{path}"), &text, cell));
        }
        for name in HEIRS {
            let path = format!("POUs/FB_{name}_{{c}}.TcPOU");
            let body = format!("SUPER^();\nfbWatch(IN := bEnable, PT := T#3S);\n{}", each(1..=8, STEP));
            let text = object("POU", &path, &HEIR.replace("{name}", name), &body, OVERRIDE);
            files.push(PlantFile::of_cell(&format!("cell_{{c}}/{path}"), &text, cell));
        }
    }
    let machines = each(1..=cells, "\tfbMachine{i} : FB_Machine_{i};\n");
    let calls = each(1..=cells, "fbMachine{i}(bEnable := bRun, bStart := bGo, bStop := NOT bRun, nLevel := nLevel);\n");
    let inputs = "\tbRun AT %IX0.0 : BOOL;\n\tbGo AT %IX0.1 : BOOL;\n\tnLevel AT %IW2 : INT;\n";
    let main = object("POU", "MAIN.TcPOU", &format!("PROGRAM MAIN\nVAR\n{inputs}{machines}END_VAR\n"), &calls, "");
    files.push(PlantFile::new("MAIN.TcPOU", main));
    files
}

/// Returns an object as TwinCAT stores it.
fn object(element: &str, path: &str, declaration: &str, body: &str, members: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or(path);
    let implementation = if element == "POU" {
        format!("    <Implementation>\n      <ST><![CDATA[{body}]]></ST>\n    </Implementation>\n")
    } else {
        String::new()
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<TcPlcObject Version=\"1.1.0.1\" ProductVersion=\"3.1.4024.0\">\n  \
         <{element} Name=\"{name}\">\n    <Declaration><![CDATA[{declaration}]]></Declaration>\n{implementation}{members}  \
         </{element}>\n</TcPlcObject>\n"
    )
}
