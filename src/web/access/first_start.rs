//! The first start: a code that proves access to the machine, since the first visitor may be a stranger.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::Access;
use crate::web::error::WebError;
use crate::web::state::AppState;

/// Name of the file in the data folder.
const FILE: &str = "setup-code";

/// Makes a code if there is no user yet, logs it, and writes it to a file that only this user can read.
pub(crate) async fn prepare(state: &AppState) -> Result<(), WebError> {
    if state.config.access != Access::Accounts || super::guard::is_set_up(state).await? {
        remove_code(state.store.directory());
        return Ok(());
    }
    if let Some(oidc) = state.config.only_way() {
        tracing::warn!("first start: open /login, and log in with {} as an administrator", oidc.title());
        return Ok(());
    }
    let code = super::accounts::code()?.text;
    let path = state.store.directory().join(FILE);
    remove_code(state.store.directory());
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    if let Err(error) = file.and_then(|mut file| writeln!(file, "{code}")) {
        tracing::warn!("{} cannot be written: {error}", path.display());
    }
    tracing::warn!("first start: open /setup and enter the code {code}; it is in {}, too", path.display());
    state.access.set_code(code);
    Ok(())
}

/// Removes the file of the code, if there is one.
pub(crate) fn remove_code(directory: &Path) {
    let _ = std::fs::remove_file(directory.join(FILE));
}
