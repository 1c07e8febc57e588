//! Direct addresses: `%IX0.3`, `%Q*`, and the bits of a value: `%X3`.

use super::literal::Malformed;
use crate::hir::{Address, AddressArea, AddressSize};

/// Returns the address written in `text`, which starts with `%`.
pub fn address(text: &str) -> Result<Address, Malformed> {
    const FORM: &str = "write the area I, Q or M, the size X, B, W, D or L, and numbers: `%IX0.3`, `%QW4`";
    let mut letters = text.trim_start_matches('%');
    let mut letter = || {
        let first = letters.chars().next().filter(char::is_ascii_alphabetic)?;
        letters = letters.get(1..).unwrap_or("");
        Some(first.to_ascii_uppercase())
    };
    let area = match letter() {
        Some('I') => AddressArea::Input,
        Some('Q') => AddressArea::Output,
        Some('M') => AddressArea::Memory,
        _ => return Err(Malformed::new(format!("`{text}` is not an address"), FORM)),
    };
    let size = match letter() {
        None | Some('X') => AddressSize::Bit,
        Some('B') => AddressSize::Byte,
        Some('W') => AddressSize::Word,
        Some('D') => AddressSize::DWord,
        Some('L') => AddressSize::LWord,
        Some(_) => return Err(Malformed::new(format!("`{text}` is not an address"), FORM)),
    };
    if letters == "*" {
        return Ok(Address { area, size, path: Vec::new() });
    }
    let path: Option<Vec<u32>> = letters.split('.').map(|n| n.parse().ok()).collect();
    match path {
        Some(path) => Ok(Address { area, size, path }),
        None => Err(Malformed::new(format!("`{text}` is not an address"), FORM)),
    }
}

/// Returns number and width of a part of a value: `3`, `%X3`, `%B1`.
pub fn bits(text: &str) -> Result<(u32, u8), Malformed> {
    const FORM: &str = "write `.3` or `.%X3` for a bit, `.%B1` for a byte, `.%W0`, `.%D0`";
    let (width, digits) = match text.strip_prefix('%') {
        None => (1, text),
        Some(rest) => {
            let width = match rest.bytes().next().map(|b| b.to_ascii_uppercase()) {
                Some(b'X') => 1,
                Some(b'B') => 8,
                Some(b'W') => 16,
                Some(b'D') => 32,
                _ => return Err(Malformed::new(format!("`{text}` is not a part of a value"), FORM)),
            };
            (width, rest.get(1..).unwrap_or(""))
        }
    };
    let number = digits.parse().map_err(|_| Malformed::new(format!("`{text}` is not a part of a value"), FORM))?;
    Ok((number, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |text: &str, expected: Option<(AddressArea, AddressSize, &[u32])>| {
            let expected = expected.map(|(area, size, path)| Address { area, size, path: path.to_vec() });
            assert_eq!(address(text).ok(), expected, "{text}");
        };
        check("%IX0.3", Some((AddressArea::Input, AddressSize::Bit, &[0, 3])));
        check("%i0.3", Some((AddressArea::Input, AddressSize::Bit, &[0, 3])));
        check("%QW4", Some((AddressArea::Output, AddressSize::Word, &[4])));
        check("%MD1.2.3", Some((AddressArea::Memory, AddressSize::DWord, &[1, 2, 3])));
        check("%I*", Some((AddressArea::Input, AddressSize::Bit, &[])));
        check("%QB*", Some((AddressArea::Output, AddressSize::Byte, &[])));
        for wrong in ["%", "%X0", "%IX", "%IZ0", "%I99999999999", "%IXX0", "%I0.", "%I0a", "%Iä"] {
            check(wrong, None);
        }
    }

    #[test]
    fn parts_of_values() {
        let check = |text: &str, expected| assert_eq!(bits(text).ok(), expected, "{text}");
        check("3", Some((3, 1)));
        check("%X31", Some((31, 1)));
        check("%b1", Some((1, 8)));
        check("%W1", Some((1, 16)));
        check("%D1", Some((1, 32)));
        for wrong in ["", "%", "%Q1", "%X", "99999999999", "%X1.2", "1_0"] {
            check(wrong, None);
        }
    }
}
