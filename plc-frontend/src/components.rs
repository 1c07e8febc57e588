//! Strongly connected components of a graph, without recursion: a drawing may be arbitrarily long.

/// Returns the component of each of `n` nodes, numbered so that an edge never leads to a higher number, and their sizes.
/// Source: R. Tarjan, SIAM J. Comput. 1972, doi:10.1137/0201010.
pub(crate) fn components(edges: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    const UNSEEN: usize = usize::MAX;
    let n = edges.len();
    let (mut component, mut sizes) = (vec![UNSEEN; n], Vec::new());
    let (mut number, mut low) = (vec![UNSEEN; n], vec![0; n]);
    let (mut stack, mut path): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    let mut next = 0;
    for start in 0..n {
        if number[start] == UNSEEN {
            path.push((start, 0));
        }
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            if *edge == 0 && number[node] == UNSEEN {
                (number[node], low[node]) = (next, next);
                next += 1;
                stack.push(node);
            }
            if let Some(&target) = edges[node].get(*edge) {
                *edge += 1;
                if number[target] == UNSEEN {
                    path.push((target, 0));
                } else if component[target] == UNSEEN {
                    low[node] = low[node].min(number[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == number[node] {
                let mut size = 0;
                while let Some(member) = stack.pop() {
                    component[member] = sizes.len();
                    size += 1;
                    if member == node {
                        break;
                    }
                }
                sizes.push(size);
            }
        }
    }
    (component, sizes)
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_found_in_graphs_of_any_shape() {
        let check = |edges: &[&[usize]], expected: &[usize]| {
            let edges: Vec<Vec<usize>> = edges.iter().map(|e| e.to_vec()).collect();
            assert_eq!(components(&edges).0, expected, "{edges:?}");
        };
        check(&[], &[]);
        check(&[&[0]], &[0]);
        check(&[&[1], &[2], &[]], &[2, 1, 0]);
        check(&[&[1], &[0], &[0]], &[0, 0, 1]);
        check(&[&[1], &[2], &[0, 3], &[4], &[3]], &[1, 1, 1, 0, 0]);
        let long: Vec<Vec<usize>> = (0..200_000).map(|i| vec![(i + 1) % 200_000]).collect();
        assert_eq!(components(&long).1, [200_000]);
    }
}
