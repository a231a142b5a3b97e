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
