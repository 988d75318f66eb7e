// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device made of plain code under the real firmware, and peers for it.
//!
//! [`device`] implements the firmware's `Port` and plays the hardware's part of a connection
//! ([`hardware`]); [`peer`] is a scripted TCP peer, [`host`] is smoltcp's own stack. [`mod@bench`]
//! joins them; [`flood`] is a device whose ring never empties; [`mpa`] has startup frames from
//! plain octets, [`bad`] what may be wrong with them.
pub mod bad;
pub mod bench;
pub mod device;
pub mod flood;
pub mod hardware;
pub mod host;
pub mod mpa;
pub mod peer;
pub mod wire;
