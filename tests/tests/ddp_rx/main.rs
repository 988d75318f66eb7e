// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive, on the emitted Verilog.

mod faults;
mod invalidate;
mod mix;
mod random;
mod rdmap;
mod reads;
mod receives;
mod responses;
mod rows;
mod terminate;
mod wave;
mod wrap;
