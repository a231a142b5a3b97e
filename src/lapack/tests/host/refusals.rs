use super::*;
use crate::{
    Diag, Error, PivotOrder, Side, Triangle, gels, geqrf, gesv, getrf, getri, getrs, laswp, lauum, orgqr, ormqr, posv,
    potrf, potri, potrs, trtri, trtrs,
};

fn matrix(m: usize, n: usize) -> Stored<f64> {
    Stored::new(Layout::ColumnMajor, m, n, 0, 1)
}

/// Asserts that a call is refused for its sizes.
#[track_caller]
fn refused(result: crate::Result<()>) {
    assert!(matches!(result, Err(Error::ShapeMismatch(_))), "{result:?}");
}

#[test]
fn sizes_that_do_not_agree_are_refused_and_nothing_is_changed() {
    let (mut wide, mut square, mut short) = (matrix(3, 4), matrix(3, 3), matrix(2, 1));
    let before = (wide.clone().data, square.clone().data, short.clone().data);
    let lower = Triangle::Lower;
    refused(getrf(wide.view_mut(), &mut [0; 2]));
    refused(getrs(Op::NoTrans, wide.view(), &[1, 2, 3], short.view_mut()));
    refused(getrs(Op::NoTrans, square.view(), &[1, 2, 3], short.view_mut()));
    refused(getrs(Op::NoTrans, square.view(), &[1, 2], matrix(3, 1).view_mut()));
    refused(gesv(wide.view_mut(), &mut [0; 3], short.view_mut()));
    refused(gesv(square.view_mut(), &mut [0; 3], short.view_mut()));
    refused(gesv(square.view_mut(), &mut [0; 2], matrix(3, 1).view_mut()));
    refused(getri(wide.view_mut(), &[1, 2, 3]));
    refused(getri(square.view_mut(), &[1, 2]));
    refused(laswp(square.view_mut(), 0..4, &[1, 2, 3, 3], PivotOrder::Forward));
    refused(laswp(square.view_mut(), 0..3, &[1, 2], PivotOrder::Forward));
    refused(potrf(lower, wide.view_mut()));
    refused(potrs(lower, wide.view(), short.view_mut()));
    refused(potrs(lower, square.view(), short.view_mut()));
    refused(posv(lower, wide.view_mut(), short.view_mut()));
    refused(posv(lower, square.view_mut(), short.view_mut()));
    refused(potri(lower, wide.view_mut()));
    refused(geqrf(wide.view_mut(), &mut [0.0; 2]));
    refused(orgqr(wide.view_mut(), &[0.0; 2]));
    refused(orgqr(square.view_mut(), &[0.0; 4]));
    refused(ormqr(Side::Left, Op::NoTrans, square.view(), &[0.0; 4], matrix(3, 3).view_mut()));
    refused(ormqr(Side::Right, Op::NoTrans, square.view(), &[0.0; 3], matrix(3, 4).view_mut()));
    refused(gels(Op::NoTrans, wide.view_mut(), matrix(3, 1).view_mut()));
    refused(trtri(lower, Diag::Unit, wide.view_mut()));
    refused(trtrs(lower, Op::NoTrans, Diag::Unit, wide.view(), short.view_mut()));
    refused(trtrs(lower, Op::NoTrans, Diag::Unit, square.view(), short.view_mut()));
    refused(lauum(lower, wide.view_mut()));
    assert_eq!((wide.data, square.data, short.data), before);
}

#[test]
fn a_pivot_that_is_no_row_is_refused() {
    let (mut a, mut b) = (matrix(3, 3), matrix(3, 1));
    let before = (a.clone().data, b.clone().data);
    for wrong in [0, -1, 4] {
        let pivots = [1, wrong, 3];
        for result in [
            getrs(Op::NoTrans, a.view(), &pivots, b.view_mut()),
            getri(a.view_mut(), &pivots),
            laswp(a.view_mut(), 0..3, &pivots, PivotOrder::Backward),
        ] {
            assert!(matches!(result, Err(Error::InvalidArgument { name: "pivots", .. })), "{result:?}");
        }
    }
    assert_eq!((a.data, b.data), before);
}
