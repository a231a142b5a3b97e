//! Host routines as commands of a queue, on devices that run native kernels: their order among other commands, several
//! concurrently, and failures.

use std::thread;

use super::*;
use crate::context::{MemoryExt, Queue, QueueParts};
use crate::error::status;
use crate::lapack::lu::{LuPlan, getrf_with_plan};
use crate::lapack::tests::host::lu::factor_ratio;
use crate::lapack::tests::host::{assert_ratio, solution_ratio};
use crate::lapack::{Block, DeviceSlice, Executor, getrs_on, read_only};
use crate::options::Op;
use crate::view::{MatrixMut, MatrixShape, VectorMut, VectorShape, View};
use crate::{gemm_on, imatcopy_on};

/// Devices that run the host's routines.
fn natives() -> Vec<(Context, DeviceInfo)> {
    devices_with_backends::<f64>().into_iter().filter(|on| on.1.native_kernels).collect()
}

/// Factorises several times on a second queue, with pivots and info in the same memory object.
fn factorise_on_second_queue((context, device_info): &(Context, DeviceInfo), n: usize) {
    let queue = context.queue().unwrap();
    let queue = Queue::second(queue.context()).unwrap();
    let a = Stored::<f32>::new(Layout::RowMajor, n, n, 3, n as u64);
    let plan = LuPlan { backend: Backend::Host, ..LuPlan::for_kernels(f32::KIND, device_info) };
    for _ in 0..4 {
        // Pivots, the matrix and the info.
        let (info_index, size) = (n + a.data.len(), size_of::<f32>());
        let words: Vec<f32> = vec![0.0; n].into_iter().chain(a.data.clone()).chain([0.0]).collect();
        let memory = context.upload(&words).unwrap();
        let buffer = memory.vector().unwrap().memory().buffer().unwrap();
        let (layout, ld) = (a.shape.layout(), a.shape.leading_dimension());
        let shape = MatrixShape::new(layout, n, n, n + a.shape.offset(), ld).unwrap();
        let values = |count, offset| {
            VectorMut::<i32>::from_device(buffer, VectorShape::new(count, offset, 1).unwrap(), "numbers").unwrap()
        };
        let view = MatrixMut::<f32>::from_device(buffer, shape, "A").unwrap();
        let (pivots, info) = (values(n, 0), values(1, info_index));
        getrf_with_plan(&queue, view, &read_only(&pivots), &info, (&plan, device_info)).unwrap().wait().unwrap();
        let words = memory.download().unwrap();
        assert_eq!((words.len() * size, words[info_index].to_bits()), (buffer.bytes(), 0));
        let pivots: Vec<i32> = words[..n].iter().map(|word| word.to_bits() as i32).collect();
        let factors = a.clone().with(words[n..info_index].to_vec());
        assert!(factors.canaries_live());
        assert_ratio::<f32>(factor_ratio::<f32>(&a.dense(), &factors.dense(), &pivots), "P A - L U", &n);
    }
}

mod host {
    use super::*;

    #[test]
    fn a_cpu_that_runs_functions_of_the_host_factorises_by_them_what_is_not_small() {
        let cpu = crate::device::example(DeviceClass::Cpu);
        let without = DeviceInfo { native_kernels: false, ..cpu.clone() };
        let taken_for_gpu = DeviceInfo { class: DeviceClass::Gpu, ..cpu.clone() };
        assert_eq!([Backend::choose([500, 600], &cpu), Backend::for_triangle(500, &cpu)], [Backend::Host; 2]);
        assert_eq!(Backend::for_triangle(100, &cpu), Backend::Device);
        for (size, device) in [([4, 600], &cpu), ([600, 4], &cpu), ([500; 2], &without), ([500; 2], &taken_for_gpu)] {
            assert_eq!(Backend::choose(size, device), Backend::Device, "{size:?}");
        }
    }
}

mod device {
    use super::*;

