// SPDX-License-Identifier: MIT OR Apache-2.0
//! The send queue from doorbell to ULPDU and completion, on the emitted Verilog.

mod blocks;
mod ends;
mod far;
mod faults;
mod headers;
mod kinds;
mod late;
mod rdmap;
mod replay;
mod rows;
mod wave;
mod work;
mod wrap;
