//! Expected seconds of a call that several devices share.

use crate::route::{Family, Model, Work};

/// Parts of a call: at the end one device may compute the last one while the others have none.
const PARTS: f64 = 64.0;

/// Devices that share a call, and the expected seconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Share {
    /// By their numbers, in their order.
    pub(super) devices: Vec<usize>,
    pub(super) seconds: f64,
}

/// The seconds of a call on one device: before and between operations, of all operations, and of transfers.
struct Alone {
    serial: f64,
    compute: f64,
}

impl Alone {
    fn of(model: &Model, work: &Work) -> Self {
        let none = Work { operations: 0, bytes_to: 0, bytes_from: 0, ..*work };
        let [[_, serial], [_, all]] = [none, Work { operations: work.operations, ..none }].map(|w| model.seconds(&w));
        Alone { serial, compute: (all - serial).max(f64::MIN_POSITIVE) }
    }
}

/// The seconds of a device's transfers: all operands come, or its part of a batch, and one of `count` parts of the
/// result goes.
fn transfer(model: &Model, work: &Work, count: usize) -> f64 {
    let batch = matches!(work.family, Family::Batch | Family::BatchFactorization);
    let bytes_to = if batch { work.bytes_to / count as u64 } else { work.bytes_to };
    let bytes_from = work.bytes_from / count as u64;
    let [[_, with], [_, without]] =
        [Work { bytes_to, bytes_from, ..*work }, Work { bytes_to: 0, bytes_from: 0, ..*work }]
            .map(|w| model.seconds(&w));
    with - without
}

impl Share {
    /// The devices of several that should share a call, by their models.
    ///
    /// Operations are shared by the devices' rates. Each device gets all operands over its own bus, and returns its
    /// part of the result, while it computes. Devices join by their rates, the fastest first, while that makes the call
    /// faster: the last part of a slow one may take longer than it saves. A device of which no rate is known takes no
    /// part: a CPU that was never tuned.
    pub(super) fn choose(models: &[&Model], work: &Work) -> Self {
        let alone: Vec<Alone> = models.iter().map(|model| Alone::of(model, work)).collect();
        let is_known = |device: &usize| alone[*device].compute > f64::MIN_POSITIVE || work.operations == 0;
        let mut order: Vec<usize> = (0..models.len()).filter(is_known).collect();
        order.sort_by(|first, second| alone[*first].compute.total_cmp(&alone[*second].compute));
        let mut best = Share { devices: Vec::new(), seconds: f64::INFINITY };
        for count in 1..=order.len() {
            let devices = &order[..count];
            let slowest = |of: &dyn Fn(usize) -> f64| devices.iter().map(|device| of(*device)).fold(0.0, f64::max);
            let rate: f64 = devices.iter().map(|device| 1.0 / alone[*device].compute).sum();
            let last = if count > 1 { slowest(&|device| alone[device].compute / PARTS) } else { 0.0 };
            let transfers = slowest(&|device| transfer(models[device], work, count));
            let seconds = slowest(&|device| alone[device].serial) + transfers.max(1.0 / rate) + last;
            if seconds < best.seconds {
                best = Share { devices: devices.to_vec(), seconds };
            }
        }
        best.devices.sort_unstable();
        best
    }
}

#[cfg(test)]
mod host {
    use super::*;
    use crate::device::{DeviceClass, DeviceInfo, example};
    use crate::route::PAYS_BELOW;
    use crate::scalar::ScalarKind;

    fn model(compute_units: usize) -> Model {
        Model::assumed(&DeviceInfo { compute_units, ..example(DeviceClass::Gpu) }, 2)
    }

    #[test]
    fn equal_devices_share_a_large_call_and_not_a_small_one() {
        let models = [model(132), model(132)];
        let both: Vec<&Model> = models.iter().collect();
        for family in [Family::Product, Family::Lu] {
            let large = family.work(ScalarKind::D, 65_536);
            let share = Share::choose(&both, &large);
            assert_eq!(share.devices, [0, 1], "{family:?}");
            let [_, alone] = models[0].seconds(&large);
            assert!(share.seconds < 0.8 * alone, "{family:?}: {} of {alone}", share.seconds);
            let small = family.work(ScalarKind::D, 64);
            let [_, alone] = models[0].seconds(&small);
            let share = Share::choose(&both, &small);
            assert!(share.seconds > PAYS_BELOW * alone, "{family:?}: {} of {alone}", share.seconds);
        }
    }

    #[test]
    fn a_device_without_rates_takes_no_part() {
        let cpu = Model::assumed(&example(DeviceClass::Cpu), 2);
        let [gpu, other] = [model(132), model(132)];
        let work = Family::Product.work(ScalarKind::D, 65_536);
        assert_eq!(Share::choose(&[&gpu, &cpu, &other], &work).devices, [0, 2]);
        assert!(Share::choose(&[&cpu, &cpu], &work).devices.is_empty());
    }

    #[test]
    fn a_device_that_is_much_slower_takes_no_part() {
        let models = [model(1), model(132), model(100)];
        let all: Vec<&Model> = models.iter().collect();
        assert_eq!(Share::choose(&all, &Family::Product.work(ScalarKind::D, 65_536)).devices, [1, 2]);
    }
}
