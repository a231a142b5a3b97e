use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Result<Coordinates, MatrixMarketError> {
    read(text.as_bytes())
}

fn dense(text: &str) -> Vec<f64> {
    parse(text).unwrap().to_dense().unwrap()
}

/// Any matrix that a file can hold, its values finite, subnormal or infinite.
fn matrix() -> impl Strategy<Value = Coordinates> {
    let kinds = (proptest::sample::select(Format::ALL), proptest::sample::select(Field::ALL));
    let sound =
        (kinds, proptest::sample::select(Symmetry::ALL)).prop_filter("the banner makes sense", |kind| match kind {
            ((Format::Array, Field::Pattern), _) => false,
            ((_, Field::Pattern), symmetry) => matches!(symmetry, Symmetry::General | Symmetry::Symmetric),
            ((_, field), Symmetry::Hermitian) => *field == Field::Complex,
            _ => true,
        });
    let number = prop_oneof![Just(f64::INFINITY), any::<f64>().prop_filter("equal to itself", |x| !x.is_nan())];
    (sound, 0..8usize, 0..8usize, proptest::collection::vec((number.clone(), number), 64)).prop_map(
        |(((format, field), symmetry), rows, columns, numbers)| {
            let columns = if symmetry == Symmetry::General { columns } else { rows };
            let positions = (0..columns).flat_map(|j| array_rows(rows, j, symmetry).map(move |i| (i, j)));
            // Every second position, out of order, where positions are listed.
            let positions: Vec<_> = match format {
                Format::Array => positions.collect(),
                Format::Coordinate => positions.collect::<Vec<_>>().into_iter().rev().step_by(2).collect(),
            };
            let numbers = positions.iter().zip(&numbers);
            let values = match field {
                Field::Pattern => Values::Pattern,
                Field::Real => Values::Real(numbers.map(|(_, x)| x.0).collect()),
                Field::Integer => Values::Real(numbers.map(|(_, x)| x.0.clamp(-1e15, 1e15).trunc()).collect()),
                Field::Complex => Values::Complex(
                    numbers
                        .map(|((i, j), (re, im))| {
                            let real = i == j && symmetry == Symmetry::Hermitian;
                            Complex64::new(*re, if real { 0.0 } else { *im })
                        })
                        .collect(),
                ),
            };
            let (row_indices, col_indices) = match format {
                Format::Array => (Vec::new(), Vec::new()),
                Format::Coordinate => positions.into_iter().unzip(),
            };
            Coordinates { rows, columns, row_indices, col_indices, values, field, symmetry, format }
        },
    )
}

fn written(matrix: &Coordinates) -> Vec<u8> {
    let mut file = Vec::new();
    write(matrix, &mut file).unwrap();
    file
}

