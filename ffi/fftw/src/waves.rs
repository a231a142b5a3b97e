//! FFTW's real-to-real transforms of one pencil, each by a real or complex transform of the pencil.

use std::sync::Arc;

use affinimath_core::fft::descriptor::Transform;
use affinimath_cpu::fft::planner::PencilPlanner;
use affinimath_cpu::fft::real::RealTransform;
use affinimath_cpu::fft::real_to_real::RealToReal;
use affinimath_cpu::fft::roots::root;
use num_complex::Complex;
use rustfft::{Fft, FftDirection, FftNum};

use crate::memory::{complex_mut, split};

/// FFTW's kinds, in the order of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    R2hc,
    Hc2r,
    Dht,
    Redft00,
    Redft01,
    Redft10,
    Redft11,
    Rodft00,
    Rodft01,
    Rodft10,
    Rodft11,
}

impl Kind {
    const ALL: [Kind; 11] = [
        Kind::R2hc,
        Kind::Hc2r,
        Kind::Dht,
        Kind::Redft00,
        Kind::Redft01,
        Kind::Redft10,
        Kind::Redft11,
        Kind::Rodft00,
        Kind::Rodft01,
        Kind::Rodft10,
        Kind::Rodft11,
    ];

    /// The kind of one of FFTW's numbers.
    pub(crate) fn new(number: i32) -> Option<Self> {
        Kind::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The shortest pencil for which the kind is defined.
    pub(crate) fn min_length(self) -> usize {
        if self == Kind::Redft00 { 2 } else { 1 }
    }
}

/// The transform of a pencil of n real points.
pub(crate) struct Wave<R> {
    n: usize,
    method: Method<R>,
}

/// The algorithm of a kind.
enum Method<R> {
    /// Types II and III.
    Makhoul(RealToReal<R>),
    /// The half spectrum as real parts and, in reverse order, imaginary parts.
    ToHalfComplex(RealTransform<R>),
    FromHalfComplex(RealTransform<R>),
    Hartley(RealTransform<R>),
    /// Type I cosine: the spectrum of the even extension to 2(n - 1) points.
    Even(RealTransform<R>),
    /// Type I sine: the spectrum of the odd extension to 2(n + 1) points.
    Odd(RealTransform<R>),
    Type4(Type4<R>),
}

impl<R: FftNum> Wave<R> {
    /// `shared`: a transform may use all threads.
    pub(crate) fn new(kind: Kind, n: usize, shared: bool, planner: &mut PencilPlanner<R>) -> Self {
        let (forward, backward) = (FftDirection::Forward, FftDirection::Inverse);
        let mut real = |n, direction| RealTransform::new(n, direction, shared, planner);
        let method = match kind {
            Kind::R2hc => Method::ToHalfComplex(real(n, forward)),
            Kind::Hc2r => Method::FromHalfComplex(real(n, backward)),
            Kind::Dht => Method::Hartley(real(n, forward)),
            Kind::Redft00 => Method::Even(real(2 * (n - 1), forward)),
            Kind::Rodft00 => Method::Odd(real(2 * (n + 1), forward)),
            Kind::Redft10 => Method::Makhoul(RealToReal::new(n, Transform::Dct2, shared, planner)),
            Kind::Redft01 => Method::Makhoul(RealToReal::new(n, Transform::Dct3, shared, planner)),
            Kind::Rodft10 => Method::Makhoul(RealToReal::new(n, Transform::Dst2, shared, planner)),
            Kind::Rodft01 => Method::Makhoul(RealToReal::new(n, Transform::Dst3, shared, planner)),
            Kind::Redft11 => Method::Type4(Type4::new(n, false, shared, planner)),
            Kind::Rodft11 => Method::Type4(Type4::new(n, true, shared, planner)),
        };
        Wave { n, method }
    }

    /// Real values of workspace.
    pub(crate) fn workspace(&self) -> usize {
        let spectrum = |points: usize, fft: &RealTransform<R>| 2 * (points / 2 + 1 + 8) + 2 * fft.workspace();
        match &self.method {
            Method::Makhoul(wave) => wave.workspace(),
            Method::ToHalfComplex(fft) | Method::FromHalfComplex(fft) | Method::Hartley(fft) => spectrum(self.n, fft),
            Method::Even(fft) => 2 * (self.n - 1) + 16 + spectrum(2 * (self.n - 1), fft),
            Method::Odd(fft) => 2 * (self.n + 1) + 16 + spectrum(2 * (self.n + 1), fft),
            Method::Type4(wave) => wave.workspace(),
        }
    }

