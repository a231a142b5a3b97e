use super::*;
use crate::scalar::Complex64;
use crate::sparse::{CsrArrays, matrix_market};
use crate::testing::contexts;

mod host {
    use super::*;

    #[test]
    fn patterns_and_arrays_become_matrices_and_complex_ones_no_real_matrices() {
        let host = Context::host();
        let matrix = |file: &str| CsrMatrix::<f64>::from_file(&host, &matrix_market::read(file.as_bytes()).unwrap());
        let pattern =
            matrix("%%MatrixMarket matrix coordinate pattern general\n1 3 2\n1 3\n1 1\n").unwrap().download().unwrap();
        assert_eq!(pattern, CsrArrays { row_ptr: vec![0, 2], col_indices: vec![0, 2], values: vec![1.0, 1.0] });
        let array = matrix("%%MatrixMarket matrix array real general\n2 1\n5\n6\n").unwrap().download().unwrap();
        assert_eq!(array, CsrArrays { row_ptr: vec![0, 1, 2], col_indices: vec![0, 0], values: vec![5.0, 6.0] });
        let empty = matrix("%%MatrixMarket matrix coordinate real general\n0 7 0\n").unwrap();
        assert_eq!((empty.rows(), empty.columns(), empty.nnz()), (0, 7, 0));
        assert!(matrix("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 2\n").is_err());
        let large = format!("%%MatrixMarket matrix coordinate real general\n{0} 1 1\n{0} 1 1\n", 3usize << 31);
        assert!(matrix(&large).unwrap_err().to_string().contains("rows"));
    }
}

mod device {
    use super::*;

    #[test]
    fn files_of_every_symmetry_become_whole_matrices() {
        let z = Complex64::new;
        for context in contexts::<Complex64>() {
            let matrix = |symmetry: &str, entries: &str| {
                let file = format!("%%MatrixMarket matrix coordinate complex {symmetry}\n2 2 {entries}");
                let file = matrix_market::read(file.as_bytes()).unwrap();
                CsrMatrix::<Complex64, i64>::from_file(&context, &file).unwrap().download().unwrap()
            };
            let whole = |values: [Complex64; 3]| CsrArrays {
                row_ptr: vec![0, 2, 3],
                col_indices: vec![0, 1, 0],
                values: values.to_vec(),
            };
            let lower = "3\n2 1 2 3\n1 1 4 0\n2 1 1 1\n";
            assert_eq!(matrix("symmetric", lower), whole([z(4.0, 0.0), z(3.0, 4.0), z(3.0, 4.0)]));
            assert_eq!(matrix("hermitian", lower), whole([z(4.0, 0.0), z(3.0, -4.0), z(3.0, 4.0)]));
            let skew =
                CsrArrays { row_ptr: vec![0, 1, 2], col_indices: vec![1, 0], values: vec![z(-2.0, -3.0), z(2.0, 3.0)] };
            assert_eq!(matrix("skew-symmetric", "1\n2 1 2 3\n"), skew);
            let general = CsrArrays { row_ptr: vec![0, 0, 1], col_indices: vec![0], values: vec![z(2.0, 3.0)] };
            assert_eq!(matrix("general", "1\n2 1 2 3\n"), general);
        }
    }
}
