// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stage benches, conformance and end-to-end tests of Ferrowarp.

pub mod bench;
pub mod built;
pub mod bus;
pub mod cited;
pub mod cutting;
pub mod ddp_model;
pub mod ddp_rx;
pub mod device;
pub mod digest;
pub mod driver;
pub mod flood;
pub mod fpdus;
pub mod fw;
pub mod mac;
pub mod mpa_model;
pub mod mpa_rx;
pub mod mpa_tx;
pub mod mr;
pub mod native;
pub mod net_rx;
pub mod net_rx_frames;
pub mod net_rx_model;
pub mod pcie;
pub mod pcie_bar;
pub mod proves;
pub mod queue;
pub mod record;
pub mod recorded;
pub mod rnic;
pub mod rnic_anew;
pub mod rnic_posts;
pub mod scratch;
pub mod served;
pub mod shrink;
pub mod sq;
pub mod stack;
pub mod stimulus;
pub mod switch_model;
pub mod tcp_judge;
pub mod tcp_tx;
pub mod tcp_wire;
pub mod verbs;
pub mod wave;

pub use built::built;
