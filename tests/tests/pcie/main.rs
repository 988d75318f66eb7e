// SPDX-License-Identifier: MIT OR Apache-2.0
//! The edge towards PCI Express, on the emitted Verilog.

mod bar;
mod bar_parts;
mod cut;
mod filter;
mod order;
mod rate;
mod reads;
mod realign;
mod wave;
mod widths;
mod writes;
