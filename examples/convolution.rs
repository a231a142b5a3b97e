//! Finds a known pulse in a noisy signal, and smooths an image.

use affinimath::{
    Context, ConvolutionDescriptor, ConvolutionKind, ConvolutionMode, ConvolutionPlan, Result, correlate,
};

fn main() -> Result<()> {
    // Context::preferred()? is a GPU, where there is one.
    let context = Context::host();
    let pulse: Vec<f32> = (0..64).map(|i| (i as f32 * i as f32 * 0.02).sin()).collect();
    let mut signal: Vec<f32> = (0..10_000).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.5).collect();
    signal[4321..][..64].iter_mut().zip(&pulse).for_each(|(x, p)| *x += p);

    // One call: what it needs for these lengths is kept for the next one. The largest result is where the pulse begins.
    let (x, h) = (context.upload(&signal)?, context.upload(&pulse)?);
    let mut likeness = context.zeros::<f32>(signal.len() - pulse.len() + 1)?;
    correlate(ConvolutionMode::Valid, x.vector()?, h.vector()?, likeness.vector_mut()?)?.wait()?;
    let likeness = likeness.download()?;
    let found = (0..likeness.len()).max_by(|a, b| likeness[*a].total_cmp(&likeness[*b]));
    println!("the pulse begins at {found:?}");

    // A plan: an image of 48 rows of 64 numbers, each the mean of 5 by 5 around it.
    let smooth =
        ConvolutionDescriptor::new(ConvolutionKind::Convolution, &[48, 64], &[5, 5]).mode(ConvolutionMode::Same);
    let plan = ConvolutionPlan::<f64>::new(smooth.scale(1.0 / 25.0))?;
    let image: Vec<f64> = (0..48 * 64).map(|i| if (i / 64 + i % 64) % 2 == 0 { 1.0 } else { 0.0 }).collect();
    let (image, kernel) = (context.upload(&image)?, context.upload(&[1.0; 25])?);
    let mut smoothed = context.zeros::<f64>(plan.output_length())?;
    plan.execute(image.vector()?, kernel.vector()?, smoothed.vector_mut()?)?.wait()?;
    println!("in the middle of the image: {:.3}", smoothed.download()?[24 * 64 + 32]);
    Ok(())
}
