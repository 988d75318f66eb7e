// SPDX-License-Identifier: MIT OR Apache-2.0
//! FIFOs, splitters and joins of `hdl/src/stream`, on the emitted Verilog.

mod cut;
mod cut_native;
mod fifo;
mod join;
mod merge;
mod native;
mod split;
mod wave;
