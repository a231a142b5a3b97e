//! The sections of a stencil around its operation.

use super::lexer::Token;
use super::names::axis_named;
use super::parser::{Context, Parser};
use crate::definition::{
    Binary, Boundary, BoundaryRule, ExprId, Filter, Initial, MAX_AXES, Offsets, Part, Side, Stop, Target, Type,
};
use crate::error::Result;

impl<'a> Parser<'a> {
    /// `stencil NAME [(declarations)] { sections }`
    pub(super) fn specification(&mut self) -> Result<()> {
        self.expect("stencil")?;
        self.begin(Part::Stencil, self.at());
        self.stencil.name = self.name("the name of the stencil")?.to_owned();
        let head = self.mark();
        let has_head = self.is("(");
        if has_head {
            // Grids have the domain's axes, which is declared behind.
            self.pass_head()?;
        }
        self.expect("{")?;
        let end = loop {
            let at = self.at();
            if self.accept("}")? {
                break at;
            }
            let had_domain = !self.stencil.domain.is_empty();
            self.section()?;
            if has_head && !had_domain && !self.stencil.domain.is_empty() {
                let here = self.mark();
                self.go_to(head);
                self.declarations()?;
                self.go_to(here);
            }
        };
        if self.peek() != Token::End {
            return self.fail(format!("the end of the text expected, not {}", self.found()));
        }
        match (self.stencil.domain.is_empty(), self.stencil.stages.is_empty()) {
            (true, _) => self.fail_at(end, "the stencil has no 'domainsize'"),
            (_, true) => self.fail_at(end, "the stencil has no 'operation'"),
            _ => Ok(()),
        }
    }

    /// Passes over the declarations of the head.
    fn pass_head(&mut self) -> Result<()> {
        let mut level = 0;
        loop {
            match self.advance()? {
                Token::Symbol("(") => level += 1,
                Token::Symbol(")") => level -= 1,
                Token::End => return self.fail("')' expected, not the end of the text"),
                _ => {}
            }
            if level == 0 {
                return Ok(());
            }
        }
    }

    fn section(&mut self) -> Result<()> {
        let at = self.at();
        match self.name("a section of the stencil")? {
            "options" => self.options(),
            "domainsize" => self.domain(at),
            "t_max" => {
                self.expect("=")?;
                self.steps(at)
            }
            "iterate" => {
                self.expect("while")?;
                self.expect("t")?;
                self.expect("<")?;
                self.steps(at)
            }
            "operation" => self.operation(at),
            "initial" => self.initial(),
            "boundary" => self.boundary(),
            "filter" => self.filter(),
            "stop" => self.stop(),
            other => self.fail_at(
                at,
                format!(
                    "unknown section '{other}': there are options, domainsize, t_max, operation, initial, boundary, \
                     filter and stop"
                ),
            ),
        }
    }

    fn options(&mut self) -> Result<()> {
        self.expect("{")?;
        while !self.accept("}")? {
            let at = self.at();
            let name = self.name("an option")?;
            if name != "reassociate" {
                return self.fail_at(at, format!("unknown option '{name}': there is reassociate"));
            }
            self.expect("=")?;
            let at = self.at();
            self.stencil.options.reassociate = match self.name("'yes' or 'no'")? {
                "yes" => true,
                "no" => false,
                other => return self.fail_at(at, format!("'yes' or 'no' expected, not '{other}'")),
            };
            self.expect(";")?;
        }
        Ok(())
    }

    fn domain(&mut self, at: usize) -> Result<()> {
        if !self.stencil.domain.is_empty() {
            return self.fail_at(at, "'domainsize' is given twice");
        }
        self.expect("=")?;
        self.expect("(")?;
        loop {
            let at = self.at();
            let range = self.range()?;
            self.stencil.domain.push(range);
            if self.stencil.domain.len() > MAX_AXES {
                return self.fail_at(at, format!("a domain has at most {MAX_AXES} axes"));
            }
            if !self.accept(",")? {
                break;
            }
        }
        self.expect(")")?;
        self.expect(";")
    }

    fn steps(&mut self, at: usize) -> Result<()> {
        if self.stencil.steps.is_some() {
            return self.fail_at(at, "the number of steps is given twice");
        }
        let steps = self.size()?;
        self.stencil.steps = Some(steps);
        self.expect(";")
    }

