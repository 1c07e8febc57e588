//! Kinds of cvc5 for operators of bit vectors.

use cvc5::Kind;

use crate::expr::{BvBin, BvCmp};

pub(super) fn bv_bin(op: BvBin) -> Kind {
    match op {
        BvBin::Add => Kind::BitvectorAdd,
        BvBin::Sub => Kind::BitvectorSub,
        BvBin::Mul => Kind::BitvectorMult,
        BvBin::Udiv => Kind::BitvectorUdiv,
        BvBin::Urem => Kind::BitvectorUrem,
        BvBin::Sdiv => Kind::BitvectorSdiv,
        BvBin::Srem => Kind::BitvectorSrem,
        BvBin::And => Kind::BitvectorAnd,
        BvBin::Or => Kind::BitvectorOr,
        BvBin::Xor => Kind::BitvectorXor,
        BvBin::Shl => Kind::BitvectorShl,
        BvBin::Lshr => Kind::BitvectorLshr,
        BvBin::Ashr => Kind::BitvectorAshr,
    }
}

pub(super) fn bv_cmp(op: BvCmp) -> Kind {
    match op {
        BvCmp::Ult => Kind::BitvectorUlt,
        BvCmp::Ule => Kind::BitvectorUle,
        BvCmp::Slt => Kind::BitvectorSlt,
        BvCmp::Sle => Kind::BitvectorSle,
    }
}
