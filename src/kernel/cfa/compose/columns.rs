//! Rows with one number per variable, for many locations: copies of a row share equal chunks.

use std::rc::Rc;

const CHUNK: usize = 64;

/// Row of numbers. A clone only increments a reference count. A change copies one chunk and the list of chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Rc<Vec<Rc<[u32; CHUNK]>>>);

impl Columns {
    /// Returns a row; `fill` pads the last chunk.
    pub fn new(all: &[u32], fill: u32) -> Columns {
        let chunk = |part: &[u32]| {
            let mut chunk = [fill; CHUNK];
            chunk[..part.len()].copy_from_slice(part);
            Rc::new(chunk)
        };
        Columns(Rc::new(all.chunks(CHUNK).map(chunk).collect()))
    }
    /// Returns the number in a column; `None` behind the last chunk.
    pub fn get(&self, column: usize) -> Option<u32> {
        self.0.get(column / CHUNK).map(|chunk| chunk[column % CHUNK])
    }
    /// Sets the number in a column.
    pub fn set(&mut self, column: usize, value: u32) {
        if self.0[column / CHUNK][column % CHUNK] != value {
            Rc::make_mut(&mut Rc::make_mut(&mut self.0)[column / CHUNK])[column % CHUNK] = value;
        }
    }
    /// Merges two rows of the same length: where they differ, the value is `both(own, other)`. `None` if this row stays the same.
    pub fn merged(&self, other: &Columns, mut both: impl FnMut(u32, u32) -> u32) -> Option<Columns> {
        let mut merged: Option<Columns> = None;
        for (i, (ours, theirs)) in self.0.iter().zip(other.0.iter()).enumerate() {
            if Rc::ptr_eq(ours, theirs) || ours == theirs {
                continue;
            }
            let mut chunk = **ours;
            for (own, their) in chunk.iter_mut().zip(theirs.iter()) {
                if own != their {
                    *own = both(*own, *their);
                }
            }
            if chunk != **ours {
                // Shared again: else each location of a long program has chunks of its own after its second visit.
                let chunk = if chunk == **theirs { Rc::clone(theirs) } else { Rc::new(chunk) };
                Rc::make_mut(&mut merged.get_or_insert_with(|| self.clone()).0)[i] = chunk;
            }
        }
        merged
    }
    /// Returns all values, with those that pad the last chunk.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|chunk| chunk.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_differ_where_they_were_changed() {
        let row: Vec<u32> = (0..200).collect();
        let a = Columns::new(&row, 0);
        let mut b = a.clone();
        b.set(3, 7);
        b.set(150, 8);
        b.set(151, 151);
        let mut met = Vec::new();
        let merged = a.merged(&b, |own, other| {
            met.push((own, other));
            own + other
        });
        assert_eq!(met, [(3, 7), (150, 8)]);
        let merged = merged.unwrap();
        assert_eq!((merged.get(3), merged.get(150), merged.get(4), merged.get(500)), (Some(10), Some(158), Some(4), None));
        assert!(a.merged(&b, |own, _| own).is_none());
        // What equals the other row is shared with it.
        let taken = a.merged(&b, |_, other| other).unwrap();
        assert!(taken.0.iter().zip(b.0.iter()).all(|(a, b)| Rc::ptr_eq(a, b)));
        assert_eq!(a.iter().take(200).collect::<Vec<_>>(), row);
        b.set(3, 3);
        b.set(150, 150);
        assert_eq!(a, b);
    }
}
