//! Elastic forces on spectral elements, as SPECFEM3D computes them: 5 x 5 x 5 Gauss-Lobatto-Legendre points for each
//! element, single precision, points shared by elements, which are coloured so that those of a colour share none.

use affinimath::kernel::{BuildError, BuildOption, Expr, Kernel};
use affinimath::tuner::space::{Configuration, Space, SpaceError};
use rayon::prelude::*;

/// Points of an element along an axis.
pub const NGLL: usize = 5;
/// Points of an element.
pub const POINTS: usize = NGLL * NGLL * NGLL;
/// Elements of arrays for each element: a whole number of warps.
pub const PADDED: usize = 128;
/// Values at a point of an element: the nine derivatives of local coordinates, the Jacobian, and two moduli.
pub const FACTORS: usize = 12;

/// Rule of Gauss, Lobatto and Legendre.
pub struct Rule {
    pub nodes: [f64; NGLL],
    pub weights: [f64; NGLL],
    /// Derivative of the l-th Lagrange polynomial at the i-th node, at [i][l].
    pub derivatives: [[f64; NGLL]; NGLL],
}

impl Rule {
    pub fn new() -> Self {
        let inner = (3.0_f64 / 7.0).sqrt();
        let nodes = [-1.0, -inner, 0.0, inner, 1.0];
        let weights = [0.1, 49.0 / 90.0, 32.0 / 45.0, 49.0 / 90.0, 0.1];
        // Barycentric weights give the derivatives.
        let bary: [f64; NGLL] = std::array::from_fn(|l| {
            (0..NGLL).filter(|m| *m != l).map(|m| 1.0 / (nodes[l] - nodes[m])).product::<f64>()
        });
        let mut derivatives = [[0.0; NGLL]; NGLL];
        for i in 0..NGLL {
            for l in (0..NGLL).filter(|l| *l != i) {
                derivatives[i][l] = bary[l] / bary[i] / (nodes[i] - nodes[l]);
            }
            derivatives[i][i] = -derivatives[i].iter().sum::<f64>();
        }
        Rule { nodes, weights, derivatives }
    }
}

/// A box of elements with curved faces, and two layers of rock.
pub struct Mesh {
    pub elements: usize,
    /// Points without repetition.
    pub points: usize,
    /// Point of each element's point, at 128 element + (25 k + 5 j + i).
    pub numbers: Vec<i32>,
    /// At (12 element + factor) 128 + point.
    pub factors: Vec<f32>,
    /// Elements by colour, one colour behind the other.
    pub order: Vec<i32>,
    /// Elements of each colour.
    pub colours: Vec<usize>,
}

impl Mesh {
    /// A mesh of so many elements along each axis.
    pub fn new([nx, ny, nz]: [usize; 3]) -> Self {
        let rule = Rule::new();
        let elements = nx * ny * nz;
        let sizes = [nx, ny, nz].map(|n| n * (NGLL - 1) + 1);
        let mut numbers = vec![0; elements * PADDED];
        let mut factors = vec![0.0; elements * FACTORS * PADDED];
        let own = numbers.par_chunks_mut(PADDED).zip(factors.par_chunks_mut(FACTORS * PADDED));
        own.enumerate().for_each(|(e, (numbers, factors))| {
            let corner = [e % nx, e / nx % ny, e / (nx * ny)];
            for (t, number) in numbers.iter_mut().enumerate() {
                let t = t.min(POINTS - 1);
                let local = [t % NGLL, t / NGLL % NGLL, t / (NGLL * NGLL)];
                let [i, j, k] = std::array::from_fn(|a| corner[a] * (NGLL - 1) + local[a]);
                *number = (i + sizes[0] * (j + sizes[1] * k)) as i32;
            }
            let positions = positions(&rule, corner, [nx, ny, nz]);
            for t in 0..POINTS {
                let depth = corner[2] as f64 / nz as f64;
                for (f, value) in point_factors(&rule, &positions, t, depth).into_iter().enumerate() {
                    factors[f * PADDED + t] = value as f32;
                }
            }
        });
        let (order, colours) = colour(elements, sizes.iter().product(), &numbers);
        Mesh { elements, points: sizes.iter().product(), numbers, factors, order, colours }
    }

    /// A displacement, three components for each point.
    pub fn displacement(&self) -> Vec<f32> {
        let value = |i: usize| ((i * 7919 % 1009) as f64 / 1009.0 - 0.5 + (i as f64 * 0.013).sin()) as f32;
        (0..3 * self.points).map(value).collect()
    }
}

