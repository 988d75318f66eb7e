// SPDX-License-Identifier: MIT OR Apache-2.0
//! Firmware on a device in plain code.

mod bad_input;
mod captures;
mod early;
mod flood;
mod half_close;
mod handover;
mod local;
mod mpa2_depths;
mod mpa2_frames;
mod mpa2_rtr;
mod mpa_errors;
mod mpa_frames;
mod mpa_startup;
mod neighbours;
mod net;
mod pair;
mod parsers;
mod path_mtu;
mod rations;
mod raw;
mod rows;
mod smoltcp;
mod streaming;
mod syns;
mod tcp;
mod terminate;
mod terminate_rows;
