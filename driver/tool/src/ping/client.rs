// SPDX-License-Identifier: MIT OR Apache-2.0
//! The client: names its buffers, compares what comes back.
use super::error::PingError;
use super::limits::SIZES;
use super::message::{pattern, Advert};
use super::peer::Peer;
use super::report::{heard, Report, Times};
use crate::error::ToolError;
use ferrowarp::{Access, ConnectOptions, Device, MemoryRegion, Remote, Startup};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// What to ping.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The server.
    pub remote: SocketAddr,
    /// Pings.
    pub count: u32,
    /// Octets of each, one of [`SIZES`].
    pub size: usize,
    /// Ask for RFC 6581's peer-to-peer mode.
    pub peer_to_peer: bool,
    /// When MPA starts; `None`: as the device's URL says.
    pub startup: Option<Startup>,
    /// Longest wait for a step.
    pub patience: Duration,
}

/// Connects, pings, and closes. Every octet that comes back is compared. `told` hears of each ping,
/// with its time.
pub fn client(
    device: &Device,
    options: &ClientOptions,
    mut told: impl FnMut(u32, Duration),
) -> Result<Report, ToolError> {
    let ClientOptions { remote, count, size, peer_to_peer, patience, .. } = *options;
    if !SIZES.contains(&size) {
        return Err(PingError::Size(size).into());
    }
    let mut peer = Peer::new(device, patience)?;
    let start = peer.pd.allocate(size, Access::ALL)?;
    let back = peer.pd.allocate(size, Access::ALL)?;
    let startup = options.startup.clone();
    let connect = ConnectOptions::default().peer_to_peer(peer_to_peer).patience(patience).startup(startup);
    let connection = device.connect(&peer.qp, remote, connect)?;
    peer.connects(&connection);
    let greeting = heard(connection.greeting());
    let mut times = vec![];
    let done = (0..count).try_for_each(|nth| {
        let begun = Instant::now();
        ping(&mut peer, [&start, &back], nth)?;
        let time = begun.elapsed();
        told(nth, time);
        times.push(time);
        Ok(())
    });
    // after a fault, too: the peer is told why
    let done = done.and_then(|()| peer.drain());
    let ended = connection.disconnect(patience);
    done?;
    ended?;
    Ok(Report { pings: count, octets: size, times_us: Times::of(&times), greeting })
}

/// One ping: its text goes by one buffer, and comes back in the other one.
fn ping(peer: &mut Peer, [start, back]: [&MemoryRegion; 2], nth: u32) -> Result<(), ToolError> {
    let size = start.memory().len();
    let text = pattern(nth, size);
    start.memory().write(0, &text)?;
    for buffer in [start, back] {
        peer.send(advert(buffer).octets())?;
        peer.receive()?.ok_or(PingError::Interrupted(nth))?;
    }
    Ok(compare(nth, &text, &back.memory().copy(0, size)?)?)
}

/// A whole region.
fn advert(region: &MemoryRegion) -> Advert {
    let remote = Remote { stag: region.stag(), to: region.to_base() };
    Advert { remote, size: region.memory().len() as u32 }
}

/// The error is the first octet that differs.
pub(crate) fn compare(ping: u32, sent: &[u8], came: &[u8]) -> Result<(), PingError> {
    let differs = sent.iter().zip(came).position(|(s, c)| s != c);
    differs.map_or(Ok(()), |at| {
        Err(PingError::Differs { ping, at, size: sent.len(), got: came[at], wanted: sent[at] })
    })
}
