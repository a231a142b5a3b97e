//! Warnings of a device: features that it has and gemm does without. Results are right, but slower.

use std::fmt;

use affinimath::{Device, FailedProbe, ScalarKind, failed_probes};
use serde_json::{Value, json};

/// A warning, which fails no check.
pub enum Warning {
    /// The probe of a feature failed on a device of this compute capability, major * 10 + minor.
    Probe { capability: u32, probe: FailedProbe },
    /// The probes could not run.
    NoProbes { error: String },
}

impl Warning {
    /// The warnings of a device, for products of these types.
    pub fn of(device: &Device, kinds: &[ScalarKind]) -> Vec<Self> {
        let capability = device.info().nvidia.capability;
        match failed_probes(device) {
            Ok(failed) => {
                let selected = failed.into_iter().filter(|probe| kinds.contains(&probe.kind));
                selected.map(|probe| Warning::Probe { capability, probe }).collect()
            }
            Err(error) => vec![Warning::NoProbes { error: error.to_string() }],
        }
    }

    /// The warning as an object, without its backend.
    pub fn json(&self) -> Value {
        match self {
            Warning::Probe { capability, probe: FailedProbe { kind, feature, fallback } } => json!({
                "type": kind.letter().to_string(),
                "capability": capability,
                "feature": feature,
                "fallback": fallback,
                "text": self.to_string(),
            }),
            Warning::NoProbes { .. } => json!({ "text": self.to_string() }),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Probe { capability, probe: FailedProbe { kind, feature, fallback } } => write!(
                f,
                "{} gemm: the device has sm_{capability} tensor cores, but the probe of {feature} failed; gemm falls \
                 back to {fallback}, which are slower",
                kind.letter()
            ),
            Warning::NoProbes { error } => write!(f, "gemm's kernels could not be probed: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_probe_names_the_device_the_feature_and_the_fallback() {
        let probe = FailedProbe { kind: ScalarKind::S, feature: "wgmma", fallback: "tiles of mma.sync" };
        let warning = Warning::Probe { capability: 90, probe };
        assert_eq!(
            warning.to_string(),
            "S gemm: the device has sm_90 tensor cores, but the probe of wgmma failed; gemm falls back to tiles of \
             mma.sync, which are slower"
        );
        let json = warning.json();
        assert_eq!((&json["type"], &json["capability"], &json["feature"]), (&json!("S"), &json!(90), &json!("wgmma")));
        assert_eq!(json["fallback"], "tiles of mma.sync");
    }

    #[test]
    fn probes_that_could_not_run_are_a_warning() {
        let warning = Warning::NoProbes { error: "clCreateContext: -2".to_owned() };
        assert_eq!(warning.json(), json!({ "text": "gemm's kernels could not be probed: clCreateContext: -2" }));
    }
}
