use super::*;
#[test]
fn debug_range() {
    let get = |name: &str, d: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(d);
    let units = get("UNITS", 1) as usize;
    let device = if get("CPU", 0) == 1 { DeviceClass::cpu(units) } else { DeviceClass::gpu(units) };
    let options = Options { has_elementary: get("ELEM", 0) == 1, max_points: get("POINTS", 600) as usize, ..Options::default() };
    let (from, to) = (get("FROM", 0), get("TO", 1));
    let mut bad = 0;
    for seed in from..to {
        let case = Case::random(seed, &options);
        let expected = match case.reference() { Ok(e) => e, Err(_) => continue };
        let result = match interpret(&case, &device) {
            Ok((memory, forms)) => case.compare(&expected, &memory).map_err(|e| format!("{forms:?} {}", e.lines().next().unwrap())),
            Err(e) => Err(e),
        };
        if let Err(e) = result {
            bad += 1;
            println!("seed {seed}: {}", e.lines().next().unwrap().chars().take(300).collect::<String>());
            if to == from + 1 {
                println!("{:#?}\n{:?}\n{e}", case.structure, case.arguments);
                let lowered = lower(&case.structure, &device).unwrap();
                for launch in &lowered.launch(&case.arguments).launches {
                    println!("{launch:?}");
                    if let Ok(k) = lowered.kernel(launch.variant) { println!("{}", k.opencl()); }
                }
            }
        }
    }
    println!("{bad} of {}", to - from);
}

