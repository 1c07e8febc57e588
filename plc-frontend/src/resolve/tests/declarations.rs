//! Types, constants, initial values, addresses, the programs that run.

use super::show::show_expr;
use crate::hir::{Init, Project, Value};
use crate::resolve::testing::{check, check_body, loaded, summary};
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Returns `name=value` of all leaves whose value is not that of their type.
#[track_caller]
fn leaves(source: &str) -> String {
    let loaded = loaded(source);
    assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
    let show = |project: &Project| {
        let rows = project.leaves().into_iter().filter(|l| l.init != project.default_value(l.ty));
        let row = |l: crate::hir::Leaf| format!("{}={}", l.name, l.init.map_or("?".to_owned(), value));
        rows.map(row).collect::<Vec<_>>().join(" ")
    };
    show(&loaded.value.project)
}

fn value(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Real(bits) => f32::from_bits(bits).to_string(),
        Value::LReal(bits) => f64::from_bits(bits).to_string(),
    }
}

fn main_with(vars: &str, types: &str) -> String {
    format!("{types}\nPROGRAM Main\n{vars}\nEND_PROGRAM")
}

/// Advice never proposes a name that only lowering uses.
#[test]
fn help_for_an_unknown_type_names_what_can_be_written() {
    let help = |ty: &str| {
        let found = crate::resolve::testing::findings(&format!("PROGRAM p VAR a : {ty}; END_VAR END_PROGRAM"));
        found.into_iter().find(|finding| finding.code == "P2002").and_then(|finding| finding.help).unwrap()
    };
    for ty in ["Conveyor_Belt_7", "_ON_DELAY", "SFC_STEP"] {
        assert!(!help(ty).contains("__"), "{}", help(ty));
    }
    assert!(help("Conveyor_Belt_7").contains("upload the file"));
}

#[test]
fn initial_values_reach_the_leaves() {
    let check = |types: &str, vars: &str, expected: &str| assert_eq!(leaves(&main_with(vars, types)), expected, "{types} {vars}");
    check("", "VAR\n a, b : INT := 5; c : REAL := 1; d : BOOL := TRUE;\nEND_VAR", "Main.a=5 Main.b=5 Main.c=1 Main.d=true");
    check("", "VAR\n a : ARRAY [1..4] OF INT := [1, 2(7)];\nEND_VAR", "Main.a[1]=1 Main.a[2]=7 Main.a[3]=7");
    check(
        "",
        "VAR\n a : ARRAY [0..1, 0..1] OF INT := [[1, 2], [3, 4]];\nEND_VAR",
        "Main.a[0, 0]=1 Main.a[0, 1]=2 Main.a[1, 0]=3 Main.a[1, 1]=4",
    );
    check(
        "",
        "VAR\n a : ARRAY [0..1] OF ARRAY [0..1] OF INT := [[1, 2], [3]];\nEND_VAR",
        "Main.a[0][0]=1 Main.a[0][1]=2 Main.a[1][0]=3",
    );
    check("", "VAR\n t : TON := (PT := T#1s);\nEND_VAR", "Main.t.PT=1000");
    check(
        "TYPE L : INT := 7; END_TYPE",
        "VAR\n a : L; b : L := 1; c : ARRAY [1..2] OF L;\nEND_VAR",
        "Main.a=7 Main.b=1 Main.c[1]=7 Main.c[2]=7",
    );
    check("TYPE B : A; A : INT := 7; END_TYPE", "VAR\n a : B;\nEND_VAR", "Main.a=7");
    check("TYPE C : (Red, Green, Blue) := Green; END_TYPE", "VAR\n a : C; b : C := Blue;\nEND_VAR", "Main.a=1 Main.b=2");
    check("TYPE C : (Red := 2, Green, Blue := 10) USINT; END_TYPE", "VAR\n a : C; b : C := Green;\nEND_VAR", "Main.b=3");
    check(
        "TYPE S : STRUCT x : INT := 1; y : INT; END_STRUCT; END_TYPE",
        "VAR\n a : S; b : S := (y := 2);\nEND_VAR",
        "Main.a.x=1 Main.b.x=1 Main.b.y=2",
    );
    check("TYPE S : STRUCT x : INT := 1; END_STRUCT := (x := 4); END_TYPE", "VAR\n a : S;\nEND_VAR", "Main.a.x=4");
    check(
        "TYPE S : STRUCT p : P := (x := 3); END_STRUCT; P : STRUCT x, y : INT; END_STRUCT; END_TYPE",
        "VAR\n a : S; b : S := (p := (y := 9));\nEND_VAR",
        "Main.a.p.x=3 Main.b.p.x=3 Main.b.p.y=9",
    );
    check("TYPE R : INT (5..9); END_TYPE", "VAR\n a : R; b : R := 6;\nEND_VAR", "Main.b=6");
}

