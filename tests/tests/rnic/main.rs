// SPDX-License-Identifier: MIT OR Apache-2.0
//! The device behind its edge, on the emitted Verilog.

mod bus;
mod edge;
mod platform;
mod queues;
mod reset;
mod watchdog;