    pub(crate) fn transform(&self, from: &[R], to: &mut [R], memory: &mut [R]) {
        let n = self.n;
        match &self.method {
            Method::Makhoul(wave) => wave.transform(from, to, memory),
            Method::ToHalfComplex(fft) => {
                let (spectrum, workspace) = split(memory, 2 * (n / 2 + 1));
                let spectrum = complex_mut(spectrum);
                fft.forward(from, spectrum, complex_mut(workspace));
                spectrum.iter().enumerate().for_each(|(k, x)| to[k] = x.re);
                (1..n.div_ceil(2)).for_each(|k| to[n - k] = spectrum[k].im);
            }
            Method::FromHalfComplex(fft) => {
                let (spectrum, workspace) = split(memory, 2 * (n / 2 + 1));
                let spectrum = complex_mut(spectrum);
                spectrum.iter_mut().enumerate().for_each(|(k, x)| *x = Complex::new(from[k], R::zero()));
                (1..n.div_ceil(2)).for_each(|k| spectrum[k].im = from[n - k]);
                fft.backward(spectrum, to, complex_mut(workspace));
            }
            Method::Hartley(fft) => {
                let (spectrum, workspace) = split(memory, 2 * (n / 2 + 1));
                let spectrum = complex_mut(spectrum);
                fft.forward(from, spectrum, complex_mut(workspace));
                spectrum.iter().enumerate().for_each(|(k, x)| to[k] = x.re - x.im);
                (1..n.div_ceil(2)).for_each(|k| to[n - k] = spectrum[k].re + spectrum[k].im);
            }
            Method::Even(fft) => self.even(fft, from, to, memory),
            Method::Odd(fft) => self.odd(fft, from, to, memory),
            Method::Type4(wave) => wave.transform(from, to, memory),
        }
    }

    fn even(&self, fft: &RealTransform<R>, from: &[R], to: &mut [R], memory: &mut [R]) {
        let n = self.n;
        let (extension, memory) = split(memory, 2 * (n - 1));
        let (spectrum, workspace) = split(memory, 2 * n);
        let spectrum = complex_mut(spectrum);
        extension[..n].copy_from_slice(from);
        extension[n..].iter_mut().zip(from[1..n - 1].iter().rev()).for_each(|(to, x)| *to = *x);
        fft.forward(extension, spectrum, complex_mut(workspace));
        to.iter_mut().zip(spectrum).for_each(|(to, x)| *to = x.re);
    }

    fn odd(&self, fft: &RealTransform<R>, from: &[R], to: &mut [R], memory: &mut [R]) {
        let n = self.n;
        let (extension, memory) = split(memory, 2 * (n + 1));
        let (spectrum, workspace) = split(memory, 2 * (n + 2));
        let spectrum = complex_mut(spectrum);
        extension[0] = R::zero();
        extension[n + 1] = R::zero();
        extension[1..=n].copy_from_slice(from);
        extension[n + 2..].iter_mut().zip(from.iter().rev()).for_each(|(to, x)| *to = -*x);
        fft.forward(extension, spectrum, complex_mut(workspace));
        to.iter_mut().zip(&spectrum[1..]).for_each(|(to, x)| *to = -x.im);
    }
}

/// Cosine and sine transforms of type IV.
///
/// Even n: a complex transform of n/2 points z_j = x_(2j) + i x_(n-1-2j), with twiddles e^(-pi i (4j + 1) / 4n) before
/// and e^(-pi i k / n) after. Odd n: one of 2n points, x_j e^(-pi i j / 2n) and zeros. The sine transform of x is the
/// cosine transform of its reverse, with alternating signs.
struct Type4<R> {
    n: usize,
    is_sine: bool,
    fft: Arc<dyn Fft<R>>,
    before: Vec<Complex<R>>,
    /// Doubled.
    after: Vec<Complex<R>>,
}

impl<R: FftNum> Type4<R> {
    fn new(n: usize, is_sine: bool, shared: bool, planner: &mut PencilPlanner<R>) -> Self {
        let double = |x: Complex<R>| x + x;
        let even = n.is_multiple_of(2);
        let length = if even { n / 2 } else { 2 * n };
        let fft = planner.plan(length, FftDirection::Forward, shared);
        let (before, after) = if even {
            let before = (0..n / 2).map(|j| root(4 * j + 1, 8 * n)).collect();
            (before, (0..n / 2).map(|k| double(root(k, 2 * n))).collect())
        } else {
            let before = (0..n).map(|j| root(j, 4 * n)).collect();
            (before, (0..n).map(|k| double(root(2 * k + 1, 8 * n))).collect())
        };
        Type4 { n, is_sine, fft, before, after }
    }

    fn workspace(&self) -> usize {
        2 * self.fft.len() + 16 + 2 * self.fft.get_inplace_scratch_len()
    }

    fn transform(&self, from: &[R], to: &mut [R], memory: &mut [R]) {
        let n = self.n;
        let (points, workspace) = split(memory, 2 * self.fft.len());
        let points = complex_mut(points);
        let x = |j: usize| if self.is_sine { from[n - 1 - j] } else { from[j] };
        if n.is_multiple_of(2) {
            for (j, (z, twiddle)) in points.iter_mut().zip(&self.before).enumerate() {
                *z = Complex::new(x(2 * j), x(n - 1 - 2 * j)) * *twiddle;
            }
        } else {
            points.fill(Complex::new(R::zero(), R::zero()));
            for (j, (z, twiddle)) in points.iter_mut().zip(&self.before).enumerate() {
                *z = *twiddle * x(j);
            }
        }
        self.fft.process_with_scratch(points, complex_mut(workspace));
        let signed = |k: usize, y: R| if self.is_sine && k % 2 == 1 { -y } else { y };
        for (k, (z, twiddle)) in points.iter().zip(&self.after).enumerate() {
            let y = *z * *twiddle;
            to[if n.is_multiple_of(2) { 2 * k } else { k }] = if n.is_multiple_of(2) { y.re } else { signed(k, y.re) };
            if n.is_multiple_of(2) {
                to[n - 1 - 2 * k] = signed(1, -y.im);
            }
        }
    }
}
