// SPDX-License-Identifier: MIT OR Apache-2.0
//! What both ends agree on, and what a tour shows.
use ferrowarp::{Connection, Markers, ReadDepths};
use serde::Serialize;

/// Port of the server.
pub const PORT: u16 = 18_516;
/// Octets of the message that comes back.
pub const MESSAGE: usize = 4_000;
/// Octets of the region unless the client's caller says otherwise.
pub const REGION: usize = 1 << 20;
/// Most octets of it.
pub const MOST_OCTETS: usize = 1 << 26;
/// Private data of the client, before the region's octets (4, most significant first), and of the
/// server.
pub(super) const CLIENT: &[u8] = b"ferrowarp tour 2, octets: ";
pub(super) const SERVER: &[u8] = b"ferrowarp tour 2, welcome";

/// An operation that was shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// What it was.
    pub what: &'static str,
    /// Octets of payload; 0 if it has none.
    pub octets: usize,
    /// Wall time in microseconds, from posting until it was known to be done.
    pub wall_us: f64,
    /// The same in the device's own time, in nanoseconds, if the device tells it.
    pub device_ns: Option<f64>,
}

/// Both ends of a connection, and what it was made with.
pub(super) fn terms(connection: &Connection) -> String {
    let ReadDepths { ird, ord } = connection.read_depths();
    let markers = match connection.markers() {
        Markers { sent: true, received: true } => "markers both ways",
        Markers { sent: true, .. } => "markers sent",
        Markers { received: true, .. } => "markers received",
        Markers { .. } => "no markers",
    };
    let (local, remote) = (connection.local_addr(), connection.remote());
    format!("{local} to {remote}, IRD {ird}, ORD {ord}, {markers}")
}

/// What a client saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Visit {
    /// The connection's ends, read depths and markers.
    pub connection: String,
    /// Operations in order.
    pub shown: Vec<Shown>,
    /// Octets that were compared here.
    pub compared: usize,
    /// The Terminate at the end, decoded.
    pub terminate: String,
}
