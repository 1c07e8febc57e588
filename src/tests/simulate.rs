//! Simulation as a user calls it: stimuli, random inputs, the environment of the requirement file, and what is printed.

use super::cli::{Case, LATCH, text};

#[test]
fn simulation_prints_one_row_per_cycle() {
    let case = Case::new(&[("p.st", LATCH)]);
    let output = case.run(&[
        "simulate",
        "p.st",
        "--cycles",
        "4",
        "--set",
        "2:Go=TRUE",
        "--set",
        "3:Go=FALSE",
        "--set",
        "4:Stop=TRUE",
        "--csv",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let expected = "cycle,Go,Stop,Run\n1,FALSE,FALSE,FALSE\n2,TRUE,FALSE,TRUE\n3,FALSE,FALSE,TRUE\n4,FALSE,TRUE,FALSE\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn stimuli_come_from_a_file_and_runs_go_to_one() {
    let case = Case::new(&[("p.st", LATCH), ("in.csv", b"time;Go;Stop\n50;1;\nT#100ms;FALSE;0\n250;;TRUE\n")]);
    let output = case.run(&["simulate", "p.st", "--stimuli", "in.csv", "--csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let expected = "cycle,time,Go,Stop,Run\n1,50,TRUE,FALSE,TRUE\n2,100,FALSE,FALSE,TRUE\n3,250,FALSE,TRUE,FALSE\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);

    let output = case.run(&["simulate", "p.st", "--stimuli", "in.csv", "--vcd", "--out", "run.vcd"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let vcd = std::fs::read_to_string(case.folder.path().join("run.vcd")).unwrap();
    let expected = "$timescale 1 ns $end\n$scope module scanproof $end\n$var wire 1 ! Go $end\n$var wire 1 \" Stop $end\n\
        $var wire 1 # Run $end\n$upscope $end\n$enddefinitions $end\n#0\n0!\n0\"\n0#\n#50000000\n1!\n1#\n#100000000\n0!\n#250000000\n1\"\n0#\n";
    assert_eq!(vcd, expected);

    for (stimuli, words) in [
        (&b"Gone\n1\n"[..], "in.csv:1: there is no variable `Gone`"),
        (b"Run\n1\n", "in.csv:1: `Run` is not an input"),
        (b"Go,Stop\n1\n", "in.csv:2: 1 cells"),
        (b"Go\n7\n", "in.csv:2: Go: `7` is not a value"),
        (b"time,Go\n100,1\n100,0\n", "in.csv:3: the time `100` is not later"),
        (b"time,Go\nsoon,1\n", "in.csv:2: `soon` is not a time"),
        (b"Go\n", "only a first line"),
        (b"", "empty"),
    ] {
        let case = Case::new(&[("p.st", LATCH), ("in.csv", stimuli)]);
        let output = case.run(&["simulate", "p.st", "--stimuli", "in.csv"]);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(text(&output).contains(words), "{words}: {}", text(&output));
    }
}

#[test]
fn a_string_is_one_column_and_one_stimulus() {
    let program =
        b"PROGRAM P\nVAR_INPUT s : STRING[3]; END_VAR\nVAR t : STRING[4] := 'it'; END_VAR\nt := CONCAT(s, '!');\nEND_PROGRAM\n";
    let case = Case::new(&[("p.st", program)]);
    let output = case.run(&["simulate", "p.st", "--cycles", "2", "--set", "2:s='ab'", "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "cycle,s,t\n1,'','!'\n2,'ab','ab!'\n", "{}", text(&output));
    let output = case.run(&["simulate", "p.st", "--cycles", "1", "--set", "1:s='abc'", "--show", "t", "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "cycle,t\n1,'abc!'\n", "{}", text(&output));
    let output = case.run(&["simulate", "p.st", "--cycles", "1", "--set", "1:s='abcd'"]);
    assert!(text(&output).contains("has 4 characters, the variable 3"), "{}", text(&output));
    let output = case.run(&["simulate", "p.st", "--cycles", "1", "--set", "1:s=7"]);
    assert!(text(&output).contains("write it in quotes"), "{}", text(&output));
}

#[test]
fn a_simulation_that_ends_in_a_fault_says_so() {
    let program = b"PROGRAM P\nVAR_INPUT n : INT; END_VAR\nVAR q : INT; END_VAR\nq := 100 / n;\n//#ASSERT q < 60\nEND_PROGRAM\n";
    let case = Case::new(&[("p.st", program)]);
    let check = |set: &str, code: i32, expected: &str| {
        let output = case.run(&["simulate", "p.st", "--cycles", "1", "--set", set]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(expected), "{}", text(&output));
    };
    check("1:n=0", 40, "cycle 1: the run ends on line 4: the divisor is 0");
    check("1:n=1", 40, "cycle 1: the assertion on line 5 does not hold");
    check("1:n=2", 0, "50");
}

#[test]
fn floats_without_a_literal_are_read_as_simulate_writes_them() {
    let program = b"PROGRAM P\nVAR_INPUT r : REAL; END_VAR\nVAR_OUTPUT x : REAL; END_VAR\nx := -r;\nEND_PROGRAM\n";
    let case = Case::new(&[("p.st", program), ("in.csv", b"cycle,r\n1,+Inf\n2,-Inf\n3,NaN\n")]);
    let output = case.run(&["simulate", "p.st", "--stimuli", "in.csv", "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "cycle,r,x\n1,+Inf,-Inf\n2,-Inf,+Inf\n3,NaN,NaN\n", "{}", text(&output));
}

const ENVIRONMENT: &str = "TYPE Panel : STRUCT Open : BOOL; Version : INT := 7; END_STRUCT END_TYPE
PROGRAM Main
VAR_IN_OUT Hmi : Panel; END_VAR
VAR_INPUT Level : INT; Fill : REAL; END_VAR
VAR Limit : INT := 50; Spare : INT := 4; Sum : DINT; END_VAR
VAR RETAIN Hours : INT := 1; END_VAR
IF Level > Limit THEN Sum := Sum + Spare; END_IF
IF Hmi.Open THEN Hours := Hours; END_IF
END_PROGRAM
";

/// Returns values of one column, cycle by cycle.
fn column(csv: &str, name: &str) -> Vec<String> {
    let mut lines = csv.lines();
    let at = lines.next().unwrap().split(',').position(|head| head == name).unwrap_or_else(|| panic!("{name}: {csv}"));
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

/// The table has the values of several calls in one cell.
#[test]
fn the_table_of_a_counterexample_is_a_file_of_stimuli() {
    let program = include_bytes!("../../samples/stub/two_levels.st");
    let case = Case::new(&[("s.st", program), ("s.yaml", include_bytes!("../../samples/stub/two_levels.yaml"))]);
    let output = case.run(&["verify", "s.st", "-q", "--report", "csv=out"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let last = |id: &str, name: &str| -> i64 {
        let output = case.run(&["simulate", "s.st", "--stimuli", &format!("out/s.{id}.csv"), "--csv"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        column(&String::from_utf8(output.stdout).unwrap(), name).last().unwrap().parse().unwrap()
    };
    assert_ne!(last("same-channel", "Drift"), 0);
    assert!(60 < last("apart", "Difference"));
    assert_eq!(last("zones-apart", "Zones[3].Percent"), 50);
}

#[test]
fn random_values_keep_to_the_environment_of_the_requirement_file() {
    let random = |yaml: &str| {
        let case = Case::new(&[("p.st", ENVIRONMENT.as_bytes()), ("p.yaml", yaml.as_bytes())]);
        let output = case.run(&["simulate", "p.st", "--cycles", "200", "--random", "5", "--csv"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let numbers = |csv: &str, name: &str| -> Vec<f64> { column(csv, name).iter().map(|n| n.parse().unwrap()).collect() };
    let distinct = |csv: &str, name: &str| column(csv, name).into_iter().collect::<std::collections::BTreeSet<_>>().len();

    let csv = random("requirements: []");
    // VAR_IN_OUT of the entry is an input; what the program keeps is its own.
    assert!(distinct(&csv, "Hmi.Open") == 2 && 100 < distinct(&csv, "Hmi.Version") && 100 < distinct(&csv, "Level"), "{csv}");
    assert_eq!((distinct(&csv, "Limit"), distinct(&csv, "Spare"), distinct(&csv, "Hours")), (1, 1, 1));

    let yaml = "start: warm\ninputs: [Level: 0..60, Fill: 0.5..2.5, Hmi.Open]\nparameters: [Limit: 10..20]\n\
                memory: [Hmi.Version]\nfrozen: [Spare]\n";
    let csv = random(yaml);
    let level = numbers(&csv, "Level");
    assert!(level.iter().all(|n| (0.0..=60.0).contains(n)) && level.contains(&0.0) && level.contains(&60.0), "{level:?}");
    let fill = numbers(&csv, "Fill");
    assert!(fill.iter().all(|n| (0.5..=2.5).contains(n)) && 100 < distinct(&csv, "Fill"), "{fill:?}");
    assert!(distinct(&csv, "Limit") == 1 && (10.0..=20.0).contains(&numbers(&csv, "Limit")[0]), "{csv}");
    assert_eq!((column(&csv, "Hmi.Version")[199].as_str(), column(&csv, "Spare")[199].as_str()), ("7", "4"));
    // Retained at a warm start: any value, then what the program wrote.
    assert!(distinct(&csv, "Hours") == 1 && column(&csv, "Hours")[0] != "1", "{csv}");
}

#[test]
fn stimuli_keep_to_the_environment_and_mistakes_in_it_have_their_line() {
    let case = Case::new(&[
        ("p.st", ENVIRONMENT.as_bytes()),
        ("p.yaml", b"cycle: 20ms\nparameters: [Limit]\nfrozen: [Fill]\n"),
        ("bad.yaml", b"entry: Main\ninputs:\n  - Levle: 0..9\n"),
    ]);
    let run = |args: &[&str]| case.run(&[&["simulate", "p.st", "--cycles", "3", "--csv"], args].concat());
    let csv = String::from_utf8(run(&["--set", "1:Limit=5", "--set", "2:Level=6"]).stdout).unwrap();
    assert_eq!(
        (column(&csv, "Limit"), column(&csv, "Sum")),
        (vec!["5".to_owned(); 3], ["0", "4", "8"].map(String::from).to_vec())
    );
    let refused = |args: &[&str], words: &str| {
        let output = run(args);
        assert!(output.status.code() == Some(2) && text(&output).contains(words), "{args:?}: {}", text(&output));
    };
    refused(&["--set", "2:Limit=5"], "`Limit` is no input: it has any value before cycle 1 only");
    refused(&["--set", "1:Fill=1.0"], "`Fill` is not an input");
    let output = run(&["--req", "bad.yaml"]);
    assert!(output.status.code() == Some(3) && text(&output).contains("bad.yaml, line 3"), "{}", text(&output));
    // The time between cycles is that of the file.
    let vcd = case.run(&["simulate", "p.st", "--cycles", "2", "--vcd"]);
    assert!(text(&vcd).contains("#40000000\n") && !text(&vcd).contains("#100000000"), "{}", text(&vcd));
}

/// Gives numbers to what comes with 0: the input is written in the cycle in which it is given.
const TICKETS: &[u8] = b"FUNCTION_BLOCK Tickets
VAR_IN_OUT Id : USINT; END_VAR
VAR Next : USINT; END_VAR
IF Id = 0 THEN
    Next := Next + 1;
    Id := Next;
END_IF;
END_FUNCTION_BLOCK
";

#[test]
fn random_runs_are_repeated_from_their_csv_also_with_inputs_that_the_program_writes() {
    let environment = b"entry: Tickets\ncycle: 10ms..50ms\ninputs: [{Id: 0..2}]\nmemory: [{path: Next, start: any}]\n";
    for seed in ["1", "2", "3"] {
        let case = Case::new(&[("p.st", TICKETS), ("r.yaml", environment)]);
        let drawn = case.run(&["simulate", "p.st", "--req", "r.yaml", "--random", seed, "--csv", "--out", "run.csv"]);
        assert_eq!(drawn.status.code(), Some(0), "{}", text(&drawn));
        let again = case.run(&["simulate", "p.st", "--req", "r.yaml", "--stimuli", "run.csv", "--csv"]);
        assert_eq!(again.status.code(), Some(0), "{}", text(&again));
        let expected = std::fs::read_to_string(case.folder.path().join("run.csv")).unwrap();
        assert!(expected.starts_with("cycle,time,Next (given),Next,Id (given),Id\n"), "{expected}");
        assert_eq!(String::from_utf8_lossy(&again.stdout), expected);
    }
}

/// Values that calls of stubs give are stimuli, too: one for all calls of a cycle, or one for each.
#[test]
fn calls_of_stubs_give_the_stated_values() {
    let program = b"PROGRAM Main\nVAR a, b : FB_S; x, y : INT; END_VAR\na();\nb();\nx := a.n;\ny := b.n;\nEND_PROGRAM\n\
        {attribute 'stub'}\nFUNCTION_BLOCK FB_S\nVAR_OUTPUT n : INT; END_VAR\nEND_FUNCTION_BLOCK\n";
    let case = Case::new(&[("p.st", program)]);
    let set = ["--set", "1:FB_S.n (at call)=3", "--set", "2:FB_S.n (at call 2)=5", "--cycles", "2", "--csv"];
    let run = case.run(&[&["simulate", "p.st", "--show", "x", "--show", "y"][..], &set].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    let csv = text(&run);
    assert_eq!(
        (column(&csv, "x"), column(&csv, "y")),
        (vec!["3".to_owned(), "3".to_owned()], vec!["3".to_owned(), "5".to_owned()])
    );
    let drawn = case.run(&["simulate", "p.st", "--random", "3", "--cycles", "3", "--csv", "--out", "run.csv"]);
    assert_eq!(drawn.status.code(), Some(0), "{}", text(&drawn));
    let again = case.run(&["simulate", "p.st", "--stimuli", "run.csv", "--csv"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
}

#[test]
fn given_values_of_inputs_that_the_program_writes_are_told_in_every_cycle() {
    let requirement = b"entry: Tickets\ninputs: [{Id: 0..2}]\nrequirements:\n  - {id: r, always: Id <> 6}\n";
    let case = Case::new(&[("p.st", TICKETS), ("r.yaml", requirement)]);
    let told = text(&case.run(&["verify", "p.st", "--req", "r.yaml"]));
    assert!(told.contains("In cycle 1 Id is 0 (until cycle 6)."), "{told}");
    assert!(told.contains("*given 0, then 1 ") && told.contains("*given 0, then 6\n"), "{told}");
}
