//! Order in which the elements of networks run.
//!
//! - Networks from top to bottom, labels before the network that they stand at.
//! - Within a network the elements with an effect (coils, variables, blocks, jumps) from top to bottom, then from left to right.
//!   Before each run the elements that it needs, in the order of its inputs. Elements with an execution order run in that order,
//!   before those without one.
//! - Feedback: the instances of a loop run from left to right; the outputs of one that has not run yet keep their values of the
//!   cycle before. A loop without an instance is a mistake.

use std::collections::BTreeMap;

use super::graph::{Kind, Network};
use super::link::Links;
use crate::components::components;
use crate::text::{Diagnostic, codes};

/// Returns the elements in the order in which they run, with labels at their place.
pub(super) fn schedule(network: &Network, links: &Links, reports: &mut Vec<Diagnostic>) -> Vec<usize> {
    let places = Places::new(network, links, reports);
    let loops = Loops::new(network, links, &places, reports);
    let mut todo: Vec<usize> = (0..network.nodes.len()).filter(|&i| is_root(network, i)).collect();
    todo.sort_by_key(|&i| places.turn(network, i));
    let (done, started) = (vec![false; network.nodes.len()], vec![false; loops.instances.len()]);
    let mut run = Run { network, links, loops: &loops, done, started, order: Vec::new() };
    for root in todo {
        run.element(root);
    }
    run.order
}

/// Returns the elements of each network of a sheet, from top to bottom: first those that run, in their order, then the others.
pub(super) fn groups(network: &Network, links: &Links, order: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let places = Places::new(network, links, &mut Vec::new());
    let mut groups: BTreeMap<(i32, i32, usize), Vec<usize>> = BTreeMap::new();
    let mut is_in = vec![false; network.nodes.len()];
    let rest = 0..network.nodes.len();
    let is_element = |i: &usize| is_drawn(network, *i) && !matches!(network.nodes[*i].kind, Kind::Assertions(_));
    for i in order.iter().copied().chain(rest).filter(is_element) {
        if !std::mem::replace(&mut is_in[i], true) {
            groups.entry(places.network[i]).or_default().push(i);
        }
    }
    groups.into_iter().map(|((_, _, first), members)| (first, members)).collect()
}

/// Returns whether an element belongs to one network: rails belong to all, comments to none.
fn is_drawn(network: &Network, i: usize) -> bool {
    !matches!(network.nodes[i].kind, Kind::Comment(_) | Kind::LeftRail | Kind::RightRail(_))
}

fn is_root(network: &Network, i: usize) -> bool {
    network.nodes[i].kind.acts() || matches!(network.nodes[i].kind, Kind::Label(_))
}

/// Returns whether an element runs at its own turn, even if no other element needs it.
fn has_turn(network: &Network, i: usize) -> bool {
    network.nodes[i].order.is_some() && network.nodes[i].kind.acts()
}

/// Places of elements and networks.
struct Places {
    /// Of the network that each element belongs to: its top, left and first element.
    network: Vec<(i32, i32, usize)>,
    /// Of each element: row, column, number.
    element: Vec<(i32, i32, usize)>,
}

/// The place of an element in the order: elements with an execution order come first; a label comes before the elements of its
/// network.
type Turn = ((u8, u32), (i32, i32, usize), u8, (i32, i32, usize));

impl Places {
    fn new(network: &Network, links: &Links, reports: &mut Vec<Diagnostic>) -> Places {
        let n = network.nodes.len();
        let is_drawn = |i: &usize| is_drawn(network, *i);
        let unplaced = (0..n).filter(is_drawn).find(|&i| network.nodes[i].at.is_none());
        if let Some(i) = unplaced {
            let finding =
                Diagnostic::error(codes::NETWORK_NO_POSITION, network.nodes[i].span, "this element has no position", "here");
            reports.push(finding.warning().help("the elements of this body run in the order of the file"));
        }
        // Without all positions, only the order of the file counts.
        let at = |i: usize| if unplaced.is_some() { (0, 0) } else { network.nodes[i].at.unwrap_or((0, 0)) };
        let mut groups = Groups::new(n);
        for (i, inputs) in links.into.iter().enumerate().filter(|(i, _)| is_drawn(i)) {
            for link in inputs.iter().flatten().filter(|l| is_drawn(&l.from.node)) {
                groups.join(i, link.from.node);
            }
        }
        let mut extent: Vec<Option<(i32, i32, i32, usize)>> = vec![None; n];
        for i in (0..n).filter(is_drawn).filter(|&i| !matches!(network.nodes[i].kind, Kind::Label(_))) {
            let (x, y) = at(i);
            let bottom = y.saturating_add(network.nodes[i].size.1.max(0));
            let group = groups.find(i);
            let whole = extent[group].get_or_insert((y, bottom, x, i));
            *whole = (whole.0.min(y), whole.1.max(bottom), whole.2.min(x), whole.3.min(i));
        }
        let mut place: Vec<(i32, i32, usize)> = (0..n)
            .map(|i| match extent[groups.find(i)] {
                Some((top, _, left, first)) => (top, left, first),
                None => (at(i).1, at(i).0, i),
            })
            .collect();
        if unplaced.is_none() {
            let mut rows: Vec<(i32, i32, (i32, i32, usize))> =
                extent.iter().flatten().map(|e| (e.0, e.1, (e.0, e.2, e.3))).collect();
            rows.sort_unstable();
            for i in (0..n).filter(|&i| matches!(network.nodes[i].kind, Kind::Label(_))) {
                let y = at(i).1;
                // A label beside a network stands at its start, even if it is drawn a little lower.
                let above = rows.partition_point(|row| row.0 <= y);
                let beside = rows[..above].iter().rev().take(16).filter(|row| y <= row.1).map(|row| row.2).min();
                if let Some(start) = beside {
                    place[i] = (start.0, start.1, start.2);
                }
            }
        }
        Places { network: place, element: (0..n).map(|i| (at(i).1, at(i).0, i)).collect() }
    }

