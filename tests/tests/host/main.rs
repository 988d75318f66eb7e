// SPDX-License-Identifier: MIT OR Apache-2.0
//! Admin port, doorbells, raw rings and time, on the emitted Verilog.

mod admin;
mod dma;
mod doorbells;
mod native;
mod platform;
mod raw;
mod time;
mod watchdog;
mod wave;
