//! The cases: operations, their operands, and the bytes that they read and write.

use std::str::FromStr;

use affinimath::ScalarKind;

use crate::report::CaseReport;

/// A kind of case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Copy,
    Axpy,
    Sqrt,
    Exp,
    Sin,
    NormCdf,
    Dot,
    RowSums,
    ColumnSums,
    Transpose,
    Rows,
    Strided,
    CumSum,
    BlackScholes,
    Softmax,
    Heat,
    Select,
    Complex,
    Small,
    NewShape,
    FirstCall,
}

/// The operations in the order of the table: name, formula, and number of operands.
const TABLE: [(Operation, &str, &str, usize); 21] = [
    (Operation::Copy, "copy", "y := x by a plain copy, which bounds the others", 1),
    (Operation::Axpy, "axpy", "2.5 x + y", 2),
    (Operation::Sqrt, "sqrt", "2.5 x + sqrt|y|", 2),
    (Operation::Exp, "exp", "exp(x)", 1),
    (Operation::Sin, "sin", "sin(x)", 1),
    (Operation::NormCdf, "normcdf", "normcdf(x)", 1),
    (Operation::Dot, "dot", "the sum of x y", 2),
    (Operation::RowSums, "rowsum", "sums along the rows of a matrix", 1),
    (Operation::ColumnSums, "colsum", "sums along its columns", 1),
    (Operation::Transpose, "transpose", "m + n.t(), of square matrices", 2),
    (Operation::Rows, "rows", "m[::2] + n[1::2]: every other row", 2),
    (Operation::Strided, "strided", "x[::2] + y[1::2]: every other element", 2),
    (Operation::CumSum, "cumsum", "cumulative sums of a vector", 1),
    (Operation::BlackScholes, "black-scholes", "prices of call and put from three operands", 3),
    (Operation::Softmax, "softmax", "softmax along the rows of a matrix", 1),
    (Operation::Heat, "heat", "u[1:-1, 1:-1] = (the sum of its four neighbours) / 4", 1),
    (Operation::Select, "select", "x y where x > 0 and y < 1/4, else y", 2),
    (Operation::Complex, "complex", "x y of complex elements", 2),
    (Operation::Small, "small", "sqrt for 1000 and 4096 elements, one call after the other", 2),
    (Operation::NewShape, "new-shape", "sqrt for 4096, 4097, ..., 8191 elements: each call another shape", 2),
    (
        Operation::FirstCall,
        "first-call",
        "black-scholes for 4096 elements in a new process, without and with its disk cache",
        3,
    ),
];

/// Elements of calls whose cost is not the memory's.
const SMALL: [usize; 2] = [1000, 4096];

/// Lengths of the case with new shapes.
pub const EXTENTS: [usize; 2] = [4096, 8192];

/// The fewest elements: a matrix of them has an interior.
pub const MIN_ELEMENTS: usize = 16;

/// The most elements: their bytes can be counted.
pub const MAX_ELEMENTS: usize = 1 << 40;

impl Operation {
    /// All of them, in the order of the table.
    pub fn all() -> impl Iterator<Item = Operation> {
        TABLE.iter().map(|(operation, ..)| *operation)
    }

    /// Name in options, tables and requests.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    fn operands(self) -> usize {
        TABLE[self as usize].3
    }

    /// True for an operation that can read operands in the host's memory, with results of one shape.
    pub fn has_host_operands(self) -> bool {
        !matches!(self, Operation::Copy | Operation::Heat | Operation::NewShape | Operation::FirstCall)
    }

    /// True for an operation whose bound is the memory.
    pub fn moves_memory(self) -> bool {
        !matches!(self, Operation::Small | Operation::NewShape | Operation::FirstCall)
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = TABLE.iter().find(|(_, name, ..)| text.eq_ignore_ascii_case(name));
        found.map(|(operation, ..)| *operation).ok_or_else(|| {
            let names: Vec<&str> = TABLE.iter().map(|(_, name, ..)| *name).collect();
            format!("the cases are {}", names.join(", "))
        })
    }
}

/// The operations for `--help`.
pub fn help() -> String {
    let rows = TABLE.iter().map(|(_, name, formula, _)| format!("  {name:<14} {formula}\n"));
    format!("Cases:\n{}", rows.collect::<String>())
}

/// State of the program cache of a first call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    Cold,
    Warm,
}

/// An operation on elements of a type.
#[derive(Clone, Debug)]
pub struct Case {
    pub operation: Operation,
    pub kind: ScalarKind,
    /// Elements that were asked for.
    pub size: usize,
    /// Extents of each operand.
    pub shape: Vec<usize>,
    /// Of a first call.
    pub cache: Option<Cache>,
}

impl Case {
    /// The cases of an operation that has elements of this type: one for each size, except where it has sizes of its
    /// own.
    pub fn of(operation: Operation, kind: ScalarKind, sizes: &[usize]) -> Vec<Self> {
        let case = |size: usize, shape: Vec<usize>, cache| Case { operation, kind, size, shape, cache };
        match operation {
            Operation::Copy => sizes.iter().map(|n| case(*n, shape(operation, *n), None)).collect(),
            _ if kind.is_complex() != (operation == Operation::Complex) => Vec::new(),
            Operation::Small => SMALL.iter().map(|n| case(*n, vec![*n], None)).collect(),
            Operation::NewShape => vec![case(EXTENTS[0], vec![EXTENTS[1]], None)],
            Operation::FirstCall => {
                [Cache::Cold, Cache::Warm].map(|cache| case(SMALL[1], vec![SMALL[1]], Some(cache))).into()
            }
            _ => sizes.iter().map(|n| case(*n, shape(operation, *n), None)).collect(),
        }
    }

