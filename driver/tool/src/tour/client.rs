// SPDX-License-Identifier: MIT OR Apache-2.0
//! The client: does everything, one after the other, and measures it.
use super::end::End;
use super::error::{numbered, TourError};
use super::pattern::{differs, pattern, READ, SENT, WRITTEN};
use super::shown::{terms, Shown, Visit, CLIENT, MESSAGE, MOST_OCTETS, SERVER};
use crate::error::ToolError;
use crate::ping::{Advert, ADVERT_OCTETS};
use ferrowarp::{
    Access, ConnectOptions, Connection, Device, MemoryRegion, Received, Remote, STag, TermError, WcOpcode,
};
use ferrowarp_abi::terminate::QuotedDdp;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Between two looks for the peer's Terminate.
const NAP: Duration = Duration::from_millis(1);

/// A tour under way.
struct Tour<'a> {
    device: &'a Device,
    end: End,
    connection: Connection,
    region: MemoryRegion,
    visit: Visit,
}

/// Connects to a server, shows everything with a region of `octets` octets, and is refused in the
/// end.
pub fn visit(
    device: &Device,
    remote: SocketAddr,
    octets: usize,
    patience: Duration,
) -> Result<Visit, ToolError> {
    if octets == 0 || octets > MOST_OCTETS {
        return Err(TourError::Size(octets).into());
    }
    let end = End::new(device, patience)?;
    let region = end.pd.allocate(octets, Access::LOCAL)?;
    let private_data = [CLIENT, &(octets as u32).to_be_bytes()].concat();
    let options = ConnectOptions::default().private_data(private_data).patience(patience);
    let clock = Clock::start(device);
    let connection = device.connect(&end.qp, remote, options)?;
    let connected = clock.shown("connect with private data", 0);
    if connection.private_data() != SERVER {
        return Err(TourError::Stranger(connection.private_data().to_vec()).into());
    }
    let shown = vec![connected];
    let visit = Visit { connection: terms(&connection), shown, compared: 0, terminate: String::new() };
    let mut tour = Tour { device, end, connection, region, visit };
    tour.echo()?;
    let offer = tour.end.message(2 * ADVERT_OCTETS)?.octets;
    let adverts: Vec<_> = offer.chunks_exact(ADVERT_OCTETS).filter_map(|o| o.try_into().ok()).collect();
    let [whole, once] = [0, 1].map(|n| Advert::parse(adverts[n]));
    tour.write(whole.remote)?;
    tour.read(whole.remote)?;
    tour.invalidate(once.remote)?;
    tour.refused(once, patience)
}

impl Tour<'_> {
    fn equal(&mut self, what: &'static str, seed: u8, octets: &[u8]) -> Result<(), ToolError> {
        self.visit.compared += octets.len();
        differs(seed, octets).map_or(Ok(()), |at| Err(TourError::Differs { what, at }.into()))
    }

    fn echo(&mut self) -> Result<(), ToolError> {
        self.device.hush();
        let clock = Clock::start(self.device);
        self.end.send(self.connection.queue_pair(), &pattern(SENT, MESSAGE), None)?;
        let back = self.end.message(MESSAGE)?;
        self.visit.shown.push(clock.shown("Send, and its echo", 2 * MESSAGE));
        self.equal("the echo of a message", SENT, &back.octets)
    }

    fn write(&mut self, remote: Remote) -> Result<(), ToolError> {
        let octets = self.region.memory().len();
        self.region.memory().write(0, &pattern(WRITTEN, octets))?;
        let clock = Clock::start(self.device);
        let qp = self.connection.queue_pair();
        qp.write(0, &[self.region.segment(0, octets)?], remote).post()?;
        self.end.until(WcOpcode::Write)?;
        self.visit.shown.push(clock.shown("RDMA Write", octets));
        self.end.send(self.connection.queue_pair(), &[0], None)?;
        let said = self.end.message(4)?.octets;
        self.visit.compared += octets;
        match said[..] {
            [0xff, 0xff, 0xff, 0xff] => Ok(()),
            _ => {
                let at = said.iter().fold(0, |at, &octet| at << 8 | usize::from(octet));
                Err(TourError::Differs { what: "what was written", at }.into())
            }
        }
    }

    fn read(&mut self, remote: Remote) -> Result<(), ToolError> {
        let octets = self.region.memory().len();
        let clock = Clock::start(self.device);
        self.connection.queue_pair().read(0, self.region.segment(0, octets)?, remote).post()?;
        self.end.until(WcOpcode::Read)?;
        self.visit.shown.push(clock.shown("RDMA Read", octets));
        let read = self.region.memory().copy(0, octets)?;
        self.equal("what was read", READ, &read)
    }

    fn invalidate(&mut self, once: Remote) -> Result<(), ToolError> {
        // neither connection manager looks at its device meanwhile
        self.end.send(self.connection.queue_pair(), &[0], None)?;
        self.end.message(1)?;
        self.device.hush();
        let clock = Clock::start(self.device);
        self.end.send(self.connection.queue_pair(), &[0], Some(once.stag))?;
        let said = self.end.message(4)?.octets;
        self.visit.shown.push(clock.shown("Send with Invalidate, and its answer", 5));
        let (got, wanted) = (said.iter().fold(0, |stag, &octet| stag << 8 | u32::from(octet)), once.stag.0);
        if got != wanted {
            return Err(TourError::Invalidated { got, wanted }.into());
        }
        Ok(())
    }

    /// A Write to all of what is gone: it may be done for the sender, whose octets have been taken,
    /// but the stream is ended. No octet of the region here is what the server has there.
    fn refused(mut self, once: Advert, patience: Duration) -> Result<Visit, ToolError> {
        let Advert { remote, size } = once;
        let octets = self.region.memory().len().min(size as usize);
        self.device.hush();
        let clock = Clock::start(self.device);
        self.connection.queue_pair().write(0, &[self.region.segment(0, octets)?], remote).post()?;
        let received = terminated(&self.connection, patience)?;
        refuses(&received, TermError::DdpInvalidStag)?;
        quotes(&received, remote.stag)?;
        let ended = self.device.stopped_ns(self.connection.queue_pair());
        self.visit.shown.push(clock.shown_at("Write to what is invalid, and the Terminate", 0, ended));
        self.visit.terminate = received.to_string();
        self.end.ended(self.connection)?;
        Ok(self.visit)
    }
}

