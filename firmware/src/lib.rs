// SPDX-License-Identifier: MIT OR Apache-2.0
//! Link manager of Ferrowarp: everything about a connection that is not its steady state.
//!
//! Neighbours and echo ([`net`]), TCP open and close ([`tcp`]), MPA startup ([`mpa`]), hand-over to
//! the hardware, teardown and the application's interface ([`cm`]), Terminate messages
//! ([`terminate`]). All of it stands on one trait, [`port::Port`]; nothing here reads a clock,
//! opens a socket or touches memory of a device. `README.md` of this folder has the contract, the
//! states and the timers.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod cm;
pub mod config;
pub mod error;
pub mod mpa;
pub mod net;
pub mod port;
pub mod tcp;
pub mod terminate;
pub mod time;

pub use cm::Manager;
pub use config::Config;
