//! Passwords: Argon2id, rules, and equal time for names that do not exist.

use std::sync::{LazyLock, Mutex, PoisonError};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// Fewest characters of a password.
pub const LEAST_CHARS: usize = 12;
/// Most bytes of a password.
const MOST_BYTES: usize = 1024;
/// Most characters of a name.
const MOST_NAME_CHARS: usize = 64;

/// Hashes need 19 MB each: one at a time bounds memory and processors.
static ONE: Mutex<()> = Mutex::new(());

/// Hash for names that do not exist, so that they take as long as others. Its password is random and forgotten.
static DUMMY: LazyLock<Option<String>> = LazyLock::new(|| {
    let mut password = [0u8; 32];
    getrandom::fill(&mut password).ok()?;
    Argon2::default().hash_password(&password).ok().map(|hash| hash.to_string())
});

/// Makes the hash for names that do not exist, before the first of them is asked for.
pub fn prepare() {
    let _made = LazyLock::force(&DUMMY);
}

/// Returns the stored form of a password. Takes a tenth of a second.
pub fn hash(password: &str) -> Result<String, String> {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(|e| e.to_string())
}

/// Returns whether a password fits; without a stored hash it never does, and takes as long.
pub fn fits(password: &str, stored: Option<&str>) -> bool {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // A user without a password takes as long, too.
    let stored = stored.filter(|stored| PasswordHash::new(stored).is_ok());
    let Some(hash) = stored.or(DUMMY.as_deref()) else { return false };
    let Ok(hash) = PasswordHash::new(hash) else { return false };
    let fits = password.len() <= MOST_BYTES && Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
    fits && stored.is_some()
}

/// Returns the reason why a name cannot be taken.
pub fn name_problem(name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-@".contains(c);
    if name.is_empty() || MOST_NAME_CHARS < name.len() || !name.chars().all(is_plain) {
        return Some(format!("A name has 1 to {MOST_NAME_CHARS} characters: letters A to Z, digits, and . _ - @."));
    }
    None
}

/// Returns the reason why a name or a new password cannot be taken.
pub fn problem(name: &str, password: &str) -> Option<String> {
    if let Some(problem) = name_problem(name) {
        return Some(problem);
    }
    if password.chars().count() < LEAST_CHARS {
        return Some(format!("A password has at least {LEAST_CHARS} characters; a sentence is a good one."));
    }
    if MOST_BYTES < password.len() {
        return Some(format!("A password has at most {MOST_BYTES} bytes."));
    }
    password.eq_ignore_ascii_case(name).then(|| "The password is the name.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_password_take_as_long_as_others() {
        prepare();
        let time = |stored: Option<&str>| {
            let began = std::time::Instant::now();
            assert!(!fits("a long sentence", stored));
            began.elapsed().as_secs_f64()
        };
        let stored = hash("another sentence").unwrap();
        let known = time(Some(&stored));
        // A hash was computed each time: without one it takes microseconds.
        for other in [time(None), time(Some("!"))] {
            assert!(known / 20.0 < other, "{known} {other}");
        }
    }

    #[test]
    fn a_password_fits_its_own_hash_alone() {
        let stored = hash("a long sentence").unwrap();
        assert!(stored.starts_with("$argon2id$"), "{stored}");
        assert_ne!(stored, hash("a long sentence").unwrap(), "salt");
        assert!(fits("a long sentence", Some(&stored)));
        assert!(!fits("a long sentence ", Some(&stored)));
        assert!(!fits("a long sentence", None));
        assert!(!fits("a long sentence", Some("damaged")));
    }

    #[test]
    fn names_and_passwords_have_rules() {
        assert_eq!(problem("anna.b@plant-3", "a long sentence"), None);
        for (name, password) in [
            ("", "a long sentence"),
            ("a b", "a long sentence"),
            ("ann\n", "a long sentence"),
            ("anna", "short"),
            ("annaannaanna", "AnnaAnnaAnna"),
        ] {
            assert!(problem(name, password).is_some(), "{name} {password}");
        }
        assert!(problem("anna", &"x".repeat(1025)).is_some());
    }
}