    fn turn(&self, network: &Network, i: usize) -> Turn {
        let is_label = matches!(network.nodes[i].kind, Kind::Label(_));
        let explicit = network.nodes[i].order.map_or((1, 0), |order| (0, order));
        (explicit, self.network[i], u8::from(!is_label), self.element[i])
    }
}

/// Elements that wires join.
struct Groups(Vec<usize>);

impl Groups {
    fn new(n: usize) -> Groups {
        Groups((0..n).collect())
    }
    fn find(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// Wires of loops.
struct Loops {
    /// The loop of each element that is part of one.
    of: Vec<Option<usize>>,
    /// The instances of each loop, from left to right.
    instances: Vec<Vec<usize>>,
    /// Elements of loops without memory: their values are not defined.
    broken: Vec<bool>,
}

impl Loops {
    fn new(network: &Network, links: &Links, places: &Places, reports: &mut Vec<Diagnostic>) -> Loops {
        let n = network.nodes.len();
        let sources = |i: usize, keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            links.into[i].iter().flatten().map(|l| l.from.node).filter(|&j| keep(j)).collect()
        };
        let is_loop =
            |edges: &[Vec<usize>], sizes: &[usize], component: usize, i: usize| 1 < sizes[component] || edges[i].contains(&i);

        let without_memory: Vec<Vec<usize>> =
            (0..n).map(|i| sources(i, &|j| !network.nodes[j].kind.remembers() && !has_turn(network, j))).collect();
        let (component, sizes) = components(&without_memory);
        let mut reported = vec![false; sizes.len()];
        let mut broken = vec![false; n];
        for i in (0..n).filter(|&i| is_loop(&without_memory, &sizes, component[i], i)) {
            broken[i] = true;
            if !std::mem::replace(&mut reported[component[i]], true) {
                let message = "this element needs its own result: its wires form a loop";
                let finding = Diagnostic::error(codes::NETWORK_LOOP, network.nodes[i].span, message, "part of the loop");
                reports.push(finding.help("lead the value through a variable: it then has the value of the cycle before"));
            }
        }

        let all: Vec<Vec<usize>> = (0..n).map(|i| sources(i, &|_| true)).collect();
        let (component, sizes) = components(&all);
        let of: Vec<Option<usize>> = (0..n).map(|i| is_loop(&all, &sizes, component[i], i).then_some(component[i])).collect();
        let mut instances: Vec<Vec<usize>> = vec![Vec::new(); sizes.len()];
        for i in (0..n).filter(|&i| network.nodes[i].kind.remembers()) {
            if let Some(of) = of[i] {
                instances[of].push(i);
            }
        }
        let column = |i: &usize| (places.element[*i].1, places.element[*i].0, *i);
        instances.iter_mut().for_each(|members| members.sort_by_key(column));
        Loops { of, instances, broken }
    }
}

struct Run<'a> {
    network: &'a Network,
    links: &'a Links,
    loops: &'a Loops,
    /// Elements that run or have run, and loops whose instances run or have run.
    done: Vec<bool>,
    started: Vec<bool>,
    order: Vec<usize>,
}

/// Elements that run before an element. Without an element: the instances of a loop, then the element that needed one.
struct Frame {
    node: Option<usize>,
    needs: Vec<usize>,
    next: usize,
}

impl Run<'_> {
    /// Runs the elements that `root` needs, then `root`.
    fn element(&mut self, root: usize) {
        let mut path: Vec<Frame> = Vec::new();
        self.enter(root, &mut path);
        while let Some(frame) = path.last_mut() {
            if let Some(&need) = frame.needs.get(frame.next) {
                frame.next += 1;
                self.enter(need, &mut path);
                continue;
            }
            self.order.extend(frame.node);
            path.pop();
        }
    }

    fn enter(&mut self, node: usize, path: &mut Vec<Frame>) {
        if self.done[node] {
            return;
        }
        let home = self.loops.of[node];
        if let Some(home) = home
            && !std::mem::replace(&mut self.started[home], true)
        {
            let mut needs: Vec<usize> =
                self.loops.instances[home].iter().copied().filter(|&i| !has_turn(self.network, i)).collect();
            needs.push(node);
            path.push(Frame { node: None, needs, next: 0 });
            return;
        }
        self.done[node] = true;
        let mut needs = Vec::new();
        for link in self.links.into[node].iter().flatten() {
            let from = link.from.node;
            let leads_back = home.is_some() && self.loops.of[from] == home && self.network.nodes[from].kind.remembers();
            if !leads_back && !has_turn(self.network, from) && !self.loops.broken[from] {
                needs.push(from);
            }
        }
        path.push(Frame { node: Some(node), needs, next: 0 });
    }
}
