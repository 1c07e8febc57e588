//! Steady runs: the first ones of a batch, in which all inputs keep their first values.
//!
//! A hundred timers elapse together only where all inputs are held together. A sum is greatest where each number is.

use kernel::rng::Rng;

/// Run in which all inputs keep their first values.
struct Steady {
    /// Value of most flags.
    flags: bool,
    /// Number of flags that may have the other one: a reset that is not pressed, or a guard that is open.
    n_others: usize,
    numbers: Numbers,
}

/// First values of all numbers in a steady run.
#[derive(Clone, Copy)]
enum Numbers {
    Any,
    /// Greatest one of a signed word.
    Greatest,
    /// Least one of a signed word.
    Least,
    /// Greatest one of an unsigned word.
    Ones,
    /// A constant of the program, or a neighbour of one: the same for all numbers of a width.
    Constant,
}

/// The first runs of a batch. A sum is greatest where each number is, and limits of numbers are reached together.
const STEADY: [Steady; 16] = {
    const fn run(flags: bool, n_others: usize, numbers: Numbers) -> Steady {
        Steady { flags, n_others, numbers }
    }
    [
        run(true, 0, Numbers::Any),
        run(true, 1, Numbers::Any),
        run(true, 1, Numbers::Any),
        run(true, 1, Numbers::Any),
        run(true, 1, Numbers::Any),
        run(true, 2, Numbers::Any),
        run(false, 0, Numbers::Any),
        run(false, 1, Numbers::Any),
        run(true, 0, Numbers::Greatest),
        run(true, 0, Numbers::Least),
        run(true, 0, Numbers::Ones),
        run(true, 1, Numbers::Constant),
        run(false, 0, Numbers::Greatest),
        run(false, 0, Numbers::Least),
        run(false, 0, Numbers::Ones),
        run(false, 1, Numbers::Constant),
    ]
};
/// Number of steady runs.
pub(super) const N_RUNS: usize = STEADY.len();
/// These runs in a word for 64 runs.
pub(super) const RUNS: u64 = (1 << N_RUNS) - 1;

/// Returns the first values of `n` flags in the steady runs, a word for each flag.
pub(super) fn flags(n: usize, rng: &mut Rng) -> Vec<u64> {
    let most = STEADY.iter().enumerate().fold(0, |word, (run, steady)| word | u64::from(steady.flags) << run);
    let mut first = vec![most; n];
    for (run, steady) in STEADY.iter().enumerate() {
        for _ in 0..steady.n_others {
            if let Some(flag) = first.get_mut(rng.below(n.max(1))) {
                *flag ^= 1 << run;
            }
        }
    }
    first
}

/// Sets the first values of a number in the steady runs. `choice`: of the constants.
pub(super) fn hold(inputs: &mut [u64], word: &[usize], values: &[u128], choice: usize) {
    let n_bits = word.len();
    for (run, steady) in STEADY.iter().enumerate() {
        let is_set = |bit: usize| match steady.numbers {
            Numbers::Any => None,
            Numbers::Greatest => Some(bit + 1 < n_bits),
            Numbers::Least => Some(bit + 1 == n_bits),
            Numbers::Ones => Some(true),
            Numbers::Constant => {
                let value = values.get((choice + run) % values.len().max(1)).copied().unwrap_or_default();
                Some(value.checked_shr(bit as u32).unwrap_or_default() & 1 == 1)
            }
        };
        for (bit, at) in word.iter().enumerate() {
            if let Some(is_set) = is_set(bit) {
                inputs[*at] = inputs[*at] & !(1 << run) | u64::from(is_set) << run;
            }
        }
    }
}
