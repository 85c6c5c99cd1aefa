//! Settings of how bad the way is.

use loadrig_core::units::ns_from_s;
use serde::{Deserialize, Serialize};

/// Time for which a lost chunk is held: Linux's least time-out of a retransmission.
pub const RETRANSMIT_NS: u64 = 200_000_000;

/// The longest delay that has a meaning: above it every client has given up.
const DELAY_S_MOST: f64 = 60.0;

/// Changes to what passes. The default does nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Seconds that each chunk from the client is held.
    pub delay_s: f64,
    /// Share of the chunks, either way, that are lost once.
    pub loss: f64,
    /// Bytes per second in each direction, of all connections together.
    pub bytes_per_s: Option<f64>,
    /// Most connections at once; those that are there when it is set stay.
    pub connections: Option<u32>,
}

impl Settings {
    /// The delay in nanoseconds.
    pub(crate) fn delay_ns(&self) -> u64 {
        ns_from_s(self.delay_s)
    }

    /// Says what makes no sense, with the value.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(0.0..=DELAY_S_MOST).contains(&self.delay_s) {
            return Err(format!("delay_s is {}, and not from 0 to {DELAY_S_MOST}", self.delay_s));
        }
        if !(0.0..=1.0).contains(&self.loss) {
            return Err(format!("loss is {}, and not from 0 to 1", self.loss));
        }
        if let Some(rate) = self.bytes_per_s.filter(|rate| !(1.0..=1e12).contains(rate)) {
            return Err(format!("bytes_per_s is {rate}, and not from 1 to 1e12"));
        }
        if self.connections == Some(0) {
            return Err("connections is 0, and nobody could ever connect".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn what_makes_no_sense_is_said_with_its_value() {
        let fine = Settings::default();
        assert_eq!(fine.check(), Ok(()));
        for (wrong, said) in [
            (Settings { delay_s: -0.5, ..fine }, "-0.5"),
            (Settings { delay_s: f64::NAN, ..fine }, "NaN"),
            (Settings { loss: 1.5, ..fine }, "1.5"),
            (Settings { bytes_per_s: Some(0.0), ..fine }, "bytes_per_s"),
            (Settings { connections: Some(0), ..fine }, "connections"),
        ] {
            let error = wrong.check().expect_err("it is wrong");
            assert!(error.contains(said), "{error}");
        }
    }
}
