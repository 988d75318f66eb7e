// SPDX-License-Identifier: MIT OR Apache-2.0
//! Network receive, on the emitted Verilog.

mod captures;
mod cases;
mod fin;
mod traffic;
mod tuples;
mod wave;
