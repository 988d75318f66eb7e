// SPDX-License-Identifier: MIT OR Apache-2.0
//! Four devices on a switch, on the emitted Verilog.

mod devices;
mod frames;
mod verbs;
