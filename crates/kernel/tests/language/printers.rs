//! Two hundred random kernels in every language, against the interpreter.
//!
//! The texts of a language are one source, which its compiler takes in one call, with warnings as errors. C and Fortran
//! run as they are; CUDA and HIP run on the host, over headers that have a thread for each work-item; OpenCL C is
//! checked by Clang. A compiler that is missing is told, and checks nothing.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use affinimath_kernel::{Argument, Kernel, Launch, ScalarType, f16};
use libloading::Library;

use super::generator::{COUNTS, GROUPS, ITEMS, WIDTH, kernel};

const KERNELS: u64 = 200;

/// The buffers of a launch, with bits of real numbers that compare as such.
#[derive(Clone, Debug, PartialEq)]
struct Buffers<R> {
    reals: Vec<R>,
    integers: Vec<i32>,
    results: Vec<R>,
    words: Vec<u64>,
    bytes: Vec<u8>,
    halves: Vec<f16>,
    counts: Vec<i32>,
    ticks: Vec<u32>,
}

/// A real type of the kernels.
trait Number: Copy + PartialEq + std::fmt::Debug + Into<f64> {
    const SCALAR: ScalarType;
    const SCALE: Self;

    fn of(value: f64) -> Self;

    fn run(kernel: &Kernel, buffers: &mut Buffers<Self>);
}

macro_rules! number {
    ($type:ident $scalar:ident) => {
        impl Number for $type {
            const SCALAR: ScalarType = ScalarType::$scalar;
            const SCALE: Self = 1.7;

            fn of(value: f64) -> Self {
                value as $type
            }

            fn run(kernel: &Kernel, buffers: &mut Buffers<Self>) {
                let Buffers { reals, integers, results, words, bytes, halves, counts, ticks } = buffers;
                let arguments: [Argument<'_>; 10] = [
                    3_i64.into(),
                    Self::SCALE.into(),
                    (&*reals).into(),
                    (&*integers).into(),
                    results.into(),
                    words.into(),
                    bytes.into(),
                    halves.into(),
                    counts.into(),
                    ticks.into(),
                ];
                Launch::new(kernel, [GROUPS, 1, 1], [ITEMS, 1, 1]).run(arguments).unwrap();
            }
        }
    };
}

number!(f32 F32);
number!(f64 F64);

impl<R: Number> Buffers<R> {
    fn new() -> Self {
        let count = GROUPS * ITEMS * WIDTH;
        Buffers {
            reals: (0..count).map(|i| R::of(((i * 37 + 11) % 101) as f64 / 8.0 - 6.0)).collect(),
            integers: (0..count as i32).map(|i| i.wrapping_mul(0x6ab9_3c15) >> (i % 29)).collect(),
            results: vec![R::of(0.5); count],
            words: (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect(),
            bytes: (0..count).map(|i| (i * 73) as u8).collect(),
            halves: (0..count).map(|i| f16::from_f64(((i * 29 + 5) % 83) as f64 / 16.0 - 2.0)).collect(),
            counts: vec![0; COUNTS],
            ticks: vec![0x8000_0000; COUNTS],
        }
    }

    /// Equal bits, with the sign of zero.
    fn is(&self, other: &Self) -> bool {
        let bits = |values: &[R]| values.iter().map(|value| (*value).into().to_bits()).collect::<Vec<u64>>();
        bits(&self.results) == bits(&other.results) && self == other
    }
}

type Function<R> = unsafe extern "C" fn(
    *const i64,
    *const i64,
    i64,
    R,
    *const R,
    *const i32,
    *mut R,
    *mut u64,
    *mut u8,
    *mut f16,
    *mut i32,
    *mut u32,
);

/// A kernel, and what the interpreter makes of it.
struct Case<R> {
    kernel: Kernel,
    expected: Buffers<R>,
}

fn cases<R: Number>(seeds: impl Iterator<Item = u64>) -> Vec<Case<R>> {
    let one = |seed: u64| {
        let kernel = kernel(&format!("k{seed}"), seed, R::SCALAR);
        let mut expected = Buffers::new();
        R::run(&kernel, &mut expected);
        Case { kernel, expected }
    };
    seeds.map(one).collect()
}

/// Kernels of single and of double precision.
type Cases = (Vec<Case<f32>>, Vec<Case<f64>>);

fn all_cases() -> &'static Cases {
    static CASES: OnceLock<Cases> = OnceLock::new();
    CASES.get_or_init(|| (cases(0..KERNELS / 2), cases(KERNELS / 2..KERNELS)))
}