    /// The grid of a rule, and its component.
    fn rule_grid(&mut self) -> Result<usize> {
        let at = self.at();
        let name = self.name("the name of a grid")?;
        match self.grid_named(name) {
            Some(grid) => Ok(grid),
            None => self.fail_at(at, format!("unknown grid '{name}'")),
        }
    }

    /// `u[x,y; t; c : condition] = value;` or `u = value;`
    fn initial(&mut self) -> Result<()> {
        self.expect("{")?;
        while !self.accept("}")? {
            let at = self.at();
            self.start_at(at);
            let grid = self.rule_grid()?;
            let (mut time, mut components) = (None, 0..self.stencil.grids[grid].component_count());
            let mut condition = None;
            if self.accept("[")? {
                let at = self.at();
                let access = self.coordinates(grid)?;
                if access.offsets != Offsets::default() {
                    return self.fail_at(at, "initial values are set at the point itself, without offsets");
                }
                (time, components) = (access.time, access.component..access.component + 1);
                if self.accept(":")? {
                    let at = self.at();
                    let value = self.expression()?;
                    let built = self.draft.assigned(value, Type::Bool);
                    condition = Some(self.built(at, built)?);
                }
                self.expect("]")?;
            }
            self.expect("=")?;
            let value_at = self.at();
            let value = self.expression()?;
            let built = self.draft.assigned(value, self.stencil.grids[grid].kind);
            let value = self.built(value_at, built)?;
            self.expect(";")?;
            for component in components {
                self.begin(Part::Initial(self.stencil.initial.len()), at);
                self.stencil.initial.push(Initial { grid, component, time, condition, value });
            }
        }
        Ok(())
    }

    /// `u: x = periodic; y- = 0; y+ = neumann(1); v[0]: ...`
    fn boundary(&mut self) -> Result<()> {
        self.expect("{")?;
        self.context = Context::Boundary;
        let mut targets: Vec<(usize, usize)> = Vec::new();
        while !self.accept("}")? {
            let begins = matches!((self.peek(), self.peek_at(1)), (Token::Name(_), Token::Symbol(":" | "," | "[")));
            if begins {
                targets = self.boundary_targets()?;
            } else if targets.is_empty() {
                return self.fail("a grid expected, such as 'u:'");
            } else {
                self.faces(&targets)?;
            }
        }
        self.context = Context::Other;
        Ok(())
    }

    fn boundary_targets(&mut self) -> Result<Vec<(usize, usize)>> {
        let mut targets = Vec::new();
        loop {
            let grid = self.rule_grid()?;
            if self.accept("[")? {
                let lengths = self.stencil.grids[grid].components.clone();
                targets.push((grid, self.component(&lengths)?));
                self.expect("]")?;
            } else {
                targets.extend((0..self.stencil.grids[grid].component_count()).map(|component| (grid, component)));
            }
            if !self.accept(",")? {
                break;
            }
        }
        self.expect(":")?;
        Ok(targets)
    }

    /// `x = kind;`, `x- = kind;` or `x+ = kind;`
    fn faces(&mut self, targets: &[(usize, usize)]) -> Result<()> {
        let at = self.at();
        self.start_at(at);
        let name = self.name("a face, such as x-")?;
        let Some(axis) = axis_named(name, self.stencil.dimension()) else {
            return self.fail_at(at, format!("'{name}' is no axis of the domain"));
        };
        let sides: &[Side] = if self.accept("-")? {
            &[Side::Lower]
        } else if self.accept("+")? {
            &[Side::Upper]
        } else {
            &[Side::Lower, Side::Upper]
        };
        self.expect("=")?;
        let value_at = self.at();
        let boundary = self.boundary_kind()?;
        self.expect(";")?;
        for &(grid, component) in targets {
            let kind = self.stencil.grids[grid].kind;
            let boundary = match boundary {
                Boundary::Value(value) => {
                    let built = self.draft.assigned(value, kind);
                    Boundary::Value(self.built(value_at, built)?)
                }
                Boundary::Neumann(value) => {
                    let built = self.draft.assigned(value, kind);
                    Boundary::Neumann(self.built(value_at, built)?)
                }
                other => other,
            };
            for &side in sides {
                self.begin(Part::Boundary(grid, component, axis, side), at);
                self.stencil.set_boundary(BoundaryRule { grid, component, axis, side, boundary });
            }
        }
        Ok(())
    }