#[test]
fn constants_are_computed_exactly() {
    let check = |vars: &str, expected: &str| assert_eq!(leaves(&main_with(vars, "")), expected, "{vars}");
    check(
        r"VAR CONSTANT
 n : INT := m + 1; m : INT := 2 * 3;
END_VAR
VAR
 a : ARRAY [1..n] OF BOOL := [7(TRUE)];
END_VAR",
        "Main.n=7 Main.m=6 Main.a[1]=true Main.a[2]=true Main.a[3]=true Main.a[4]=true Main.a[5]=true Main.a[6]=true Main.a[7]=true",
    );
    check(
        r"VAR CONSTANT
 t : ARRAY [1..3] OF INT := [4, 5, 6];
END_VAR
VAR
 x : INT := t[2]; u : ARRAY [1..3] OF INT := t;
END_VAR",
        "Main.t[1]=4 Main.t[2]=5 Main.t[3]=6 Main.x=5 Main.u[1]=4 Main.u[2]=5 Main.u[3]=6",
    );
    check(
        "VAR\n x : INT := MAX(3, SEL(TRUE, 1, 9)); y : WORD := SHL(WORD#1, 4); z : BOOL := 2 > 1;\nEND_VAR",
        "Main.x=9 Main.y=16 Main.z=true",
    );
    check(
        "VAR\n x : INT := REAL_TO_INT(2.5); y : REAL := 1.0 / 4.0; z : DINT := -7 / 2; m : INT := -7 MOD 2;\nEND_VAR",
        "Main.x=2 Main.y=0.25 Main.z=-3 Main.m=-1",
    );
    let check = |vars: &str, expected: &str| crate::resolve::testing::check(&main_with(vars, ""), expected);
    check("VAR CONSTANT\n n : INT := m; m : INT := n;\nEND_VAR", "P3020@4:2");
    check("VAR\n x : INT := 200 * 200;\nEND_VAR", "P3007@4:13");
    check("VAR\n x : INT := 1 / 0;\nEND_VAR", "P3007@4:13");
    check("VAR\n x : INT; y : INT := x;\nEND_VAR", "P3006@4:22");
    check("VAR CONSTANT\n c : INT := 5;\nEND_VAR\nVAR\n x : INT (1..2) := c;\nEND_VAR", "P3007@7:20");
    check("VAR\n y : INT := F();\nEND_VAR\nEND_PROGRAM\nFUNCTION F : INT\nF := 1;\nEND_FUNCTION\nPROGRAM G", "");
    check("VAR\n y : REAL := SIN(1.0);\nEND_VAR", "P3006@4:14");
}