/// Coordinates of an element's points: a unit grid that waves.
fn positions(rule: &Rule, corner: [usize; 3], sizes: [usize; 3]) -> Vec<[f64; 3]> {
    let one = |t: usize| {
        let local = [t % NGLL, t / NGLL % NGLL, t / (NGLL * NGLL)];
        let x: [f64; 3] = std::array::from_fn(|a| corner[a] as f64 + 0.5 * (1.0 + rule.nodes[local[a]]));
        let wave = |a: usize, b: usize| 0.08 * (2.1 * x[a] / sizes[a] as f64 + 1.3 * x[b]).sin();
        [x[0] + wave(1, 2), x[1] + wave(2, 0), x[2] + wave(0, 1)]
    };
    (0..POINTS).map(one).collect()
}

/// Factors at a point of an element: inverse of the Jacobian matrix, its determinant, bulk and shear modulus.
fn point_factors(rule: &Rule, positions: &[[f64; 3]], t: usize, depth: f64) -> [f64; FACTORS] {
    let local = [t % NGLL, t / NGLL % NGLL, t / (NGLL * NGLL)];
    let strides = [1, NGLL, NGLL * NGLL];
    // d[a][b]: derivative of coordinate a along local axis b.
    let d: [[f64; 3]; 3] = std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            let base = t - local[b] * strides[b];
            (0..NGLL).map(|l| rule.derivatives[local[b]][l] * positions[base + l * strides[b]][a]).sum()
        })
    });
    let minor = |a: usize, b: usize| {
        let (r, c) = ([(a + 1) % 3, (a + 2) % 3], [(b + 1) % 3, (b + 2) % 3]);
        d[r[0]][c[0]] * d[r[1]][c[1]] - d[r[0]][c[1]] * d[r[1]][c[0]]
    };
    let jacobian: f64 = (0..3).map(|b| d[0][b] * minor(0, b)).sum();
    let mut out = [0.0; FACTORS];
    for b in 0..3 {
        for a in 0..3 {
            // Derivative of local coordinate b along axis a.
            out[3 * b + a] = minor(a, b) / jacobian;
        }
    }
    out[9] = jacobian;
    out[10] = if depth < 0.5 { 5.2 } else { 3.1 };
    out[11] = if depth < 0.5 { 2.6 } else { 1.4 };
    out
}

/// Greedy colouring: no two elements of a colour share a point.
fn colour(elements: usize, points: usize, numbers: &[i32]) -> (Vec<i32>, Vec<usize>) {
    // Colours at each point, as bits.
    let mut taken = vec![0_u64; points];
    let mut classes: Vec<Vec<i32>> = Vec::new();
    for e in 0..elements {
        let own = &numbers[e * PADDED..e * PADDED + POINTS];
        let around = own.iter().fold(0, |bits, p| bits | taken[*p as usize]);
        let class = around.trailing_ones() as usize;
        for p in own {
            taken[*p as usize] |= 1 << class;
        }
        classes.resize_with(classes.len().max(class + 1), Vec::new);
        classes[class].push(e as i32);
    }
    (classes.concat(), classes.iter().map(Vec::len).collect())
}

/// Forces by their definition, in double precision: the divergence of stress, tested with each point's polynomial. With
/// `absolute`, sums of absolute values, to which bounds of rounding errors are relative.
pub fn reference(mesh: &Mesh, displacement: &[f32], absolute: bool) -> Vec<f64> {
    let rule = Rule::new();
    let mut forces = vec![0.0; 3 * mesh.points];
    let all: Vec<usize> = (0..mesh.elements).collect();
    for some in all.chunks(4096) {
        let own = some.par_iter().map(|e| element_forces(&rule, mesh, displacement, *e, absolute));
        for (e, own) in some.iter().zip(own.collect::<Vec<_>>()) {
            for (t, force) in own.iter().enumerate() {
                let number = mesh.numbers[e * PADDED + t] as usize;
                (0..3).for_each(|a| forces[3 * number + a] += force[a]);
            }
        }
    }
    forces
}

