use super::*;
use crate::testing::contexts;

/// Error of arrays that are no matrix.
fn refusal(rows: usize, columns: usize, row_ptr: &[i32], col_indices: &[i32], values: &[f64]) -> String {
    CsrMatrix::new(&Context::host(), rows, columns, row_ptr, col_indices, values).unwrap_err().to_string()
}

mod host {
    use super::*;

    #[test]
    fn arrays_that_are_no_matrix_are_refused_with_the_place() {
        let values = [1.0; 3];
        assert!(refusal(2, 2, &[0, 3], &[0, 1, 0], &values).contains("pointers: there are 2"));
        assert!(refusal(2, 2, &[1, 2, 3], &[0, 1, 0], &values).contains("the first one is 1"));
        assert!(refusal(2, 2, &[0, 4, 3], &[0, 1, 0], &values).contains("row 1 begins at entry 4 and ends at 3"));
        assert!(refusal(2, 2, &[0, -1, 3], &[0, 1, 0], &values).contains("row 0 begins at entry 0 and ends at -1"));
        assert!(refusal(2, 2, &[0, 2, 2], &[0, 1, 0], &values).contains("the last one is 2"));
        assert!(refusal(2, 2, &[0, 1, 3], &[0, 1, 2], &values).contains("entry 2, in row 1, has the column 2"));
        assert!(refusal(3, 2, &[0, 1, 1, 3], &[0, -1, 1], &values).contains("entry 1, in row 2, has the column -1"));
        assert!(refusal(2, 2, &[0, 1, 3], &[0, 1, 0], &values[1..]).contains("2 values for 3"));
        assert!(refusal(0, (1 << 31) + 1, &[0], &[], &[]).contains("columns"));
    }
}

mod device {
    use super::*;

    #[test]
    fn what_was_put_in_comes_out_on_every_device() {
        for context in crate::testing::contexts::<f64>() {
            let arrays: CsrArrays<f64, i64> =
                CsrArrays { row_ptr: vec![0, 2, 2], col_indices: vec![2, 0], values: vec![1.0, 2.0] };
            let matrix = CsrMatrix::new(&context, 2, 3, &arrays.row_ptr, &arrays.col_indices, &arrays.values).unwrap();
            assert_eq!((matrix.rows(), matrix.columns(), matrix.nnz()), (2, 3, 2));
            assert_eq!(matrix.download().unwrap(), arrays);
            assert_eq!(matrix.to_context(&Context::host()).unwrap().download().unwrap(), arrays);
            let empty = CsrMatrix::<f64>::new(&context, 0, 3, &[0], &[], &[]).unwrap();
            assert_eq!(empty.download().unwrap(), CsrArrays { row_ptr: vec![0], col_indices: vec![], values: vec![] });
        }
    }
}

mod device_small {
    use super::*;

    #[test]
    fn matrices_of_views_are_copies_and_are_looked_at() {
        for context in contexts::<f32>() {
            let (row_ptr, values) =
                (context.upload(&[0, 1, 3]).unwrap(), context.upload(&[1.0_f32, 2.0, 3.0]).unwrap());
            let of = |col_indices: &[i32]| {
                let col_indices = context.upload(col_indices).unwrap();
                let (row_ptr, col_indices) = (row_ptr.vector().unwrap(), col_indices.vector().unwrap());
                CsrMatrix::from_views(&context, 2, 3, row_ptr, col_indices, values.vector().unwrap())
            };
            let mut matrix = of(&[2, 0, 1]).unwrap();
            let arrays = CsrArrays { row_ptr: vec![0, 1, 3], col_indices: vec![2, 0, 1], values: vec![1.0, 2.0, 3.0] };
            assert_eq!(matrix.download().unwrap(), arrays);
            let copy = matrix.duplicate().unwrap();
            matrix.set_values_from(context.upload(&[4.0, 5.0, 6.0]).unwrap().vector().unwrap()).unwrap();
            assert_eq!((matrix.download().unwrap().values, copy.download().unwrap()), (vec![4.0, 5.0, 6.0], arrays));
            assert!(matches!(of(&[2, 3, 1]), Err(Error::InvalidArgument { name: "indices", .. })));
            assert!(matches!(of(&[2, 0]), Err(Error::InvalidArgument { name: "pointers", .. })));
        }
    }
}