fn compressed(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// More lines than a block and its parts hold, of all that is usual and some of what is not.
fn long_file(entries: usize) -> String {
    let mut file = format!("%%MatrixMarket matrix coordinate real general\n% one\n{entries} {entries} {entries}\n");
    for i in 1..=entries {
        let value = (i as f64 * 0.7).sin();
        file += &match i % 9 {
            0 => format!("{i} {i} {value:e}\n"),
            1 => format!("  {i}\t{i}  {value:.3} \r\n"),
            2 => format!("{i} {i} {value:.20}\n"),
            3 => format!("% between\n{i} {i} {}\n", (value * 100.0).round()),
            4 => format!("{i} {i} {:e}\n", value * 1e-300),
            5 => format!("{i} {i} {:.2}D+03\n", value),
            6 => format!("\n{i} {i} +.5e-2\n"),
            7 => format!("{i} {i} nan\n"),
            _ => format!("{i} {i} {value}\n"),
        };
    }
    file
}

mod host {
    use super::*;

    #[test]
    fn every_kind_of_file_gives_its_matrix() {
        for (file, by_columns) in [
            ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1.5\n2 1 -3\n", [0.0, -3.0, 1.5, 0.0]),
            ("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 2\n2 1 -3\n", [2.0, -3.0, -3.0, 0.0]),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n", [0.0, 5.0, -5.0, 0.0]),
            ("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 2\n", [1.0, 0.0, 1.0, 0.0]),
            ("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", [0.0, 1.0, 1.0, 0.0]),
            ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", [1.0, 2.0, 3.0, 4.0]),
            ("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", [1.0, 2.0, 2.0, 3.0]),
            ("%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n", [0.0, 7.0, -7.0, 0.0]),
            // Duplicates add up.
            ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 1 2\n", [3.0, 0.0, 0.0, 0.0]),
        ] {
            assert_eq!(dense(file), by_columns, "{file}");
        }
    }

    #[test]
    fn complex_and_hermitian_files_give_their_matrices() {
        let z = Complex64::new;
        let general = parse("%%MatrixMarket matrix coordinate complex general\n1 2 1\n1 2 1 -2\n").unwrap();
        assert_eq!(general.to_dense::<Complex64>().unwrap(), [z(0.0, 0.0), z(1.0, -2.0)]);
        let hermitian = parse("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n").unwrap();
        let expected = [z(1.0, 0.0), z(2.0, 3.0), z(2.0, -3.0), z(4.0, 0.0)];
        assert_eq!(hermitian.to_dense::<Complex64>().unwrap(), expected);
        assert!(hermitian.to_dense::<f64>().is_err());
    }

    #[test]
    fn case_blanks_comments_and_line_ends_do_not_matter() {
        let file = "%%matrixmarket MATRIX Coordinate REAL General  \r\n% a comment\r\n\r\n  2\t2 2 \r\n\r\n 1 \
     1\t1.0D+00\r\n% more\r\n2 2 2.5E0";
        assert_eq!(dense(file), [1.0, 0.0, 0.0, 2.5]);
    }

    #[test]
    fn empty_matrices_are_matrices() {
        assert_eq!(dense("%%MatrixMarket matrix coordinate real general\n0 0 0\n"), [0.0_f64; 0]);
        assert_eq!(dense("%%MatrixMarket matrix array real general\n3 0\n"), [0.0_f64; 0]);
        assert_eq!(dense(&format!("%%MatrixMarket matrix array real general\n0 {}\n", usize::MAX)), [0.0_f64; 0]);
        assert_eq!(dense("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), [0.0]);
        assert_eq!(dense("%%MatrixMarket matrix array real symmetric\n0 0\n"), [0.0_f64; 0]);
    }

    #[test]
    fn each_malformed_file_is_refused_with_its_line_and_the_reason() {
        const REAL: &str = "%%MatrixMarket matrix coordinate real general\n";
        const LOWER: &str = "%%MatrixMarket matrix coordinate real symmetric\n";
        for (file, line, reason) in [
            ("", 1, "the file is empty"),
            ("1 1 1\n", 1, "not a Matrix Market file"),
            ("%%MatrixMarket matrix coordinate real\n", 1, "five words"),
            ("%%MatrixMarket matrix coordinate real general extra\n", 1, "five words"),
            ("%%MatrixMarket vector coordinate real general\n", 1, "object 'vector'"),
            (
                "%%MatrixMarket matrix sparse real general\n",
                1,
                "format 'sparse' is not known: it may be coordinate, array",
            ),
            ("%%MatrixMarket matrix coordinate float general\n", 1, "field 'float'"),
            ("%%MatrixMarket matrix coordinate real diagonal\n", 1, "symmetry 'diagonal'"),
            ("%%MatrixMarket matrix array pattern general\n", 1, "cannot be a pattern"),
            ("%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, "cannot be skew-symmetric"),
            ("%%MatrixMarket matrix coordinate real hermitian\n", 1, "a Hermitian matrix is complex"),
            (&format!("{REAL}% only a comment\n"), 3, "ends before the line of sizes"),
            (&format!("{REAL}2 2\n"), 2, "'ROWS COLUMNS ENTRIES'"),
            (&format!("{REAL}2 2 1 1\n"), 2, "'ROWS COLUMNS ENTRIES'"),
            (&format!("{REAL}2 -2 1\n"), 2, "'-2' is not a whole number"),
            (&format!("{REAL}2 99999999999999999999999 1\n"), 2, "too large"),
            (&format!("{REAL}0 2 1\n"), 2, "has no entries"),
            (&format!("{LOWER}2 3 1\n"), 2, "a symmetric matrix is square"),
            (&format!("{REAL}2 2 1\n"), 3, "ends after 0 entries, and 1 are announced"),
            (&format!("{REAL}2 2 2\n1 1 1\n"), 4, "ends after 1 entries"),
            (&format!("{REAL}2 2 1\n1 1 1\n2 2 2\n"), 4, "more entries than the 1 announced"),
            (&format!("{REAL}2 2 1\n0 1 1\n"), 3, "row 0: indices begin with 1"),
            (&format!("{REAL}2 2 1\n1 3 1\n"), 3, "column 3 of a matrix with 2 columns"),
            (&format!("{REAL}2 2 1\n1\n"), 3, "the column is missing"),
            (&format!("{REAL}2 2 1\n1 1\n"), 3, "the value is missing"),
            (&format!("{REAL}2 2 1\n1 1 1 1\n"), 3, "'1' is more than an entry has"),
            (&format!("{REAL}2 2 1\n1 1 x\n"), 3, "'x' is not a number"),
            (&format!("{REAL}2 2 1\n1 1 1e999\n"), 3, "beyond the range of a double"),
            (&format!("{REAL}2 2 1\n1.0 1 1\n"), 3, "'1.0' is not a whole number"),
            (&format!("{LOWER}2 2 1\n1 2 1\n"), 3, "above the diagonal"),
            ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", 3, "on the diagonal"),
            ("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n1 1 1 1\n", 3, "imaginary part"),
            ("%%MatrixMarket matrix array complex hermitian\n1 1\n1 1\n", 3, "imaginary part"),
            ("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", 3, "'1.5' is not an integer"),
            ("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1\n", 3, "the imaginary part is missing"),
            ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", 3, "more than an entry has"),
            ("%%MatrixMarket matrix array real general\n2 2 4\n", 2, "'ROWS COLUMNS'"),
            ("%%MatrixMarket matrix array real general\n1 2\n1 2\n", 3, "more than an entry has"),
            (
                "%%MatrixMarket matrix array real general\n9999999999999 9999999999999\n",
                2,
                "too large for this machine",
            ),
        ] {
            let error = parse(file).unwrap_err();
            assert_eq!(error.line, line, "{file:?}: {error}");
            assert!(error.reason.contains(reason), "{file:?}: {error}");
        }
    }

    #[test]
    fn a_size_without_memory_is_an_error_and_not_an_abort() {
        let header = "%%MatrixMarket matrix coordinate real general\n9999999999999 9999999999999 0\n";
        assert!(matches!(parse(header).unwrap().to_dense::<f64>(), Err(crate::Error::OutOfHostMemory { .. })));
        let liar = "%%MatrixMarket matrix coordinate real general\n4 4 999999999999999999\n1 1 1\n";
        assert_eq!(parse(liar).unwrap_err().line, 4);
    }

    #[test]
    fn infinities_and_nan_are_values() {
        let file = "%%MatrixMarket matrix array real general\n3 1\nInf\n-1.#INF\nNaN\n";
        let values = dense(file);
        assert_eq!(values[..2], [f64::INFINITY, f64::NEG_INFINITY]);
        assert!(values[2].is_nan());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(matrix in matrix()) {
            prop_assert_eq!(read(&written(&matrix)[..]), Ok(matrix));
        }

        #[test]
        fn arbitrary_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes[..]);
            let behind_a_banner = [b"%%MatrixMarket matrix coordinate real general\n", &bytes[..]].concat();
            let _ = read(&behind_a_banner[..]);
        }

        #[test]
        fn a_file_with_a_few_bytes_changed_is_read_or_refused(
            matrix in matrix(),
            changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..4),
        ) {
            let mut file = written(&matrix);
            for (position, byte, remove) in changes {
                let position = position.index(file.len());
                if remove && file.len() > 1 { file.remove(position); } else { file[position] = byte; }
            }
            if let Ok(matrix) = read(&file[..]) && matrix.rows.saturating_mul(matrix.columns) < 1 << 20 {
                prop_assert!(matrix.to_dense::<Complex64>().is_ok());
            }
        }
    }

    #[test]
    fn compressed_files_are_read_like_others() {
        let file = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1.5\n2 1 -3\n";
        let mut bytes = compressed(file);
        assert_eq!(read(bytes.as_slice()).unwrap(), parse(file).unwrap());
        // gzip's own files may be several in one.
        let (head, tail) = file.split_at(50);
        assert_eq!(read([compressed(head), compressed(tail)].concat().as_slice()).unwrap(), parse(file).unwrap());
        bytes.truncate(bytes.len() - 12);
        assert!(read(bytes.as_slice()).unwrap_err().reason.contains("could not be read"));
        assert!(read(&b"\x1f\x8bnot gzip"[..]).is_err());
    }

    #[test]
    fn long_files_are_read_to_the_last_bit() {
        let entries = 400_000;
        let file = long_file(entries);
        assert!(file.len() > 9 << 20);
        let matrix = parse(&file).unwrap();
        assert!(matrix.row_indices.iter().copied().eq(0..entries) && matrix.col_indices == matrix.row_indices);
        let Values::Real(values) = &matrix.values else { panic!() };
        let words = file
            .lines()
            .skip(3)
            .filter(|line| !line.starts_with('%'))
            .filter_map(|line| line.split_ascii_whitespace().nth(2));
        for (value, word) in values.iter().zip(words) {
            let expected: f64 = word.replace("D+", "e").parse().unwrap();
            assert!(value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan(), "{word} is {value}");
        }
    }

    #[test]
    fn an_error_in_a_long_file_is_on_its_line() {
        let file = long_file(300_000);
        let lines: Vec<&str> = file.lines().collect();
        for (line, wrong, reason) in [
            (250_000, "1 2 x", "'x' is not a number"),
            (5, "0 2 1.0", "row 0"),
            (222_222, "1 300001 1.0", "column 300001"),
            (330_000, "1 2", "the value is missing"),
        ] {
            let mut lines = lines.clone();
            lines[line - 1] = wrong;
            let error = parse(&lines.join("\n")).unwrap_err();
            assert!(error.line == line as u64 && error.reason.contains(reason), "{error}");
        }
        let error = parse(&format!("{file}7 7 7.0\n")).unwrap_err();
        assert!(error.line == lines.len() as u64 + 1 && error.reason.contains("more entries"), "{error}");
        let error = parse(&lines[..lines.len() - 1].join("\n")).unwrap_err();
        assert!(error.reason.contains("ends after 299999 entries"), "{error}");
    }
}
