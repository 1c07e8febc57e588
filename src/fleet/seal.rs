//! Encryption of everything that goes through the broker: it stores programs of the user, and needs to read none.
//!
//! ChaCha20-Poly1305 with a key from the fleet's token. The place of a message is authenticated with it, so a message that was
//! moved to another place is refused.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// Keys of a fleet.
#[derive(Clone)]
pub(super) struct Seal {
    key: LessSafeKey,
    names: hmac::Key,
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

impl Seal {
    /// Returns the keys of a token; `None` only if the algorithms are not there.
    pub(super) fn new(token: &str) -> Option<Seal> {
        let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, b"scanproof fleet 1").extract(token.as_bytes());
        let key = secret.expand(&[b"messages"], &CHACHA20_POLY1305).ok().map(UnboundKey::from)?;
        let names = secret.expand(&[b"names"], hmac::HMAC_SHA256).ok().map(hmac::Key::from)?;
        Some(Seal { key: LessSafeKey::new(key), names })
    }

    /// Encrypts a message for a place.
    pub(super) fn close(&self, place: &str, mut message: Vec<u8>) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let sealed = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(sealed, Aad::from(place.as_bytes()), &mut message).ok()?;
        Some([nonce.as_slice(), &message].concat())
    }

    /// Decrypts a message of a place; `None` if it was not made with this token for this place.
    pub(super) fn open(&self, place: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut rest = rest.to_vec();
        let n = self.key.open_in_place(nonce, Aad::from(place.as_bytes()), &mut rest).ok()?.len();
        rest.truncate(n);
        Some(rest)
    }

    /// Returns the name under which a text is stored: its hash, which says nothing to those without the token.
    pub(super) fn name(&self, text: &[u8]) -> String {
        hmac::sign(&self.names, text).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_at_its_place_with_its_token_only() {
        let seal = Seal::new("a token of this fleet, long").unwrap();
        let closed = seal.close("job 1", b"PROGRAM".to_vec()).unwrap();
        assert!(!closed.windows(7).any(|part| part == b"PROGRAM"));
        assert_eq!(seal.open("job 1", &closed).as_deref(), Some(b"PROGRAM".as_slice()));
        assert_eq!(seal.open("job 2", &closed), None);
        assert_eq!(Seal::new("another token of a fleet").unwrap().open("job 1", &closed), None);
        for at in 0..closed.len() {
            let mut changed = closed.clone();
            changed[at] ^= 1;
            assert_eq!(seal.open("job 1", &changed), None, "byte {at}");
            assert_eq!(seal.open("job 1", &closed[..at]), None, "cut at {at}");
        }
        assert_ne!(seal.name(b"a"), Seal::new("another token of a fleet").unwrap().name(b"a"));
    }
}