fn check<R: Number>(library: &Library, prefix: &str, cases: &[Case<R>], text: impl Fn(&Kernel) -> String) {
    for Case { kernel, expected } in cases {
        let mut b = Buffers::<R>::new();
        let (groups, items) = ([GROUPS as i64, 1, 1], [ITEMS as i64, 1, 1]);
        // SAFETY: the kernel's parameters are those of the type; the interpreter has found no fault in the launch.
        unsafe {
            let name = format!("{prefix}{}", kernel.name());
            let function = library.get::<Function<R>>(name.as_bytes()).unwrap();
            let inputs = (b.reals.as_ptr(), b.integers.as_ptr());
            let (results, words, bytes) = (b.results.as_mut_ptr(), b.words.as_mut_ptr(), b.bytes.as_mut_ptr());
            let (halves, counts, ticks) = (b.halves.as_mut_ptr(), b.counts.as_mut_ptr(), b.ticks.as_mut_ptr());
            let (groups, items) = (groups.as_ptr(), items.as_ptr());
            function(groups, items, 3, R::SCALE, inputs.0, inputs.1, results, words, bytes, halves, counts, ticks);
        }
        assert!(b.is(expected), "{b:?}\n{expected:?}\n{}", text(kernel));
    }
}

/// Texts as one source: functions, types and lines of the preprocessor that several of them have are there once.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let mut seen = HashSet::new();
    let mut out = String::new();
    for text in texts {
        for part in text.split_inclusive("\n\n") {
            let whole = part.trim_end();
            if seen.insert(whole.to_owned()) {
                out += whole;
                out += "\n\n";
            }
        }
    }
    out
}

/// Runs a compiler in a folder. False where there is none.
fn compile(folder: &Path, source: &str, text: &str, command: &[&str]) -> bool {
    std::fs::write(folder.join(source), text).unwrap();
    let output = Command::new(command[0]).args(&command[1..]).arg(source).current_dir(folder).output();
    let Ok(output) = output else {
        eprintln!("{} is not there: {source} is not checked", command[0]);
        return false;
    };
    let log = String::from_utf8_lossy(&output.stderr);
    let log: String = log.lines().take(60).map(|line| format!("{line}\n")).collect();
    if !output.status.success() {
        if std::env::var_os("KEEP").is_some() {
            std::fs::copy(folder.join(source), std::env::temp_dir().join(source)).unwrap();
        }
        panic!("{log}");
    }
    true
}

fn load(folder: &Path) -> ManuallyDrop<Library> {
    // It stays loaded: OpenMP's threads wait in its runtime for more work.
    // SAFETY: the library is code of ours, without initialisers.
    ManuallyDrop::new(unsafe { Library::new(folder.join("kernels.so")) }.unwrap())
}

const LIBRARY: [&str; 7] = ["-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fPIC", "-shared", "-okernels.so"];

fn run_c(text: impl Fn(&Kernel) -> String, options: [&str; 2]) {
    let (singles, doubles) = all_cases();
    let folder = tempfile::tempdir().unwrap();
    let source =
        joined(singles.iter().map(|case| text(&case.kernel)).chain(doubles.iter().map(|case| text(&case.kernel))));
    let mut command = vec!["cc", options[0], options[1], "-fopenmp"];
    command.extend(LIBRARY);
    command.extend([
        // Clang reads the pragma for contraction, GCC does not.
        "-Wno-unknown-pragmas",
        // A kernel may leave an argument, a variable or a result alone.
        "-Wno-unused",
        "-Wno-unused-parameter",
        // x != x is true for NaN; an unsigned number may be compared with 0.
        "-Wno-tautological-compare",
        "-Wno-type-limits",
        "-Wno-int-in-bool-context",
        // The compiler does not know that groups have work-items.
        "-Wno-maybe-uninitialized",
    ]);
    if compile(folder.path(), "kernels.c", &source, &command) {
        let library = load(folder.path());
        check(&library, "", singles, &text);
        check(&library, "", doubles, &text);
    }
}

