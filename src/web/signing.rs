//! The key that signs reports: made once, kept in the data folder, readable by this user alone.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::error::WebError;
use super::state::AppState;
use crate::report::signature::{bytes, hex};

/// Name of the key's file in the data folder.
const FILE: &str = "report-signing.key";

/// Returns the private key of this service, and makes it at the first use.
pub(super) async fn seed(state: &AppState) -> Result<[u8; 32], WebError> {
    let folder = state.store.directory().to_owned();
    let found = tokio::task::spawn_blocking(move || kept(&folder)).await;
    found.map_err(|e| WebError::Internal(e.to_string()))?.map_err(WebError::Internal)
}

/// Returns the key in a folder, and makes it if there is none.
fn kept(folder: &Path) -> Result<[u8; 32], String> {
    let file = folder.join(FILE);
    match std::fs::read_to_string(&file) {
        // A key that cannot be read is never replaced: reports that it signed would count as changed.
        Ok(text) => bytes(text.trim()).ok_or_else(|| format!("{} is damaged: put the key of a backup back", file.display())),
        Err(e) if e.kind() == ErrorKind::NotFound => made(folder, &file),
        Err(e) => Err(format!("{}: {e}", file.display())),
    }
}

fn made(folder: &Path, file: &Path) -> Result<[u8; 32], String> {
    let mut random = [0; 40];
    getrandom::fill(&mut random).map_err(|e| e.to_string())?;
    let (seed, name) = random.split_at(32);
    let told = |e: std::io::Error| format!("{}: {e}", file.display());
    // The file appears whole: two first reports at once get the same key.
    let new = folder.join(format!("{FILE}.{}", hex(name)));
    let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).and_then(|mut out| {
        out.write_all(format!("{}\n", hex(seed)).as_bytes())?;
        out.sync_all()
    });
    let linked = written.and_then(|()| std::fs::hard_link(&new, file));
    let _ = std::fs::remove_file(&new);
    match linked {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        Err(e) => return Err(told(e)),
    }
    let text = std::fs::read_to_string(file).map_err(told)?;
    bytes(text.trim()).ok_or_else(|| format!("{} is damaged", file.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_is_made_once_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let seeds: Vec<[u8; 32]> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| kept(folder.path()).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seeds.iter().all(|seed| *seed == seeds[0]));
        let file = folder.path().join(FILE);
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        std::fs::write(&file, "short").unwrap();
        assert!(kept(folder.path()).is_err_and(|why| why.contains("damaged")));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "short");
    }
}
