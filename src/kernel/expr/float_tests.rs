//! Floats of any format against the machine's, which are right, and corner cases of other formats.

use proptest::prelude::*;

use super::float::FloatSort;
use super::node::{FpBin, Rounding};

const OPS: [FpBin; 4] = [FpBin::Add, FpBin::Sub, FpBin::Mul, FpBin::Div];

fn on_the_machine(op: FpBin, a: f64, b: f64) -> f64 {
    match op {
        FpBin::Add => a + b,
        FpBin::Sub => a - b,
        FpBin::Mul => a * b,
        FpBin::Div => a / b,
    }
}

/// Returns bits whose exponents often lie close together, and corner cases.
fn bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (any::<u64>(), 0u64..60).prop_map(|(v, e)| (v & 0x800f_ffff_ffff_ffff) | ((1000 + e) << 52)),
        prop::sample::select(vec![
            0,
            1,
            1 << 63,
            0x7ff << 52,
            0xfff << 52,
            0x7fef_ffff_ffff_ffff,
            0x3ff << 52,
            (1 << 52) - 1,
            1 << 52
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn binary64_is_what_the_machine_computes(a in bits(), b in bits()) {
        let double = FloatSort::F64;
        let canonical = |v: f64| double.canonical_bits(v.to_bits().into());
        for op in OPS {
            let found = double.arithmetic(op, Rounding::NearestEven, a.into(), b.into());
            let expected = on_the_machine(op, f64::from_bits(a), f64::from_bits(b));
            prop_assert_eq!(found, Some(canonical(expected)), "{:?} {:e} {:e}", op, f64::from_bits(a), f64::from_bits(b));
        }
        let x = f64::from_bits(a);
        prop_assert_eq!(double.sqrt(Rounding::NearestEven, a.into()), Some(canonical(x.sqrt())));
        for (mode, expected) in [
            (Rounding::NearestEven, x.round_ties_even()),
            (Rounding::NearestAway, x.round()),
            (Rounding::TowardPositive, x.ceil()),
            (Rounding::TowardNegative, x.floor()),
            (Rounding::TowardZero, x.trunc()),
        ] {
            prop_assert_eq!(double.integral(mode, a.into()), Some(canonical(expected)), "{:?} {:e}", mode, x);
        }
        let single = double.convert(Rounding::NearestEven, a.into(), FloatSort::F32);
        prop_assert_eq!(single, FloatSort::F32.canonical_bits((x as f32).to_bits().into()));
        let order = double.compare(a.into(), b.into());
        prop_assert_eq!(order, x.partial_cmp(&f64::from_bits(b)));
    }

    #[test]
    fn binary32_is_what_the_machine_computes(a in any::<u32>(), b in any::<u32>(), near in any::<bool>()) {
        let b = if near { (a & 0x7f80_0000) ^ (b & 0x80ff_ffff) } else { b };
        let single = FloatSort::F32;
        for op in OPS {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let expected = match op {
                FpBin::Add => x + y,
                FpBin::Sub => x - y,
                FpBin::Mul => x * y,
                FpBin::Div => x / y,
            };
            let found = single.arithmetic(op, Rounding::NearestEven, a.into(), b.into());
            prop_assert_eq!(found, Some(single.canonical_bits(expected.to_bits().into())), "{:?} {:e} {:e}", op, x, y);
        }
    }

    #[test]
    fn integers_become_the_nearest_float(v in any::<u128>(), shift in 0u32..128, negative in any::<bool>()) {
        let v = v >> shift;
        let expected = if negative { -(v as f64) } else { v as f64 };
        let expected = if v == 0 { 0.0 } else { expected };
        prop_assert_eq!(FloatSort::F64.of_integer(Rounding::NearestEven, negative, v), u128::from(expected.to_bits()));
    }

    #[test]
    fn directed_modes_enclose_the_nearest(a in bits(), b in bits()) {
        let double = FloatSort::F64;
        for op in OPS {
            let by = |mode| f64::from_bits(double.arithmetic(op, mode, a.into(), b.into()).unwrap() as u64);
            let (down, near, up) = (by(Rounding::TowardNegative), by(Rounding::NearestEven), by(Rounding::TowardPositive));
            if !near.is_nan() {
                prop_assert!(down <= near && near <= up && (down == up || down.next_up() == up), "{:?}", op);
                prop_assert_eq!(by(Rounding::TowardZero), if near < 0.0 || (near == 0.0 && up <= 0.0) { up } else { down });
            }
        }
    }
}

#[test]
fn formats_that_the_machine_does_not_have() {
    let small = FloatSort::new(2, 3).unwrap();
    // 1.0 / 3.5 is 0.2857…: 0.25 is nearest, 0.5 the next above.
    let (one, most) = (0b0_01_00, 0b0_10_11);
    for (mode, expected) in [
        (Rounding::NearestEven, 0b0_00_01),
        (Rounding::TowardPositive, 0b0_00_10),
        (Rounding::TowardNegative, 0b0_00_01),
        (Rounding::TowardZero, 0b0_00_01),
        (Rounding::NearestAway, 0b0_00_01),
    ] {
        assert_eq!(small.arithmetic(FpBin::Div, mode, one, most), Some(expected), "{mode:?}");
    }
    // 3.5 + 3.5 is too large; 4 is no number of the format.
    for (mode, expected) in [
        (Rounding::NearestEven, 0b0_11_00),
        (Rounding::TowardPositive, 0b0_11_00),
        (Rounding::TowardNegative, most),
        (Rounding::TowardZero, most),
    ] {
        assert_eq!(small.arithmetic(FpBin::Add, mode, most, most), Some(expected), "{mode:?}");
    }
    assert_eq!(small.integral(Rounding::NearestEven, most), None);
    assert_eq!(small.to_integer(Rounding::NearestEven, most), Some((false, 4)));
    assert_eq!(small.nan(), 0b0_11_10);
    assert_eq!(FloatSort::new(8, 24), Some(FloatSort::F32));
    assert_eq!(FloatSort::new(1, 24), None);
    assert_eq!(FloatSort::new(31, 97), None);
    // Too wide for computations, not for constants.
    let quad = FloatSort::new(15, 113).unwrap();
    assert_eq!(quad.arithmetic(FpBin::Add, Rounding::NearestEven, 0, 0), None);
    assert_eq!(
        quad.convert(Rounding::NearestEven, quad.of_integer(Rounding::NearestEven, true, 7), FloatSort::F64),
        u128::from((-7f64).to_bits())
    );
}