#[test]
fn initial_values_may_use_what_stands_before() {
    // The attribute marks a text of CODESYS.
    let with = |globals: &str, rest: &str| format!("{{attribute 'x'}}\nVAR_GLOBAL\n{globals}\nEND_VAR\n{rest}");
    let main = "PROGRAM Main\nEND_PROGRAM";
    let check = |source: &str, expected: &str| {
        let loaded = loaded(source);
        assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
        let project = &loaded.value.project;
        let mut found = String::new();
        for var in project.globals.iter().chain(project.pous.iter().flat_map(|pou| pou.vars.iter())) {
            let shown = match &var.init {
                Init::Scalar(v) => value(*v),
                Init::Array(slots) => slots
                    .iter()
                    .filter_map(
                        |slot| if let Init::Scalar(Value::Int(c @ 1..)) = slot { char::from_u32(*c as u32) } else { None },
                    )
                    .collect(),
                Init::Default | Init::Struct(_) | Init::Instance(_) => "-".to_owned(),
            };
            found.push_str(&format!("{}={shown} ", var.name));
        }
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(format!("{found}{}", gaps.join(", ")), expected, "\n{source}");
    };
    let open = "initial value that is no constant";
    let starts = |name: &str| format!("`{name}` can start with the value of the run");
    let any = format!("{open}, {}", starts("b"));
    for (globals, expected) in [
        ("a : INT := 2; b : INT := a + 1;", "a=2 b=3 "),
        (
            "a : STRING[3] := 'ab'; b : STRING[4] := CONCAT(a, 'cde'); n : INT := LEN(b); e : BOOL := a = 'ab';",
            "a=ab b=abcd n=4 e=true ",
        ),
        (
            r"a : STRING := CONCAT(MID('hello', 2, 2), UPPER);
END_VAR
VAR_GLOBAL CONSTANT
 UPPER : STRING := 'X';",
            "a=elX UPPER=X ",
        ),
        ("a : INT := FIND('hello', 'l'); b : BOOL := 'a' < 'b';", "a=3 b=true "),
    ] {
        check(&with(globals, main), expected);
    }
    // Variables that have another value by then, or an unknown order.
    for (globals, expected) in [
        ("b : INT := a; a : INT := 2;", "b=- a=2 "),
        ("a AT %IW0 : INT; b : INT := a;", "a=- b=- "),
        ("a : INT := 2;\nEND_VAR\nVAR_GLOBAL\n b : INT := a;", "a=2 b=- "),
    ] {
        check(&with(globals, main), &format!("{expected}{any}"));
    }
    check(&with("b : REAL := SIN(1.0);", main), &format!("b=- {open}"));
    // What starts with any value gives no other variable its initial value.
    let both = format!("b=- c=- a=2 {any}, {open}, {}", starts("c"));
    check(&with("b : INT := a; c : INT := b; a : INT := 2;", main), &both);
    let program = |vars: &str| with("g : INT := 1;", &format!("PROGRAM Main\n{vars}\nEND_PROGRAM"));
    check(&program("VAR\n a : INT := 2; b : INT := a;\nEND_VAR"), "g=1 a=2 b=2 ");
    check(&program("VAR\n b : INT := g;\nEND_VAR"), &format!("g=1 b=- {any}"));
    // An input may have another value by then, and VAR_TEMP is initialised in each cycle.
    check(&program("VAR_INPUT\n a : INT := 2;\nEND_VAR\nVAR\n b : INT := a;\nEND_VAR"), &format!("g=1 a=2 b=- {any}"));
    check(&program("VAR\n a : INT := 2;\nEND_VAR\nVAR_TEMP\n b : INT := a;\nEND_VAR"), &format!("g=1 a=2 b=- {open}"));
    // A declaration of an instance may give `a` another value.
    let block = "FUNCTION_BLOCK B\nVAR\n a : INT := 2; b : INT := a;\nEND_VAR\nEND_FUNCTION_BLOCK";
    check(&with("g : INT := 1;", block), &format!("g=1 a=2 b=- {any}"));
}

#[test]
fn a_name_that_stands_twice_in_a_list_is_found() {
    let list = |name: &str, vars: &str| {
        format!(
            "<?xml version=\"1.0\"?><TcPlcObject><GVL Name=\"{name}\"><Declaration><![CDATA[VAR_GLOBAL\n{vars}\nEND_VAR]]></Declaration></GVL></TcPlcObject>"
        )
    };
    let mut sources = SourceSet::default();
    // The later lists precede the first one in the alphabet.
    for (name, vars) in [("Z", "a : INT;"), ("M", "a : INT;"), ("A", "a : INT;")] {
        sources.add(format!("{name}.TcGVL"), list(name, vars));
    }
    sources.add("main.st", "PROGRAM Main\nEND_PROGRAM");
    let codes =
        |sources: &SourceSet| load(sources, &LoadOptions::default()).diagnostics.iter().map(|d| d.code).collect::<Vec<_>>();
    assert!(codes(&sources).is_empty(), "{:?}", codes(&sources));
    sources.add("Z2.TcGVL", list("Z", "a : INT;"));
    assert_eq!(codes(&sources), ["P4002"]);
}

