// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA receive and transmit, on the emitted Verilog.

mod feed;
mod rx;
mod rx_captures;
mod rx_cut;
mod rx_examples;
mod rx_faults;
mod rx_hold;
mod rx_rows;
mod rx_setups;
mod tx;
mod tx_rows;
mod wave;
