use super::Invalid;
use crate::element::{ElementType, Value};
use crate::function::{Binary, Reduction, Unary};
use crate::fused::*;

fn access(element: ElementType, class: AccessClass, is_read: bool, is_written: bool) -> Access {
    Access { element, class, is_read, is_written }
}

fn contiguous(extents: &[usize]) -> View {
    let mut strides = vec![1i64; extents.len()];
    for k in (1..extents.len()).rev() {
        strides[k - 1] = strides[k] * extents[k] as i64;
    }
    View { offset: 0, strides, extents: extents.to_vec() }
}

/// z := a x
fn scale() -> (Structure, Arguments) {
    let structure = Structure {
        rank: 1,
        parallel: 1,
        accesses: vec![
            access(ElementType::F32, AccessClass::Contiguous, true, false),
            access(ElementType::F32, AccessClass::Contiguous, false, true),
        ],
        scalars: vec![ElementType::F32],
        phases: vec![Phase {
            is_loop: true,
            code: vec![Instruction::Load(0), Instruction::Scalar(0), Instruction::Binary(Binary::Mul, 0, 1)],
            effects: vec![Effect::Store { access: 1, value: 2, imaginary: None }],
        }],
        slots: vec![],
        order: ReductionOrder { lanes: 1, chunk: 4096 },
    };
    let view = contiguous(&[10]);
    let arguments = Arguments { extents: vec![10], views: vec![view.clone(), view], scalars: vec![Value::F32(2.0)] };
    (structure, arguments)
}

/// y_i := sqrt(sum_j x_ij²)
fn norms() -> (Structure, Arguments) {
    let structure = Structure {
        rank: 2,
        parallel: 1,
        accesses: vec![
            access(ElementType::F64, AccessClass::InnerContiguous, true, false),
            access(ElementType::F64, AccessClass::InnerUniform, false, true),
        ],
        scalars: vec![],
        phases: vec![
            Phase {
                is_loop: true,
                code: vec![Instruction::Load(0), Instruction::Unary(Unary::Square, 0)],
                effects: vec![Effect::Reduce { slot: 0, value: 1 }],
            },
            Phase {
                is_loop: false,
                code: vec![Instruction::Slot(0), Instruction::Unary(Unary::Sqrt, 0)],
                effects: vec![Effect::Store { access: 1, value: 1, imaginary: None }],
            },
        ],
        slots: vec![Slot { reduction: Reduction::Sum, element: ElementType::F64 }],
        order: ReductionOrder { lanes: 4, chunk: 16 },
    };
    let extents = vec![3, 5];
    let views = vec![
        View { offset: 14, strides: vec![-5, 1], extents: extents.clone() },
        View { offset: 0, strides: vec![1, 0], extents: extents.clone() },
    ];
    let mut arguments = Arguments { extents, views, scalars: vec![] };
    arguments.views[0].offset = 10;
    (structure, arguments)
}

#[test]
fn consistent_kernels_pass() {
    let (structure, arguments) = scale();
    assert_eq!(structure.check(), Ok(()));
    assert_eq!(arguments.check(&structure, &[10, 10]), Ok(()));
    let (structure, arguments) = norms();
    assert_eq!(structure.check(), Ok(()));
    assert_eq!(arguments.check(&structure, &[15, 3]), Ok(()));
    assert_eq!(structure.types(1), Ok(vec![ElementType::F64; 2]));
}

#[test]
fn each_element_is_in_its_buffer() {
    let (structure, arguments) = scale();
    assert!(arguments.check(&structure, &[9, 10]).is_err());
    assert!(arguments.check(&structure, &[10, 9]).is_err());
    let (structure, mut arguments) = norms();
    assert!(arguments.check(&structure, &[14, 3]).is_err());
    arguments.views[0].offset = 9;
    assert!(arguments.check(&structure, &[15, 3]).is_err(), "an element before the buffer");
    arguments.views[0] = View { offset: usize::MAX, strides: vec![i64::MIN, 1], extents: vec![3, 5] };
    assert!(arguments.check(&structure, &[usize::MAX, 3]).is_err());
}