#[test]
fn wrong_declarations_are_refused() {
    let check = |vars: &str, expected: &str| check(&main_with(vars, ""), expected);
    for (vars, expected) in [
        ("VAR\n a : ARRAY [3..1] OF INT;\nEND_VAR", "P3008@4:13"),
        ("VAR\n n : INT; a : ARRAY [1..n] OF INT;\nEND_VAR", "P3006@4:25"),
        // Not kept, and no error.
        ("VAR\n a : ARRAY [1..70000] OF INT;\nEND_VAR", ""),
        ("VAR\n a : ARRAY [1..60000] OF STRUCT x, y : INT; END_STRUCT;\nEND_VAR", ""),
        ("VAR\n a : ARRAY [1..1.5] OF INT;\nEND_VAR", "P3004@4:16"),
        ("VAR\n a : INT (5..1);\nEND_VAR", "P3008@4:11"),
        ("VAR\n a : REAL (1..5);\nEND_VAR", "P3004@4:6"),
        ("VAR\n a : INT (0..40000);\nEND_VAR", "P3003@4:14"),
        ("VAR\n a : (Red, Green := 3000000000);\nEND_VAR", "P3007@4:12"),
        ("VAR\n a : (Red := 255, Green) USINT;\nEND_VAR", "P3007@4:19"),
        ("VAR\n a : ARRAY [1..2] OF INT := [1, 2, 3];\nEND_VAR", "P3014@4:36"),
        ("VAR\n a : ARRAY [1..2] OF INT := [3(1)];\nEND_VAR", "P3014@4:32"),
        ("VAR\n a : INT := [1];\nEND_VAR", "P3014@4:13"),
        ("VAR\n a : INT := (x := 1);\nEND_VAR", "P3014@4:13"),
        ("VAR\n a : TON := (Q2 := TRUE);\nEND_VAR", "P2004@4:14"),
        ("VAR\n a : STRUCT x : INT; END_STRUCT := (y := 1);\nEND_VAR", "P2004@4:37"),
        ("VAR\n a : Nix; b : Nix;\nEND_VAR\na := b;", "P2002@4:6 P2002@4:15"),
        ("VAR\n a : Tom;\nEND_VAR", "P2002@4:6"),
        ("VAR\n a : Main;\nEND_VAR", "P3017@4:6"),
        ("VAR_TEMP\n a : ARRAY [1..2] OF TON;\nEND_VAR", "P3018@4:2"),
        ("VAR\n a AT %QB0 : WORD;\nEND_VAR", "P3015@4:2 warning"),
        ("VAR\n a AT %QW0 : WORD; b AT %IX0.0 : BOOL; c AT %I* : BOOL;\nEND_VAR", ""),
    ] {
        check(vars, expected);
    }
    crate::resolve::testing::check("TYPE S : STRUCT s : S; END_STRUCT; END_TYPE\nPROGRAM Main\nEND_PROGRAM", "P3019@1:21");
    crate::resolve::testing::check("TYPE A : B; B : A; END_TYPE\nPROGRAM Main\nEND_PROGRAM", "P3019@1:17");
}

#[test]
fn elementary_types_are_shared_and_anonymous_ones_too() {
    let loaded = loaded(
        r"PROGRAM Main
VAR
 a : ARRAY [1..2] OF INT; b : ARRAY [1..2] OF INT; c : INT (0..5); d : INT (0..5);
END_VAR
a := b;
END_PROGRAM",
    );
    let vars = &loaded.value.project.pous.iter().next().unwrap().vars;
    let types: Vec<_> = vars.iter().map(|v| v.ty).collect();
    assert_eq!((types[0], types[2]), (types[1], types[3]));
    assert_eq!(vars.iter().next().unwrap().init, Init::Default);
}

