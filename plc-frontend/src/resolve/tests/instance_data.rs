//! Instance data blocks of Siemens.

use crate::hir::Value;
use crate::text::SourceSet;
use crate::{LoadOptions, load};

/// Elements that an instance data block does not name keep the values of its block.
#[test]
fn data_blocks_of_instances_change_single_elements() {
    let text = "FUNCTION_BLOCK \"B\"\nVAR t : Array[1..3] of Int := [1, 2, 3]; s : Struct a : Int := 4; b : Int := 5; END_STRUCT; END_VAR\nBEGIN\n\
                #t[1] := #s.a;\nEND_FUNCTION_BLOCK\nDATA_BLOCK \"D\"\n\"B\"\nBEGIN\nt[2] := 20; s.a := 40;\nEND_DATA_BLOCK\n\
                ORGANIZATION_BLOCK \"Main\"\nBEGIN\n\"D\"();\nEND_ORGANIZATION_BLOCK\n";
    let mut sources = SourceSet::default();
    sources.add("data.scl", text);
    let parsed = load(&sources, &LoadOptions::default());
    assert!(!parsed.has_errors(), "{:#?}", parsed.diagnostics);
    let leaves = parsed.value.project.leaves().into_iter().filter(|leaf| leaf.name.starts_with("D."));
    let shown = leaves.map(|leaf| leaf.init.and_then(Value::as_int).unwrap());
    assert_eq!(shown.collect::<Vec<_>>(), [1, 20, 3, 40, 5]);
}
