//! Size of expressions as gates.

use super::aig::Gate;
use super::blast::Blaster;
use crate::expr::{ExprId, ExprPool};

/// Most gates that are counted.
const MOST: usize = 5_000_000;

/// Returns the number of gates that each root adds to those before it. `None` if a root is beyond bits, or there are too many
/// gates.
///
/// Cost:      linear in the gates.
pub fn gates(pool: &ExprPool, roots: &[ExprId]) -> Option<Vec<usize>> {
    let mut blaster = Blaster::new();
    let mut sizes = Vec::with_capacity(roots.len());
    for root in roots {
        let before = blaster.aig.len();
        blaster.bits(pool, *root, 0).ok()?;
        let after = blaster.aig.len();
        if MOST < after {
            return None;
        }
        sizes.push((before..after).filter(|node| !matches!(blaster.aig.gate(*node), Gate::Input)).count());
    }
    Some(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{BvBin, Sort};

    #[test]
    fn a_product_is_larger_than_a_sum_and_counts_once() {
        let mut pool = ExprPool::new();
        let [a, b] = ["a", "b"].map(|name| {
            let var = pool.new_var(name, Sort::BitVec(32));
            pool.var(var)
        });
        let (sum, product) = (pool.bv(BvBin::Add, a, b), pool.bv(BvBin::Mul, a, b));
        let sizes = gates(&pool, &[a, sum, product, product]).unwrap();
        assert!(sizes[0] == 0 && 0 < sizes[1] && 10 * sizes[1] < sizes[2] && sizes[3] == 0, "{sizes:?}");
    }
}