#[test]
fn the_order_of_files_and_declarations_does_not_matter() {
    let parts = [
        "TYPE S : STRUCT a : ARRAY [1..N] OF Color; END_STRUCT; END_TYPE",
        "VAR_GLOBAL CONSTANT\n N : INT := 3;\nEND_VAR",
        "TYPE Color : (Red, Green) := Green; END_TYPE",
        "FUNCTION_BLOCK B\nVAR\n s : S;\nEND_VAR\ns.a[F(1)] := Red;\nEND_FUNCTION_BLOCK",
        "FUNCTION F : INT\nVAR_INPUT\n x : INT;\nEND_VAR\nF := x;\nEND_FUNCTION",
        "PROGRAM Main\nVAR\n b : B;\nEND_VAR\nb();\nEND_PROGRAM",
    ];
    let names = |order: &[usize]| {
        let mut sources = SourceSet::default();
        for &i in order {
            sources.add(format!("{i}.st"), parts[i]);
        }
        let loaded = load(&sources, &LoadOptions::default());
        assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
        loaded.value.project.leaves().into_iter().map(|l| (l.name, l.init)).collect::<Vec<_>>()
    };
    assert_eq!(names(&[0, 1, 2, 3, 4, 5]), names(&[5, 4, 3, 2, 1, 0]));
    assert_eq!(names(&[0, 1, 2, 3, 4, 5]), names(&[3, 0, 5, 1, 4, 2]));
}

#[test]
fn programs_run_in_declared_order_or_the_chosen_entry_runs() {
    let blocks = "FUNCTION_BLOCK A\nVAR\n b : B;\nEND_VAR\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK B\nEND_FUNCTION_BLOCK\n";
    let check = |source: &str, entry: Option<&str>, instances: &str, findings: &str| {
        let mut sources = SourceSet::default();
        sources.add("main.st", source);
        let loaded = load(&sources, &LoadOptions { entry: entry.map(str::to_owned), ..LoadOptions::default() });
        let project = &loaded.value.project;
        let names: Vec<&str> = project.task.runs.iter().map(|id| project.instances[*id].name.as_str()).collect();
        assert_eq!(names.join(" "), instances, "{source} {entry:?}");
        assert_eq!(summary(&loaded.value.sources, &loaded.diagnostics, 1), findings, "{source} {entry:?}");
    };
    let programs = "PROGRAM Q\nEND_PROGRAM\nPROGRAM P\nEND_PROGRAM\n";
    check(programs, None, "Q P", "");
    check(&format!("{blocks}{programs}"), None, "Q P", "");
    check(&format!("{blocks}{programs}"), Some("a"), "A", "");
    check(&format!("{blocks}{programs}"), Some("P"), "P", "");
    check(&format!("{blocks}{programs}"), Some("Z"), "", "P2006@1:1");
    check(blocks, None, "A", "");
    check(&format!("{blocks}FUNCTION_BLOCK C\nEND_FUNCTION_BLOCK"), None, "", "P2007@1:16");
    check("FUNCTION F : INT\nF := 1;\nEND_FUNCTION", None, "", "P2007@1:1");
    check("FUNCTION F : INT\nF := 1;\nEND_FUNCTION", Some("F"), "", "P2006@1:1");
}

#[test]
fn the_users_block_hides_the_standard_one() {
    let source = r"FUNCTION_BLOCK TON
VAR_INPUT
 X : INT;
END_VAR
END_FUNCTION_BLOCK
PROGRAM Main
VAR
 t : TON; c : CTU;
END_VAR
t(X := 1);
END_PROGRAM";
    check(source, "P2010@1:16 warning");
    let loaded = loaded(source);
    let names: Vec<&str> = loaded.value.sources.files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["main.st", "CTU.st"]);
}

