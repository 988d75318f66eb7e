// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices on a switch, on the emitted Verilog.

mod devices;
mod frames;
mod programs;
mod verbs;
