// SPDX-License-Identifier: MIT OR Apache-2.0
//! F5: what the bus does to the device. `reads` has the DMA side of the edge alone, `resets` the
//! whole device.

mod misdeeds;
mod reads;
mod resets;

pub use reads::Reads;
pub use resets::Resets;
