//! Signed reports: a file whose last bytes are an Ed25519 signature over all bytes before them.
//!
//! A zip file has the signature as its comment, a page as a comment of HTML. Both stay readable for every other program.
//! Soundness: each byte of a signed file is signed, is the signature, or is compared with the only text that can stand there.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

/// Form of a signed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedForm {
    /// The signature ends the file: the comment of a zip file.
    Zip,
    /// The signature is a comment of HTML.
    Html,
}

impl SignedForm {
    /// Returns the texts before and behind the signature.
    fn frame(self) -> (&'static str, &'static str) {
        match self {
            SignedForm::Zip => ("", ""),
            SignedForm::Html => ("<!-- ", " -->\n"),
        }
    }
}

/// Beginning of every signature.
const MARK: &str = "scanproof-signature-1 ";
/// First bytes of every signed message: a signature of a report is no signature of anything else.
const DOMAIN: &[u8] = b"Scanproof report 1\n";
/// Length of a signature with its mark and its key.
pub const LENGTH: usize = MARK.len() + 64 + 1 + 128;

/// Result of the check of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The key signed exactly these bytes.
    Unchanged {
        /// The key, as hexadecimal digits.
        key: String,
    },
    /// The file differs from the one that was signed, or the signature is none.
    Changed,
    /// There is no signature.
    Unsigned,
}

/// Returns the public key of a private one, as hexadecimal digits.
pub fn public(seed: &[u8; 32]) -> String {
    hex(SigningKey::from_bytes(seed).verifying_key().as_bytes())
}

/// Signs a file. A zip file ends with [`LENGTH`] spaces as its comment, which the signature replaces.
pub fn sign(seed: &[u8; 32], mut file: Vec<u8>, form: SignedForm) -> Vec<u8> {
    if form == SignedForm::Zip {
        file.truncate(file.len().saturating_sub(LENGTH));
    }
    let (before, behind) = form.frame();
    file.extend_from_slice(before.as_bytes());
    let key = SigningKey::from_bytes(seed);
    let public = hex(key.verifying_key().as_bytes());
    let signature = hex(&key.sign(&message(&file, &public, behind)).to_bytes());
    file.extend_from_slice(format!("{MARK}{public} {signature}{behind}").as_bytes());
    file
}

/// Checks a file.
pub fn check(file: &[u8]) -> Checked {
    let forms = [SignedForm::Zip, SignedForm::Html];
    let found = forms.into_iter().find_map(|form| {
        let (before, behind) = form.frame();
        let at = file.strip_suffix(behind.as_bytes())?.len().checked_sub(LENGTH)?;
        let is_framed = file[..at].ends_with(before.as_bytes());
        (is_framed && file[at..].starts_with(MARK.as_bytes())).then_some((at, behind))
    });
    // A mark anywhere near the end is the rest of a signature that was changed.
    let Some((at, behind)) = found else {
        let tail = &file[file.len().saturating_sub(2 * LENGTH)..];
        let is_near = |part: &[u8]| tail.windows(part.len()).any(|window| window == part);
        let was_signed = is_near(&MARK.as_bytes()[..9]) || is_near(&MARK.as_bytes()[9..]);
        return if was_signed { Checked::Changed } else { Checked::Unsigned };
    };
    verified(file, at, behind).map_or(Checked::Changed, |key| Checked::Unchanged { key })
}

/// Returns the key that signed a file whose signature begins at `at`; `None` if none did.
fn verified(file: &[u8], at: usize, behind: &str) -> Option<String> {
    let text = std::str::from_utf8(&file[at + MARK.len()..at + LENGTH]).ok()?;
    let (public, signature) = text.split_once(' ')?;
    let key = VerifyingKey::from_bytes(&bytes(public)?).ok()?;
    let signature = Signature::from_bytes(&bytes(signature)?);
    key.verify_strict(&message(&file[..at], public, behind), &signature).ok()?;
    Some(public.to_owned())
}

/// Returns the signed message: the bytes before the signature, the key, and the text behind the signature.
fn message(body: &[u8], public: &str, behind: &str) -> Vec<u8> {
    [DOMAIN, body, MARK.as_bytes(), public.as_bytes(), behind.as_bytes()].concat()
}

/// Returns bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes of lower-case hexadecimal digits; upper case is another text, and no signature has it.
pub fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let is_plain = digits.len() == 2 * N && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let mut all = [0; N];
    for (at, byte) in all.iter_mut().enumerate().filter(|_| is_plain) {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    is_plain.then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: [u8; 32] = [7; 32];

    #[test]
    fn every_changed_byte_is_found() {
        let page = b"<html><p>1 of 2 requirements can be broken</p></html>\n".to_vec();
        let zip = [b"PK and so on".as_slice(), &[b' '; LENGTH]].concat();
        for (file, form) in [(page, SignedForm::Html), (zip, SignedForm::Zip)] {
            let signed = sign(&SEED, file, form);
            assert_eq!(check(&signed), Checked::Unchanged { key: public(&SEED) });
            for at in 0..signed.len() {
                for change in [1_u8, 0x20, 0x80] {
                    let mut changed = signed.clone();
                    changed[at] ^= change;
                    assert_eq!(check(&changed), Checked::Changed, "{form:?} byte {at} ^ {change}");
                }
                let left_out = [&signed[..at], &signed[at + 1..]].concat();
                assert_eq!(check(&left_out), Checked::Changed, "{form:?} without byte {at}");
                let cut = check(&signed[..at]);
                assert!(!matches!(cut, Checked::Unchanged { .. }), "{form:?} cut at {at}");
            }
            let longer = [&signed[..], b" "].concat();
            assert_eq!(check(&longer), Checked::Changed);
        }
        assert_eq!(check(b"<html></html>\n"), Checked::Unsigned);
        assert_eq!(check(b""), Checked::Unsigned);
    }

    #[test]
    fn another_key_is_told() {
        let signed = sign(&[8; 32], b"report".to_vec(), SignedForm::Html);
        assert_eq!(check(&signed), Checked::Unchanged { key: public(&[8; 32]) });
        assert_ne!(public(&[8; 32]), public(&SEED));
    }
}