#[test]
fn direct_addresses_are_variables() {
    let loaded = loaded("PROGRAM Main\nVAR\n a AT %QX0.0 : BOOL;\nEND_VAR\n%QX0.0 := %ix0.1 AND %MW5 > WORD#1;\nEND_PROGRAM");
    assert!(loaded.diagnostics.is_empty(), "{:#?}", loaded.diagnostics);
    let project = &loaded.value.project;
    let names: Vec<String> = project.leaves().into_iter().map(|l| format!("{}:{:?}", l.name, l.role)).collect();
    assert_eq!(names, ["%IX0.1:Input", "%MW5:Input", "Main.a:Output"]);
    let crate::hir::StmtKind::Assign { value, .. } = &project.pous.iter().next().unwrap().body[0].kind else {
        panic!("an assignment")
    };
    assert_eq!(show_expr(project, value), "(@%IX0.1 AND (@%MW5 > 1:WORD))");
    check_body("", "%QX0 := 5;\n%QW1 := %IB0;\n%I* := TRUE;", "P3001@1:9 P3015@3:1");
}

/// Data blocks of Siemens give elements of arrays their initial values one by one.
#[test]
fn elements_have_initial_values_of_their_own() {
    let types = "TYPE \"Row\" STRUCT n : Int := 7; on : Bool; END_STRUCT; END_TYPE\n";
    let block = |values: &str| {
        format!(
            "{types}DATA_BLOCK \"Data\"\nSTRUCT\n rows : Array[1..3] of \"Row\";\n grid : Array[0..1, 5..6] of Int;\nEND_STRUCT;\nBEGIN\n{values}\nEND_DATA_BLOCK\n\
             FUNCTION_BLOCK \"Main\"\nVAR_OUTPUT q : Int; END_VAR\nBEGIN\n#q := \"Data\".rows[2].n;\nEND_FUNCTION_BLOCK\n"
        )
    };
    let load = |values: &str| {
        let mut sources = crate::text::SourceSet::default();
        sources.add("data.scl", block(values));
        crate::load(&sources, &crate::LoadOptions::default())
    };
    let parsed = load("rows[2].n := 3; rows[3].on := TRUE; rows[ 2 ].on := TRUE; grid[1, 6] := 9; grid[0,5] := 4;");
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    let leaves = parsed.value.project.leaves();
    let shown = leaves.iter().filter(|leaf| leaf.name.starts_with("Data")).map(|leaf| match leaf.init {
        Some(crate::hir::Value::Bool(value)) => i128::from(value),
        other => other.and_then(crate::hir::Value::as_int).unwrap(),
    });
    assert_eq!(shown.collect::<Vec<_>>(), [7, 0, 3, 1, 7, 1, 4, 0, 0, 9]);
    for wrong in ["rows[4].n := 1;", "grid[0] := 1;", "rows[1].n[2] := 1;", "rows.n := 1;", "rows[1].n := 1; rows.n := 2;"] {
        assert!(load(wrong).has_errors(), "{wrong}");
    }
}

/// An instance in VAR_INPUT is a copy of the caller's, which is not modelled.
#[test]
fn instances_that_are_copied_in_are_gaps() {
    let block = "FUNCTION_BLOCK F\nVAR_INPUT t : TON; n : INT; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nIF n = 0 THEN q := t.Q; END_IF;\nEND_FUNCTION_BLOCK\n";
    let gaps = |call: &str| {
        let program = format!("PROGRAM Main\nVAR f : F; t : TON; END_VAR\n{call}\nEND_PROGRAM\n");
        let mut sources = crate::text::SourceSet::default();
        sources.add("p.st", format!("{block}{program}"));
        let parsed = crate::load(&sources, &crate::LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
        let gaps = parsed.value.ledger.gaps.iter().filter(|gap| gap.treatment == crate::text::Treatment::Unsupported);
        gaps.map(|gap| sources.line_col(gap.span).line).collect::<Vec<_>>()
    };
    assert_eq!(gaps("f(n := 1);"), [2, 4]);
    assert_eq!(gaps("f(t := t, n := 1);"), [2, 4, 8]);
}
