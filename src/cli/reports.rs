//! Files of `verify --explain` and `verify --report`.

use std::path::Path;

use super::Failure;
use crate::report::explain::files;
use crate::report::format::format;
use crate::report::verification::ProgramReport;

/// Writes the page of the exploration and its graphs below `folder`, which is made if it does not exist.
pub(super) fn explain(folder: &Path, reports: &[ProgramReport]) -> Result<(), Failure> {
    files(reports).into_iter().try_for_each(|file| write(&folder.join(&file.path), &file.text))
}

/// Writes the outcome of each program: `FORMAT=DIR` names a row of the table of formats and a folder.
pub(super) fn report(wanted: &str, reports: &[ProgramReport]) -> Result<(), Failure> {
    let (name, folder) =
        wanted.split_once('=').ok_or_else(|| Failure::usage(format!("--report {wanted}: write it as FORMAT=DIR")))?;
    let format = format(name.trim()).map_err(|e| Failure::usage(format!("--report: {e}")))?;
    let outcomes = reports.iter().filter_map(|report| Some((&report.name, report.outcome.as_ref()?)));
    for (number, (name, outcome)) in outcomes.enumerate() {
        let stem = Path::new(name).file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy());
        let file = format!("{}-{stem}.{}", number + 1, format.ending);
        write(&Path::new(folder).join(file), &(format.render)(outcome).map_err(Failure::internal)?)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, text)).map_err(|e| Failure::bad_input(format!("{}: {e}", path.display())))
}
