// SPDX-License-Identifier: MIT OR Apache-2.0
//! The carrier of TLPs in Ethernet frames, `carrier_w64`.

mod bad_frames;
mod epochs;
mod host;
mod loss;
mod rate;
mod records;
mod wire;
