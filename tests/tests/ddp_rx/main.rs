// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive, on the emitted Verilog.

mod anew;
mod faults;
mod inbound;
mod invalidate;
mod mix;
mod random;
mod rdmap;
mod reads;
mod receives;
mod responses;
mod rows;
mod terminate;
mod token;
mod wave;
mod wide;
mod wrap;
