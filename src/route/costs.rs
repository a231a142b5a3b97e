//! Cost model of a device: from the tuning database, or measured at the first call that may be faster there.

mod measure;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::device::{Device, DeviceClass, DeviceInfo};
use crate::host;
use crate::tuning::database::{self, Key};
use crate::tuning::machine::Machine;
use crate::tuning::model::{Model, Work};

/// The costs of calls on the host and on one device.
#[derive(Debug)]
pub struct Costs {
    /// From the database, from a measurement, or assumed.
    model: OnceLock<Model>,
    unmeasured: Option<Unmeasured>,
}

/// A device that nothing is known of yet.
#[derive(Debug)]
struct Unmeasured {
    device: &'static Device,
    key: Key,
    /// With rates that no machine exceeds: what does not pay there needs no measurement.
    at_best: Model,
    /// Model used during the measurement, and after a failed one.
    assumed: Model,
    begun: AtomicBool,
}

impl Costs {
    /// Costs that are known.
    pub(super) fn known(model: Model) -> Self {
        Costs { model: OnceLock::from(model), unmeasured: None }
    }

    /// Those of calls with a device, where `baseline` does what the device does not.
    pub(super) fn of_device(device: &'static Device, baseline: &str) -> Self {
        let device_info = device.info();
        if let Some(model) = database::known_model(device_info, baseline) {
            return Self::known(model);
        }
        if device_info.class != DeviceClass::Gpu {
            return Self::known(database::assumed_model(device_info, baseline));
        }
        let at_best = Model::of_machine(&Machine::assumed(device_info, host::threads()).at_best());
        let (key, assumed) = (Key::of(device_info, baseline), database::assumed_model(device_info, baseline));
        let unmeasured = Some(Unmeasured { device, key, at_best, assumed, begun: AtomicBool::new(false) });
        Costs { model: OnceLock::new(), unmeasured }
    }

    /// True if the device may be expected to be faster, once its rates are known. Nothing is measured.
    pub(super) fn may_pay(&self, work: &Work) -> bool {
        let known = self.model.get().or(self.unmeasured.as_ref().map(|unmeasured| &unmeasured.at_best));
        known.is_some_and(|model| model.pays(work))
    }

    /// True if the device is expected to be faster: an atomic load and a few multiplications, but for the first call
    /// for which a measurement is worth its time.
    pub(super) fn pays(&self, work: &Work) -> bool {
        match (self.model.get(), &self.unmeasured) {
            (Some(model), _) => model.pays(work),
            (None, Some(unmeasured)) if !unmeasured.at_best.pays(work) => false,
            _ => self.model().pays(work),
        }
    }

    /// The model, measured if it is not known. A call that comes while another thread measures goes by what is assumed.
    pub fn model(&self) -> &Model {
        if let Some(model) = self.model.get() {
            return model;
        }
        let unmeasured = self.unmeasured.as_ref().expect("costs are known, or belong to a device");
        // Nobody waits: threads of the pool that waited here could be those that the measurement needs.
        if unmeasured.begun.swap(true, Ordering::Relaxed) {
            return self.model.get().unwrap_or(&unmeasured.assumed);
        }
        let model = unmeasured.measure();
        self.model.get_or_init(|| model)
    }
}

impl Unmeasured {
    fn measure(&self) -> Model {
        let device_info: &DeviceInfo = self.device.info();
        let begin = Instant::now();
        let measured = measure::machine(self.device).map(|machine| (machine, machine.is_sound()));
        match measured {
            Ok((machine, true)) => {
                tracing::info!(device = device_info.name, ?machine, took = ?begin.elapsed(), "a device's rates were \
                 measured");
                if let Err(error) = database::append_machine(&self.key, &machine) {
                    tracing::debug!(%error, "the rates are not kept for the next process");
                }
                Model::of_machine(&machine)
            }
            Ok((machine, false)) => {
                tracing::warn!(?machine, "the rates of a device make no sense: they are assumed");
                self.assumed.clone()
            }
            Err(error) => {
                tracing::warn!(%error, "the rates of a device cannot be measured: they are assumed");
                self.assumed.clone()
            }
        }
    }
}