#[test]
fn two_hundred_kernels_in_c99() {
    // Another test optimises fewer random kernels.
    run_c(|kernel| kernel.c99().unwrap(), ["-std=c99", "-O0"]);
}

#[test]
fn two_hundred_kernels_in_c_with_vectors() {
    run_c(|kernel| kernel.c_vectors().unwrap(), ["-std=gnu99", "-O1"]);
}

#[test]
fn two_hundred_kernels_in_fortran() {
    let (singles, doubles) = all_cases();
    let folder = tempfile::tempdir().unwrap();
    let text = |kernel: &Kernel| kernel.fortran().unwrap();
    let texts = singles.iter().map(|case| text(&case.kernel)).chain(doubles.iter().map(|case| text(&case.kernel)));
    let source: String = texts.collect();
    assert!(source.lines().all(|line| line.len() <= 132));
    let mut command = vec!["gfortran", "-std=f2008", "-O0", "-fopenmp"];
    command.extend(LIBRARY);
    command.extend([
        // A kernel may leave an argument alone, compare a number with itself, and count from 0 to 0.
        "-Wno-unused-dummy-argument",
        "-Wno-compare-reals",
        "-Wno-zerotrip",
        // The compiler does not know that groups have work-items.
        "-Wno-maybe-uninitialized",
    ]);
    if compile(folder.path(), "kernels.f90", &source, &command) {
        let library = load(folder.path());
        check(&library, "", singles, text);
        check(&library, "", doubles, text);
    }
}