#[test]
fn huge_spaces_do_not_overflow() {
    let (structure, mut arguments) = scale();
    arguments.extents = vec![usize::MAX];
    arguments.views.iter_mut().for_each(|view| view.extents = vec![usize::MAX]);
    assert!(arguments.check(&structure, &[usize::MAX; 2]).is_err());
}

#[test]
fn strides_keep_their_class() {
    let (structure, mut arguments) = scale();
    arguments.views[0].strides = vec![2];
    let error = arguments.check(&structure, &[100, 100]);
    assert!(matches!(error, Err(Invalid::Access { access: 0, .. })), "{error:?}");
}

#[test]
fn written_elements_are_distinct() {
    let (mut structure, mut arguments) = norms();
    structure.accesses[1].class = AccessClass::InnerUniform;
    arguments.views[1].strides = vec![0, 0];
    let error = arguments.check(&structure, &[15, 3]);
    assert!(matches!(error, Err(Invalid::Access { access: 1, .. })), "{error:?}");
    let (mut structure, mut arguments) = scale();
    structure.accesses[1].class = AccessClass::Uniform;
    arguments.views[1].strides = vec![0];
    assert!(arguments.check(&structure, &[10, 10]).is_err());
}

#[test]
fn row_values_have_no_stride_along_reduced_axes() {
    let (mut structure, mut arguments) = norms();
    structure.accesses[1].class = AccessClass::Strided;
    arguments.views[1].strides = vec![5, 1];
    assert!(arguments.check(&structure, &[15, 15]).is_err());
}

#[test]
fn empty_spaces_need_no_memory() {
    let (structure, mut arguments) = norms();
    arguments.extents = vec![0, 5];
    arguments.views.iter_mut().for_each(|view| view.extents = vec![0, 5]);
    assert_eq!(arguments.check(&structure, &[0, 0]), Ok(()));
    arguments.extents = vec![3, 0];
    arguments.views.iter_mut().for_each(|view| view.extents = vec![3, 0]);
    assert!(arguments.check(&structure, &[0, 3]).is_err(), "a reduction of no elements");
}

fn broken(modify: impl FnOnce(&mut Structure)) -> Result<(), Invalid> {
    let (mut structure, _) = norms();
    modify(&mut structure);
    structure.check()
}

#[test]
fn inconsistent_structures_are_errors() {
    type Change = fn(&mut Structure);
    let cases: [(&str, Change); 16] = [
        ("rank", |s| s.rank = 9),
        ("parallel", |s| s.parallel = 3),
        ("no reduced axes", |s| s.parallel = 2),
        ("lanes", |s| s.order.lanes = 3),
        ("chunk", |s| s.order.chunk = 18),
        ("register", |s| s.phases[0].code[1] = Instruction::Unary(Unary::Square, 1)),
        ("access", |s| s.phases[0].code[0] = Instruction::Load(2)),
        ("type", |s| s.phases[0].code[1] = Instruction::Unary(Unary::Not, 0)),
        ("slot too early", |s| s.phases.swap(0, 1)),
        ("slot type", |s| s.slots[0].element = ElementType::F32),
        ("reduction type", |s| s.slots[0].reduction = Reduction::Any),
        ("store type", |s| s.accesses[1].element = ElementType::F32),
        ("store twice", |s| {
            let effect = s.phases[1].effects[0];
            s.phases[1].effects.push(effect);
        }),
        ("read flag", |s| s.accesses[0].is_read = false),
        ("class of a row", |s| s.accesses[1].class = AccessClass::Contiguous),
        ("coordinate of a row", |s| s.phases[1].code.push(Instruction::Coordinate(1))),
    ];
    for (name, modify) in cases {
        assert!(broken(modify).is_err(), "{name}");
    }
}
