//! Hidden names: names that no program contains.

/// Returns the beginning of hidden names: `__`, which hides them from users, and two letters that no name in `text` starts with.
pub(crate) fn hidden_prefix(text: &str) -> String {
    let mut used = [[false; 26]; 26];
    let letter = |byte: u8| Some(usize::from(byte.to_ascii_lowercase()).checked_sub(usize::from(b'a'))?).filter(|l| *l < 26);
    for word in text.as_bytes().windows(4).filter(|word| word.starts_with(b"__")) {
        if let (Some(first), Some(second)) = (letter(word[2]), letter(word[3])) {
            used[first][second] = true;
        }
    }
    let free = |first: &u8| (!used[usize::from(first - b'a')][22]).then(|| format!("__{}w", char::from(*first)));
    (b'n'..=b'z').chain(b'a'..=b'm').find_map(|first| free(&first)).unwrap_or_else(|| "__nw".to_owned())
}
