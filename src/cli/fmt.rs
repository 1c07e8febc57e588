//! `scanproof fmt`: the program written again, as Structured Text of one style.

use plc_frontend::format::{NotFormatted, format};
use plc_frontend::{LoadOptions, load};

use super::print::{complain, out};
use super::programs::sources;
use super::{BAD_INPUT, BROKEN, Failure};
use crate::cli::args::ReadingArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `fmt`.
#[derive(Args)]
pub struct FmtArgs {
    /// Source files, zip archives or directories of one program
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Print nothing; exit with 3 if the file is not written as it would be printed
    #[arg(long)]
    pub(super) check: bool,
}

/// Prints the program, or says whether its one file is written the same way.
pub(super) fn run(args: &FmtArgs) -> Result<u8, Failure> {
    let set = sources(&args.paths)?;
    let options = LoadOptions {
        entry: args.reading.entry.clone(),
        project: args.reading.project.clone(),
        dialect: args.reading.dialect,
        ..LoadOptions::default()
    };
    let loaded = load(&set, &options);
    if !loaded.diagnostics.is_empty() {
        complain(&plc_frontend::render::plain(&loaded.value.sources, &loaded.diagnostics));
    }
    if loaded.has_errors() {
        return Ok(BAD_INPUT);
    }
    let formatted = match format(&set, &options, &loaded.value) {
        Ok(formatted) => formatted,
        Err(NotFormatted { what, span }) => {
            let place = span.map_or(String::new(), |span| {
                let name = set.files.get(span.file).map_or("", |file| &file.name);
                format!("{name}:{}: ", set.line_col(span).line)
            });
            return Err(Failure::bad_input(format!("{place}this cannot be written as Structured Text: {what}")));
        }
    };
    if let Some(dialect) = formatted.dialect {
        complain(&format!("the text does not show that it is of {}: choose it as its dialect", dialect.row().name));
    }
    let printed = formatted.text;
    if !args.check {
        out(printed.trim_end());
        return Ok(0);
    }
    let is_same = |text: &str| text.replace("\r\n", "\n").trim_end() == printed.trim_end();
    let mut files = set.files.iter();
    match (files.next(), files.next()) {
        (Some(file), None) if is_same(&file.text) => Ok(0),
        (Some(file), None) => {
            complain(&format!("{}: not in the style of `scanproof fmt {}`", file.name, file.name));
            Ok(BROKEN)
        }
        (_, _) => Err(Failure::usage("--check compares one file with the text that is printed of it")),
    }
}
