// SPDX-License-Identifier: MIT OR Apache-2.0
//! Floods beside a transfer: frames of a third station, and what they must leave as it is.
//!
//! [`bare`] has two bare devices: the floods that hardware answers, drops or gives to the raw ring.
//! [`whole`] has two devices with driver and firmware: the floods that firmware answers. Each walk
//! measures the transfer alone, then beside the flood.
//!
//! | invariant | bare devices | devices with firmware |
//! |---|---|---|
//! | I1 memory | both regions, octet by octet | the sink, octet by octet |
//! | I2 completions | each in order and once | as the driver finds them |
//! | I3 live regions only | the regions whole; unmapped memory fails the walk | the driver's, by the root complex |
//! | I4 nothing behind an answer | rings and region are taken away with the last answers | by the driver |
//! | I5 no wedge | the transfer; connections that were attacked and live | transfer and close |
//! | I6 nothing is left | no frame, no access behind the end | `Device::audit` as before |

mod bare;
mod frames;
mod whole;

pub use bare::bare;
pub use frames::Flood;
pub use whole::{whole, Whole};

/// Rate of the transfer beside a flood over its rate alone, at least.
const LEAST: f64 = 0.90;

/// What a flood did to the transfer, and the devices to the flood.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    /// Cycles of the transfer without a flood.
    pub alone: u64,
    /// Cycles of the transfer beside the flood.
    pub beside: u64,
    /// Frames of the flood.
    pub injected: u64,
    /// Frames of the devices beyond those of the transfer alone.
    pub answers: u64,
}

impl Beside {
    /// Rate of the transfer beside the flood over its rate alone.
    pub fn rate(&self) -> f64 {
        self.alone as f64 / self.beside as f64
    }

    /// The transfer keeps its rate; with `ration` one of so many frames is answered at most.
    fn judged(self, ration: Option<u64>) -> Result<Self, String> {
        let Self { alone, beside, injected, answers } = self;
        if ration.is_some_and(|ration| answers > injected / ration) {
            return Err(format!("{injected} frames have {answers} answers"));
        }
        match self.rate() {
            rate if rate >= LEAST => Ok(self),
            rate => Err(format!(
                "the transfer took {alone} cycles alone and {beside} beside the flood: a rate of {rate:.3}, {LEAST} is the least"
            )),
        }
    }
}
