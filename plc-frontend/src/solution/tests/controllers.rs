//! Programs of several controllers, and programs of libraries that tasks run.

use super::{plcproj, pou, projects, set};
use crate::solution::Solution;
use crate::{LoadOptions, load_isolated};

/// Each controller of a project of TIA Portal has a folder of blocks.
#[test]
fn controllers_of_tia_portal_are_projects() {
    let ob = |name: &str| format!("ORGANIZATION_BLOCK \"{name}\"\nBEGIN\n;\nEND_ORGANIZATION_BLOCK\n");
    let (main, second) = (ob("Main"), ob("Main2"));
    let two = [("PLC_1/Program blocks/Main.scl", main.as_str()), ("PLC_2/Program blocks/Main2.scl", second.as_str())];
    let sources = set(&two);
    assert_eq!(projects(&sources), "PLC_1:1+0 PLC_2:1+0");
    let one = [("PLC_1/Program blocks/Main.scl", main.as_str()), ("PLC_1/Program blocks/Group/Main2.scl", second.as_str())];
    assert_eq!(Solution::of(&set(&one)).projects().len(), 1);
    let library = [two[0], ("Common/Program blocks/F.scl", "FUNCTION \"F\" : Void\nBEGIN\n;\nEND_FUNCTION\n")];
    assert_eq!(Solution::of(&set(&library)).projects().len(), 1);
}

/// A task may name a program of a library by the library.
#[test]
fn programs_of_libraries_that_tasks_run_are_conditions() {
    let task = "<TcPlcObject><Task Name=\"T\"><CycleTime>10000</CycleTime><PouCall><Name>MAIN</Name></PouCall><PouCall><Name>Lib.NAME</Name>\
                </PouCall></Task></TcPlcObject>";
    let app = plcproj("App", &["MAIN.TcPOU", "T.TcTTO"], &["Lib"]);
    let lib = plcproj("Lib", &["LPRG.TcPOU"], &[]);
    let (main, lprg) = (pou("PROGRAM MAIN", ";"), pou("PROGRAM LPRG", ";"));
    let told = |name: &str| -> Vec<String> {
        let task = task.replace("NAME", name);
        let files = [
            ("App/App.plcproj", app.as_str()),
            ("App/MAIN.TcPOU", main.as_str()),
            ("App/T.TcTTO", task.as_str()),
            ("Lib/Lib.plcproj", lib.as_str()),
            ("Lib/LPRG.TcPOU", lprg.as_str()),
        ];
        let options = LoadOptions { project: Some("App".to_owned()), ..LoadOptions::default() };
        let loaded = load_isolated(&set(&files), &options).value;
        let gaps = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("writes no global"));
        gaps.map(|gap| gap.construct.split(',').nth(1).unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(told("LPRG"), [" a program of a library that a task runs"]);
    assert_eq!(told("Other"), [" which a task runs and no file declares"]);
}
