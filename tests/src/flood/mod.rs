//! Floods beside a transfer: frames of a third station, and what they must leave as it is.
//!
//! [`bare`] has two bare devices: the floods that hardware answers, drops or gives to the raw ring. [`whole`] has two devices with
//! driver and firmware: the floods that firmware answers. Each walk measures the transfer alone, then beside the flood.
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

/// Cycles of the transfer alone over those beside a flood.
const LEAST: f64 = 0.90;

/// The transfer keeps its rate.
fn kept(alone: u64, beside: u64) -> Result<(), String> {
    let rate = alone as f64 / beside as f64;
    match rate >= LEAST {
        true => Ok(()),
        false => Err(format!(
            "the transfer took {alone} cycles alone and {beside} beside the flood: a rate of {rate:.3}, {LEAST} is the least"
        )),
    }
}
