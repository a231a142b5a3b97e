//! Recipes as they are printed.

use super::super::convolution::ConvolutionProblem;
use super::super::descriptor::Problem;
use super::super::pass::PassList;
use super::super::planner::Planner;
use super::super::recipe::{ConvolutionRecipe, Recipe};
use super::super::space::FftParameters;
use super::super::{ConvolutionDescriptor, ConvolutionKind};
use super::{FORWARD, FftDescriptor, Transform};
use crate::device::DeviceClass;

fn planner(class: DeviceClass, double: bool) -> Planner {
    let device_info = crate::device::example(class);
    Planner::of(&device_info, double, &FftParameters::for_device(double, &device_info))
}

fn recipe(descriptor: &FftDescriptor, planner: &Planner) -> String {
    Recipe::choose(&Problem::new(descriptor).unwrap(), planner).to_string()
}

mod host {
    use super::*;

    #[test]
    fn recipes_name_the_algorithm_of_each_length() {
        let (gpu, cpu) = (planner(DeviceClass::Gpu, false), planner(DeviceClass::Cpu, false));
        for (length, on_gpu, on_cpu) in [
            (8, "Stockham { 4 x 2 }", "Stockham { 8 }"),
            (360, "Stockham { 15 x 12 x 2 }", "FourStep { 15 x 24 }"),
            ((3 * 5) << 10, "FourStep { 120 x 128 }", "FourStep { 96 x 160 }"),
            (8192, "Stockham { 16 x 16 x 16 x 2 }", "FourStep { 64 x 128 }"),
            (1 << 20, "FourStep { 512 x 2048 }", "FourStep { 1024 x 1024 }"),
            (1009, "Bluestein { 2048: Stockham { 16 x 16 x 8 } }", "Bluestein { 2048: FourStep { 32 x 64 } }"),
            (1 << 24, "FourStep { 256 x 256 x 256 }", "FourStep { 4096 x 4096 }"),
        ] {
            let descriptor = FftDescriptor::new(FORWARD, &[length]);
            assert_eq!(recipe(&descriptor, &gpu), format!("axis 0: {on_gpu}"), "{length}");
            assert_eq!(recipe(&descriptor, &cpu), format!("axis 0: {on_cpu}"), "{length}");
        }
    }

    #[test]
    fn recipes_name_the_packing_of_real_axes() {
        let gpu = planner(DeviceClass::Gpu, true);
        let image = FftDescriptor::new(Transform::RealToComplex, &[480, 640]);
        assert_eq!(
            recipe(&image, &gpu),
            "axis 1: HalfLength, Stockham { 16 x 5 x 4 }\naxis 0: Stockham { 16 x 15 x 2 }"
        );
        let cosine = FftDescriptor::new(Transform::Dct2, &[8]);
        assert_eq!(recipe(&cosine, &gpu), "axis 0: Makhoul, Stockham { 4 x 2 }");
    }

    /// The example of docs/src/internals/fft.md.
    #[test]
    fn a_four_step_recipe_becomes_two_passes() {
        let gpu = planner(DeviceClass::Gpu, false);
        let problem = Problem::new(&FftDescriptor::new(FORWARD, &[(3 * 5) << 10])).unwrap();
        let passes = PassList::lower(&Recipe::choose(&problem, &gpu), &problem, &gpu);
        assert_eq!(
            passes.to_string(),
            "pass 0: 120 = 8 x 5 x 3, 128 pencils, 16 per work-group of 240 work-items\n\
         pass 1: 128 = 16 x 8, 120 pencils, 16 per work-group of 128 work-items"
        );
    }

    #[test]
    fn a_convolution_of_one_dimension_is_one_pass() {
        let gpu = planner(DeviceClass::Gpu, false);
        let descriptor = ConvolutionDescriptor::new(ConvolutionKind::Convolution, &[1000], &[9]);
        let problem = ConvolutionProblem::new(&descriptor).unwrap();
        let recipe = ConvolutionRecipe::choose(&problem, false, &gpu);
        let (passes, kernel_passes) = PassList::lower_convolution(&recipe, &problem, false, &gpu);
        assert_eq!((kernel_passes, passes.passes.len()), (1, 2));
        assert!(recipe.to_string().contains("forward-multiply-inverse, axis 0: Stockham"), "{recipe}");
    }
}
