//! Routines: outputs, sharing of one call, errors.

use affinimath_array::build::routine;
use affinimath_array::node::Routine;
use affinimath_array::{ElementType, ErrorKind, Node, Op, Shape, ones};
use std::sync::Arc;

/// Eigenvalues and eigenvectors of a square matrix.
struct Eigen;

impl Routine for Eigen {
    fn name(&self) -> &'static str {
        "eigen"
    }

    fn outputs(&self, inputs: &[(ElementType, Shape)]) -> Result<Vec<(ElementType, Shape)>, ErrorKind> {
        let (element, shape) = inputs[0];
        if shape.rank() != 2 || shape[0] != shape[1] {
            return Err(ErrorKind::Argument { operation: "eigen", reason: "the matrix is not square".into() });
        }
        Ok(vec![(element, Shape::new(&shape[..1])?), (element, shape)])
    }
}

#[test]
fn outputs_have_their_shapes_and_share_one_call() {
    let a = ones::<f64>([3, 3]).exp();
    let call: Arc<dyn Routine> = Arc::new(Eigen);
    let outputs = routine(call.clone(), &[a.node().clone()], ElementType::F64);
    let shapes: Vec<Vec<usize>> = outputs.iter().map(|node| node.shape().to_vec()).collect();
    assert_eq!(shapes, [vec![3], vec![3, 3]]);
    for (index, node) in outputs.iter().enumerate() {
        let Op::Routine { routine, output } = node.op() else { panic!("{node:?}") };
        assert!(Arc::ptr_eq(routine, &call));
        assert_eq!((*output, node.operands()[0].id()), (index, a.node().id()));
    }
    assert_ne!(outputs[0].hash(), outputs[1].hash());
    let again = routine(call, &[a.node().clone()], ElementType::F64);
    assert!(outputs[0].is_same_operation(&again[0]));
}

#[test]
fn errors_of_operands_and_of_the_routine_become_those_of_outputs() {
    let wrong = routine(Arc::new(Eigen), &[ones::<f64>([3, 4]).node().clone()], ElementType::F64);
    assert_eq!(wrong.len(), 1);
    let error = wrong[0].error().unwrap();
    assert!(error.location.file().ends_with("routines.rs"), "{error}");
    assert!(error.to_string().contains("not square"), "{error}");
    let failed: Node = ones::<f64>([3, 3]).sum(5).node().clone();
    let outputs = routine(Arc::new(Eigen), std::slice::from_ref(&failed), ElementType::F64);
    assert!(matches!(outputs[0].error().unwrap().kind, ErrorKind::Axis { axis: 5, .. }));
}
