// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices on a link, on the emitted Verilog.

mod acks;
mod deep;
mod drained;
mod ended;
mod faults;
mod finished;
mod holds;
mod insert;
mod late;
mod late_reads;
mod loss;
mod messages;
mod path_mtu;
mod peers;
mod press;
mod raw;
mod reads;
mod recovery;
mod refused;
mod revoked;
mod rows;
mod sinks;
mod unread;
mod vlans;
mod window;
