//! The shapes of operands in terms of a routine's other arguments. A C++ call compares them with its containers, and a
//! Fortran call with its arrays.

use affinimath_routines::signature::{self, Form, Pointee, Type};
use affinimath_routines::table::{Element, Routine};

/// The shape of an operand, as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// This count of elements, apart by the increment that follows the operand, if one does.
    Vector(&'static str),
    /// Rows and columns.
    Matrix(&'static str, &'static str),
    /// The same, and the transposed shape where this argument transposes.
    Op(&'static str, &'static str, &'static str),
    /// Rows and columns of a band matrix, and the diagonals that are stored.
    Band(&'static str, &'static str, &'static str),
    /// Rows and columns, overwritten by what this argument makes of them, with a leading dimension of its own.
    InPlace(&'static str, &'static str, &'static str, &'static str),
}

/// Routines of the same operands, and these: `name rows columns`, `name op rows columns`, or `name length`.
///
/// An expression has no spaces. `left(m,n)` is m where `side` is the left one, `op(t,a,b)` is a where t does not
/// transpose, and `rows(a)` belongs to a sparse matrix. `vectors(job,a,b)` is a where all vectors are wanted, b where
/// the first ones are, and 0 where none are; a for a factor Q, and b for P. Of `sides`, `sense` and `howmny` it is a of
/// left vectors, eigenvalues or a selection, b of the other kind, and the larger one of both.
const TABLE: &[(&str, &str)] = &[
    ("copy swap scal axpy axpby dot dotu dotc nrm2 asum amax amin rot rotm", "x n; y n"),
    ("rotg rotmg", ""),
    ("gemv", "a m n; x op(trans,n,m); y op(trans,m,n)"),
    ("gbmv", "a band m n kl+ku+1; x op(trans,n,m); y op(trans,m,n)"),
    ("symv hemv trmv trsv syr her syr2 her2", "a n n; x n; y n"),
    ("sbmv hbmv tbmv tbsv", "a band n n k+1; x n; y n"),
    ("spmv hpmv tpmv tpsv spr hpr spr2 hpr2", "ap n*(n+1)/2; x n; y n"),
    ("ger geru gerc", "x m; y n; a m n"),
    ("gemm gemmStridedBatched gemmBatched", "a transa m k; b transb k n; c m n"),
    ("symm hemm", "a left(m,n) left(m,n); b m n; c m n"),
    ("syrk herk syr2k her2k", "a trans n k; b trans n k; c n n"),
    ("trmm trsm trsmStridedBatched trsmBatched", "a left(m,n) left(m,n); b m n"),
    ("gemmt", "a transa n k; b transb k n; c n n"),
    ("omatcopy", "a rows cols; b trans rows cols"),
    ("imatcopy", "a inplace trans rows cols ldb"),
    ("omatadd", "a transa m n; b transb m n; c m n"),
    ("getrf getrfStridedBatched", "a m n; ipiv min(m,n); info batch_count"),
    ("getrs gesv gesvStridedBatched getrsStridedBatched", "a n n; ipiv n; b n nrhs; x n nrhs; info batch_count"),
    ("getri", "a n n; ipiv n"),
    ("laswp", "a min(abs(incx),1)*k2 n; ipiv min(abs(incx),1)*(k1+(k2-k1)*abs(incx))"),
    ("potrf potri trtri lauum potrfStridedBatched", "a n n; info batch_count"),
    ("potrs posv trtrs posvStridedBatched potrsStridedBatched", "a n n; b n nrhs; x n nrhs; info batch_count"),
    ("geqrf geqp3 geqrfStridedBatched", "a m n; jpvt n; tau min(m,n)"),
    ("orgqr", "a m n; tau k"),
    ("ormqr", "a left(m,n) k; tau k; c m n"),
    ("gels gelsy", "a m n; b max(m,n) nrhs; jpvt n"),
    (
        "gttrf gtsv gtsvStridedBatched",
        "dl max(n-1,0); d n; du max(n-1,0); du2 max(n-2,0); ipiv n; b n nrhs; info batch_count",
    ),
    ("gttrs", "dl max(n-1,0); d n; du max(n-1,0); du2 max(n-2,0); ipiv n; b n nrhs"),
    ("pttrf pttrs ptsv", "d n; e max(n-1,0); b n nrhs"),
    ("gbtrf gbtrfStridedBatched", "ab 2*kl+ku+1 n; ipiv min(m,n); info batch_count"),
    ("gbtrs gbsv gbtrsStridedBatched gbsvStridedBatched", "ab 2*kl+ku+1 n; ipiv n; b n nrhs; info batch_count"),
    ("pbtrf pbtrs pbsv", "ab kd+1 n; b n nrhs"),
    ("sytrf sytri hetrf hetri", "a n n; ipiv n"),
    ("sytrs sysv hetrs hesv", "a n n; ipiv n; b n nrhs"),
    ("pptrf pptri ppcon tptri", "ap n*(n+1)/2"),
    ("pptrs ppsv tptrs", "ap n*(n+1)/2; b n nrhs"),
    ("sptrf sptri hptrf hptri", "ap n*(n+1)/2; ipiv n"),
    ("sptrs spsv hptrs hpsv", "ap n*(n+1)/2; ipiv n; b n nrhs"),
    ("spev spgv", "ap n*(n+1)/2; bp n*(n+1)/2; w n; z vectors(jobz,n,n) vectors(jobz,n,n)"),
    ("lansp lanhp lantp", "ap n*(n+1)/2"),
    ("pftrf pftri tftri lansf lanhf", "a n*(n+1)/2"),
    ("pftrs", "a n*(n+1)/2; b n nrhs"),
    ("tfsm", "a left(m,n)*(left(m,n)+1)/2; b m n"),
    ("sfrk hfrk", "a trans n k; c n*(n+1)/2"),
    ("trttp tpttr", "a n n; ap n*(n+1)/2"),
    ("trttf tfttr", "a n n; arf n*(n+1)/2"),
    ("tpttf tfttp", "ap n*(n+1)/2; arf n*(n+1)/2"),
    ("syev", "a n n; w n"),
    ("syevStridedBatched", "a n n; w n; info batch_count"),
    ("sygv", "a n n; b n n; w n"),
    ("syevr", "a n n; w n; z vectors(jobz,n,n) vectors(jobz,n,n)"),
    (
        "geev",
        "a n n; w n; wr n; wi n; vl vectors(jobvl,n,n) vectors(jobvl,n,n); vr vectors(jobvr,n,n) vectors(jobvr,n,n)",
    ),
    (
        "gesvd",
        "a m n; s min(m,n); u vectors(jobu,m,m) vectors(jobu,m,min(m,n)); \
         vt vectors(jobvt,n,min(m,n)) vectors(jobvt,n,n)",
    ),
    (
        "gesvdStridedBatched",
        "a m n; s min(m,n); u vectors(jobz,m,m) vectors(jobz,m,min(m,n)); \
         vt vectors(jobz,n,min(m,n)) vectors(jobz,n,n); info batch_count",
    ),
    (
        "gesdd",
        "a m n; s min(m,n); u vectors(jobz,m,m) vectors(jobz,m,min(m,n)); \
         vt vectors(jobz,n,min(m,n)) vectors(jobz,n,n)",
    ),
    ("syevx sygvx", "a n n; b n n; w n; z vectors(jobz,n,n) vectors(jobz,n,n)"),
    ("sbtrd", "ab kd+1 n; d n; e max(n-1,0); q vectors(vect,n,n) vectors(vect,n,n)"),
    ("sbev sbevx", "ab kd+1 n; w n; q vectors(jobz,n,n) vectors(jobz,n,n); z vectors(jobz,n,n) vectors(jobz,n,n)"),
    ("sytrd orgtr", "a n n; d n; e max(n-1,0); tau max(n-1,0)"),
    ("ormtr", "a left(m,n) left(m,n); tau max(left(m,n)-1,0); c m n"),
    ("sterf", "d n; e max(n-1,0)"),
    ("steqr stedc", "d n; e max(n-1,0); z vectors(compz,n,n) vectors(compz,n,n)"),
    ("stev stevr", "d n; e max(n-1,0); w n; z vectors(jobz,n,n) vectors(jobz,n,n)"),
    ("gebrd", "a m n; d min(m,n); e max(min(m,n)-1,0); tauq min(m,n); taup min(m,n)"),
    ("orgbr", "a m n; tau min(max(m,n),k)"),
    (
        "ormbr",
        "a vectors(vect,left(m,n),min(left(m,n),k)) vectors(vect,min(left(m,n),k),left(m,n)); \
         tau min(left(m,n),k); c m n",
    ),
    ("bdsqr", "d n; e max(n-1,0); vt n ncvt; u nru n; c n ncc"),
    ("gebal", "a n n; scale n"),
    ("gebak", "scale n; v n m"),
    ("gehrd orghr", "a n n; tau max(n-1,0)"),
    ("ormhr", "a left(m,n) left(m,n); tau max(left(m,n)-1,0); c m n"),
    ("hseqr", "h n n; w n; wr n; wi n; z vectors(compz,n,n) vectors(compz,n,n)"),
    (
        "trevc",
        "select vectors(howmny,n,0); t n n; vl vectors(sides,n,0) vectors(sides,mm,0); \
         vr vectors(sides,0,n) vectors(sides,0,mm)",
    ),
    ("trexc", "t n n; q vectors(compq,n,n) vectors(compq,n,n)"),
    ("trsen", "select n; t n n; q vectors(compq,n,n) vectors(compq,n,n); w n; wr n; wi n"),
    ("trsna", "select vectors(howmny,n,0); t n n; s vectors(sense,mm,0); sep vectors(sense,0,mm)"),
    ("trsyl", "a m m; b n n; c m n"),
    ("gees", "a n n; w n; wr n; wi n; vs vectors(jobvs,n,n) vectors(jobvs,n,n)"),
    (
        "ggev",
        "a n n; b n n; alpha n; alphar n; alphai n; beta n; vl vectors(jobvl,n,n) vectors(jobvl,n,n); \
         vr vectors(jobvr,n,n) vectors(jobvr,n,n)",
    ),
    (
        "gges",
        "a n n; b n n; alpha n; alphar n; alphai n; beta n; vsl vectors(jobvsl,n,n) vectors(jobvsl,n,n); \
         vsr vectors(jobvsr,n,n) vectors(jobvsr,n,n)",
    ),
    (
        "tgsen",
        "select n; a n n; b n n; alpha n; alphar n; alphai n; beta n; q vectors(compq,n,n) vectors(compq,n,n); \
         z vectors(compz,n,n) vectors(compz,n,n)",
    ),
    (
        "geevx",
        "a n n; w n; wr n; wi n; vl vectors(jobvl,n,n) vectors(jobvl,n,n); vr vectors(jobvr,n,n) vectors(jobvr,n,n); \
         scale n; rconde vectors(sense,n,0); rcondv vectors(sense,0,n)",
    ),
    ("geequ geequb", "a m n; r m; c n"),
    ("poequ poequb syequb", "a n n; s n"),
    (
        "gerfs gesvx porfs posvx syrfs herfs sysvx hesvx",
        "a n n; af n n; ipiv n; r n; c n; s n; b n nrhs; x n nrhs; ferr nrhs; berr nrhs",
    ),
    ("sycon hecon syconRook heconRook sytrfRook hetrfRook sytriRook hetriRook", "a n n; ipiv n"),
    ("sytrsRook hetrsRook sysvRook hesvRook", "a n n; ipiv n; b n nrhs"),
    ("gbcon", "ab 2*kl+ku+1 n; ipiv n"),
    ("gtcon", "dl max(n-1,0); d n; du max(n-1,0); du2 max(n-2,0); ipiv n"),
    ("ptcon", "d n; e max(n-1,0)"),
    ("tbtrs", "ab kd+1 n; b n nrhs"),
    ("sygst", "a n n; b n n"),
    (
        "gtrfs gtsvx ptrfs ptsvx",
        "dl max(n-1,0); d n; du max(n-1,0); dlf max(n-1,0); df n; duf max(n-1,0); du2 max(n-2,0); ipiv n; \
         e max(n-1,0); ef max(n-1,0); b n nrhs; x n nrhs; ferr nrhs; berr nrhs",
    ),
    ("gelsd", "a m n; b max(m,n) nrhs; s min(m,n)"),
    ("lange lantr", "a m n"),
    ("lansy lanhe gecon pocon trcon", "a n n"),
    ("fft", "x n; y n"),
    ("fftMany", "x n*batch; y n*batch"),
    ("rfft", "x n; y n/2+1"),
    ("irfft", "x n/2+1; y n"),
    ("fft2", "x m*n; y m*n"),
    ("rfft2", "x m*n; y m*(n/2+1)"),
    ("irfft2", "x m*(n/2+1); y m*n"),
    ("convolve correlate", "x n; h m; y results(extent,n,m)"),
    ("csrCreate csrCreate64", "pointers rows+1; indices last(pointers,rows); values last(pointers,rows)"),
    ("csrFromCoo csrFromCoo64", "row_indices entries; column_indices entries; values entries"),
    ("csrFromDense csrFromDense64", "a m n"),
    ("csrRead csrRead64 csrSum csrScale preconditionerCreate", ""),
    ("csrDownload csrDownload64", "pointers rows(a)+1; indices entries; values entries"),
    ("csrToDense", "b rows(a) columns(a)"),
    ("csrDiagonal", "x min(rows(a),columns(a))"),
    ("csrSetValues", "values entries"),
    ("csrScaleRows", "x rows(a)"),
    ("csrScaleColumns", "x columns(a)"),
    ("csrmv", "x op(trans,columns(a),rows(a)); y op(trans,rows(a),columns(a))"),
    ("csrmm", "b op(trans,columns(a),rows(a)) n; c op(trans,rows(a),columns(a)) n"),
    ("csrsv", "x rows(a)"),
    ("cg minres bicgstab gmres lsqr lsmr", "b rows(a); x columns(a)"),
    ("sparseFactorsSolve", "b op(trans,m,n) nrhs; x op(trans,n,m) nrhs"),
    ("cgOperator minresOperator bicgstabOperator gmresOperator", "b n; x n"),
    ("lsqrOperator lsmrOperator", "b m; x n"),
];

/// The shape of a routine's operand.
pub(super) fn shape(routine: &Routine, operand: &str) -> Result<Shape, String> {
    let missing = || format!("{} has no shape for '{operand}': xtask/src/emit/shapes.rs lists them", routine.name);
    let (_, operands) =
        TABLE.iter().find(|(names, _)| names.split(' ').any(|name| name == routine.name)).ok_or_else(missing)?;
    let words: Vec<&'static str> = operands
        .split("; ")
        .map(|text| text.split(' ').collect::<Vec<_>>())
        .find(|words| words[0] == operand)
        .ok_or_else(missing)?;
    match words[1..] {
        [length] => Ok(Shape::Vector(length)),
        [rows, columns] => Ok(Shape::Matrix(rows, columns)),
        ["band", rows, columns, diagonals] => Ok(Shape::Band(rows, columns, diagonals)),
        ["inplace", op, rows, columns, _ld] => Ok(Shape::InPlace(op, rows, columns, _ld)),
        [op, rows, columns] => Ok(Shape::Op(op, rows, columns)),
        _ => Err(format!("{}: the shape of '{operand}' has too many words", routine.name)),
    }
}

/// The operands of a routine's host form: its arguments behind pointers to several elements.
pub(super) fn operands(routine: &Routine, element: Element) -> Vec<String> {
    let parameters = signature::parameters(routine, element, Form::Host);
    parameters.into_iter().filter(|p| is_array(p.ty, p.count)).map(|p| p.name).collect()
}

/// True of a pointer to a count of elements that other arguments tell.
pub(super) fn is_array(ty: Type, count: Option<usize>) -> bool {
    let elements = matches!(ty, Type::Pointer(Pointee::Element(_) | Pointee::Int32 | Pointee::Int64, _));
    elements && count.is_none()
}

/// A token of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A function, whose parenthesis follows.
    Function(&'a str),
    /// An argument.
    Name(&'a str),
    /// A number, an operator, a parenthesis or a comma.
    Other(&'a str),
}

/// The tokens of a shape's expression.
pub(super) fn tokens(expression: &str) -> Vec<Token<'_>> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut list = Vec::new();
    let mut rest = expression;
    while !rest.is_empty() {
        let length = rest.find(|c| !word(c)).unwrap_or(rest.len()).max(1);
        let (token, behind) = rest.split_at(length);
        list.push(match token.starts_with(|c: char| c.is_ascii_alphabetic()) {
            true if behind.starts_with('(') => Token::Function(token),
            true => Token::Name(token),
            false => Token::Other(token),
        });
        rest = behind;
    }
    list
}

#[cfg(test)]
mod tests {
    use affinimath_routines::table::families;

    use super::*;

    #[test]
    fn every_operand_has_a_shape() {
        for routine in families().flat_map(|family| family.routines).filter(|routine| routine.forms.host) {
            for operand in operands(routine, routine.types[0].element) {
                if !operand.starts_with("offsets") {
                    shape(routine, &operand).unwrap();
                }
            }
        }
    }

    #[test]
    fn expressions_name_arguments_of_their_routine() {
        for routine in families().flat_map(|family| family.routines).filter(|routine| routine.forms.host) {
            let names: Vec<&str> = routine.arguments.iter().map(|argument| argument.name).collect();
            for operand in operands(routine, routine.types[0].element) {
                let Ok(shape) = shape(routine, &operand) else { continue };
                let expressions = match shape {
                    Shape::Vector(length) => vec![length],
                    Shape::Matrix(rows, columns) => vec![rows, columns],
                    Shape::Op(op, rows, columns) => vec![op, rows, columns],
                    Shape::Band(rows, columns, diagonals) => vec![rows, columns, diagonals],
                    Shape::InPlace(op, rows, columns, ld) => vec![op, rows, columns, ld],
                };
                for token in expressions.into_iter().flat_map(tokens) {
                    if let Token::Name(name) = token {
                        assert!(names.contains(&name), "{}: '{operand}' needs '{name}'", routine.name);
                    }
                }
            }
        }
    }
}
