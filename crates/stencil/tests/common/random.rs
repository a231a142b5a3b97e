//! Random expressions and sections.
#![allow(dead_code, reason = "each test program uses a part")]

use affinimath_stencil::Stencil;
use affinimath_stencil::definition::{
    Binary, Boundary, Builder, Function, Grid, GridHandle, Parameter, Reduction, Side, Size, Sweep, Type, Value,
};
use proptest::prelude::*;

/// An expression, as a program builds it and as a text writes it.
#[derive(Clone, Debug)]
pub enum Tree {
    Number(f64),
    Tap(i32, i32),
    Float(i32),
    Integer,
    Real,
    Coordinate(usize),
    Time,
    Size,
    Negate(Box<Tree>),
    Binary(Binary, Box<(Tree, Tree)>),
    Power(Box<Tree>, i32),
    Call(Function, Box<(Tree, Tree)>),
    Select(Binary, Box<(Tree, Tree, Tree, Tree)>),
    Convert(Type, Box<Tree>),
}

const ARITHMETIC: [Binary; 5] = [Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide, Binary::Remainder];
const COMPARISONS: [Binary; 6] =
    [Binary::Less, Binary::LessEqual, Binary::Greater, Binary::GreaterEqual, Binary::Equal, Binary::NotEqual];
const TYPES: [Type; 4] = [Type::I32, Type::I64, Type::F32, Type::F64];

pub fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (-40i32..40).prop_map(|halves| Tree::Number(f64::from(halves) / 2.0)),
        any::<i32>().prop_map(|bits| Tree::Number(f64::from(bits) * 1e-7)),
        (-3..4, -2..3).prop_map(|(x, y)| Tree::Tap(x, y)),
        (-1..2).prop_map(Tree::Float),
        Just(Tree::Integer),
        Just(Tree::Real),
        (0usize..2).prop_map(Tree::Coordinate),
        Just(Tree::Time),
        Just(Tree::Size),
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(Box::new);
        let four = (inner.clone(), inner.clone(), inner.clone(), inner.clone()).prop_map(Box::new);
        prop_oneof![
            inner.clone().prop_map(|a| Tree::Negate(Box::new(a))),
            (prop::sample::select(&ARITHMETIC[..]), pair.clone())
                .prop_map(|(operator, pair)| Tree::Binary(operator, pair)),
            (inner.clone(), -5..9).prop_map(|(a, exponent)| Tree::Power(Box::new(a), exponent)),
            (prop::sample::select(Function::ALL), pair).prop_map(|(function, pair)| Tree::Call(function, pair)),
            (prop::sample::select(&COMPARISONS[..]), four).prop_map(|(operator, four)| Tree::Select(operator, four)),
            (prop::sample::select(&TYPES[..]), inner).prop_map(|(kind, a)| Tree::Convert(kind, Box::new(a))),
        ]
    })
}

/// Names that expressions refer to.
struct Names<'s> {
    u: GridHandle<'s, 2>,
    f: GridHandle<'s, 2>,
    i: GridHandle<'s, 2>,
    a: Value<'s>,
}

impl Tree {
    fn build<'s>(&self, s: &Builder<'s, 2>, names: &Names<'s>) -> Value<'s> {
        let of = |tree: &Tree| tree.build(s, names);
        match self {
            Tree::Number(value) => s.constant(*value),
            Tree::Tap(x, y) => names.u[[*x, *y]].value(),
            Tree::Float(x) => names.f[[*x, 0]].value(),
            Tree::Integer => names.i[[0, 0]].value(),
            Tree::Real => names.a,
            Tree::Coordinate(axis) => s.coordinate(*axis),
            Tree::Time => s.time(),
            Tree::Size => s.size("nx"),
            Tree::Negate(a) => -of(a),
            Tree::Binary(operator, pair) => of(&pair.0).with(*operator, of(&pair.1)),
            Tree::Power(a, exponent) => of(a).power(*exponent),
            Tree::Call(function, pair) if function.arguments() == 1 => of(&pair.0).call(*function),
            Tree::Call(function, pair) => of(&pair.0).call_with(*function, of(&pair.1)),
            Tree::Select(operator, four) => of(&four.0).with(*operator, of(&four.1)).select(of(&four.2), of(&four.3)),
            Tree::Convert(kind, a) => of(a).convert(*kind),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Tree::Number(value) => format!("({value:?})"),
            Tree::Tap(x, y) => format!("u[x{x:+},y{y:+}; t]"),
            Tree::Float(x) => format!("f[x{x:+},y]"),
            Tree::Integer => "i[x,y]".to_owned(),
            Tree::Real => "a".to_owned(),
            Tree::Coordinate(axis) => ["x", "y"][*axis].to_owned(),
            Tree::Time => "t".to_owned(),
            Tree::Size => "nx".to_owned(),
            Tree::Negate(a) => format!("(-{})", a.text()),
            Tree::Binary(operator, pair) => format!("({} {} {})", pair.0.text(), operator.symbol(), pair.1.text()),
            Tree::Power(a, exponent) => format!("({}^{exponent})", a.text()),
            Tree::Call(function, pair) if function.arguments() == 1 => {
                format!("{}({})", function.name(), pair.0.text())
            }
            Tree::Call(function, pair) => format!("{}({}, {})", function.name(), pair.0.text(), pair.1.text()),
            Tree::Select(operator, four) => {
                let (a, b, c, d) = (four.0.text(), four.1.text(), four.2.text(), four.3.text());
                format!("({a} {} {b} ? {c} : {d})", operator.symbol())
            }
            Tree::Convert(kind, a) => format!("{kind}({})", a.text()),
        }
    }
}

