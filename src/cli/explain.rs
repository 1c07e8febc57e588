//! Writes the page of `verify --explain`.

use std::path::Path;

use crate::report::explain::files;
use crate::report::verification::ProgramReport;

/// Writes the page and its graphs below `folder`, which is made if it is not there. The error names the file.
pub(super) fn write(folder: &Path, reports: &[ProgramReport]) -> Result<(), String> {
    for file in files(reports) {
        let path = folder.join(&file.path);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, file.text)).map_err(|e| format!("--explain: {}: {e}", path.display()))?;
    }
    Ok(())
}
