// SPDX-License-Identifier: MIT OR Apache-2.0
//! Link manager of Ferrowarp: everything about a connection that is not its steady state.
//!
//! Neighbours and echo ([`net`]), TCP open and close ([`tcp`]), MPA startup ([`mpa`]), hand-over to
//! the hardware, teardown and the application's interface ([`cm`]), Terminate messages
//! ([`terminate`]). All of it stands on one trait, [`port::Port`]; nothing here reads a clock,
//! opens a socket or touches memory of a device. `README.md` of this folder has the contract, the
//! states and the timers.
//!
//! How both ends agree on the depths of RDMA Reads (RFC 6581): the initiator asks, the responder
//! answers with what the device can hold.
//!
//! ```
//! use ferrowarp_firmware::mpa::negotiate::{conclude, request, respond, Limits, RtrSet, Wanted};
//!
//! let rtr = RtrSet { write: true, ..RtrSet::default() };
//! let limits = Limits { ird: 8, ord: 8, rtr };
//! let asked = request(Wanted::new(4, 16), true, rtr);
//! let (responder, answered) = respond(&asked, Wanted::new(2, 2), &limits);
//! let initiator = conclude(&asked, &answered, Wanted::new(4, 16), &limits)?;
//! assert_eq!((initiator.ord, responder.ird), (8, 8));
//! assert_eq!(responder.ord, 2);
//! # Ok::<(), ferrowarp_firmware::mpa::negotiate::Mismatch>(())
//! ```
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