    /// Number of operands.
    pub fn operands(&self) -> usize {
        self.operation.operands()
    }

    /// Elements of each operand.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        let real = if self.kind.is_double() { 8 } else { 4 };
        if self.kind.is_complex() { 2 * real } else { real }
    }

    /// Elements of all results together.
    pub fn results(&self) -> usize {
        let n = self.elements();
        match self.operation {
            Operation::Dot => 1,
            Operation::RowSums => self.shape[0],
            Operation::ColumnSums => self.shape[1],
            Operation::Rows | Operation::Strided => n / 2,
            Operation::BlackScholes | Operation::FirstCall => 2 * n,
            _ => n,
        }
    }

    /// Number of results of one size.
    pub fn outputs(&self) -> usize {
        if matches!(self.operation, Operation::BlackScholes | Operation::FirstCall) { 2 } else { 1 }
    }

    /// The least bytes that are read and written.
    fn traffic(&self) -> f64 {
        let elements = match self.operation {
            // Half of each operand.
            Operation::Rows | Operation::Strided => 3.0 * (self.elements() / 2) as f64,
            // The mean over the lengths.
            Operation::NewShape => 3.0 * (EXTENTS[0] + EXTENTS[1] - 1) as f64 / 2.0,
            _ => (self.operands() * self.elements() + self.results()) as f64,
        };
        elements * self.element_bytes() as f64
    }

    /// The case without results.
    pub fn report(&self) -> CaseReport {
        let variant = match self.cache {
            None => "",
            Some(Cache::Cold) => "cold",
            Some(Cache::Warm) => "warm",
        };
        let elements = if self.operation == Operation::NewShape { EXTENTS[0] } else { self.elements() };
        CaseReport {
            kind: self.kind,
            routine: self.operation.name().to_owned(),
            variant: variant.to_owned(),
            sizes: vec![("elements".into(), elements)],
            batch: None,
            size: elements as f64,
            work: self.traffic(),
            traffic: None,
            roofs: Vec::new(),
            results: Vec::new(),
        }
    }
}

/// Extents of an operand with about `n` elements: matrices are as square as rows of one length allow.
fn shape(operation: Operation, n: usize) -> Vec<usize> {
    let rows = n.isqrt();
    match operation {
        // Whole vectors of a device.
        Operation::Copy => vec![n.next_multiple_of(64)],
        Operation::Transpose => vec![rows, rows],
        Operation::Rows => vec![rows & !1, n / (rows & !1)],
        Operation::Strided => vec![n & !1],
        Operation::RowSums | Operation::ColumnSums | Operation::Softmax | Operation::Heat => vec![rows, n / rows],
        _ => vec![n],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_operations() {
        for (index, operation) in Operation::all().enumerate() {
            assert_eq!(operation as usize, index);
            assert_eq!(operation.name().parse(), Ok(operation));
        }
        assert!("axpie".parse::<Operation>().unwrap_err().contains("axpy, sqrt"));
    }

    #[test]
    fn bytes_are_those_of_operands_and_results() {
        let work_of = |name: &str, kind, n| Case::of(name.parse().unwrap(), kind, &[n])[0].report().work;
        let work = |name: &str, n| work_of(name, ScalarKind::S, n);
        assert_eq!(work("copy", 1000), 2.0 * 1024.0 * 4.0);
        assert_eq!(work("sqrt", 1000), 3.0 * 1000.0 * 4.0);
        assert_eq!(work("dot", 1000), 2001.0 * 4.0);
        // 31 rows of 32.
        assert_eq!(work("rowsum", 1000), (992.0 + 31.0) * 4.0);
        assert_eq!(work("colsum", 1000), (992.0 + 32.0) * 4.0);
        assert_eq!(work("black-scholes", 1000), 5.0 * 1000.0 * 4.0);
        assert_eq!(work_of("complex", ScalarKind::C, 1000), 3.0 * 1000.0 * 8.0);
        assert_eq!(work_of("copy", ScalarKind::Z, 1024), 2.0 * 1024.0 * 16.0);
        assert_eq!(work("strided", 1001), 1.5 * 1000.0 * 4.0);
        assert_eq!(work("new-shape", 0), 3.0 * 6143.5 * 4.0);
    }

    #[test]
    fn sizes_of_their_own_replace_those_asked_for() {
        let titles_of = |name: &str, kind| -> Vec<String> {
            let cases = Case::of(name.parse().unwrap(), kind, &[64, 128]);
            cases.iter().map(|case| case.report().describe()).collect()
        };
        let titles = |name: &str| titles_of(name, ScalarKind::D);
        assert_eq!(titles("exp"), ["Dexp 64", "Dexp 128"]);
        assert_eq!(titles("small"), ["Dsmall 1000", "Dsmall 4096"]);
        assert_eq!(titles("first-call"), ["Dfirst-call cold 4096", "Dfirst-call warm 4096"]);
        assert_eq!(titles_of("complex", ScalarKind::Z), ["Zcomplex 64", "Zcomplex 128"]);
        assert!(titles("complex").is_empty() && titles_of("exp", ScalarKind::C).is_empty());
    }
}
