// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tour with rping at the other end, which answers to its own protocol only (see
//! [`crate::ping`]): as its client, whose memory rping reads and writes, and as its server, which
//! reads and writes rping's. Each ends in a refused access and a Terminate.
use super::client::{refuses, terminated, Clock};
use super::end::End;
use super::error::{numbered, TourError};
use super::server::advert;
use super::shown::{terms, Shown, Visit, CLIENT};
use crate::error::ToolError;
use crate::ping::{compare, pattern, Advert, PingError, ADVERT_OCTETS, SIZES};
use ferrowarp::{
    AcceptOptions, Access, ConnectOptions, Device, Error, Listener, Remote, TermError, WcOpcode,
};
use std::net::SocketAddr;
use std::time::Duration;

/// Octets of a ping unless the caller says otherwise: the most that rping has.
pub const OCTETS: usize = *SIZES.end();
/// What a server sends when it is done with a buffer.
const DONE: [u8; ADVERT_OCTETS] = [0; ADVERT_OCTETS];
/// Why a Read of a buffer that is not there is refused (RFC 5040 figure 9).
const NOT_THERE: TermError = TermError::RdmapInvalidStag;
/// What Linux siw says instead (seen of 6.12): it refuses, and takes a source that it cannot read
/// for a fault of its own.
const SIW_SAYS: TermError = TermError::DdpLocalCatastrophic;

/// Connects to `rping -s -S octets`, which reads and writes a region here; then names a region that
/// is gone, and our device refuses the Read.
pub fn visit(
    device: &Device,
    remote: SocketAddr,
    octets: usize,
    patience: Duration,
) -> Result<Visit, ToolError> {
    if !SIZES.contains(&octets) {
        return Err(PingError::Size(octets).into());
    }
    let mut end = End::new(device, patience)?;
    let [source, sink] = [end.pd.allocate(octets, Access::ALL)?, end.pd.allocate(octets, Access::ALL)?];
    let private_data = [CLIENT, &(octets as u32).to_be_bytes()].concat();
    let clock = Clock::start(device);
    let options = ConnectOptions::default().private_data(private_data).patience(patience);
    let connection = device.connect(&end.qp, remote, options)?;
    let mut shown = vec![clock.shown("connect with private data", 0)];
    let made = terms(&connection);
    let text = pattern(0, octets);
    source.memory().write(0, &text)?;
    let steps = [
        (&source, "Send a buffer's name; siw reads it", octets),
        (&sink, "Send a buffer's name; siw writes it", octets),
    ];
    for (region, what, octets) in steps {
        let clock = Clock::start(device);
        end.send(connection.queue_pair(), &advert(region), None)?;
        end.message(ADVERT_OCTETS)?;
        shown.push(clock.shown(what, octets));
    }
    compare(0, &text, &sink.memory().copy(0, octets)?)?;
    let gone = advert(&source);
    drop(source);
    let clock = Clock::start(device);
    end.send(connection.queue_pair(), &gone, None)?;
    let why = end.refused(connection)?.ok_or(TourError::NotRefused)?;
    shown.push(clock.shown("siw reads a buffer that is gone", 0));
    match &why {
        Error::Connection(ended) if ended.number() == Some(NOT_THERE) => {}
        other => {
            return Err(TourError::Refusal { got: other.to_string(), wanted: numbered(NOT_THERE) }.into())
        }
    }
    Ok(Visit {
        connection: made,
        shown,
        compared: octets,
        terminate: format!("ours: {}", numbered(NOT_THERE)),
    })
}

/// Serves the next `rping -c` of a listener: reads and writes its buffers once, then reads with an
/// STag that is none, which its device refuses. The rping has more than one ping to do.
pub fn guide(device: &Device, listener: &Listener, patience: Duration) -> Result<Visit, ToolError> {
    let request = listener.next(patience)?;
    let mut end = End::new(device, patience)?;
    let buffer = end.pd.allocate(OCTETS, Access::ALL)?;
    let clock = Clock::start(device);
    let connection = request.accept(&end.qp, AcceptOptions::default().patience(patience))?;
    let made = terms(&connection);
    let qp = connection.queue_pair();
    let (source, octets) = named(&mut end)?;
    let mut shown: Vec<Shown> = vec![clock.shown("accept, and the first Send of siw", ADVERT_OCTETS)];
    let part = buffer.segment(0, octets)?;

    let clock = Clock::start(device);
    qp.read(0, part, source).post()?;
    end.until(WcOpcode::Read)?;
    shown.push(clock.shown("RDMA Read from siw", octets));
    compare(0, &pattern(0, octets), &buffer.memory().copy(0, octets)?)?;
    let clock = Clock::start(device);
    end.send(qp, &DONE, None)?;
    let (sink, room) = named(&mut end)?;
    shown.push(clock.shown("Send, and siw's answer", 2 * ADVERT_OCTETS));

    let clock = Clock::start(device);
    let part = buffer.segment(0, octets.min(room))?;
    qp.write(0, &[part], sink).post()?;
    end.until(WcOpcode::Write)?;
    shown.push(clock.shown("RDMA Write to siw", octets));
    end.send(qp, &DONE, None)?;

    let (mut nowhere, _) = named(&mut end)?;
    nowhere.stag.0 ^= 0xff00;
    let clock = Clock::start(device);
    qp.read(0, buffer.segment(0, 1)?, nowhere).post()?;
    let received = terminated(&connection, patience)?;
    if received.error != Some(SIW_SAYS) {
        refuses(&received, NOT_THERE)?;
    }
    shown.push(clock.shown("Read with an STag that is none", 0));
    end.ended(connection)?;
    Ok(Visit { connection: made, shown, compared: octets, terminate: format!("siw's: {received}") })
}

/// The buffer that rping names next, and its octets.
fn named(end: &mut End) -> Result<(Remote, usize), ToolError> {
    let octets = end.message(ADVERT_OCTETS)?.octets;
    let message = <[u8; ADVERT_OCTETS]>::try_from(octets).unwrap_or_default();
    let advert = Advert::parse(message);
    Ok((advert.remote, advert.within(OCTETS)?))
}
