// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server: reads the client's text, writes it back.
use super::client::compare;
use super::error::PingError;
use super::limits::{ADVERT_OCTETS, SIZES};
use super::message::{pattern, Advert};
use super::peer::Peer;
use super::report::{heard, Report};
use crate::error::ToolError;
use ferrowarp::{AcceptOptions, Access, Connection, Device, Error, Listener, MemoryRegion};
use std::time::Duration;

/// How to serve.
#[derive(Debug, Clone, Copy)]
pub struct ServerOptions {
    /// Longest wait for a client.
    pub accept: Duration,
    /// Longest wait for a step of a ping.
    pub patience: Duration,
    /// Compare each text with rping's pattern.
    pub validate: bool,
}

/// Serves the next client of a listener until it disconnects. `told` hears of each text.
pub fn serve(
    device: &Device,
    listener: &Listener,
    options: &ServerOptions,
    mut told: impl FnMut(u32, &[u8]),
) -> Result<Report, ToolError> {
    let request = listener.next(options.accept)?;
    let mut peer = Peer::new(device, options.patience)?;
    let buffer = peer.pd.allocate(*SIZES.end(), Access::ALL)?;
    let accept = AcceptOptions::default().patience(options.patience);
    let connection = request.accept(&peer.qp, accept)?;
    peer.connects(&connection);
    let greeting = heard(connection.greeting());
    let (mut pings, mut octets) = (0, 0);
    let mut next = || -> Result<bool, ToolError> {
        let Some(size) = ping(&mut peer, &buffer, &connection, pings)? else { return Ok(false) };
        let text = buffer.memory().copy(0, size)?;
        told(pings, &text);
        if options.validate {
            compare(pings, &pattern(pings, size), &text)?;
        }
        (pings, octets) = (pings + 1, size);
        Ok(true)
    };
    let done = loop {
        match next() {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(why) => break Err(why),
        }
    };
    // after a fault, too: the peer is told why
    let ended = connection.disconnect(options.patience);
    done?;
    ended?;
    Ok(Report { pings, octets, times_us: None, greeting })
}

/// One ping; the octets of its text, or none if the client disconnected before it.
fn ping(
    peer: &mut Peer,
    buffer: &MemoryRegion,
    connection: &Connection,
    nth: u32,
) -> Result<Option<usize>, ToolError> {
    let Some(message) = peer.receive()? else { return Ok(None) };
    let source = Advert::parse(message);
    let size = source.within(buffer.memory().len())?;
    let interrupted = |why: ToolError| match (&why, connection.is_closed()) {
        (
            ToolError::Device(Error::PeerFinished(_))
            | ToolError::Ping(PingError::Work { status: ferrowarp::Status::Flushed, .. }),
            true,
        ) => PingError::Interrupted(nth).into(),
        _ => why,
    };
    peer.read(buffer, size, source.remote).map_err(interrupted)?;
    peer.send([0; ADVERT_OCTETS]).map_err(interrupted)?;
    let sink = Advert::parse(peer.receive()?.ok_or(PingError::Interrupted(nth))?);
    let room = sink.within(buffer.memory().len())?;
    peer.write(buffer, size.min(room), sink.remote).map_err(interrupted)?;
    peer.send([0; ADVERT_OCTETS]).map_err(interrupted)?;
    Ok(Some(size))
}