fn constant_grid(name: &str, kind: Type) -> Grid {
    Grid {
        name: name.to_owned(),
        kind,
        constant: true,
        axes: vec![0, 1],
        memory: None,
        components: Vec::new(),
        shift: Vec::new(),
    }
}

pub fn built(tree: &Tree) -> affinimath_stencil::Result<Stencil> {
    Stencil::build::<2>("s", Type::F64, |s| {
        let u = s.grid("u");
        let (f, i) = (s.declare(constant_grid("f", Type::F32)), s.declare(constant_grid("i", Type::I32)));
        let names = Names { u, f, i, a: s.parameter("a") };
        s.set(u, tree.build(s, &names));
    })
}

/// Only what does not read grids.
fn without_grids(tree: &Tree) -> Tree {
    match tree {
        Tree::Tap(..) | Tree::Float(_) | Tree::Integer => Tree::Real,
        Tree::Negate(a) => Tree::Negate(Box::new(without_grids(a))),
        Tree::Power(a, exponent) => Tree::Power(Box::new(without_grids(a)), *exponent),
        Tree::Convert(kind, a) => Tree::Convert(*kind, Box::new(without_grids(a))),
        Tree::Binary(operator, pair) => {
            Tree::Binary(*operator, Box::new((without_grids(&pair.0), without_grids(&pair.1))))
        }
        Tree::Call(function, pair) => Tree::Call(*function, Box::new((without_grids(&pair.0), without_grids(&pair.1)))),
        Tree::Select(operator, four) => {
            let (a, b, c, d) = &**four;
            let four = (without_grids(a), without_grids(b), without_grids(c), without_grids(d));
            Tree::Select(*operator, Box::new(four))
        }
        leaf => leaf.clone(),
    }
}

pub fn sections(s: &Builder<'_, 2>, trees: &[Tree], kinds: &[usize], switches: &[bool], every: u32) {
    let u = s.grid("u");
    let v =
        s.declare(Grid { constant: false, components: vec![2], shift: vec![1, 0], ..constant_grid("v", Type::F64) });
    let (f, i) = (s.declare(constant_grid("f", Type::F32)), s.declare(constant_grid("i", Type::I32)));
    let names = Names { u, f, i, a: s.parameter("a") };
    let table = s.array(Parameter {
        name: "w".to_owned(),
        kind: Type::F32,
        ranges: vec![affinimath_stencil::definition::Range::new(-1, 1)],
        values: Some(
            [0.1f32, -2.0, 1e-30].map(|value| affinimath_stencil::definition::Constant(f64::from(value))).to_vec(),
        ),
    });
    if switches[0] {
        s.reassociate();
    }
    if switches[1] {
        s.steps(Size::from("steps") * 2 - 1);
    }
    let value = s.temporary("value", trees[0].build(s, &names));
    s.set(u, value * table.at(&[s.coordinate(0) % 2]));
    let change = s.result("change", Reduction::ALL[kinds[0] % 4], value + u.at_time(1)[[0, 0]]);
    if switches[2] {
        s.stage("second", if switches[3] { Sweep::RedBlack } else { Sweep::Jacobi });
    }
    s.set(v, trees[1].build(s, &names) + v[[-1, 0]]);
    s.set(v.component(1), v.component(1)[[0, 1]] - u.at_time(0)[[0, 0]]);
    let outside = |tree: &Tree| without_grids(tree).build(s, &names);
    for (number, kind) in kinds.iter().enumerate() {
        let (axis, side) = (number / 2, if number % 2 == 0 { Side::Lower } else { Side::Upper });
        let boundary = match kind {
            0 => Boundary::Keep,
            1 => Boundary::Reflect,
            2 => Boundary::Symmetric,
            3 => Boundary::Antireflect,
            4 => Boundary::Clamp,
            5 => Boundary::Neumann(outside(&trees[2]).expression()),
            6 => Boundary::Value(outside(&trees[3]).expression()),
            _ => Boundary::Periodic,
        };
        if *kind == 7 {
            s.boundary_of_axis(u, axis, boundary);
        } else {
            s.boundary(v.component(kind % 2), axis, side, boundary);
        }
    }
    if switches[4] {
        let condition = s.coordinate(0).with(Binary::Less, s.coordinate(1));
        s.initial(v.component(1), Some(condition), outside(&trees[2]));
        s.initial(u, None, outside(&trees[3]));
    }
    if switches[5] {
        s.filter(u, Some(Binary::Multiply), trees[2].build(s, &names));
        let point = [s.size("nx").call_with(Function::Quotient, 2), s.constant(3.0)];
        s.source(v.component(1), point, switches[6].then_some(Binary::Add), outside(&trees[3]));
    }
    if switches[7] {
        s.stop(change.with(Binary::Less, 1e-6), every);
    }
}
