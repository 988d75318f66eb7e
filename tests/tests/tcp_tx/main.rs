// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP transmit, on the emitted Verilog.

mod acks;
mod back;
mod congestion;
mod dups;
mod flow;
mod frames;
mod kinds;
mod persist;
mod pieces;
mod rest;
mod right;
mod rto;
mod state;
mod wave;
