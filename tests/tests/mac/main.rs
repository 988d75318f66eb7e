// SPDX-License-Identifier: MIT OR Apache-2.0
//! The MAC and the FIFO between two clocks, `mac_w64`; and the top of a board around them.

mod board;
mod fifo;
mod port;
mod rx;
mod tx;
mod wave;
