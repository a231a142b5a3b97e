//! The order of reductions.

use crate::fused::ReductionOrder;

/// Joins a row as [`ReductionOrder`] says; `None` of an empty row.
///
/// ```
/// use affinimath_array::fused::ReductionOrder;
/// use affinimath_array::reference::join_row;
///
/// let order = ReductionOrder { lanes: 2, chunk: 4 };
/// let row = ["a", "b", "c", "d", "e"].map(String::from);
/// let joined = join_row(order, &row, |x, y| format!("({x} {y})"));
/// assert_eq!(joined.unwrap(), "(((a c) (b d)) e)");
/// ```
pub fn join_row<T: Clone>(order: ReductionOrder, row: &[T], mut join: impl FnMut(T, T) -> T) -> Option<T> {
    let mut row = row.to_vec();
    while row.len() > 1 {
        row = row.chunks(order.chunk.max(2)).map(|chunk| join_chunk(order.lanes, chunk, &mut join)).collect();
    }
    row.pop()
}

fn join_chunk<T: Clone>(lanes: usize, chunk: &[T], join: &mut impl FnMut(T, T) -> T) -> T {
    let (first, others) = chunk.split_at(lanes.min(chunk.len()));
    let mut accumulators = first.to_vec();
    for (i, x) in others.iter().enumerate() {
        let lane = i % lanes;
        accumulators[lane] = join(accumulators[lane].clone(), x.clone());
    }
    let mut half = lanes / 2;
    while half > 0 {
        for lane in 0..half.min(accumulators.len().saturating_sub(half)) {
            accumulators[lane] = join(accumulators[lane].clone(), accumulators[lane + half].clone());
        }
        accumulators.truncate(half);
        half /= 2;
    }
    accumulators.swap_remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lanes: usize, chunk: usize, n: usize) -> String {
        let row: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        join_row(ReductionOrder { lanes, chunk }, &row, |x, y| format!("({x} {y})")).unwrap_or_default()
    }

    #[test]
    fn one_lane_joins_in_turn() {
        assert_eq!(text(1, 8, 0), "");
        assert_eq!(text(1, 8, 1), "0");
        assert_eq!(text(1, 8, 4), "(((0 1) 2) 3)");
    }

    #[test]
    fn lanes_are_strided_and_joined_by_halving() {
        assert_eq!(text(4, 8, 3), "((0 2) 1)");
        assert_eq!(text(4, 8, 6), "(((0 4) 2) ((1 5) 3))");
    }

    #[test]
    fn results_of_chunks_are_a_row_again() {
        assert_eq!(text(2, 2, 5), "(((0 1) (2 3)) 4)");
        assert_eq!(text(1, 3, 10), "(((((0 1) 2) ((3 4) 5)) ((6 7) 8)) 9)");
    }

    #[test]
    fn each_element_is_joined_once() {
        for lanes in [1, 2, 8] {
            for chunk in [lanes, 3 * lanes] {
                for n in 1..100 {
                    let ones = vec![1u64; n];
                    assert_eq!(
                        join_row(ReductionOrder { lanes, chunk: chunk.max(2) }, &ones, |x, y| x + y),
                        Some(n as u64)
                    );
                }
            }
        }
    }
}
