//! Further commands and options of the real binary: bench, export, explain, changes of the program, limits.

use serde_json::Value;

use super::cli::{Case, LATCH, assert_valid, json, text};

#[test]
fn a_bench_writes_its_tables_and_says_how_many_are_as_expected() {
    let case = Case::new(&[
        ("latch.st", LATCH),
        ("latch.yaml", b"requirements: [{ id: stop, if: Stop, then: NOT Run }, { id: never, never: Run }]"),
        ("off.st", b"PROGRAM Off\nVAR_INPUT a : BOOL; END_VAR\nVAR_OUTPUT q : BOOL; END_VAR\nq := a AND FALSE;\nEND_PROGRAM\n"),
        ("off.yaml", b"requirements: [{ never: q }]"),
        ("expected.csv", b"model,safe\noff.st,true\nmissing.st,true\n"),
        ("mine.yaml", b"one: {engine: bmc}\ntwo: {engine: k-induction}\n"),
        ("bad.yaml", b"one: {engine: cegar, options: {serach: BFS}}\n"),
        ("wrong.csv", b"off.st,false\n"),
    ]);
    let output =
        case.run(&["bench", ".", "--configs", "mine.yaml,default", "--out", "o", "--time", "20s", "--repeat", "2", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("default     3 of 3 solved"), "{}", text(&output));
    let read = |name: &str| std::fs::read_to_string(case.folder.path().join("o").join(name)).unwrap();
    // Three cases, three configurations, twice.
    assert_eq!(read("results.csv").lines().count(), 1 + 3 * 3 * 2);
    assert_eq!(read("results.table.csv").lines().count(), 3 + 3);
    assert!(read("index.html").contains("virtual best"));
    assert!(read("summary.md").contains("| `default` | 3"));
    let cpu = |line: &str| line.split('\t').nth(10).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    assert!(read("results.csv").lines().skip(1).all(|line| 0.0 < cpu(line)), "{}", read("results.csv"));

    let check = |args: &[&str], code: i32, words: &str| {
        let output = case.run(&[&["bench", ".", "--out", "o", "--time", "20s", "-q"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output));
        assert!(text(&output).contains(words), "{args:?}: {}", text(&output));
    };
    check(&["--expect", "expected.csv"], 30, "models: 1 of 2 as expected, 0 wrong");
    check(
        &["--expect", "wrong.csv"],
        1,
        "WRONG: ./off.st R1: default says true, expected is false\nmodels: 0 of 1 as expected, 1 wrong",
    );
    check(&["--certificates"], 0, "certificates: 3 of 3 accepted");
    check(&["--configs", "magic"], 2, "`magic`");
    check(&["--configs", "bad.yaml"], 2, "`serach`");
    check(&["--scatter", "default,other"], 2, "`other`");
}

#[test]
fn a_model_leaves_for_other_tools_and_an_exploration_is_explained() {
    let stated = b"requirements: [{ id: stop, if: Stop, then: NOT Run }, { id: never, never: Run }]";
    let case = Case::new(&[("latch.st", LATCH), ("latch.yaml", stated)]);
    let export = |args: &[&str]| case.run(&[&["export", "latch.st"], args].concat());
    for (format, words) in [
        ("theta", "error loc"),
        ("chc", "(set-logic HORN)"),
        ("btor2", "constraint"),
        ("smv", "INVARSPEC"),
        ("c", "reach_error();"),
    ] {
        let output = export(&["--requirement", "never", "--format", format]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert!(text(&output).contains(words) && text(&output).contains("never: "), "{}", text(&output));
    }
    for (args, code, words) in [
        (vec!["--format", "vhdl"], 2, "there is no format `vhdl`"),
        (vec!["--format", "c"], 3, "say which requirement is meant: `stop`, `never`"),
        (vec!["--format", "c", "--requirement", "R7"], 3, "there is no requirement `R7`"),
    ] {
        let output = export(&args);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(words), "{}", text(&output));
    }
    let output = case.run(&["verify", "latch.st", "--engine", "cegar", "--explain", "why", "-q"]);
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let page = std::fs::read_to_string(case.folder.path().join("why/index.html")).unwrap();
    assert!(page.contains("class=\"bars\"") && page.contains("href=\"r1/cfa.svg\""), "{page}");
    assert!(case.folder.path().join("why/r2/arg-1.dot").exists());
}

#[test]
fn requirements_are_stated_on_the_command_line() {
    let case = Case::new(&[("latch.st", LATCH), ("latch.yaml", b"requirements: [{ never: Run AND Stop }]")]);
    let output = case.run(&["verify", "latch.st", "--never", "Run", "--always", "Run OR NOT Run", "--never", "Rum", "-q"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(40), "{said}");
    for words in ["R1: ", "R2: ", "R4: ", "there is no variable `Rum`", "4 requirements: ✔ 2 proved · – 1 not checked · ✖ 1 can"]
    {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let output = case.run(&["verify", "latch.st", "--requirement", "never: Run"]);
    assert!(text(&output).contains("or on the command line `--never`"), "{}", text(&output));
}

#[test]
fn reports_are_written_in_every_format_that_other_tools_read() {
    let stated = b"requirements: [{ id: stop, if: Stop, then: NOT Run }, { id: never, never: Run }]";
    let case = Case::new(&[("latch.st", LATCH), ("latch.yaml", stated)]);
    let formats = ["html=out", "sarif=out", "junit=out", "csv=out", "vcd=out"];
    let flags = formats.iter().flat_map(|format| ["--report", format]);
    let output = case.run(&["verify", "latch.st", "-q"].into_iter().chain(flags).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(40), "{}", text(&output));
    let read = |name: &str| std::fs::read_to_string(case.folder.path().join("out").join(name)).unwrap();
    assert!(read("1-latch.html").contains("1 of 2 requirements can be broken"));
    let sarif: Value = serde_json::from_str(&read("1-latch.sarif")).unwrap();
    let kinds: Vec<&Value> = sarif["runs"][0]["results"].as_array().unwrap().iter().map(|result| &result["kind"]).collect();
    assert_eq!(kinds, ["pass", "fail"]);
    assert!(read("1-latch.junit.xml").contains("tests=\"2\" skipped=\"0\" errors=\"0\" failures=\"1\""));
    assert!(read("latch.never.csv").starts_with("cycle,time_ms,"));
    assert!(read("latch.never.vcd").starts_with("$timescale 1 us $end"));
}

#[test]
fn memory_that_is_used_up_costs_the_answer_and_says_so() {
    // Thousands of cells, each of which may be the one that is written.
    let program = "PROGRAM P\nVAR_INPUT a, i : INT; END_VAR\nVAR s : ARRAY[0..4000] OF DINT; END_VAR\n\
        s[i] := s[a] + 1;\nEND_PROGRAM\n";
    let case = Case::new(&[("p.st", program.as_bytes()), ("p.yaml", b"requirements: [{ id: r, never: 's[7] = 100000000' }]")]);
    let output = case.run(&["verify", "p.st", "--memory-limit", "512", "--json"]);
    let results = &json(&output)["programs"][0]["outcome"]["results"];
    let result = results.as_array().unwrap().iter().find(|r| r["id"] == "r").unwrap();
    assert_eq!(result["verdict"], "unknown");
    assert!(result["reason"].as_str().unwrap().contains("memory limit of 512 MB"), "{result}");
    // The worker is gone; its advice, the last words of its engines and the time that it took are not.
    let advice = &result["advice"][0];
    assert_eq!(advice["text"], "the variable index on line 4, a choice between many elements", "{result}");
    assert_eq!((&advice["place"]["line"], &result["encodings"][0]["place"]["line"]), (&4.into(), &4.into()), "{result}");
    assert!(!result["progress"].as_array().unwrap().is_empty() && 0 < result["duration_ms"].as_u64().unwrap(), "{result}");
}

/// Changes of the program are tried after the answers, with simulated runs, and by a search where that is asked for; no
/// answer changes by it.
#[test]
fn changes_of_the_program_are_tried_on_request() {
    let yaml = b"requirements: [{ id: A, if: Stop, then: NOT Run }, { id: B, never: Run }, { id: C, always: Run OR NOT Run }]";
    let case = Case::new(&[("p.st", LATCH), ("p.yaml", yaml)]);
    let found = |args: &[&str]| {
        let document = json(&case.run(args));
        assert_valid(&document);
        document["programs"][0]["outcome"]["results"].as_array().unwrap().clone()
    };
    let plain = found(&["verify", "p.st", "--json"]);
    let unasked: Vec<&Value> = plain.iter().map(|result| &result["sensitivity"]).collect();
    assert_eq!((&unasked[0]["searched"], &unasked[0]["warning"]), (&false.into(), &false.into()), "{unasked:#?}");
    assert!(unasked[1].is_null(), "who is violated notices something already");
    assert_eq!(unasked[2]["warning"], true);
    assert!(plain[3..].iter().all(|result| result["sensitivity"].is_null()), "automatic checks state nothing: {plain:#?}");
    let tried = found(&["verify", "p.st", "--mutants", "--json"]);
    let words = |results: &[Value]| results.iter().map(|r| r["verdict"].clone()).collect::<Vec<_>>();
    assert_eq!(words(&plain), words(&tried));
    let changes = tried[0]["sensitivity"]["changes"].as_array().unwrap();
    let left_out = changes.iter().find(|c| c["what"] == "`NOT` is left out of `NOT Stop`").unwrap();
    assert_eq!((&left_out["fate"], &left_out["place"]["line"]), (&"noticed".into(), &4.into()), "{left_out}");
    assert!(tried[1]["sensitivity"].is_null(), "who is violated notices something already");
    assert_eq!(tried[2]["sensitivity"]["warning"], true);
    let said = text(&case.run(&["verify", "p.st", "--mutants"]));
    assert!(said.contains("⚠ Nothing in the program seems to matter for this requirement"), "{said}");
}

#[test]
fn a_program_without_requirements_is_said_to_have_none() {
    let text =
        b"PROGRAM P\nVAR_INPUT i : INT; END_VAR\nVAR a : ARRAY[0..3] OF INT; END_VAR\na[LIMIT(0, i, 3)] := 1;\nEND_PROGRAM\n";
    let case = Case::new(&[("select.st", text), ("selct.yaml", b"requirements: [{ never: i = 3 }]\n")]);
    let output = case.run(&["verify", "."]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("No requirement is stated"), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("selct.yaml: not read, because it belongs to no single program"), "{said}");
    let output = case.run(&["verify", "select.st", "--req", "selct.yaml"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("No requirement is stated"), "{output:?}");
}
