use affinimath_cpu::sparse::segments::{ITEMS, count, segment};

#[test]
fn segments_are_all_of_a_matrix_in_its_order() {
    let empty = 3 * ITEMS;
    let mut row_ptr = vec![0_i64; empty + 1];
    for length in [1, 2 * ITEMS + 7, 0, 5, ITEMS] {
        row_ptr.push(row_ptr[row_ptr.len() - 1] + length as i64);
    }
    let (mut rows, mut entries) = (0, 0);
    for index in 0..count(&row_ptr) {
        let segment = segment(&row_ptr, index);
        assert_eq!((segment.rows.start, segment.entries.start), (rows, entries));
        assert!(segment.rows.len() + segment.entries.len() <= ITEMS);
        (rows, entries) = (segment.rows.end, segment.entries.end);
        assert!(entries <= *row_ptr.get(rows + 1).unwrap_or(&i64::MAX) as usize && entries >= row_ptr[rows] as usize);
    }
    assert_eq!((rows, entries), (row_ptr.len() - 1, row_ptr[row_ptr.len() - 1] as usize));
    assert_eq!(count(&[0_i32]), 0);
}
