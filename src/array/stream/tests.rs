//! Expressions in tiny pieces, as on a device with memory of its own, have the elements of the whole ones on the host.

use crate::array::{Element, Expr, eval_into_on, from_vec, s};
use crate::context::{ContextParts, DeviceContext, Queue, TransferLimits};
use crate::memory::Context;
use crate::testing::devices;

/// Contexts of all devices, in which expressions of 64 KiB come in pieces of 16 KiB.
fn contexts() -> Vec<Context> {
    let limits = TransferLimits {
        zero_copy: false,
        chunk_bytes: 1 << 10,
        staged_from: 4 << 10,
        operand_bytes: 1 << 28,
        matrix_bytes: 1 << 28,
        cached_bytes: 0,
        overlapped_from: u64::MAX,
        parallel: true,
    };
    let context =
        |device| Context::from_queue(&Queue::new(&DeviceContext::with_transfers(device, limits).unwrap()).unwrap());
    devices().iter().map(context).collect()
}

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + 13) % 1009) as f32 / 64.0 - 7.0).collect()
}

/// Compares the expression on the host with that on devices: as an array, and in memory that exists.
#[track_caller]
fn check<T: Element + PartialEq>(expr: &Expr<T>) {
    let expected = expr.eval_on(&Context::host()).unwrap().to_vec().unwrap();
    for context in contexts() {
        assert!(expr.eval_on(&context).unwrap().to_vec().unwrap() == expected, "as an array");
        let mut elements = vec![T::default(); expected.len()];
        let mut others = elements.clone();
        eval_into_on(&context, [expr.to_slice(&mut elements), expr.to_slice(&mut others)]).unwrap();
        assert!(elements == expected && others == expected, "in memory that exists");
        others.push(T::default());
        assert!(eval_into_on(&context, [expr.to_slice(&mut others)]).is_err());
    }
}

mod device {
    use super::*;

    #[test]
    fn elements_are_those_of_the_whole() {
        let n = 40_003;
        let (x, y): (Expr<f32>, Expr<f32>) = (from_vec(n, numbers(n)), from_vec(n, numbers(2 * n)[n..].to_vec()));
        check(&(2.5 * &x + y.abs().sqrt()));
        check(&(x.at(s![..;-1]) + &y));
        check(&(x.at(s![1..]) - y.at(s![..-1])));
        let m: Expr<f32> = from_vec([401, 99], numbers(401 * 99));
        let row: Expr<f32> = from_vec([99], numbers(99));
        check(&(&m * &row + 1.0));
        check(&m.sum(1));
        check(&(m.t() + 1.0));
        check(&m.cumsum(0));
    }

    #[test]
    fn operands_and_results_in_pinned_memory_are_those_of_the_whole() {
        let n = 40_003;
        let y: Expr<f32> = from_vec(n, numbers(2 * n)[n..].to_vec());
        let expected = (2.5 * from_vec(n, numbers(n)) + &y).eval_on(&Context::host()).unwrap().to_vec().unwrap();
        for context in contexts() {
            let (mut memory, mut result) = (context.pinned::<f32>(n).unwrap(), context.pinned::<f32>(n).unwrap());
            memory.copy_from_slice(&numbers(n));
            let x = memory.into_expr(n).unwrap();
            let z = 2.5 * &x + &y;
            assert!(z.eval_on(&context).unwrap().to_vec().unwrap() == expected, "as an array");
            for other in contexts().into_iter().chain([Context::host()]) {
                result.fill(0.0);
                eval_into_on(&other, [z.to_slice(&mut result)]).unwrap();
                assert!(*result == *expected, "in pinned memory, which may be another context's");
            }
            assert!(context.pinned::<f32>(3).unwrap().into_expr([2, 2]).is_err());
        }
    }

    #[test]
    fn sums_have_the_bits_of_the_whole() {
        let n = 5 * 16384 + 77;
        let (x, y): (Expr<f32>, Expr<f32>) = (from_vec(n, numbers(n)), from_vec(n, numbers(2 * n)[n..].to_vec()));
        check(&(&x * &y).sum(..));
        check(&x.norm());
        check(&(&x - x.mean(..)));
        check(&x.var(..));
        check(&(&x * &y + 1.0).max(..));
    }
}
