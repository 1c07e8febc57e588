//! Wires in the channel between two columns: each net has a vertical line of its own. Their order keeps the
//! horizontal pieces of two nets apart.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Net;

/// Between two vertical lines.
const TRACK: i32 = 10;

/// The space between two columns.
#[derive(Default)]
pub(super) struct Channel {
    /// Left edge, once the columns have their places.
    pub(super) left: i32,
    /// Heights at which a net comes from the left, and leaves to the right.
    ends: BTreeMap<Net, (BTreeSet<i32>, BTreeSet<i32>)>,
    /// Number of the vertical line of each net; of a net in a cycle the one on the right.
    tracks: BTreeMap<Net, i32>,
    /// Nets that change their height before they reach their line: the line on the left, and the height between.
    doglegs: BTreeMap<Net, (i32, i32)>,
    n_tracks: i32,
}

impl Channel {
    /// Notes a net that comes from the left at one height and goes on to the right at another.
    pub(super) fn cross(&mut self, net: Net, left: i32, right: i32) {
        let ends = self.ends.entry(net).or_default();
        ends.0.insert(left);
        ends.1.insert(right);
    }

    /// Numbers the vertical lines.
    pub(super) fn assign(&mut self) {
        // A net that comes at the height at which another leaves has to turn before the other one's line.
        let mut waiting: BTreeSet<Net> = self.ends.keys().copied().collect();
        let mut split: BTreeSet<Net> = BTreeSet::new();
        let mut used: BTreeSet<i32> = self.ends.values().flat_map(|(l, r)| l.iter().chain(r)).copied().collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let must_wait = |net: &Net| {
                let right = &self.ends[net].1;
                waiting.iter().any(|o| o != net && !split.contains(o) && !self.ends[o].0.is_disjoint(right))
            };
            let next = waiting.iter().copied().find(|net| !must_wait(net));
            match next {
                Some(net) => {
                    waiting.remove(&net);
                    order.push(net);
                }
                None => {
                    // A circle: one of them turns twice.
                    let Some(net) = waiting.iter().copied().find(|net| !split.contains(net)) else { break };
                    split.insert(net);
                }
            }
        }
        let n_split = split.len() as i32;
        for (i, net) in split.iter().enumerate() {
            let mut height = self.ends[net].0.first().copied().unwrap_or(0) + 3;
            while !used.insert(height) {
                height += 1;
            }
            self.doglegs.insert(*net, (i as i32, height));
        }
        for (i, net) in order.iter().enumerate() {
            self.tracks.insert(*net, n_split + i as i32);
        }
        self.n_tracks = n_split + order.len() as i32;
    }

    /// Pixels that it needs.
    pub(super) fn width(&self) -> i32 {
        if self.n_tracks == 0 { 2 * TRACK } else { TRACK * (self.n_tracks + 2) }
    }

    fn x(&self, track: i32) -> i32 {
        self.left + TRACK * (track + 1)
    }
    fn right_line(&self, net: Net) -> i32 {
        self.x(self.tracks.get(&net).copied().unwrap_or(0))
    }

    /// Adds the corners of a net between two heights.
    pub(super) fn turn(&self, net: Net, left: i32, right: i32, into: &mut Vec<(i32, i32)>) {
        let line = self.right_line(net);
        match self.doglegs.get(&net) {
            Some((track, height)) => {
                let first = self.x(*track);
                into.extend([(first, left), (first, *height), (line, *height), (line, right)]);
            }
            None if left == right => {}
            None => into.extend([(line, left), (line, right)]),
        }
    }
}

/// Returns the corners of a wire through the channels that it crosses, each with the heights on its left and right.
pub(super) fn route(channels: &[Channel], net: Net, from: i32, to: i32, crossed: &[(usize, i32, i32)]) -> Vec<(i32, i32)> {
    let (Some(first), Some(last)) = (crossed.first(), crossed.last()) else { return Vec::new() };
    let mut points = vec![(from, first.1)];
    for (channel, left, right) in crossed {
        channels[*channel].turn(net, *left, *right, &mut points);
    }
    points.push((to, last.2));
    points
}
