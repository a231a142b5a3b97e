//! The operation: stages and their statements.

use super::lexer::Token;
use super::parser::{Context, Parser};
use crate::definition::{Offsets, Part, Reduction, Stage, Statement, Sweep, Target, Temporary, Type};
use crate::error::Result;

impl<'a> Parser<'a> {
    /// `operation [NAME] [(declarations)] [sweep KIND] { statements | stages }`
    pub(super) fn operation(&mut self, at: usize) -> Result<()> {
        if !self.stencil.stages.is_empty() {
            return self.fail_at(at, "the operation is given twice");
        }
        if self.stencil.domain.is_empty() {
            return self.fail_at(at, "'domainsize' comes before the operation");
        }
        if matches!(self.peek(), Token::Name(_)) && !self.is("sweep") {
            self.advance()?;
        }
        if self.is("(") {
            self.declarations()?;
        }
        let sweep = self.sweep()?;
        self.context = Context::Operation;
        self.expect("{")?;
        if self.accept("sequence")? {
            self.expect("{")?;
            while !self.accept("}")? {
                self.stage()?;
            }
            self.expect("}")?;
        } else {
            self.statements(Stage { name: None, sweep, statements: Vec::new() })?;
        }
        self.context = Context::Other;
        Ok(())
    }

    fn sweep(&mut self) -> Result<Sweep> {
        if !self.accept("sweep")? {
            return Ok(Sweep::Jacobi);
        }
        let at = self.at();
        match self.name("'jacobi' or 'red_black'")? {
            "jacobi" => Ok(Sweep::Jacobi),
            "red_black" => Ok(Sweep::RedBlack),
            other => self.fail_at(at, format!("a sweep is 'jacobi' or 'red_black', not '{other}'")),
        }
    }

    /// `stage [NAME] [sweep KIND] { statements }`
    fn stage(&mut self) -> Result<()> {
        self.expect("stage")?;
        let is_named = matches!(self.peek(), Token::Name(_)) && !self.is("sweep");
        let name = if is_named { Some(self.name("the name of the stage")?.to_owned()) } else { None };
        let sweep = self.sweep()?;
        self.expect("{")?;
        self.statements(Stage { name, sweep, statements: Vec::new() })
    }

    /// Statements up to the closing bracket.
    fn statements(&mut self, mut stage: Stage) -> Result<()> {
        let number = self.stencil.stages.len();
        self.temporaries.clear();
        while !self.accept("}")? {
            self.begin(Part::Statement(number, stage.statements.len()), self.at());
            let statement = self.statement()?;
            stage.statements.push(statement);
        }
        self.temporaries.clear();
        self.stencil.stages.push(stage);
        Ok(())
    }

    fn statement(&mut self) -> Result<Statement> {
        let at = self.at();
        let name = self.name("a statement")?;
        if let Some(kind) = self.kind_named(name) {
            return self.temporary(kind);
        }
        if let Some(result) = self.result_named(name) {
            return self.reduction(result);
        }
        let Some(grid) = self.grid_named(name) else {
            return self.fail_at(at, format!("'{name}' is neither a grid nor a result; a temporary needs its type"));
        };
        let target = self.target(at, grid)?;
        self.expect("=")?;
        let at = self.at();
        let value = self.expression()?;
        let built = self.draft.assigned(value, self.stencil.grids[grid].kind);
        let value = self.built(at, built)?;
        self.expect(";")?;
        Ok(Statement::Assign { target, value })
    }

    /// The point, level and component that an assignment writes.
    fn target(&mut self, at: usize, grid: usize) -> Result<Target> {
        self.expect("[")?;
        let access = self.coordinates(grid)?;
        self.expect("]")?;
        let name = &self.stencil.grids[grid].name;
        if access.offsets != Offsets::default() {
            return self.fail_at(at, format!("'{name}' is assigned at the point itself, without offsets"));
        }
        if self.stencil.grids[grid].constant {
            return self.fail_at(at, format!("'{name}' is constant: it cannot be assigned"));
        }
        match access.time {
            Some(time) => Ok(Target { grid, component: access.component, time }),
            None => self.fail_at(at, format!("'{name}' is assigned at a level, such as t+1")),
        }
    }

    fn temporary(&mut self, kind: Type) -> Result<Statement> {
        let at = self.at();
        let name = self.name("the name of a temporary")?;
        if self.temporaries.contains_key(name) {
            return self.fail_at(at, format!("'{name}' is declared twice"));
        }
        self.expect("=")?;
        let at = self.at();
        let value = self.expression()?;
        let built = self.draft.assigned(value, kind);
        let value = self.built(at, built)?;
        self.expect(";")?;
        let temporary = self.stencil.temporaries.len();
        self.stencil.temporaries.push(Temporary { name: name.to_owned(), kind });
        self.temporaries.insert(name, temporary);
        Ok(Statement::Let { temporary, value })
    }

    /// `result = sum(value);`
    fn reduction(&mut self, result: usize) -> Result<Statement> {
        self.expect("=")?;
        let at = self.at();
        let Some(reduction) = Reduction::named(self.name("a reduction")?) else {
            return self.fail_at(at, "a result is 'sum', 'max', 'min', 'norm2' or 'count' of a value at each point");
        };
        self.expect("(")?;
        let at = self.at();
        let value = self.expression()?;
        let kind = if reduction.takes_condition() { Type::Bool } else { self.stencil.results[result].kind };
        let built = self.draft.assigned(value, kind);
        let value = self.built(at, built)?;
        self.expect(")")?;
        self.expect(";")?;
        Ok(Statement::Reduce { result, reduction, value })
    }
}
