//! Operands beyond element 2^31 of their memory: every routine gives what it gives for operands at the start of a small
//! one.
//!
//! The host's memory is taken from the system only where it is touched. A device takes part when it can allocate
//! enough.

use affinimath::{
    Buffer, Context, Diag, Event, Layout, MatrixMut, MatrixRef, MatrixShape, Op, Result, Side, Triangle, VectorMut,
    VectorRef, VectorShape, axpy, dot, gemm, gemv, ger, omatadd, omatcopy, symm, symv, syrk, trmm, trmv, trsm, trsv,
};
use affinimath_opencl::device::for_tests;

/// Rows and columns of the matrices, elements of the vectors.
const N: usize = 5;
/// Elements of a large memory.
const LARGE: usize = (1 << 31) + 4096;

/// The memory that holds the operands.
#[derive(Clone, Copy, Debug)]
enum Placement {
    /// At the start of a small memory.
    Near,
    /// All of them beyond element 2^31.
    Far,
    /// From the start to beyond element 2^31, elements or columns (rows) so far apart.
    Wide,
}

impl Placement {
    const fn elements(self) -> usize {
        match self {
            Placement::Near => 2 * N * N,
            Placement::Far | Placement::Wide => LARGE,
        }
    }

    fn vector(self) -> VectorShape {
        let (offset, increment) = match self {
            Placement::Near => (0, 1),
            Placement::Far => (LARGE - 2 * N, -2),
            Placement::Wide => (7, (1 << 29) + 1),
        };
        VectorShape::new(N, offset, increment).unwrap()
    }

    fn matrix(self, layout: Layout) -> MatrixShape {
        let (offset, leading_dimension) = match self {
            Placement::Near => (0, N),
            Placement::Far => (LARGE - 2 * N * N, N + 1),
            Placement::Wide => (7, (1 << 29) + 1),
        };
        MatrixShape::new(layout, N, N, offset, leading_dimension).unwrap()
    }
}

/// Three memories, for the operands of a routine.
struct Operands {
    context: Context,
    placement: Placement,
    layout: Layout,
    buffers: [Buffer<f32>; 3],
}

impl Operands {
    fn new(context: &Context, placement: Placement) -> Self {
        let buffers = std::array::from_fn(|_| context.zeros(placement.elements()).unwrap());
        Operands { context: context.clone(), placement, layout: Layout::ColumnMajor, buffers }
    }

    /// A matrix in the first memory and vectors in the others, or matrices in all of them: small integers, so that
    /// every routine is exact whatever its order.
    fn fill(&mut self, vectors: bool) {
        for which in 0..3 {
            let lines = if vectors && which > 0 { vec![self.placement.vector()] } else { self.lines() };
            for (line, shape) in lines.into_iter().enumerate() {
                let values: Vec<f32> = (0..N).map(|i| ((7 * i + 5 * line + 3 * which) % 9) as f32 - 4.0).collect();
                let values = self.context.upload(&values).unwrap();
                let to = self.buffers[which].vector_view_mut(shape).unwrap();
                affinimath::copy(values.vector().unwrap(), to).unwrap().wait().unwrap();
            }
        }
    }

    /// The columns (rows) of a matrix.
    fn lines(&self) -> Vec<VectorShape> {
        let shape = self.placement.matrix(self.layout);
        let start = |line| shape.offset() + line * shape.leading_dimension();
        (0..N).map(|line| VectorShape::new(N, start(line), 1).unwrap()).collect()
    }

    /// A memory's matrix, line by line.
    fn matrix(&self, which: usize) -> Vec<f32> {
        self.lines().into_iter().flat_map(|line| self.read(which, line)).collect()
    }

    /// A memory's vector.
    fn vector(&self, which: usize) -> Vec<f32> {
        self.read(which, self.placement.vector())
    }

    fn read(&self, which: usize, shape: VectorShape) -> Vec<f32> {
        let mut values = self.context.zeros(N).unwrap();
        let from = self.buffers[which].vector_view(shape).unwrap();
        affinimath::copy(from, values.vector_mut().unwrap()).unwrap().wait().unwrap();
        values.download().unwrap()
    }

    /// A, x and y.
    fn vectors(&mut self) -> (MatrixRef<'_, f32>, VectorRef<'_, f32>, VectorMut<'_, f32>) {
        let (shape, vector) = (self.placement.matrix(self.layout), self.placement.vector());
        let [a, x, y] = &mut self.buffers;
        (a.view(shape).unwrap(), x.vector_view(vector).unwrap(), y.vector_view_mut(vector).unwrap())
    }

    /// x, y and A.
    fn update(&mut self) -> (VectorRef<'_, f32>, VectorRef<'_, f32>, MatrixMut<'_, f32>) {
        let (shape, vector) = (self.placement.matrix(self.layout), self.placement.vector());
        let [a, x, y] = &mut self.buffers;
        (x.vector_view(vector).unwrap(), y.vector_view(vector).unwrap(), a.view_mut(shape).unwrap())
    }

    /// A, B and C.
    fn matrices(&mut self) -> (MatrixRef<'_, f32>, MatrixRef<'_, f32>, MatrixMut<'_, f32>) {
        let shape = self.placement.matrix(self.layout);
        let [a, b, c] = &mut self.buffers;
        (a.view(shape).unwrap(), b.view(shape).unwrap(), c.view_mut(shape).unwrap())
    }
}

