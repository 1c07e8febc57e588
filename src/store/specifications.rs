//! Specifications: users' statements about programs, named by content.

use rusqlite::{OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::programs::hex;
use super::{Store, StoreError};

impl Store {
    /// Keeps a specification and returns its id.
    pub async fn add_specification(&self, json: String) -> Result<String, StoreError> {
        self.call(move |c| {
            let id = hex(&Sha256::digest(json.as_bytes()));
            c.execute("INSERT INTO specifications (id, json) VALUES (?1, ?2) ON CONFLICT DO NOTHING", params![id, json])?;
            Ok(id)
        })
        .await
    }

    /// Returns a specification's JSON.
    pub async fn specification(&self, id: &str) -> Result<Option<String>, StoreError> {
        let id = id.to_string();
        self.read(move |c| Ok(c.query_row("SELECT json FROM specifications WHERE id = ?1", [id], |r| r.get(0)).optional()?)).await
    }
}
