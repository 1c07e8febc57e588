//! Laws of `load` on random programs.

use proptest::prelude::*;

use crate::hir::Project;
use crate::resolve::testing::loaded;
use testgen::programs::{Size, program};

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// The generator writes programs that are well typed; printing the HIR and loading it gives the same HIR.
    #[test]
    fn print_then_load_is_the_identity(seed: u64, floats: bool) {
        let first = loaded(&program(seed, Size { floats, ..Size::default() }));
        prop_assert!(!first.has_errors(), "{:?}", first.diagnostics);
        let text = first.value.project.to_st();
        let second = loaded(&text);
        prop_assert!(!second.has_errors(), "{:?}\n{text}", second.diagnostics);
        prop_assert_eq!(&second.value.project.to_st(), &text);
        let names = |p: &Project| p.leaves().into_iter().map(|leaf| (leaf.name, leaf.init)).collect::<Vec<_>>();
        prop_assert_eq!(names(&first.value.project), names(&second.value.project));
    }
}
