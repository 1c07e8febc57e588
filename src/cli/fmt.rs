//! `scanproof fmt`: the program as it was understood, printed as Structured Text.

use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::print::{complain, out};
use super::programs::sources;
use super::{BAD_INPUT, FmtArgs};

/// Prints the program, or says whether its one file is written the same way.
pub(super) fn run(args: &FmtArgs) -> u8 {
    let texts = match sources(&args.paths) {
        Ok(texts) => texts,
        Err(problem) => {
            complain(&format!("error: {}", problem.0));
            return BAD_INPUT;
        }
    };
    let mut set = SourceSet::default();
    for text in texts {
        set.add(text.name, text.text);
    }
    let loaded = load(&set, &LoadOptions { entry: args.entry.clone(), dialect: args.dialect, ..LoadOptions::default() });
    if !loaded.diagnostics.is_empty() {
        complain(&plc_frontend::render::plain(&loaded.value.sources, &loaded.diagnostics));
    }
    if loaded.has_errors() {
        return BAD_INPUT;
    }
    for gap in &loaded.value.ledger.gaps {
        complain(&format!("not modelled, and so not printed as it was: {}", gap.construct));
    }
    if !loaded.value.project.prints() {
        complain("error: programs with methods, references or a CONFIGURATION cannot be printed yet");
        return BAD_INPUT;
    }
    let printed = loaded.value.project.to_st();
    if !args.check {
        out(printed.trim_end());
        return 0;
    }
    let is_same = |text: &str| text.replace("\r\n", "\n").trim_end() == printed.trim_end();
    let mut files = set.files.iter();
    match (files.next(), files.next()) {
        (Some(file), None) if is_same(&file.text) => 0,
        (Some(file), None) => {
            complain(&format!("{}: would be printed otherwise; see `scanproof fmt {}`", file.name, file.name));
            BAD_INPUT
        }
        (_, _) => {
            complain("error: --check compares one file with what is printed of it");
            super::USAGE
        }
    }
}