/// Results of every routine: written operands and returned values.
fn results(operands: &mut Operands) -> Vec<(&'static str, Vec<f32>)> {
    let mut results = Vec::new();
    for layout in [Layout::ColumnMajor, Layout::RowMajor] {
        operands.layout = layout;
        results.extend(of_vectors(operands));
        results.extend(of_matrices(operands));
    }
    results
}

/// The routines with vectors. The diagonals of systems are ones, so that solutions are integers too.
fn of_vectors(operands: &mut Operands) -> Vec<(&'static str, Vec<f32>)> {
    let mut results = Vec::new();
    let mut run = |routine, call: &dyn Fn(&mut Operands) -> Vec<f32>| {
        operands.fill(true);
        results.push((routine, call(operands)));
    };
    run("axpy", &|operands| {
        let (_, x, y) = operands.vectors();
        done(axpy(2.0, x, y));
        operands.vector(2)
    });
    run("dot", &|operands| {
        let (x, y, _) = operands.update();
        vec![dot(x, y).unwrap()]
    });
    run("gemv", &|operands| {
        let (a, x, y) = operands.vectors();
        done(gemv(Op::NoTrans, 1.0, a, x, 2.0, y));
        operands.vector(2)
    });
    run("gemv of the transpose", &|operands| {
        let (a, x, y) = operands.vectors();
        done(gemv(Op::Trans, 1.0, a, x, 2.0, y));
        operands.vector(2)
    });
    run("symv", &|operands| {
        let (a, x, y) = operands.vectors();
        done(symv(Triangle::Lower, 1.0, a, x, 2.0, y));
        operands.vector(2)
    });
    run("trmv", &|operands| {
        let (a, _, y) = operands.vectors();
        done(trmv(Triangle::Upper, Op::NoTrans, Diag::NonUnit, a, y));
        operands.vector(2)
    });
    run("trsv", &|operands| {
        let (a, _, y) = operands.vectors();
        done(trsv(Triangle::Upper, Op::NoTrans, Diag::Unit, a, y));
        operands.vector(2)
    });
    run("ger", &|operands| {
        let (x, y, a) = operands.update();
        done(ger(2.0, x, y, a));
        operands.matrix(0)
    });
    results
}

/// The routines of matrices alone.
fn of_matrices(operands: &mut Operands) -> Vec<(&'static str, Vec<f32>)> {
    let mut results = Vec::new();
    let mut run = |routine, call: &dyn Fn(&mut Operands) -> Result<Event>| {
        operands.fill(false);
        done(call(operands));
        results.push((routine, operands.matrix(2)));
    };
    run("omatcopy", &|operands| {
        let (a, _, c) = operands.matrices();
        omatcopy(Op::Trans, 2.0, a, c)
    });
    run("omatadd", &|operands| {
        let (a, b, c) = operands.matrices();
        omatadd(Op::Trans, Op::NoTrans, 2.0, a, 3.0, b, c)
    });
    run("gemm", &|operands| {
        let (a, b, c) = operands.matrices();
        gemm(Op::Trans, Op::NoTrans, 1.0, a, b, 2.0, c)
    });
    run("symm", &|operands| {
        let (a, b, c) = operands.matrices();
        symm(Side::Left, Triangle::Lower, 1.0, a, b, 2.0, c)
    });
    run("syrk", &|operands| {
        let (a, _, c) = operands.matrices();
        syrk(Triangle::Upper, Op::NoTrans, 1.0, a, 2.0, c)
    });
    run("trmm", &|operands| {
        let (a, _, c) = operands.matrices();
        trmm(Side::Right, Triangle::Upper, Op::NoTrans, Diag::NonUnit, 2.0, a, c)
    });
    run("trsm", &|operands| {
        let (a, _, c) = operands.matrices();
        trsm(Side::Left, Triangle::Lower, Op::Trans, Diag::Unit, 2.0, a, c)
    });
    results
}

fn done(result: Result<Event>) {
    result.unwrap().wait().unwrap();
}

/// The host, and every device that can hold the memories.
fn contexts() -> Vec<Context> {
    let devices = for_tests().iter();
    let large = devices.filter(|device| {
        let device_info = device.info();
        device_info.max_allocation_bytes / 4 >= LARGE as u64 && device_info.global_memory_bytes / 12 >= LARGE as u64
    });
    std::iter::once(Context::host()).chain(large.map(|device| Context::open(device).unwrap())).collect()
}

#[test]
fn operands_may_lie_beyond_element_two_to_the_31() {
    let _route = crate::route();
    for context in contexts() {
        let expected = results(&mut Operands::new(&context, Placement::Near));
        for placement in [Placement::Far, Placement::Wide] {
            let found = results(&mut Operands::new(&context, placement));
            for ((routine, expected), (_, found)) in expected.iter().zip(&found) {
                assert_eq!(found, expected, "{routine}, {placement:?}, on {:?}", context.device());
                assert!(found.iter().any(|value| *value != 0.0), "{routine}");
            }
        }
    }
}
