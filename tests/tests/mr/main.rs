// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory regions, on the emitted Verilog.

mod rows;
mod table;
mod wave;
