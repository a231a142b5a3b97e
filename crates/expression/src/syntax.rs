//! Trees of a text.

use super::value::Weak;

/// A tree with the byte that errors of its operation show.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) kind: Kind,
    pub(crate) at: usize,
    /// Trees on the longest path from this one to a leaf, both included: what is computed from it takes as many frames.
    pub(crate) height: usize,
}

impl Tree {
    pub(crate) fn new(kind: Kind, at: usize) -> Self {
        let highest = |trees: &mut dyn Iterator<Item = &Tree>| trees.map(|tree| tree.height).max().unwrap_or(0);
        let below = match &kind {
            Kind::Number(_) | Kind::Name(_) => 0,
            Kind::Unary(_, tree) => tree.height,
            Kind::Power(trees) => highest(&mut trees.iter()),
            Kind::Chain(first, others) => first.height.max(highest(&mut others.iter().map(|(.., tree)| tree))),
            Kind::Call { arguments, .. } => highest(&mut arguments.iter().map(|argument| &argument.value)),
            Kind::Index { of, items } => of.height.max(highest(&mut items.iter().flat_map(Item::trees))),
            Kind::List(trees) => highest(&mut trees.iter()),
        };
        Tree { kind, at, height: below + 1 }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(Weak),
    Name(String),
    Unary(&'static str, Box<Tree>),
    Power(Box<[Tree; 2]>),
    /// A value, and operators with their places and right sides, from the left: a long sum is not nested deeply.
    Chain(Box<Tree>, Vec<(&'static str, usize, Tree)>),
    Call {
        function: String,
        arguments: Vec<Argument>,
    },
    Index {
        of: Box<Tree>,
        items: Vec<Item>,
    },
    /// An element of a call with several results: its index.
    List(Vec<Tree>),
}

/// An argument of a call, with its keyword.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) keyword: Option<String>,
    pub(crate) value: Tree,
}

/// An item between the brackets of an index.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Value(Tree),
    Range { start: Option<Tree>, end: Option<Tree>, step: Option<Tree> },
    NewAxis,
    Ellipsis,
}

impl Item {
    fn trees(&self) -> impl Iterator<Item = &Tree> {
        let trees = match self {
            Item::Value(tree) => [Some(tree), None, None],
            Item::Range { start, end, step } => [start.as_ref(), end.as_ref(), step.as_ref()],
            Item::NewAxis | Item::Ellipsis => [None; 3],
        };
        trees.into_iter().flatten()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// Names that receive the value, or the elements of a list.
    pub(crate) targets: Vec<Target>,
    pub(crate) value: Tree,
    pub(crate) at: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    /// The part of an operand that is assigned.
    pub(crate) items: Option<Vec<Item>>,
    pub(crate) at: usize,
}

/// The names that statements read before they assign them.
pub(crate) fn free_names(statements: &[Statement]) -> Vec<String> {
    let (mut free, mut assigned) = (Vec::new(), Vec::new());
    for statement in statements {
        visit(&statement.value, &assigned, &mut free);
        for target in &statement.targets {
            for item in target.items.iter().flatten() {
                visit_item(item, &assigned, &mut free);
            }
            match target.items {
                Some(_) => add(&target.name, &assigned, &mut free),
                None => assigned.push(target.name.clone()),
            }
        }
    }
    free
}

fn add(name: &str, assigned: &[String], free: &mut Vec<String>) {
    if !assigned.iter().chain(&*free).any(|other| other == name) {
        free.push(name.to_owned());
    }
}

fn visit(tree: &Tree, assigned: &[String], free: &mut Vec<String>) {
    match &tree.kind {
        Kind::Number(_) => {}
        Kind::Name(name) => add(name, assigned, free),
        Kind::Unary(_, tree) => visit(tree, assigned, free),
        Kind::Power(trees) => trees.iter().for_each(|tree| visit(tree, assigned, free)),
        Kind::Chain(first, others) => {
            visit(first, assigned, free);
            others.iter().for_each(|(.., tree)| visit(tree, assigned, free));
        }
        Kind::Call { arguments, .. } => arguments.iter().for_each(|argument| visit(&argument.value, assigned, free)),
        Kind::Index { of, items } => {
            visit(of, assigned, free);
            items.iter().for_each(|item| visit_item(item, assigned, free));
        }
        Kind::List(trees) => trees.iter().for_each(|tree| visit(tree, assigned, free)),
    }
}

fn visit_item(item: &Item, assigned: &[String], free: &mut Vec<String>) {
    match item {
        Item::Value(tree) => visit(tree, assigned, free),
        Item::Range { start, end, step } => {
            [start, end, step].into_iter().flatten().for_each(|tree| visit(tree, assigned, free));
        }
        Item::NewAxis | Item::Ellipsis => {}
    }
}
