//! Access to the service: users, their one-time codes, their sessions, and tokens of programs.
//!
//! Time is an argument, so that tests can move it. **Invariant:** a password, a session id or a secret is never stored, only its
//! hash. A disabled user owns no live session and no live token.

pub mod codes;
pub mod identities;
pub mod sessions;
pub mod tokens;
pub mod users;

#[cfg(test)]
mod tests;

use sha2::{Digest, Sha256};

use super::programs::hex;

/// Returns the stored form of a random secret. It has 256 bits, so that a fast hash is enough.
pub(crate) fn secret_hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}
