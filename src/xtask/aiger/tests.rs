//! Models that are written are run again, step by step.

use super::*;

/// A counter from 2 to 5, unless it is held; bad at 5. The step from 4 is possible without `hold` only.
const COUNTER: &str = "; a comment
1 sort bitvec 3
2 sort bitvec 1
3 const 1 010
4 const 1 001
5 const 1 101
6 state 1 count
7 init 1 6 3
8 input 2 hold
9 add 1 6 4
10 ite 1 8 6 9
11 next 1 6 10
12 eq 2 6 5
13 not 2 8
14 constraint 13
15 bad 12
";

/// Runs binary AIGER; returns the output of each step for the inputs of each step.
fn outputs(model: &[u8], inputs: &[Vec<bool>]) -> Vec<bool> {
    let mut rest = model;
    let mut text_line = || {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap();
        let (line, tail) = rest.split_at(end);
        rest = &tail[1..];
        String::from_utf8(line.to_vec()).unwrap()
    };
    let head: Vec<usize> = text_line().split(' ').skip(1).map(|number| number.parse().unwrap()).collect();
    let [most, n_inputs, n_latches, 1, n_gates] = head[..] else { panic!("{head:?}") };
    assert_eq!(most, n_inputs + n_latches + n_gates);
    let next: Vec<usize> = (0..n_latches).map(|_| text_line().parse().unwrap()).collect();
    let output: usize = text_line().parse().unwrap();
    let mut bytes = rest.iter();
    let mut number = || {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = *bytes.next().unwrap();
            number |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    };
    let gates: Vec<(usize, usize)> = (0..n_gates)
        .map(|i| {
            let a = 2 * (n_inputs + n_latches + 1 + i) - number();
            (a, a - number())
        })
        .collect();
    let mut latches = vec![false; n_latches];
    let step = |given: &Vec<bool>| {
        let mut values = [vec![false], given.clone(), latches.clone()].concat();
        assert_eq!(given.len(), n_inputs);
        let of = |values: &[bool], lit: usize| values[lit / 2] ^ (lit % 2 == 1);
        for (a, b) in &gates {
            values.push(of(&values, *a) && of(&values, *b));
        }
        latches = next.iter().map(|lit| of(&values, *lit)).collect();
        of(&values, output)
    };
    inputs.iter().map(step).collect()
}

#[test]
fn initial_values_and_constraints_are_kept() {
    let model = of_btor2(COUNTER).unwrap();
    let run = |holds: [bool; 5]| outputs(&model, &holds.map(|hold| vec![hold]));
    assert_eq!(run([false; 5]), [false, false, false, true, false]);
    // From the step on that breaks the constraint, nothing is reached.
    assert_eq!(run([false, true, false, false, false]), [false; 5]);
    assert_eq!(run([false, false, false, true, false]), [false; 5]);
}

#[test]
fn states_without_an_initial_value_begin_with_any() {
    let model = of_btor2(&COUNTER.replace("7 init 1 6 3\n", "")).unwrap();
    // The inputs: three bits of the first value, then `hold`, in the order of lines.
    let start = |bits: [bool; 3]| [&bits[..], &[false]].concat();
    let idle = vec![false; 4];
    assert_eq!(outputs(&model, &[start([true, false, true]), idle.clone()]), [true, false]);
    assert_eq!(outputs(&model, &[start([false, false, true]), idle]), [false, true]);
}

#[test]
fn lines_that_are_not_understood_are_named() {
    let wrong = COUNTER.replace("9 add", "9 udiv");
    assert_eq!(of_btor2(&wrong), Err("line 9: `udiv` is not understood".to_owned()));
    assert!(of_btor2("1 sort array 2 3\n").is_err());
}
