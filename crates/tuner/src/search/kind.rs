//! The strategies by their names.

use std::fmt;
use std::str::FromStr;

use super::stepwise::Stepwise;
use super::{
    Strategy, annealing, differential, direct, elimination, genetic, greedy, hooke_jeeves, local, nelder_mead, powell,
    samples,
};

/// The strategies that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyKind {
    /// Samples spread over the space, then a walk downhill from each of the best.
    Refine,
    /// Every point in its order.
    Exhaustive,
    /// Points at random.
    Random,
    /// Samples whose values of each parameter are spread evenly (a Latin hypercube).
    LatinHypercube,
    /// A walk downhill from a point at random, and again.
    Local,
    /// A walk that goes uphill too, ever less (simulated annealing).
    Annealing,
    /// Parents' values crossed and mutated.
    Genetic,
    /// Differences of points added to others (differential evolution).
    Differential,
    /// The best value of one parameter after the other (Christen 2011, algorithm 8.1): for few values that hardly
    /// depend on each other. A sum of functions of one parameter each takes 1 + sum (n - 1) measurements.
    Greedy,
    /// The parameters that gain most are set first (general combined elimination; Pan and Eigenmann 2006): for many
    /// switches.
    Gce,
    /// Steps along the axes, then along the way that they led (Hooke and Jeeves 1961): near a good start.
    HookeJeeves,
    /// Searches along lines, whose directions follow the gain (Powell 1964): for parameters that depend on each other.
    Powell,
    /// A simplex that moves and shrinks (Nelder and Mead 1965): for up to six parameters that depend on each other.
    NelderMead,
    /// Boxes that are divided where the minimum may be (DIRECT; Jones, Perttunen and Stuckman 1993): for several
    /// valleys. It has no starts and no seed.
    Direct,
}

impl StrategyKind {
    /// All of them, the default one first.
    pub const ALL: [StrategyKind; 14] = [
        StrategyKind::Local,
        StrategyKind::Refine,
        StrategyKind::Exhaustive,
        StrategyKind::Random,
        StrategyKind::LatinHypercube,
        StrategyKind::Annealing,
        StrategyKind::Genetic,
        StrategyKind::Differential,
        StrategyKind::Greedy,
        StrategyKind::Gce,
        StrategyKind::HookeJeeves,
        StrategyKind::Powell,
        StrategyKind::NelderMead,
        StrategyKind::Direct,
    ];

    /// Its name for users.
    pub const fn name(self) -> &'static str {
        match self {
            StrategyKind::Refine => "refine",
            StrategyKind::Exhaustive => "exhaustive",
            StrategyKind::Random => "random",
            StrategyKind::LatinHypercube => "latin-hypercube",
            StrategyKind::Local => "local",
            StrategyKind::Annealing => "annealing",
            StrategyKind::Genetic => "genetic",
            StrategyKind::Differential => "differential",
            StrategyKind::Greedy => "greedy",
            StrategyKind::Gce => "gce",
            StrategyKind::HookeJeeves => "hooke-jeeves",
            StrategyKind::Powell => "powell",
            StrategyKind::NelderMead => "nelder-mead",
            StrategyKind::Direct => "direct",
        }
    }

    /// The strategy at its beginning.
    pub fn start(self) -> Box<dyn Strategy> {
        match self {
            StrategyKind::Refine => Box::new(local::Refine::default()),
            StrategyKind::Exhaustive => Box::new(samples::Exhaustive::default()),
            StrategyKind::Random => Box::new(samples::Shuffled::default()),
            StrategyKind::LatinHypercube => Box::new(samples::LatinHypercube::default()),
            StrategyKind::Local => Box::new(local::Local::default()),
            StrategyKind::Annealing => Box::new(annealing::Annealing::default()),
            StrategyKind::Genetic => Box::new(genetic::Genetic::default()),
            StrategyKind::Differential => Box::new(differential::Differential::default()),
            StrategyKind::Greedy => Box::new(Stepwise::<greedy::Greedy>::default()),
            StrategyKind::Gce => Box::new(Stepwise::<elimination::Elimination>::default()),
            StrategyKind::HookeJeeves => Box::new(Stepwise::<hooke_jeeves::HookeJeeves>::default()),
            StrategyKind::Powell => Box::new(Stepwise::<powell::Powell>::default()),
            StrategyKind::NelderMead => Box::new(Stepwise::<nelder_mead::NelderMead>::default()),
            StrategyKind::Direct => Box::new(Stepwise::<direct::Direct>::default()),
        }
    }
}

impl fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StrategyKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || StrategyKind::ALL.map(StrategyKind::name).join(", ");
        let found = StrategyKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| format!("'{text}' is none of {}", names()))
    }
}
