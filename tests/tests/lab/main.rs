// SPDX-License-Identifier: MIT OR Apache-2.0
//! Driver, firmware and Verilog: against a scripted peer, or two devices.

mod behind_fin;
mod bound;
mod close;
mod descriptors;
mod early;
mod ends;
mod error_rows;
mod examples;
mod fd_epoll;
mod fd_reuse;
mod flaps;
mod greeting;
mod half_close;
mod half_close_pair;
mod liveness;
mod markers;
mod mpa2_rows;
mod mpa_rows;
mod mulpdu;
mod numbers;
mod options;
mod overrun;
mod overrun_rate;
mod path_mtu;
mod platform;
mod raw;
mod rdmap_rows;
mod rtr;
mod second_open;
mod streaming;
mod tcp_rows;
mod terminate;
mod terminate_rows;
mod vlans;
