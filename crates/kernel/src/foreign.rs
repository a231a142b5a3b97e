//! Functions whose bodies are given as text.

use std::sync::Arc;

use super::builder::Builder;
use super::constant::Constant;
use super::control::{Function, Parameters};
use super::error::BuildError;
use super::ir::{Evaluate, Foreign, Function as FunctionBody, Id, Op};
use super::types::{Element, ScalarKind, ValueType};

/// The body of a function in each language: the statements between its braces, which return the result.
#[derive(Clone, Copy, Debug)]
pub struct ForeignBody<'t> {
    /// In OpenCL C 1.2.
    pub opencl: &'t str,
    /// In CUDA C++.
    pub cuda: &'t str,
    /// In C99.
    pub c99: &'t str,
    /// In Fortran 2008, if the kernel is printed in it: statements that assign to `result`.
    pub fortran: Option<&'t str>,
}

impl<'t> ForeignBody<'t> {
    /// One text for all languages with the syntax of C.
    pub const fn same(text: &'t str) -> Self {
        ForeignBody { opencl: text, cuda: text, c99: text, fortran: None }
    }
}

impl<'k> Builder<'k> {
    /// A pure function given by its text, with names for its parameters, and by the closure that the interpreter calls.
    ///
    /// ```
    /// use affinimath_kernel::{Expr, ForeignBody, Kernel, Launch};
    ///
    /// let kernel = Kernel::build("reciprocals", |k| {
    ///     let body = ForeignBody {
    ///         opencl: "return native_recip(x);",
    ///         cuda: "return __frcp_rn(x);",
    ///         c99: "return 1.0f / x;",
    ///         fortran: Some("result = 1.0_c_float / x"),
    ///     };
    ///     let recip = k.foreign("recip", ["x"], body, |(x,): (f32,)| 1.0 / x);
    ///     let (x, i) = (k.in_out::<f32>("x"), k.global_id(0));
    ///     let value: Expr<f32> = recip.call((x.at(i),));
    ///     x.store(i, value);
    /// })
    /// .unwrap();
    /// let mut x = [2.0_f32, 4.0];
    /// Launch::new(&kernel, [1; 3], [2, 1, 1]).run([(&mut x).into()]).unwrap();
    /// assert_eq!(x, [0.5, 0.25]);
    /// ```
    pub fn foreign<'n, P: Parameters<'k>, R: ScalarKind + Element>(
        self,
        name: &str,
        parameters: impl IntoIterator<Item = &'n str>,
        body: ForeignBody<'_>,
        evaluate: impl Fn(P::Values) -> R + Send + Sync + 'static,
    ) -> Function<'k, P, R> {
        let names = parameters.into_iter().map(str::to_owned).collect();
        let evaluate = move |values: &[Constant]| {
            let lanes = evaluate(P::values(values)).lanes();
            lanes[0]
        };
        Function::new(self, self.add_foreign(name, names, (P::declare(self).ids(), R::TYPE), body, Arc::new(evaluate)))
    }

    /// Adds a function of parameters that are declared, and of a result's type.
    pub(super) fn add_foreign(
        self,
        name: &str,
        names: Vec<String>,
        (parameters, result): (Vec<Id>, ValueType),
        body: ForeignBody<'_>,
        evaluate: Evaluate,
    ) -> usize {
        let name = self.unique(name);
        if names.len() != parameters.len() {
            self.fail(BuildError::Arguments { function: name.clone(), wanted: parameters.len(), given: names.len() });
        }
        let is_fortran = body.fortran.is_some();
        let is_same = |a: &str, b: &str| a == b || is_fortran && a.eq_ignore_ascii_case(b);
        for (number, parameter) in names.iter().enumerate() {
            // The result of a function in Fortran has that name.
            let is_result = is_fortran && parameter.eq_ignore_ascii_case("result");
            let is_function = is_fortran && parameter.eq_ignore_ascii_case(&name);
            let is_taken = is_function || names[..number].iter().any(|other| is_same(parameter, other));
            let is_legal = super::builder::is_identifier(parameter) && !super::print::is_reserved(parameter);
            if is_result || is_taken || !is_legal {
                self.fail(BuildError::Name(parameter.clone()));
            }
        }
        // Its node is there for its type only.
        let result = self.emit_as(Op::Parameter, result);
        let foreign = Foreign {
            parameters: names,
            opencl: body.opencl.to_owned(),
            cuda: body.cuda.to_owned(),
            c99: body.c99.to_owned(),
            fortran: body.fortran.map(str::to_owned),
            evaluate,
        };
        self.add_function(FunctionBody { name, parameters, body: Vec::new(), result, foreign: Some(foreign) })
    }
}
