//! Expressions as trees: a line for each operation, with its operands below it.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::print::Printer;
use crate::definition::{ExprId, Node, Statement, Stencil, Unary};

impl Stencil {
    /// The stages' statements as trees, a line for each operation with its type. Operands are indented. An operation
    /// that several use is written once, with a number in front; the others name the number.
    ///
    /// ```
    /// use affinimath_stencil::Stencil;
    ///
    /// let shift = Stencil::parse(
    ///     "stencil shift {
    ///        domainsize = (1 .. n);
    ///        operation (float grid u) { u[x; t+1] = 2 * u[x-1; t]; }
    ///      }",
    /// )?;
    /// assert_eq!(shift.tree().lines().skip(2).collect::<Vec<_>>(), [
    ///     "  u[x; t+1] =",
    ///     "    * float",
    ///     "      2.0 float",
    ///     "      u[x-1; t] float",
    /// ]);
    /// # Ok::<(), affinimath_stencil::Error>(())
    /// ```
    pub fn tree(&self) -> String {
        Trees::new(self).text()
    }
}

struct Trees<'a> {
    stencil: &'a Stencil,
    printer: Printer<'a>,
    /// Operations that several use, and those of them that are written, by their numbers.
    shared: HashSet<ExprId>,
    numbers: HashMap<ExprId, usize>,
}

impl<'a> Trees<'a> {
    fn new(stencil: &'a Stencil) -> Self {
        let statements = || stencil.stages().iter().flat_map(|stage| &stage.statements);
        let graph = stencil.graph();
        let (mut once, mut shared) = (HashSet::new(), HashSet::new());
        let mut used = |expression: ExprId| {
            let mut operands = 0;
            graph.node(expression).for_each_operand(|_| operands += 1);
            if operands > 0 && !once.insert(expression) {
                shared.insert(expression);
            }
        };
        statements().map(value).for_each(&mut used);
        for expression in graph.reachable(statements().map(value)) {
            graph.node(expression).for_each_operand(&mut used);
        }
        Trees { stencil, printer: Printer::new(stencil), shared, numbers: HashMap::new() }
    }

    fn text(mut self) -> String {
        let mut text = format!("{}\n", self.stencil.name());
        for (number, stage) in self.stencil.stages().iter().enumerate() {
            let name = stage.name.as_ref().map_or_else(String::new, |name| format!(" {name}"));
            let _ = writeln!(text, "stage {}{name}", number + 1);
            for statement in &stage.statements {
                let _ = writeln!(text, "  {} =", self.target(statement));
                self.write(&mut text, value(statement));
            }
        }
        text
    }

    fn target(&self, statement: &Statement) -> String {
        match statement {
            Statement::Let { temporary, .. } => self.stencil.temporaries()[*temporary].name.clone(),
            Statement::Assign { target, .. } => self.printer.target(target, None),
            Statement::Reduce { result, reduction, .. } => {
                format!("{} {}", self.stencil.results()[*result].name, reduction.name())
            }
        }
    }

    /// An expression and its operands, without recursion: a sum may have thousands of terms.
    fn write(&mut self, text: &mut String, root: ExprId) {
        let graph = self.stencil.graph();
        let mut stack = vec![(root, 2)];
        while let Some((expression, depth)) = stack.pop() {
            text.push_str(&"  ".repeat(depth));
            if let Some(number) = self.numbers.get(&expression) {
                let _ = writeln!(text, "#{number}");
                continue;
            }
            if self.shared.contains(&expression) {
                let number = self.numbers.len() + 1;
                self.numbers.insert(expression, number);
                let _ = write!(text, "#{number} ");
            }
            let kind = graph.type_of(expression).keyword();
            let _ = writeln!(text, "{} {kind}", self.operation(expression));
            let mut operands = Vec::new();
            graph.node(expression).for_each_operand(|operand| operands.push((operand, depth + 1)));
            stack.extend(operands.into_iter().rev());
        }
    }

    /// The operation's name; of an operation without operands, its text.
    fn operation(&self, expression: ExprId) -> String {
        match self.stencil.graph().node(expression) {
            Node::Convert(_) => "convert".to_owned(),
            Node::Unary(Unary::Negate, _) => "-".to_owned(),
            Node::Unary(Unary::Not, _) => "!".to_owned(),
            Node::Binary(operator, ..) => operator.symbol().to_owned(),
            Node::Power(_, exponent) => format!("^ {exponent}"),
            Node::Call(function, _) => function.name().to_owned(),
            Node::Select(..) => "? :".to_owned(),
            Node::Parameter { parameter, indices } if !indices.is_empty() => {
                format!("{}[]", self.stencil.parameters()[*parameter].name)
            }
            _ => self.printer.expression(expression),
        }
    }
}

const fn value(statement: &Statement) -> ExprId {
    match statement {
        Statement::Let { value, .. } | Statement::Assign { value, .. } | Statement::Reduce { value, .. } => *value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_operations_are_written_once() {
        let text = "stencil s {
          domainsize = (1 .. n);
          operation (double grid u, double result r) {
            double d = u[x+1; t] - u[x; t];
            u[x; t+1] = d > 0 ? sqrt(d + 1) : -(d + 1);
            r = max(abs(u[x; t+1]));
          }
        }";
        let tree = Stencil::parse(text).expect("a stencil").tree();
        let wanted = "s
stage 1
  d =
    - double
      u[x+1; t] double
      u[x; t] double
  u[x; t+1] =
    ? : double
      > bool
        d double
        0.0 double
      sqrt double
        #1 + double
          d double
          1.0 double
      - double
        #1
  r max =
    abs double
      u[x; t+1] double
";
        assert_eq!(tree, wanted);
    }

    #[test]
    fn long_sums_need_no_deep_stack() {
        let terms = vec!["u[x; t]"; 3000].join(" + ");
        let text =
            format!("stencil s {{ domainsize = (1 .. n); operation (float grid u) {{ u[x; t+1] = {terms}; }} }}");
        let tree = Stencil::parse(&text).expect("a stencil").tree();
        assert_eq!(tree.matches("+ float").count(), 2999);
    }
}
