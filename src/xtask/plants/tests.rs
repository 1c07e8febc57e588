//! Plants have the sizes that their names say.

use std::collections::BTreeSet;

use super::*;

#[test]
fn plants_have_about_the_wanted_number_of_files() {
    for plant in PLANTS.iter().filter(|plant| plant.name != "plcopen") {
        for n in [1, 30, 200] {
            let files = (plant.files)(n);
            assert!(n <= files.len() && files.len() <= n + 13, "{}: {} of {n}", plant.name, files.len());
            let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(paths.len(), files.len(), "{}", plant.name);
        }
    }
    let [file] = plcopen::files(200).try_into().ok().unwrap();
    assert_eq!(file.text.matches("<pou ").count(), 200);
}

#[test]
fn no_placeholder_is_left() {
    for plant in PLANTS {
        for file in (plant.files)(30) {
            for word in [
                "{c}",
                "{i}",
                "{name}",
                "{missing}",
                "{missing calls}",
                "{steps}",
                "{vars}",
                "{calls}",
                "{sections}",
                "{networks}",
                "{of}",
            ] {
                assert!(!file.text.contains(word) && !file.path.contains(word), "{}: {}: {word}", plant.name, file.path);
            }
        }
    }
}

#[test]
fn plants_grow_by_equal_cells() {
    for plant in PLANTS {
        let size = |n: usize| (plant.files)(n).iter().map(|file| file.text.len()).sum::<usize>();
        let (small, large) = (size(120), size(480));
        assert!(small * 3 < large && large < small * 5, "{}: {small} and {large} bytes", plant.name);
    }
}