/// Forces of one element on its points.
fn element_forces(rule: &Rule, mesh: &Mesh, displacement: &[f32], e: usize, absolute: bool) -> Vec<[f64; 3]> {
    let size = |value: f64| if absolute { value.abs() } else { value };
    let minus = if absolute { 1.0 } else { -1.0 };
    let strides = [1, NGLL, NGLL * NGLL];
    let number = |t: usize| mesh.numbers[e * PADDED + t] as usize;
    let factor = |f: usize, t: usize| size(f64::from(mesh.factors[(e * FACTORS + f) * PADDED + t]));
    let h = |i: usize, l: usize| size(f64::from(rule.derivatives[i][l] as f32));
    let weight = |i: usize| f64::from(rule.weights[i] as f32);
    let local_of = |t: usize| [t % NGLL, t / NGLL % NGLL, t / (NGLL * NGLL)];
    // Stress in direction a through the faces of local axis b, at [a][b][t].
    let mut flux = [[[0.0; POINTS]; 3]; 3];
    for t in 0..POINTS {
        let local = local_of(t);
        let u = |t: usize, a: usize| size(f64::from(displacement[3 * number(t) + a]));
        // Derivatives along local axes, then along x, y and z.
        let along = |a: usize, b: usize| -> f64 {
            let base = t - local[b] * strides[b];
            (0..NGLL).map(|l| h(local[b], l) * u(base + l * strides[b], a)).sum()
        };
        let local_gradient: [[f64; 3]; 3] = std::array::from_fn(|a| std::array::from_fn(|b| along(a, b)));
        let gradient: [[f64; 3]; 3] = std::array::from_fn(|a| {
            std::array::from_fn(|c| (0..3).map(|b| local_gradient[a][b] * factor(3 * b + c, t)).sum())
        });
        let (kappa, mu) = (factor(10, t), factor(11, t));
        // The kernel has it as kappa + 4/3 mu - 2 mu.
        let lambda = kappa + if absolute { 10.0 / 3.0 } else { -2.0 / 3.0 } * mu;
        let trace: f64 = (0..3).map(|a| gradient[a][a]).sum();
        for a in 0..3 {
            let stress: [f64; 3] = std::array::from_fn(|c| {
                mu * (gradient[a][c] + gradient[c][a]) + if a == c { lambda * trace } else { 0.0 }
            });
            for (b, flux) in flux[a].iter_mut().enumerate() {
                flux[t] = factor(9, t) * (0..3).map(|c| stress[c] * factor(3 * b + c, t)).sum::<f64>();
            }
        }
    }
    let force = |t: usize, a: usize| {
        let local = local_of(t);
        let along = |b: usize| {
            let others = (0..3).filter(|c| *c != b).map(|c| weight(local[c])).product::<f64>();
            let base = t - local[b] * strides[b];
            let line = (0..NGLL).map(|l| weight(l) * h(l, local[b]) * flux[a][b][base + l * strides[b]]);
            others * line.sum::<f64>()
        };
        minus * (0..3).map(along).sum::<f64>()
    };
    (0..POINTS).map(|t| std::array::from_fn(|a| force(t, a))).collect()
}

/// Units in the last place, relative to sums of absolute values, that single precision may be wrong by: the longest
/// chain of roundings is two sums over 5 points, the gradient, stress and flux of 3 terms each, the weights, and 8
/// elements of a point.
pub const ROUNDINGS: f64 = 48.0;

/// Parameters of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Elements of a group, each with 128 work-items.
    pub elements: usize,
    /// Most registers of a work-item; 0 for the compiler's own choice.
    pub registers: usize,
}

impl Point {
    pub fn of(point: &Configuration) -> Option<Self> {
        Some(Point { elements: point.get("elements")?, registers: point.get("registers")? })
    }

    pub const fn items(&self) -> [usize; 3] {
        [PADDED, self.elements, 1]
    }
}

/// Points of the search.
pub fn space(has_registers: bool) -> Result<Space, SpaceError> {
    let registers: &[i64] = if has_registers { &[0, 32, 40, 48, 56, 64, 72, 80, 96, 128] } else { &[0] };
    Space::builder().values("elements", [1, 2, 4]).values("registers", registers.iter().copied()).build()
}

