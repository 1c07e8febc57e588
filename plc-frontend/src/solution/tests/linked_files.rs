//! Files outside of the folders of the projects that compile them.

use super::*;

/// Projects of TwinCAT compile files of other folders: those belong to them, and to no other project.
#[test]
fn linked_files_belong_to_the_projects_that_compile_them() {
    let list = |items: &[&str]| {
        let items: String = items.iter().map(|item| format!("<Compile Include=\"{item}\"/>")).collect();
        format!("<Project><ItemGroup>{items}</ItemGroup></Project>")
    };
    let main = pou("PROGRAM MAIN\nVAR\n x : INT;\nEND_VAR", "x := F();");
    let shared = pou("FUNCTION F : INT", "F := 1;");
    let (app, other) = (list(&["MAIN.TcPOU", "..\\Shared\\F.TcPOU", "..\\B\\G.TcPOU"]), list(&["MAIN.TcPOU"]));
    let second = pou("FUNCTION G : INT", "G := 1;");
    let files = [
        ("S/A/A.plcproj", app.as_str()),
        ("S/A/MAIN.TcPOU", &main),
        ("S/Shared/F.TcPOU", &shared),
        ("S/B/B.plcproj", &other),
        ("S/B/MAIN.TcPOU", &main),
        ("S/B/G.TcPOU", &second),
    ];
    let sources = set(&files);
    let solution = Solution::of(&sources);
    let of = |name: &str| {
        let project = solution.projects().iter().find(|project| project.name == name).unwrap();
        project.files.iter().map(|id| sources.files[*id].name.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("A"), "S/A/A.plcproj S/A/MAIN.TcPOU S/Shared/F.TcPOU S/B/G.TcPOU");
    assert_eq!(of("B"), "S/B/B.plcproj S/B/MAIN.TcPOU");
    let errors = |project: &str| {
        let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
        load(&sources, &options).diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
    };
    assert_eq!((errors("A"), 0 < errors("B")), (0, true));
}

/// Attributes of files that the chosen project does not compile change none of its runs.
#[test]
fn pragmas_of_other_projects_are_no_conditions() {
    let main = pou("PROGRAM MAIN\nVAR\n y : BOOL;\nEND_VAR", "y := TRUE;");
    let block =
        pou("FUNCTION_BLOCK F\nVAR\n {attribute 'no_init'}\n {attribute 'OPC.UA.DA' := '1'}\n k : INT;\nEND_VAR", "k := 1;");
    let (first, second) = (plcproj("One", &["MAIN.TcPOU"], &[]), plcproj("Two", &["F.TcPOU", "MAIN.TcPOU"], &[]));
    let load = |project: &str| {
        let files = [
            ("One/One.plcproj", first.as_str()),
            ("One/MAIN.TcPOU", &main),
            ("Two/Two.plcproj", &second),
            ("Two/MAIN.TcPOU", &main),
            ("Two/F.TcPOU", &block),
        ];
        let options = LoadOptions { project: Some(project.to_owned()), ..LoadOptions::default() };
        let loaded = load_isolated(&set(&files), &options).value;
        assert!(loaded.runs, "{project}");
        loaded.ledger.gaps.len()
    };
    assert_eq!(load("One"), 0);
    assert!(0 < load("Two"));
}