/// Waits for the peer's Terminate.
pub(super) fn terminated(connection: &Connection, patience: Duration) -> Result<Received, ToolError> {
    let begun = Instant::now();
    loop {
        if let Some(received) = connection.terminated() {
            return Ok(received);
        }
        if begun.elapsed() > patience || connection.ended().is_some() {
            return Err(TourError::NotRefused.into());
        }
        std::thread::sleep(NAP);
    }
}

/// The Terminate is for `wanted`.
pub(super) fn refuses(received: &Received, wanted: TermError) -> Result<(), TourError> {
    if received.error == Some(wanted) {
        return Ok(());
    }
    Err(TourError::Refusal { got: received.to_string(), wanted: numbered(wanted) })
}

/// The Terminate quotes a tagged segment to `stag`.
fn quotes(received: &Received, stag: STag) -> Result<(), TourError> {
    match received.quoted.ddp {
        Some(QuotedDdp::Tagged(header)) if header.stag == stag => Ok(()),
        _ => {
            let wanted = format!("one that quotes a segment to STag {:#010x}", stag.0);
            Err(TourError::Refusal { got: received.to_string(), wanted })
        }
    }
}

/// When an operation began.
pub(super) struct Clock<'a> {
    device: &'a Device,
    wall: Instant,
    own: Option<f64>,
}

impl<'a> Clock<'a> {
    pub(super) fn start(device: &'a Device) -> Self {
        Self { device, own: device.clock_begin_ns(), wall: Instant::now() }
    }

    /// The operation is done.
    pub(super) fn shown(&self, what: &'static str, octets: usize) -> Shown {
        self.shown_at(what, octets, self.device.clock_ns())
    }

    /// The operation is done, and was at this time of the device.
    fn shown_at(&self, what: &'static str, octets: usize, ended: Option<f64>) -> Shown {
        let wall_us = self.wall.elapsed().as_secs_f64() * 1e6;
        let device_ns = ended.zip(self.own).map(|(end, start)| end - start);
        Shown { what, octets, wall_us, device_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_abi::codec::{DdpTaggedHdr, DdpUntaggedHdr};
    use ferrowarp_firmware::terminate::{bare, parse};

    /// As it comes, without a quoted segment.
    fn received(error: TermError) -> Received {
        parse(&bare(error).unwrap()[DdpUntaggedHdr::LEN..]).unwrap()
    }

    #[test]
    fn a_terminate_for_something_else_is_no_refusal() {
        let due = TermError::DdpInvalidStag;
        assert_eq!(refuses(&received(due), due), Ok(()));
        for other in [TermError::DdpBaseBounds, TermError::RdmapInvalidStag, TermError::MpaCrc] {
            let why = refuses(&received(other), due).unwrap_err().to_string();
            assert!(why.contains(&numbered(other)) && why.contains("1/1/00: DDP"), "{why}");
        }
    }

    #[test]
    fn the_terminate_has_to_quote_the_region_that_is_gone() {
        let mut received = received(TermError::DdpInvalidStag);
        assert!(quotes(&received, STag(7)).is_err(), "nothing is quoted");
        let header = DdpTaggedHdr::parse(&[0xc1, 0x40, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        received.quoted.ddp = Some(QuotedDdp::Tagged(header));
        assert_eq!(quotes(&received, STag(7)), Ok(()));
        let why = quotes(&received, STag(8)).unwrap_err().to_string();
        assert!(why.contains("STag 0x00000007") && why.contains("STag 0x00000008"), "{why}");
    }
}
