// SPDX-License-Identifier: MIT OR Apache-2.0
//! Receive queues, completion queues, faults and events, on the emitted Verilog.

mod anew;
mod chain;
mod cq;
mod events;
mod fault;
mod rq;
mod rq_blocks;
mod wave;