    fn boundary_kind(&mut self) -> Result<Boundary> {
        let kind = match (self.peek(), self.peek_at(1)) {
            (Token::Name("keep"), Token::Symbol(";")) => Boundary::Keep,
            (Token::Name("periodic"), Token::Symbol(";")) => Boundary::Periodic,
            (Token::Name("reflect"), Token::Symbol(";")) => Boundary::Reflect,
            (Token::Name("symmetric"), Token::Symbol(";")) => Boundary::Symmetric,
            (Token::Name("antireflect"), Token::Symbol(";")) => Boundary::Antireflect,
            (Token::Name("clamp"), Token::Symbol(";")) => Boundary::Clamp,
            (Token::Name("neumann"), Token::Symbol("(")) => {
                self.advance()?;
                self.advance()?;
                let value = self.expression()?;
                self.expect(")")?;
                return Ok(Boundary::Neumann(value));
            }
            _ => return Ok(Boundary::Value(self.expression()?)),
        };
        self.advance()?;
        Ok(kind)
    }

    /// `u[x,y; t+1] *= value;` or `u[3,4; t+1] += value;`
    fn filter(&mut self) -> Result<()> {
        self.expect("{")?;
        while !self.accept("}")? {
            self.begin(Part::Filter(self.stencil.filter.len()), self.at());
            let grid = self.rule_grid()?;
            let (point, target) = self.filter_target(grid)?;
            let operator = match self.peek() {
                Token::Symbol("=") => None,
                Token::Symbol("+=") => Some(Binary::Add),
                Token::Symbol("-=") => Some(Binary::Subtract),
                Token::Symbol("*=") => Some(Binary::Multiply),
                Token::Symbol("/=") => Some(Binary::Divide),
                _ => return self.fail(format!("'=', '+=', '-=', '*=' or '/=' expected, not {}", self.found())),
            };
            self.advance()?;
            let at = self.at();
            let value = self.expression()?;
            let built = self.draft.assigned(value, self.stencil.grids[grid].kind);
            let value = self.built(at, built)?;
            self.expect(";")?;
            self.stencil.filter.push(Filter { target, point, operator, value });
        }
        Ok(())
    }

    fn filter_target(&mut self, grid: usize) -> Result<(Option<Vec<ExprId>>, Target)> {
        let at = self.at();
        self.expect("[")?;
        let is_everywhere = match (self.peek(), self.peek_at(1)) {
            (Token::Name("axis"), Token::Symbol("(")) => true,
            (Token::Name(name), _) => self.axis_value(name).is_some(),
            _ => false,
        };
        let mut point = None;
        let (time, component) = if is_everywhere {
            let access = self.coordinates(grid)?;
            if access.offsets != Offsets::default() {
                return self.fail_at(at, "a filter changes the point itself, without offsets");
            }
            (access.time, access.component)
        } else {
            let mut coordinates = Vec::new();
            loop {
                let at = self.at();
                let coordinate = self.expression()?;
                let built = self.draft.assigned(coordinate, Type::I64);
                coordinates.push(self.built(at, built)?);
                if !self.accept(",")? {
                    break;
                }
            }
            point = Some(coordinates);
            self.time_and_component(grid)?
        };
        self.expect("]")?;
        match time {
            Some(time) => Ok((point, Target { grid, component, time })),
            None => self.fail_at(at, "a filter changes a level, such as t+1"),
        }
    }

    /// `when condition [every n];`
    fn stop(&mut self) -> Result<()> {
        self.expect("{")?;
        self.begin(Part::Stop, self.at());
        if self.stencil.stop.is_some() {
            return self.fail("the stop criterion is given twice");
        }
        self.expect("when")?;
        let at = self.at();
        let value = self.expression()?;
        let built = self.draft.assigned(value, Type::Bool);
        let condition = self.built(at, built)?;
        let mut every = 1;
        if self.accept("every")? {
            let at = self.at();
            let steps = self.whole_number("the number of steps")?;
            every = match u32::try_from(steps).ok().filter(|&steps| steps > 0) {
                Some(steps) => steps,
                None => return self.fail_at(at, "the criterion is checked every 1 step or more"),
            };
        }
        self.expect(";")?;
        self.stencil.stop = Some(Stop { condition, every });
        self.expect("}")
    }
}