/// forces -= the elastic forces of `count` elements, from `first` on in `order`, which share no point.
///
/// `four_thirds` is 4/3, the part of the shear modulus in the modulus of compressional waves: an argument so that an
/// example can have it wrong.
pub fn kernel(point: &Point, four_thirds: f32) -> Result<Kernel, BuildError> {
    Kernel::build("elastic_forces", |k| {
        k.comment("forces -= elastic forces of spectral elements with 5 x 5 x 5 points, one work-item a point.");
        k.contract();
        k.group_size(point.items());
        if point.registers > 0 {
            k.build_option(BuildOption::NvMaxRegisterCount(point.registers as u32));
        }
        let (first, count) = (k.argument::<i32>("first"), k.argument::<i32>("count"));
        let order = k.input::<i32>("order");
        let numbers = k.input::<i32>("numbers");
        let factors = k.input::<f32>("factors");
        let rule = k.input::<f32>("rule");
        let displacement = k.input::<f32>("displacement");
        let forces = k.in_out::<f32>("forces");
        let n = NGLL as i32;

        // Derivatives, weighted derivatives, and weights, for the whole group.
        let table = k.local::<f32>("table", 2 * NGLL * NGLL + NGLL);
        let values = point.elements * POINTS;
        let u: [_; 3] = ["ux", "uy", "uz"].map(|name| k.local::<f32>(name, values));
        let flux: [[_; 3]; 3] = [["fxx", "fxy", "fxz"], ["fyx", "fyy", "fyz"], ["fzx", "fzy", "fzz"]]
            .map(|row| row.map(|name| k.local::<f32>(name, values)));

        let item = k.local_id(0).to::<i32>();
        let slot = k.local_id(1).to::<i32>();
        let position = k.group_id(0).to::<i32>() * point.elements as i32 + slot;
        // Work-items without a point or an element compute what another one does, and keep it to themselves.
        let t = item.min(POINTS as i32 - 1);
        let has_point = item.lt(POINTS as i32) & position.lt(count);
        let element = k.named("element", order.at(first + position.min(count - 1)));
        let (kk, rest) = (t / (n * n), t % (n * n));
        let (j, i) = (rest / n, rest % n);
        let base = slot * POINTS as i32;
        let own = base + t;

        let size = 2 * NGLL * NGLL + NGLL;
        k.when(slot.eq(0) & item.lt(size as i32), || table.store(item, rule.at(item)));
        let number = k.named("number", numbers.at(element * PADDED as i32 + t));
        k.when(item.lt(POINTS as i32), || {
            for (a, u) in u.iter().enumerate() {
                u.store(own, displacement.at(number * 3 + a as i32));
            }
        });
        k.barrier();

        let strides = [1, n, n * n];
        let index = [i, j, kk];
        // The first point of the line through this one along an axis.
        let starts: [Expr<'_, i32>; 3] = std::array::from_fn(|b| own - index[b] * strides[b]);
        let local_gradient: [[Expr<'_, f32>; 3]; 3] = std::array::from_fn(|a| {
            std::array::from_fn(|b| {
                let term = |l: i32| table.at(index[b] * n + l) * u[a].at(starts[b] + l * strides[b]);
                (1..n).fold(term(0), |sum, l| sum + term(l))
            })
        });
        let factor = |f: usize| factors.at(element * (FACTORS * PADDED) as i32 + (f * PADDED) as i32 + t);
        let to_local: [[Expr<'_, f32>; 3]; 3] = std::array::from_fn(|b| std::array::from_fn(|c| factor(3 * b + c)));
        let gradient: [[Expr<'_, f32>; 3]; 3] = std::array::from_fn(|a| {
            std::array::from_fn(|c| {
                (1..3).fold(local_gradient[a][0] * to_local[0][c], |sum, b| sum + local_gradient[a][b] * to_local[b][c])
            })
        });
        let (jacobian, kappa, mu) = (factor(9), factor(10), factor(11));
        let wave = kappa + mu * four_thirds;
        let lambda = wave - mu * 2.0_f32;
        let trace = gradient[0][0] + gradient[1][1] + gradient[2][2];
        let stress: [[Expr<'_, f32>; 3]; 3] = std::array::from_fn(|a| {
            std::array::from_fn(|c| {
                if a == c {
                    lambda * trace + mu * 2.0_f32 * gradient[a][a]
                } else {
                    let (low, high) = (a.min(c), a.max(c));
                    mu * (gradient[low][high] + gradient[high][low])
                }
            })
        });
        k.when(item.lt(POINTS as i32), || {
            for a in 0..3 {
                for b in 0..3 {
                    let sum = (1..3).fold(stress[a][0] * to_local[b][0], |sum, c| sum + stress[a][c] * to_local[b][c]);
                    flux[a][b].store(own, jacobian * sum);
                }
            }
        });
        k.barrier();

        let weights = index.map(|i| table.at(i + 2 * n * n));
        let others = [weights[1] * weights[2], weights[0] * weights[2], weights[0] * weights[1]];
        let force: [Expr<'_, f32>; 3] = std::array::from_fn(|a| {
            let along = |b: usize| {
                let term = |l: i32| table.at(index[b] + n * n + l * n) * flux[a][b].at(starts[b] + l * strides[b]);
                others[b] * (1..n).fold(term(0), |sum, l| sum + term(l))
            };
            along(0) + along(1) + along(2)
        });
        k.when(has_point, || {
            for (a, force) in force.iter().enumerate() {
                let component = number * 3 + a as i32;
                forces.store(component, forces.at(component) - *force);
            }
        });
    })
}

/// Derivatives, derivatives times weights, and weights, as the kernel reads them.
pub fn table() -> Vec<f32> {
    let rule = Rule::new();
    let mut table: Vec<f32> = rule.derivatives.iter().flatten().map(|value| *value as f32).collect();
    for l in 0..NGLL {
        for i in 0..NGLL {
            table.push((rule.weights[l] * rule.derivatives[l][i]) as f32);
        }
    }
    table.extend(rule.weights.map(|weight| weight as f32));
    table
}
