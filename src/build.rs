//! Tells the linker where the cvc5 libraries are: beside the binary at a plant
//! (`$ORIGIN/../lib`), in `.cvc5/lib` of the repository while developing.

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| ".".into());
    println!("cargo:rustc-link-arg=-Wl,-rpath,$ORIGIN/../lib:{root}/.cvc5/lib");
    // A statically linked solver must not interpose its symbols inside libcvc5.
    println!("cargo:rustc-link-arg=-Wl,--exclude-libs,ALL");
    println!("cargo:rerun-if-changed=src/build.rs");
}
