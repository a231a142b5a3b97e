//! The convolution theorem: two polynomials are multiplied by their values at the roots of unity.

use affinimath::{Complex32, Context, Direction, FftDescriptor, FftPlan, Result, Transform, irfft, rfft};

fn main() -> Result<()> {
    // 1 + 2x + 3x² and 4 - x, in vectors with room for the product.
    let (p, q) = ([1.0_f64, 2.0, 3.0, 0.0], [4.0_f64, -1.0, 0.0, 0.0]);
    let n = p.len();
    // Context::preferred()? is a GPU, where there is one.
    let context = Context::host();
    let (p, q) = (context.upload(&p)?, context.upload(&q)?);
    let mut values = [context.zeros(n / 2 + 1)?, context.zeros(n / 2 + 1)?];

    // One call each: what it needs for this length is kept for the next one.
    rfft::<f64>(&[n], p.vector()?, values[0].vector_mut()?)?.wait()?;
    rfft::<f64>(&[n], q.vector()?, values[1].vector_mut()?)?.wait()?;
    let [p, q] = [values[0].download()?, values[1].download()?];
    let product: Vec<_> = p.iter().zip(&q).map(|(p, q)| p * q / n as f64).collect();
    let (product, mut coefficients) = (context.upload(&product)?, context.zeros(n)?);
    irfft::<f64>(&[n], product.vector()?, coefficients.vector_mut()?)?.wait()?;
    println!("the product's coefficients: {:.3?}", coefficients.download()?);

    // A plan: the cosine transform of the same numbers, in place.
    let plan = FftPlan::<f64>::new(FftDescriptor::new(Transform::Dct2, &[n]).in_place())?;
    plan.execute_in_place(coefficients.vector_mut()?)?.wait()?;
    println!("their cosine transform: {:.3?}", coefficients.download()?);

    // And of the columns of a matrix of 3 rows and 2 columns: they come one after the other.
    let columns = FftDescriptor::new(Transform::Complex(Direction::Forward), &[3]).batch(2).input_layout(&[2], 1);
    let matrix = context.upload(&[1.0, 4.0, 1.0, 0.0, 1.0, 0.0].map(|re| Complex32::new(re, 0.0)))?;
    let mut spectra = context.zeros::<Complex32>(6)?;
    FftPlan::<f32>::new(columns)?.execute(matrix.vector()?, spectra.vector_mut()?)?.wait()?;
    println!("the columns' transforms: {:.3?}", spectra.download()?.chunks(3).collect::<Vec<_>>());
    Ok(())
}
