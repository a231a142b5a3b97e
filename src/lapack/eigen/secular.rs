//! Deflation of rank-one updates of diagonal matrices, D + rho z zᵀ (Cuppen, Numer. Math. 36, 1981; LAPACK: xLAED2).

/// Precision of the type that vectors are computed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    /// Unit roundoff.
    pub(super) epsilon: f64,
    /// The nearest number of the type.
    pub(super) round: fn(f64) -> f64,
}

/// A rotation of two columns: (x, y) := (c x + s y, c y - s x).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rotation {
    pub(super) columns: [usize; 2],
    pub(super) c: f64,
    pub(super) s: f64,
}

/// Part of a merge's rows where a column is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rows {
    First,
    Both,
    Second,
}

/// A deflated update.
#[derive(Debug, Default)]
pub(super) struct Update {
    /// Columns that are not deflated, by ascending poles.
    pub(super) columns: Vec<usize>,
    pub(super) poles: Vec<f64>,
    pub(super) z: Vec<f64>,
    pub(super) rows: Vec<Rows>,
    /// Columns whose eigenvalues are final.
    pub(super) deflated: Vec<usize>,
    /// Rotations that make elements of z zero.
    pub(super) rotations: Vec<Rotation>,
    pub(super) rho: f64,
}

/// Deflates D + rho z zᵀ. `d` is changed by rotations; `middle` is the number of columns of the first part. Without a
/// column left, nothing is to be done.
pub(super) fn deflate(d: &mut [f64], z: &[f64], middle: usize, off_diagonal: f64, precision: Precision) -> Update {
    let n = d.len();
    let half = 0.5_f64.sqrt();
    let sign = if off_diagonal < 0.0 { -half } else { half };
    let mut z: Vec<f64> = z.iter().enumerate().map(|(i, z)| z * if i < middle { half } else { sign }).collect();
    let rho = 2.0 * off_diagonal.abs();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| d[*i].total_cmp(&d[*j]));
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let tolerance = 8.0 * precision.epsilon * largest(d).max(largest(&z));
    let mut update = Update { rho, ..Update::default() };
    if rho * largest(&z) <= tolerance {
        update.deflated = order;
        return update;
    }
    let mut rows: Vec<Rows> = (0..n).map(|i| if i < middle { Rows::First } else { Rows::Second }).collect();
    // The last column that is not deflated yet.
    let mut last: Option<usize> = None;
    let keep = |update: &mut Update, i: usize, d: &[f64], z: &[f64], rows: &[Rows]| {
        update.columns.push(i);
        update.poles.push(d[i]);
        update.z.push(z[i]);
        update.rows.push(rows[i]);
    };
    for i in order {
        if rho * z[i].abs() <= tolerance {
            update.deflated.push(i);
            continue;
        }
        let Some(previous) = last.replace(i) else { continue };
        let size = z[i].hypot(z[previous]);
        let (c, s, gap) = (z[i] / size, -z[previous] / size, d[i] - d[previous]);
        if (gap * c * s).abs() <= tolerance {
            z[i] = size;
            z[previous] = 0.0;
            if rows[i] != rows[previous] {
                rows[i] = Rows::Both;
            }
            update.rotations.push(Rotation { columns: [previous, i], c, s });
            let (low, high) = (d[previous], d[i]);
            d[previous] = (precision.round)(low * c * c + high * s * s);
            d[i] = (precision.round)(low * s * s + high * c * c);
            update.deflated.push(previous);
        } else {
            keep(&mut update, previous, d, &z, &rows);
        }
    }
    if let Some(last) = last {
        keep(&mut update, last, d, &z, &rows);
    }
    update
}

#[cfg(test)]
mod host {
    use super::*;

    const DOUBLE: Precision = Precision { epsilon: f64::EPSILON / 2.0, round: |value| value };

    #[test]
    fn equal_poles_and_zero_elements_are_deflated() {
        let mut d = vec![1.0, 1.0, 2.0, 3.0];
        let found = deflate(&mut d, &[0.5, 0.5, 0.0, 0.5], 2, 1.0, DOUBLE);
        assert_eq!((found.columns.len(), found.deflated.len(), found.rotations.len()), (2, 2, 1));
        assert!((found.z[0] - 0.5).abs() < 1e-15 && found.poles[1] == 3.0, "{found:?}");
        assert!(found.poles[0] == d[1] && d[..2].iter().all(|d| (d - 1.0).abs() < 1e-15), "{found:?}");
        let found = deflate(&mut d, &[0.5, 0.5, 0.5, 0.5], 2, 0.0, DOUBLE);
        assert!(found.columns.is_empty() && found.deflated.len() == 4);
    }
}
