//! Our library on small matrices, in every type and by every routine.

use super::*;
use crate::target::MemoryChoice;

/// Checks one call of ours.
struct Once<'a>(&'a Case);

impl ForType for Once<'_> {
    type Output = ();

    fn run<T: Scalar>(self) {
        let Case { pattern, operation, .. } = self.0;
        let host = Target { device: None, memory: MemoryChoice::Host, automatic: false };
        let data = Arc::new(Data::<T>::random(pattern, *operation, 1).unwrap());
        let mut ours = ours::entrant(&data, &host).unwrap();
        ours.run(1).unwrap();
        let accuracy = ours.accuracy().unwrap();
        assert!(accuracy.holds(), "{}: {accuracy:?}", self.0.report().describe());
    }
}

#[test]
fn results_of_every_routine_and_type_are_right_on_the_host() {
    let arguments = SparseArguments {
        routines: Vec::new(),
        types: Vec::new(),
        poisson2d: vec![Sizes(vec![17])],
        poisson3d: vec![Sizes(vec![7])],
        power_law: vec![Sizes(vec![300])],
        file: Vec::new(),
        vectors: vec![1, 3],
        layout: vec![DenseLayout::Row, DenseLayout::Column],
        iterations: 20,
        common: CommonArguments {
            device: "host".to_owned(),
            memory: None,
            against: Vec::new(),
            seconds: std::time::Duration::from_millis(1),
            rounds: 1,
            first_call: false,
            json: crate::json::JsonOption::default(),
            plot: None,
        },
    };
    let mut count = 0;
    for source in arguments.sources() {
        let pattern = Arc::new(source.pattern().unwrap());
        for operation in arguments.operations(&source) {
            for kind in ScalarKind::ALL {
                for_type(kind, Once(&Case { kind, pattern: pattern.clone(), operation }));
                count += 1;
            }
        }
    }
    // Two products with vectors, four with dense matrices, and two solvers but on the power law, for four types.
    assert_eq!(count, (8 + 8 + 6) * 4);
}
