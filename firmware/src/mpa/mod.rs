// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA startup: frames ([`frame`]), what the two sides agree on ([`negotiate`]), and the one FPDU
//! that firmware may have to send itself ([`fpdu`]).

pub mod fpdu;
pub mod frame;
pub mod negotiate;
