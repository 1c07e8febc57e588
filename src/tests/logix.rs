//! Samples of Studio 5000: the same requirements have the same verdicts for rungs and for Structured Text of IEC 61131-3.

use std::path::Path;

use super::cli::scanproof;

/// Programs that stand in `samples/logix` in both languages.
const PROGRAMS: &[&str] = &["motor", "batch", "latch"];

#[test]
fn rungs_and_structured_text_have_the_same_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/logix");
    let verdicts = |file: &str| {
        let output = scanproof(&folder, &["verify", file, "--json"]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let results = document["programs"][0]["outcome"]["results"].as_array().unwrap().clone();
        results.iter().map(|result| (result["id"].clone(), result["verdict"].clone())).collect::<Vec<_>>()
    };
    for program in PROGRAMS {
        let rungs = verdicts(&format!("{program}.L5X"));
        assert!(3 <= rungs.len(), "{program}: {rungs:?}");
        assert_eq!(rungs, verdicts(&format!("{program}.st")), "{program}");
    }
    // The text export of a controller has the verdicts of its export as XML.
    assert_eq!(verdicts("motor.L5K"), verdicts("motor.L5X"));
}