/// Declarations of CUDA's and HIP's headers, on the host: a thread for each work-item, one group after another.
const HEADER: &str = r#"
#ifndef KERNEL_TEST
#define KERNEL_TEST
#include <cmath>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(items)
#define __builtin_nontemporal_store(value, address) (*(address) = (value))
using std::signbit;
typedef _Float16 __half;
typedef unsigned long long word;
struct Index { unsigned x, y, z; };
static thread_local Index threadIdx, blockIdx;
static Index blockDim, gridDim;
static pthread_barrier_t group;
static std::mutex step;
inline void __syncthreads() { pthread_barrier_wait(&group); }
template <class T> T min(T a, T b) { return a < b ? a : b; }
template <class T> T max(T a, T b) { return a > b ? a : b; }
template <class To, class From> To same_bits(From a) {
    To b;
    static_assert(sizeof a == sizeof b);
    memcpy(&b, &a, sizeof b);
    return b;
}
inline int __float_as_int(float a) { return same_bits<int>(a); }
inline unsigned __float_as_uint(float a) { return same_bits<unsigned>(a); }
inline float __int_as_float(int a) { return same_bits<float>(a); }
inline float __uint_as_float(unsigned a) { return same_bits<float>(a); }
inline long long __double_as_longlong(double a) { return same_bits<long long>(a); }
inline double __longlong_as_double(long long a) { return same_bits<double>(a); }
inline float __half2float(__half a) { return a; }
inline __half __float2half_rn(float a) { return (__half)a; }
inline int __popc(unsigned a) { return __builtin_popcount(a); }
inline int __popcll(word a) { return __builtin_popcountll(a); }
inline int __clz(int a) { return a ? __builtin_clz(a) : 32; }
inline int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((word)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline word __umul64hi(word a, word b) { return (word)((unsigned __int128)a * b >> 64); }
template <class T> void __stcs(T *p, T v) { *p = v; }
template <class T, class F> T changed(T *p, F f) {
    std::lock_guard<std::mutex> held(step);
    T old = *p;
    *p = f(old);
    return old;
}
inline int atomicAdd(int *p, int v) {
    return changed(p, [=](int old) { return (int)((unsigned)old + (unsigned)v); });
}
inline unsigned atomicAdd(unsigned *p, unsigned v) { return changed(p, [=](unsigned old) { return old + v; }); }
template <class T> T atomicMin(T *p, T v) { return changed(p, [=](T old) { return min(old, v); }); }
template <class T> T atomicMax(T *p, T v) { return changed(p, [=](T old) { return max(old, v); }); }
template <class Kernel> void launch(const long long *groups, const long long *items, Kernel kernel) {
    gridDim = {(unsigned)groups[0], 1, 1};
    blockDim = {(unsigned)items[0], 1, 1};
    pthread_barrier_init(&group, nullptr, blockDim.x);
    std::vector<std::thread> threads;
    for (unsigned item = 0; item < blockDim.x; item++)
        threads.emplace_back([=] {
            threadIdx = {item, 0, 0};
            for (unsigned g = 0; g < gridDim.x; g++) { blockIdx = {g, 0, 0}; kernel(); __syncthreads(); }
        });
    for (auto &thread : threads) thread.join();
    pthread_barrier_destroy(&group);
}
#endif
"#;

/// The function of a kernel that launches it.
fn launcher(kernel: &Kernel, real: &str) -> String {
    let parameters = format!(
        "const long long *groups, const long long *items, long long n, {real} scale, const {real} *reals, \
         const int *integers, {real} *results, word *words, unsigned char *bytes, __half *halves, int *counts, \
         unsigned *ticks"
    );
    let arguments = "n, scale, reals, integers, results, words, bytes, halves, counts, ticks";
    let name = kernel.name();
    format!(
        "extern \"C\" void run_{name}({parameters}) {{\n    \
         launch(groups, items, [=] {{ {name}({arguments}); }});\n}}\n"
    )
}

fn run_cuda(text: impl Fn(&Kernel) -> String) {
    let (singles, doubles) = all_cases();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("hip")).unwrap();
    for header in ["kernel_test.h", "cuda_fp16.h", "hip/hip_fp16.h", "hip/hip_runtime.h"] {
        std::fs::write(folder.path().join(header), HEADER).unwrap();
    }
    let kernels = singles.iter().map(|case| &case.kernel).chain(doubles.iter().map(|case| &case.kernel));
    let mut source = "#include \"kernel_test.h\"\n\n".to_owned() + &joined(kernels.map(&text));
    for Case { kernel, .. } in singles {
        write!(source, "{}", launcher(kernel, "float")).unwrap();
    }
    for Case { kernel, .. } in doubles {
        write!(source, "{}", launcher(kernel, "double")).unwrap();
    }
    // The tests of C optimise the same operations.
    let mut command = vec!["g++", "-std=c++17", "-O0", "-I.", "-pthread"];
    command.extend(LIBRARY);
    command.extend([
        // A kernel may leave an argument, a variable or a result alone.
        "-Wno-unused",
        "-Wno-unused-parameter",
        // x != x is true for NaN; an unsigned number may be compared with 0.
        "-Wno-tautological-compare",
        "-Wno-type-limits",
        // A choice between constants may be made a truth value.
        "-Wno-int-in-bool-context",
        "-Wno-maybe-uninitialized",
    ]);
    if compile(folder.path(), "kernels.cpp", &source, &command) {
        let library = load(folder.path());
        check(&library, "run_", singles, &text);
        check(&library, "run_", doubles, &text);
    }
}

#[test]
fn two_hundred_kernels_in_cuda() {
    run_cuda(Kernel::cuda);
}

#[test]
fn two_hundred_kernels_in_hip() {
    run_cuda(Kernel::hip);
}

#[test]
fn two_hundred_kernels_in_opencl_c() {
    let (singles, doubles) = all_cases();
    let folder = tempfile::tempdir().unwrap();
    let texts = singles.iter().map(|case| case.kernel.opencl()).chain(doubles.iter().map(|case| case.kernel.opencl()));
    let source = joined(texts);
    let options = ["-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-fsyntax-only"];
    let warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-unused-parameter", "-Wno-tautological-compare"];
    let found = ["clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"]
        .into_iter()
        .find(|clang| Command::new(clang).arg("--version").output().is_ok());
    let mut command = vec![found.unwrap_or("clang")];
    command.extend(options);
    command.extend(["-target", "spir64"]);
    command.extend(warnings);
    compile(folder.path(), "kernels.cl", &source, &command);
}
