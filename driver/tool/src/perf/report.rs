// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was measured.
use super::plan::{Mode, Operation};
use crate::ping::Times;
use ferrowarp::TcpInfo;
use serde::Serialize;

/// What was measured with one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What was done.
    pub operation: Operation,
    /// What was measured.
    pub mode: Mode,
    /// Octets of a message.
    pub octets: u32,
    /// Messages.
    pub messages: u32,
    /// Wall time of all of them in seconds.
    pub seconds: f64,
    /// Octets of messages a second of wall time, in megabits.
    pub mbit_per_s: f64,
    /// Time of all of them by the device's clock in microseconds, if it tells it: of a simulated
    /// device it is simulated time.
    pub device_us: Option<f64>,
    /// Times of single messages; only of latency.
    pub times_us: Option<Times>,
    /// TCP of the connection behind the last message.
    pub connection: Option<TcpInfo>,
}
