//! Search path of the cvc5 libraries in binaries and tests: beside the binary at a plant (`$ORIGIN/../lib`), `.cvc5/lib` of
//! the repository while developing.

use std::path::Path;

fn main() {
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into());
    let root = Path::new(&package).ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(Path::new("."));
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib:{}/.cvc5/lib", root.display());
    // A statically linked solver must not interpose its symbols inside libcvc5.
    println!("cargo:rustc-link-arg=-Wl,--exclude-libs,ALL");
}
