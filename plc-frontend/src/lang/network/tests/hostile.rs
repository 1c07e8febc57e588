//! Networks of any size and shape: reading them never overflows the stack.

use super::super::graph::Language;
use super::draw::lowered;

#[test]
fn long_and_wide_networks_are_read_in_time() {
    const N: usize = 20_000;
    let check = |text: String| {
        let start = std::time::Instant::now();
        let lowered = lowered(&text, Language::Ladder, true);
        assert!(!lowered.stmts.is_empty() || !lowered.diagnostics.is_empty());
        assert!(start.elapsed().as_secs() < 10);
    };
    let line = |i: usize, text: String| format!("{i} {text}\n");
    // A rung of many contacts; one with many branches; many calls in calls; a loop.
    check(
        "0 rail\n".to_owned()
            + &(1..N).map(|i| line(i, format!("contact a <{}", i - 1))).collect::<String>()
            + &format!("{N} coil x <{}", N - 1),
    );
    let all: Vec<String> = (1..N).map(|i| i.to_string()).collect();
    check(
        "0 rail\n".to_owned()
            + &(1..N).map(|i| line(i, "contact a <0".into())).collect::<String>()
            + &format!("{N} coil x <{}", all.join(",")),
    );
    check(
        "0 var a\n".to_owned()
            + &(1..N).map(|i| line(i, format!("block NOT IN<{} -> OUT", i - 1))).collect::<String>()
            + &format!("{N} out x <{}", N - 1),
    );
    check((0..N).map(|i| line(i, format!("block NOT IN<{} -> OUT", (i + 1) % N))).collect::<String>());
    check((0..N).map(|i| line(i, format!("block TON t IN<{} -> Q", (i + 1) % N))).collect::<String>());
    check((0..N).map(|i| line(i, format!("block f i ~io<{} -> Q", (i + 1) % N))).collect::<String>());
    check((0..N).map(|i| line(7, format!("label l{}", i % 9))).collect::<String>());
}

#[test]
fn hidden_names_are_those_that_no_text_has() {
    let check = |text: &str, expected: &str| assert_eq!(super::super::hidden_prefix(text), expected, "{text}");
    check("", "__nw");
    check("_nw __n __nv", "__nw");
    check("x__nw1", "__ow");
    check("__NW1 __ow", "__pw");
}