    /// The info is that of an internal error, the vector holds a value that no result has, and the queue continues.
    #[test]
    fn a_panic_of_the_host_s_routine_is_told() {
        for (context, device_info) in natives() {
            let queue = context.queue().unwrap();
            let executor = Executor::new::<f64>(&queue, &device_info).unwrap();
            let a = Stored::<f64>::new(Layout::ColumnMajor, 4, 4, 0, 1);
            let (memory, tau) = (uploaded(&context, &a), context.upload(&[0.0_f64; 4]).unwrap());
            let mut info = context.upload(&[0_i32]).unwrap();
            let entries = DeviceSlice::info(&queue, &info.vector_mut().unwrap()).unwrap();
            let operand = crate::blas::level3::gemm::Operand::whole(Op::NoTrans, &a.shape);
            let block = Block::new(memory.vector().unwrap().memory().buffer().unwrap(), operand);
            assert!(executor.on_host::<f64>((block, [4, 4]), entries, |_| panic!("as tested")).unwrap());
            assert_eq!(info.download().unwrap(), [status::INTERNAL]);
            let values = (DeviceSlice::tau(&queue, &tau.vector().unwrap(), 4).unwrap(), 4, Some(f64::NAN));
            let routine = |_: faer::MatMut<'_, f64>, _: &mut [f64]| panic!("as tested");
            assert!(executor.on_host_with((block, [4, 4]), values, None, routine).unwrap());
            assert!(tau.download().unwrap().iter().all(|tau| tau.is_nan()));
            assert_eq!(memory.download().unwrap(), a.data);
        }
    }
}

mod device_small {
    use super::*;

    /// Kernels write its input and read its output, on its queue and on one that waits for it, without waiting on the
    /// host.
    #[test]
    fn a_factorisation_keeps_its_order_among_commands() {
        for (context, device_info) in natives() {
            let n = 90;
            let (a, b) =
                (Stored::<f64>::new(Layout::ColumnMajor, n, n, 2, 1), Stored::<f64>::new(Layout::RowMajor, n, n, 0, 2));
            let right = Stored::<f64>::new(Layout::ColumnMajor, n, 5, 0, 3);
            let [mut product, b_memory, a_memory] = [&a, &b, &a].map(|matrix| uploaded(&context, matrix));
            let mut solution = uploaded(&context, &right);
            let (mut pivots, mut info) =
                (context.upload(&vec![-7_i32; n]).unwrap(), context.upload(&[-7_i32]).unwrap());
            let plan = LuPlan { backend: Backend::Host, ..LuPlan::for_kernels(f64::KIND, &device_info) };
            let queue = context.queue().unwrap();
            let other = Queue::second(queue.context()).unwrap();
            for _ in 0..3 {
                let (a, b) = (a_memory.view(a.shape).unwrap(), b_memory.view(b.shape).unwrap());
                let c = product.view_mut(*a.shape()).unwrap();
                drop(gemm_on(&queue, Op::NoTrans, Op::NoTrans, 1.0, a, b, 0.0, c).unwrap());
                drop(imatcopy_on(&queue, Op::NoTrans, 2.0, product.in_place(*a.shape(), *a.shape()).unwrap()).unwrap());
                let pivots_view = pivots.vector_mut().unwrap();
                let c = product.view_mut(*a.shape()).unwrap();
                drop(
                    getrf_with_plan(
                        &queue,
                        c,
                        &read_only(&pivots_view),
                        &info.vector_mut().unwrap(),
                        (&plan, &device_info),
                    )
                    .unwrap(),
                );
            }
            other.wait_for_queue(&queue).unwrap();
            let (factors, x) = (product.view(a.shape).unwrap(), solution.view_mut(right.shape).unwrap());
            getrs_on(&other, Op::NoTrans, factors, pivots.vector().unwrap(), x).unwrap().wait().unwrap();
            assert_eq!(info.download().unwrap(), [0]);
            let twice = crate::lapack::tests::host::product(&a.dense(), &b.dense());
            let twice = faer::Mat::from_fn(n, n, |i, j| twice[(i, j)] * 2.0);
            let x = downloaded(&right, &solution);
            assert_ratio::<f64>(solution_ratio::<f64>(Op::NoTrans, &twice, &x.dense(), &right.dense()), "2 A B X", &n);
        }
    }

    #[test]
    fn factorisations_on_several_queues_at_a_time() {
        for on in natives() {
            thread::scope(|scope| {
                for n in [130, 150, 170] {
                    let on = &on;
                    scope.spawn(move || factorise_on_second_queue(on, n));
                }
            });
        }
    }

    /// All threads of rayon's global pool wait for factorisations, whose own work must not be waiting for them.
    #[test]
    fn those_who_wait_need_not_do_the_work() {
        for on in natives() {
            rayon::broadcast(|_| factorise_on_second_queue(&on, 200));
        }
    }
}
