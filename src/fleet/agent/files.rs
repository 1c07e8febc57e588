//! Files of an agent by the hash of their texts: each travels once, as long as there is room on the disk.
//!
//! They are kept as they travel, sealed: those who read the disk without the token read no program.

use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::SystemTime;

use crate::fleet::broker::Broker;

/// Files in a folder, the oldest deleted first.
pub(super) struct Files {
    folder: PathBuf,
    most_bytes: u64,
    /// Bytes that are there; one change at a time.
    bytes: Mutex<u64>,
}

impl Files {
    /// Opens a folder, or makes it.
    pub(super) fn open(folder: PathBuf, most_bytes: u64) -> io::Result<Files> {
        std::fs::create_dir_all(&folder)?;
        let files = Files { folder, most_bytes, bytes: Mutex::new(0) };
        let bytes = files.listed().iter().map(|(_, bytes, _)| bytes).sum();
        Ok(Files { bytes: Mutex::new(bytes), ..files })
    }

    /// Returns the files with sizes and times of their last use.
    fn listed(&self) -> Vec<(PathBuf, u64, SystemTime)> {
        let rows = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let row = |entry: std::fs::DirEntry| {
            let data = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((entry.path(), data.len(), data.modified().ok()?))
        };
        rows.filter_map(row).collect()
    }

    /// Returns the text of an object; `None` if it is nowhere, or is not what its name says.
    pub(super) async fn get(&self, broker: &Broker, name: &str) -> Result<Option<Vec<u8>>, String> {
        // A name is a hash in hex: it leaves no folder.
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let read = |sealed: &[u8]| broker.seal.open(name, sealed).filter(|text| broker.seal.name(text) == name);
        let path = self.folder.join(name);
        if let Some(text) = std::fs::read(&path).ok().and_then(|sealed| read(&sealed)) {
            // Its last use is now.
            let _ = std::fs::File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
            return Ok(Some(text));
        }
        let Some(sealed) = broker.get(name).await? else { return Ok(None) };
        let Some(text) = read(&sealed) else { return Ok(None) };
        // Without room on the disk it travels again.
        let _ = self.keep(name, &sealed);
        Ok(Some(text))
    }

    fn keep(&self, name: &str, sealed: &[u8]) -> io::Result<()> {
        let size = sealed.len() as u64;
        let Ok(mut bytes) = self.bytes.lock() else { return Ok(()) };
        if self.most_bytes < size {
            return Ok(());
        }
        if self.most_bytes < *bytes + size {
            let mut all = self.listed();
            all.sort_by_key(|(_, _, used)| *used);
            *bytes = all.iter().map(|(_, bytes, _)| bytes).sum();
            for (path, freed, _) in all {
                // Room for more than this one: the folder is not listed for each file.
                if *bytes + size <= self.most_bytes / 4 * 3 {
                    break;
                }
                std::fs::remove_file(path)?;
                *bytes = bytes.saturating_sub(freed);
            }
        }
        let unfinished = self.folder.join(format!("{name}.{}", uuid::Uuid::now_v7()));
        std::fs::write(&unfinished, sealed)?;
        std::fs::rename(&unfinished, self.folder.join(name))?;
        *bytes += size;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_take_no_more_room_than_they_may() {
        let dir = tempfile::tempdir().unwrap();
        let files = Files::open(dir.path().join("cache"), 1000).unwrap();
        for n in 0..50 {
            files.keep(&format!("{n:02x}"), &[0; 100]).unwrap();
            let bytes: u64 = files.listed().iter().map(|(_, bytes, _)| bytes).sum();
            assert!(bytes <= 1000, "{bytes} after {n}");
        }
        // The newest is there; one that is too large is not kept.
        assert!(dir.path().join("cache/31").exists());
        files.keep("ff", &[0; 2000]).unwrap();
        assert!(!dir.path().join("cache/ff").exists());
        let again = Files::open(dir.path().join("cache"), 1000).unwrap();
        assert_eq!(*again.bytes.lock().unwrap(), files.listed().iter().map(|(_, bytes, _)| bytes).sum::<u64>());
    }
}
