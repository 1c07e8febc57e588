//! Versions and parameters of libraries that references state.

use super::*;

/// Returns a project of TwinCAT: its properties, and its items.
fn project(properties: &str, items: &str) -> String {
    format!("<Project><PropertyGroup>{properties}</PropertyGroup><ItemGroup>{items}</ItemGroup></Project>")
}

/// Returns the project that runs; it compiles `MAIN.TcPOU`.
fn app(reference: &str) -> String {
    project("<Title>App</Title>", &format!("<Compile Include=\"MAIN.TcPOU\"/>{reference}"))
}

/// Returns the HIR, and the conditions of answers.
fn read(files: &[(&str, &str)]) -> (String, String) {
    let loaded = load_isolated(&set(files), &LoadOptions::default());
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let errors: Vec<&str> = errors.map(|d| d.message.as_str()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let told: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    let project = &loaded.value.project;
    let constants: Vec<String> = project.globals.iter().map(|var| format!("{} {:?}", var.name, var.init)).collect();
    (constants.join(" "), told.join("; "))
}

#[test]
fn a_project_sets_parameters_of_its_libraries() {
    let main = pou("PROGRAM MAIN\nVAR\n x : INT;\nEND_VAR", "x := Param.MAXN;");
    let lamps = project("<Title>Lamps</Title>", "<Compile Include=\"Param.TcGVL\"/>");
    let list = "<TcPlcObject><GVL Name=\"Param\" ParameterList=\"True\"><Declaration><![CDATA[{attribute 'qualified_only'}\n\
                VAR_GLOBAL CONSTANT\n MAXN : INT := 3;\n OTHER : INT := 4;\nEND_VAR]]></Declaration></GVL></TcPlcObject>";
    let check = |parameters: &str, value: &str, condition: &str| {
        let reference =
            format!("<PlaceholderReference Include=\"Lamps\"><Parameters>{parameters}</Parameters></PlaceholderReference>");
        let app = app(&reference);
        let files = [("A/A.plcproj", app.as_str()), ("A/MAIN.TcPOU", &main), ("L/L.plcproj", &lamps), ("L/Param.TcGVL", list)];
        let (constants, told) = read(&files);
        assert!(constants.contains(value), "{parameters}: {constants}");
        assert_eq!(told, condition, "{parameters}");
    };
    let parameter =
        |value: &str| format!("<Parameter ListName=\"PARAM\" xmlns=\"\"><Key>maxn</Key><Value>{value}</Value></Parameter>");
    check("", "3", "");
    check(&parameter("10"), "10", "");
    check(&parameter("-7"), "-7", "");
    let own = "the library parameter `MAXN` has the value of the library, not `";
    check(&parameter("OTHER"), "3", &format!("{own}OTHER`"));
    check(&format!("{}{}", parameter("10"), parameter("11")), "3", &format!("{own}11`"));
}

#[test]
fn a_reference_asks_for_a_version_and_a_company() {
    let main = pou("PROGRAM MAIN\nVAR\n f : Lamp;\n x : INT;\nEND_VAR", "f(); x := f.o;");
    let block = |value: &str| pou("FUNCTION_BLOCK Lamp\nVAR_OUTPUT\n o : INT;\nEND_VAR", &format!("o := {value};"));
    let lamps = |version: &str| {
        let properties = format!("<Title>Lamps</Title><Company>me</Company><ProjectVersion>{version}</ProjectVersion>");
        project(&properties, "<Compile Include=\"Lamp.TcPOU\"/>")
    };
    let (first, second) = (lamps("1.0.0.0"), lamps("2.0.0.0"));
    let (one, two) = (block("1"), block("2"));
    let both = [("L1/L.plcproj", first.as_str()), ("L1/Lamp.TcPOU", &one), ("L2/L.plcproj", &second), ("L2/Lamp.TcPOU", &two)];
    let check = |reference: &str, libraries: &[(&str, &str)], condition: &str| {
        let app = app(reference);
        let files = [&[("A/A.plcproj", app.as_str()), ("A/MAIN.TcPOU", &main)], libraries].concat();
        assert_eq!(read(&files).1, condition, "{reference}");
    };
    let resolved = |to: &str| {
        format!(
            "<PlaceholderReference Include=\"Lamps\"><DefaultResolution>Lamps, {to}</DefaultResolution></PlaceholderReference>"
        )
    };
    check(&resolved("2.0.0.0 (me)"), &both[2..], "");
    check(&resolved("* (Me)"), &both[2..], "");
    check("<LibraryReference Include=\"Lamps,2.0,me\"/>", &both[2..], "");
    let of = |asked: &str| {
        format!(
            "the library `L` of the upload has version 2.0.0.0 of me, the project `A` asks for version {asked}: one is taken for the other"
        )
    };
    check(&resolved("1.0.0.0 (me)"), &both[2..], &of("1.0.0.0 of me"));
    check("<LibraryReference Include=\"Lamps,2.0.0.0,Other\"/>", &both[2..], &of("2.0.0.0 of Other"));
    // A library that states neither contradicts nothing, and one that nothing uses does not matter.
    let plain = project("<Title>Lamps</Title>", "<Compile Include=\"Lamp.TcPOU\"/>");
    check(&resolved("1.0.0.0 (me)"), &[("L2/L.plcproj", plain.as_str()), ("L2/Lamp.TcPOU", &two)], "");
    let unused = pou("PROGRAM MAIN\nVAR\n x : INT;\nEND_VAR", "x := 1;");
    let asks = app(&resolved("1.0.0.0 (me)"));
    let files = [&[("A/A.plcproj", asks.as_str()), ("A/MAIN.TcPOU", &unused)], &both[2..]].concat();
    assert_eq!(read(&files).1, "");
    // The one that is asked for, of several.
    let used = |reference: &str| {
        let app = app(reference);
        let files = [&[("A/A.plcproj", app.as_str()), ("A/MAIN.TcPOU", &main)], both.as_slice()].concat();
        assert_eq!(read(&files).1, "", "{reference}");
        Solution::of(&set(&files)).library_files(0).into_iter().map(|id| id.0).collect::<Vec<_>>()
    };
    assert_eq!(used(&resolved("1.0.0.0 (me)")), [2, 3]);
    assert_eq!(used(&resolved("2.0.0.0 (me)")), [4, 5]);
    assert_eq!(used(&resolved("* (me)")), [4, 5]);
    // A resolution that the project states replaces the usual one, also where another library has its name.
    let stated = |to: &str, usual: &str| {
        format!(
            "<PlaceholderReference Include=\"Lamps\"><DefaultResolution>{usual}</DefaultResolution></PlaceholderReference>\
             <PlaceholderResolution Include=\"Lamps\"><Resolution>{to}</Resolution></PlaceholderResolution>"
        )
    };
    assert_eq!(used(&stated("Lamps, 1.0.0.0 (me)", "Lamps, 2.0.0.0 (me)")), [2, 3]);
    assert_eq!(used(&stated("Lamps, 2.0.0.0 (me)", "Lamps, * (Other)")), [4, 5]);
    assert_eq!(used(&stated("", "Lamps, 1.0.0.0 (me)")), [2, 3]);
    let third = project("<Title>Usual</Title><Company>me</Company>", "<Compile Include=\"Lamp.TcPOU\"/>");
    let app = app(&stated("Lamps, 2.0.0.0 (me)", "Usual, * (me)"));
    let files = [("A/A.plcproj", app.as_str()), ("A/MAIN.TcPOU", &main), ("L2/L.plcproj", &second), ("L2/Lamp.TcPOU", &two)];
    let files = [files.as_slice(), &[("U/U.plcproj", third.as_str()), ("U/Lamp.TcPOU", &one)]].concat();
    assert_eq!(Solution::of(&set(&files)).library_files(0).into_iter().map(|id| id.0).collect::<Vec<_>>(), [2, 3]);
}