use crate::fused::*;
use crate::function::*;
fn access(element: ElementType, class: AccessClass, is_written: bool) -> crate::fused::Access {
    crate::fused::Access { element, class, is_written, is_read: !is_written }
}
fn view(offset: usize, strides: &[i64], extents: &[usize]) -> View {
    View { offset, strides: strides.to_vec(), extents: extents.to_vec() }
}
struct B { name: String, s: Structure, a: Arguments, bytes: usize }
fn elementwise(name: &str, t: ElementType, extents: &[usize], ins: Vec<(AccessClass, usize, Vec<i64>)>, out: (AccessClass, usize, Vec<i64>), code: Vec<Instruction>, scalars: Vec<Value>, outs: usize) -> B {
    let rank = extents.len();
    let mut accesses: Vec<_> = ins.iter().map(|(c, _, _)| access(t, *c, false)).collect();
    let mut views: Vec<_> = ins.iter().map(|(_, o, s)| view(*o, s, extents)).collect();
    let mut effects = vec![];
    for o in 0..outs {
        accesses.push(access(t, out.0, true));
        views.push(view(out.1, &out.2, extents));
        effects.push(Effect::Store { access: ins.len() + o, value: code.len() - 1 - o, imaginary: None });
    }
    let n: usize = extents.iter().product();
    let bytes = n * t.bytes() * (ins.len() + outs);
    let s = Structure { rank, parallel: rank, accesses, scalars: scalars.iter().map(|v| v.element_type()).collect(), phases: vec![Phase { is_loop: true, code, effects }], slots: vec![], order: ReductionOrder { lanes: 1, chunk: 256 } };
    B { name: name.into(), s, a: Arguments { extents: extents.to_vec(), views, scalars }, bytes }
}
fn real(t: ElementType, v: f64) -> Value { if t == ElementType::F32 { Value::F32(v as f32) } else { Value::F64(v) } }
fn konst(t: ElementType, v: f64) -> Instruction { Instruction::Constant(t, if t == ElementType::F32 { (v as f32).to_bits() as u64 } else { v.to_bits() }) }
fn black_scholes(t: ElementType, n: usize) -> B {
    use Instruction::{Load, Scalar, Unary as U, Binary as Bi, Fma};
    let mut c = vec![];
    macro_rules! p { ($e:expr) => {{ c.push($e); c.len() - 1 }} }
    let s = p!(Load(0)); let x = p!(Load(1)); let time = p!(Load(2)); let r = p!(Scalar(0)); let v = p!(Scalar(1));
    let half = p!(konst(t, 0.5)); let one = p!(konst(t, 1.0));
    let root = p!(U(Unary::Sqrt, time)); let q = p!(Bi(Binary::Div, s, x)); let l = p!(U(Unary::Ln, q));
    let vv = p!(Bi(Binary::Mul, v, v)); let drift = p!(Fma(half, vv, r)); let num = p!(Fma(drift, time, l)); let den = p!(Bi(Binary::Mul, v, root));
    let d1 = p!(Bi(Binary::Div, num, den)); let d2 = p!(Bi(Binary::Sub, d1, den));
    let n1 = p!(U(Unary::Normcdf, d1)); let n2 = p!(U(Unary::Normcdf, d2));
    let rt = p!(Bi(Binary::Mul, r, time)); let nrt = p!(U(Unary::Neg, rt)); let e = p!(U(Unary::Exp, nrt)); let xe = p!(Bi(Binary::Mul, x, e));
    let sn = p!(Bi(Binary::Mul, s, n1)); let xn = p!(Bi(Binary::Mul, xe, n2)); 
    let m2 = p!(Bi(Binary::Sub, one, n2)); let m1 = p!(Bi(Binary::Sub, one, n1)); let a = p!(Bi(Binary::Mul, xe, m2)); let b = p!(Bi(Binary::Mul, s, m1));
    p!(Bi(Binary::Sub, sn, xn)); p!(Bi(Binary::Sub, a, b));
    let i = |_| (AccessClass::Contiguous, 0, vec![1]);
    elementwise(&format!("black_scholes_{t:?}"), t, &[n], (0..3).map(i).collect(), (AccessClass::Contiguous, 0, vec![1]), c, vec![real(t, 0.02), real(t, 0.3)], 2)
}
fn reduce(name: &str, t: ElementType, extents: &[usize], strides: Vec<i64>, class: AccessClass, parallel: usize, order: (usize, usize), softmax: bool) -> B {
    let rank = extents.len();
    use Instruction::{Load, Slot as S, Unary as U, Binary as Bi};
    let mut accesses = vec![access(t, class, false)];
    let mut views = vec![view(0, &strides, extents)];
    let mut phases = vec![];
    let mut slots = vec![];
    let n: usize = extents.iter().product();
    let mut bytes = n * t.bytes();
    if softmax {
        accesses.push(access(t, class, true)); views.push(view(0, &strides, extents)); bytes *= 2;
        slots.push(Slot { reduction: Reduction::Max, element: t }); slots.push(Slot { reduction: Reduction::Sum, element: t });
        phases.push(Phase { is_loop: true, code: vec![Load(0)], effects: vec![Effect::Reduce { slot: 0, value: 0 }] });
        let e = vec![Load(0), S(0), Bi(Binary::Sub, 0, 1), U(Unary::Exp, 2)];
        phases.push(Phase { is_loop: true, code: e.clone(), effects: vec![Effect::Reduce { slot: 1, value: 3 }] });
        let mut e = e; e.push(S(1)); e.push(Bi(Binary::Div, 3, 4));
        phases.push(Phase { is_loop: true, code: e, effects: vec![Effect::Store { access: 1, value: 5, imaginary: None }] });
    } else {
        slots.push(Slot { reduction: Reduction::Sum, element: t });
        phases.push(Phase { is_loop: true, code: vec![Load(0), Bi(Binary::Mul, 0, 0)], effects: vec![Effect::Reduce { slot: 0, value: 1 }] });
        phases.push(Phase { is_loop: false, code: vec![S(0), U(Unary::Sqrt, 0)], effects: vec![Effect::Store { access: 1, value: 1, imaginary: None }] });
        let mut st = vec![0i64; rank]; let mut x = 1; for k in (0..parallel).rev() { st[k] = x; x *= extents[k] as i64; }
        let c = if parallel == 0 { AccessClass::Uniform } else { AccessClass::InnerUniform };
        accesses.push(access(t, c, true)); views.push(view(0, &st, extents));
    }
    let s = Structure { rank, parallel, accesses, scalars: vec![], phases, slots, order: ReductionOrder { lanes: order.0, chunk: order.1 } };
    B { name: name.into(), s, a: Arguments { extents: extents.to_vec(), views, scalars: vec![] }, bytes }
}
fn benches() -> Vec<B> {
    use AccessClass::{Contiguous as C, InnerContiguous as IC, Strided as St};
    use Instruction::{Load, Scalar, Unary as U, Binary as Bi, Fma};
    let mut out = vec![];
    let scale: usize = std::env::var("SCALE").ok().and_then(|v| v.parse().ok()).unwrap_or(1);
    for t in [ElementType::F32, ElementType::F64] {
        let w = t.bytes();
        let n = (1usize << 28) / w / scale;
        let axpy = vec![Load(0), Load(1), U(Unary::Abs, 1), U(Unary::Sqrt, 2), Scalar(0), Fma(4, 0, 3)];
        let a = vec![real(t, 2.5)];
        let c = |_| (C, 0usize, vec![1i64]);
        out.push(elementwise(&format!("copy_{t:?}"), t, &[n], vec![c(0)], c(0), vec![Load(0)], vec![], 1));
        out.push(elementwise(&format!("axpy_{t:?}"), t, &[n], vec![c(0), c(0)], c(0), axpy.clone(), a.clone(), 1));
        out.push(elementwise(&format!("axpy_offset_{t:?}"), t, &[n - 4], vec![(C, 1, vec![1]), c(0)], c(0), axpy.clone(), a.clone(), 1));
        let m = ((n as f64).sqrt() as usize) / 64 * 64; let k = m as i64;
        let e = [m - 2, m - 2];
        let ic = (IC, m + 1, vec![k, 1]);
        out.push(elementwise(&format!("slice_{t:?}"), t, &e, vec![ic.clone(), ic.clone()], ic.clone(), axpy.clone(), a.clone(), 1));
        out.push(elementwise(&format!("strided_{t:?}"), t, &[m, m / 2], vec![(St, 0, vec![k, 2]), (IC, 0, vec![k, 1])], (IC, 0, vec![k, 1]), axpy.clone(), a.clone(), 1));
        out.push(elementwise(&format!("transposed_{t:?}"), t, &[m, m], vec![(St, 0, vec![1, k]), (IC, 0, vec![k, 1])], (IC, 0, vec![k, 1]), axpy.clone(), a.clone(), 1));
        out.push(elementwise(&format!("transpose_only_{t:?}"), t, &[m, m], vec![(St, 0, vec![1, k])], (IC, 0, vec![k, 1]), vec![Load(0)], vec![], 1));
        out.push(black_scholes(t, n / 2));
        let q = 1usize << 18; let _ = q;
        out.push(reduce(&format!("sum_{t:?}"), t, &[n], vec![1], C, 0, (256, 16384), false));
        out.push(reduce(&format!("sum_odd_{t:?}"), t, &[n - 1], vec![1], C, 0, (256, 16384), false));
        for l in [16usize, 64, 1024, 16384] {
            let o = if l < 32 { (1, 256) } else if l < 1024 { (32, 16384) } else { (256, 16384) };
            out.push(reduce(&format!("rows_{l}_{t:?}"), t, &[n / l, l], vec![l as i64, 1], IC, 1, o, false));
        }
        out.push(reduce(&format!("columns_{t:?}"), t, &[m, m], vec![1, k], St, 1, (1, 256), false));
        out.push(reduce(&format!("softmax_1024_{t:?}"), t, &[n / 1024, 1024], vec![1024, 1], IC, 1, (256, 16384), true));
        out.push(reduce(&format!("softmax_16384_{t:?}"), t, &[n / 16384, 16384], vec![16384, 1], IC, 1, (256, 16384), true));
        let _ = (Bi as fn(Binary, usize, usize) -> Instruction, U as fn(Unary, usize) -> Instruction);
    }
    out
}
#[test]
fn debug_emit() {
    let Ok(folder) = std::env::var("EMIT") else { return };
    let units: usize = std::env::var("UNITS").ok().and_then(|v| v.parse().ok()).unwrap_or(132);
    let mut device = if std::env::var("CPU").is_ok() { DeviceClass::cpu(units) } else { DeviceClass::gpu(units) };
    if std::env::var("LIBRARY").is_ok() { device.functions = crate::lower::Functions::Library; }
    std::fs::create_dir_all(&folder).unwrap();
    let mut index = String::new();
    for b in benches() {
        b.s.check().unwrap();
        let lowered = lower(&b.s, &device).unwrap();
        let recipe = lowered.launch(&b.a);
        let mut text = format!("case {} {}\n", b.name, b.bytes);
        for (a, v) in b.s.accesses.iter().zip(&b.a.views) {
            let top: i64 = v.offset as i64 + v.strides.iter().zip(&v.extents).map(|(s, n)| (s * (*n as i64 - 1)).max(0)).sum::<i64>() + 1;
            text += &format!("buffer {}\n", top as usize * a.element.bytes());
        }
        for w in &recipe.workspaces { text += &format!("buffer {}\n", w.bytes()); }
        for (k, l) in recipe.launches.iter().enumerate() {
            let kernel = match lowered.kernel(l.variant) { Ok(k) => k, Err(e) => { println!("{} {e}", b.name); continue } };
            let file = format!("{}_{k}.cl", b.name);
            std::fs::write(format!("{folder}/{file}"), kernel.opencl()).unwrap();
            let options: Vec<String> = kernel.build_options().iter().map(|o| o.opencl()).collect();
            text += &format!("launch {file} {} {} {} {} {} {} {} {} {}\n", kernel.name(), l.groups[0], l.groups[1], l.groups[2], l.items[0], l.items[1], l.items[2], l.arguments.len(), if options.is_empty() { "-".into() } else { options.join(" ") });
            for a in &l.arguments {
                text += &match a {
                    KernelArgument::Access(i) => format!("b {i}\n"),
                    KernelArgument::Workspace(i) => format!("b {}\n", b.s.accesses.len() + i),
                    KernelArgument::I32(v) => format!("i {v}\n"),
                    KernelArgument::I64(v) => format!("l {v}\n"),
                    KernelArgument::Scalar(Value::F32(v)) => format!("f {v}\n"),
                    KernelArgument::Scalar(Value::F64(v)) => format!("d {v}\n"),
                    other => panic!("{other:?}"),
                };
            }
        }
        index += &text; index += "end\n";
    }
    std::fs::write(format!("{folder}/index.txt"), index).unwrap();
}
