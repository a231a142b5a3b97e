//! Sizes as the user writes them: `256`, `512..4096*2`, `64..512+64`, and shapes `MxNxK`.

use std::str::FromStr;

/// One size or a range of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<usize>);

/// The most sizes that one range may give: more is a slip of the keyboard.
const MOST: usize = 10_000;

enum Step {
    Times(usize),
    Plus(usize),
}

impl Step {
    fn after(&self, size: usize) -> Option<usize> {
        match self {
            Step::Times(factor) => size.checked_mul(*factor),
            Step::Plus(step) => size.checked_add(*step),
        }
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((first, rest)) = text.split_once("..") else {
            return Ok(Sizes(vec![number(text)?]));
        };
        let (last, step) = if let Some((last, factor)) = rest.split_once('*') {
            (last, Step::Times(number(factor)?))
        } else if let Some((last, step)) = rest.split_once('+') {
            (last, Step::Plus(number(step)?))
        } else {
            (rest, Step::Times(2))
        };
        if matches!(step, Step::Times(1)) {
            return Err("a factor of 1 never ends: write a factor of at least 2, as in 512..4096*2".to_owned());
        }
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("the range ends at {last}, before its start at {first}"));
        }
        let sizes: Vec<usize> = std::iter::successors(Some(first), |size| step.after(*size))
            .take_while(|size| *size <= last)
            .take(MOST + 1)
            .collect();
        if sizes.len() > MOST {
            return Err(format!("the range has more than {MOST} sizes"));
        }
        Ok(Sizes(sizes))
    }
}

/// The sizes of a product: m x n, over k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductShape {
    /// Rows of the product.
    pub m: usize,
    /// Columns of the product.
    pub n: usize,
    /// The inner dimension.
    pub k: usize,
}

impl ProductShape {
    /// All three equal.
    pub const fn square(size: usize) -> Self {
        ProductShape { m: size, n: size, k: size }
    }
}

impl FromStr for ProductShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "a shape is MxNxK, as in 1024x16x512";
        let parts = text.split(['x', 'X']).map(|size| number_in(size, form)).collect::<Result<Vec<_>, _>>()?;
        match parts[..] {
            [m, n, k] => Ok(ProductShape { m, n, k }),
            _ => Err(form.to_owned()),
        }
    }
}

/// Rows and columns of matrices: squares as [`Sizes`] have them, or one MxN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixSizes(pub Vec<(usize, usize)>);

impl FromStr for MatrixSizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "a matrix has two sizes: write MxN, as in 16384x1024";
        match text.split_once(['x', 'X']) {
            None => Ok(MatrixSizes(text.parse::<Sizes>()?.0.into_iter().map(|n| (n, n)).collect())),
            Some((_, columns)) if columns.contains(['x', 'X']) => Err(form.to_owned()),
            Some((rows, columns)) => Ok(MatrixSizes(vec![(number_in(rows, form)?, number_in(columns, form)?)])),
        }
    }
}

/// A size, also as a power: 2^15.
pub fn number(text: &str) -> Result<usize, String> {
    number_in(text, "write 256, 2^8, 512..4096*2 or 64..512+64")
}

/// A size that is part of an option; the error of text that is not a number ends with the option's form.
fn number_in(text: &str, form: &str) -> Result<usize, String> {
    let number = match text.split_once('^') {
        None => text.trim().parse().ok(),
        Some((base, exponent)) => {
            base.trim().parse().ok().zip(exponent.trim().parse().ok()).and_then(|(b, e)| usize::checked_pow(b, e))
        }
    };
    match number {
        Some(0) => Err("a size of 0 has no rate: sizes begin at 1".to_owned()),
        Some(number) => Ok(number),
        None => Err(format!("'{text}' is not a whole number: {form}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<usize> {
        text.parse::<Sizes>().unwrap().0
    }

    #[test]
    fn ranges_double_multiply_and_step() {
        assert_eq!(sizes("256"), [256]);
        assert_eq!(sizes("512..4096*2"), [512, 1024, 2048, 4096]);
        assert_eq!(sizes("512..4096"), sizes("512..4096*2"));
        assert_eq!(sizes("10..1000*10"), [10, 100, 1000]);
        assert_eq!(sizes("64..256+64"), [64, 128, 192, 256]);
        assert_eq!(sizes("100..100+7"), [100]);
        assert_eq!(sizes("100..130+20"), [100, 120]);
        assert_eq!(sizes("2^3..2^5"), [8, 16, 32]);
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_with_a_reason() {
        for (text, reason) in [
            ("0", "begin at 1"),
            ("many", "not a whole number"),
            ("-4", "not a whole number"),
            ("8..4", "before its start"),
            ("8..16*1", "never ends"),
            ("8..16*0", "begin at 1"),
            ("1..100000000+1", "more than"),
            ("8..", "not a whole number"),
            ("99999999999999999999", "not a whole number"),
            ("2^64", "not a whole number"),
            ("2^", "not a whole number"),
        ] {
            let error = text.parse::<Sizes>().unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
            assert!(!error.contains("MxN"), "{text}: {error}");
        }
    }

    #[test]
    fn a_matrix_is_square_or_has_two_sizes() {
        assert_eq!("4..16*2".parse(), Ok(MatrixSizes(vec![(4, 4), (8, 8), (16, 16)])));
        assert_eq!("2^14x1024".parse(), Ok(MatrixSizes(vec![(16384, 1024)])));
        assert!("4x4x4".parse::<MatrixSizes>().unwrap_err().contains("MxN"));
        assert!("4x".parse::<MatrixSizes>().unwrap_err().contains("write MxN,"));
        assert!("4x0".parse::<MatrixSizes>().unwrap_err().contains("begin at 1"));
    }

    #[test]
    fn a_shape_has_three_sizes() {
        assert_eq!("1024x16x512".parse(), Ok(ProductShape { m: 1024, n: 16, k: 512 }));
        assert!("16x16".parse::<ProductShape>().unwrap_err().contains("MxNxK"));
        assert!("16x0x16".parse::<ProductShape>().unwrap_err().contains("begin at 1"));
    }
}
