// SPDX-License-Identifier: MIT OR Apache-2.0
//! librdmacm: connections of programs, as `rdma_cma.h` has them.
mod advance;
mod channel;
mod channel_calls;
mod connect;
mod cqs;
mod default;
mod ends;
mod ep;
mod event;
mod id;
mod id_calls;
mod info;
mod names;
pub mod net;
mod outcome;
mod params;
mod phase;
mod port;
mod qp_calls;
mod resolve;
mod sync;
mod watcher;
