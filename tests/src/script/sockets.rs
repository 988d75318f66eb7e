// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application on the TCP of this machine's kernel: scripts about TCP are judged by it first.
//! MPA's startup and Sends are plain code here, without markers; nothing of the project's hardware,
//! firmware or driver takes part.
use super::device::{Application, Depth, Done, Heard, Offered, Order, Place, Post, Verb, Wanted};
use super::link::PEER;
use crate::fw::bench::PORT;
use crate::fw::mpa::Frame;
use crate::mpa_model::fpdu;
use rustix::net::sockopt;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

/// Octets of a startup frame before private data.
const STARTUP: usize = 20;
/// Octets of the headers of a Send.
const HEADER: usize = 18;
/// RDMAP's opcode of a Send.
const SEND: u8 = 3;

/// The application.
#[derive(Default)]
pub struct Sockets {
    listener: Option<TcpListener>,
    regions: BTreeMap<String, Vec<u8>>,
    flows: BTreeMap<usize, Flow>,
}

/// One connection.
#[derive(Default)]
struct Flow {
    /// The kernel opens it.
    opening: Option<JoinHandle<io::Result<TcpStream>>>,
    stream: Option<TcpStream>,
    wanted: Wanted,
    is_active: bool,
    /// Startup is over.
    is_open: bool,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
    msn: u32,
    receives: VecDeque<(u64, Option<Place>)>,
    heard: VecDeque<Heard>,
    /// The peer's FIN came; ours was sent.
    ends: [bool; 2],
    is_over: bool,
}

/// A stream that waits for nothing, and has urgent octets among the others (RFC 6093).
fn ready(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    Ok(sockopt::set_socket_oobinline(stream, true)?)
}

/// A depth as a frame has it.
fn depth(depth: Option<Depth>) -> u32 {
    match depth {
        None => 4,
        Some(Depth::Told(reads)) => u32::from(reads),
        Some(Depth::Untold(_)) => 0x3FFF,
    }
}

impl Flow {
    /// Our startup frame.
    fn startup(&mut self, frame: Frame) {
        let words = depth(self.wanted.ird) << 16 | depth(self.wanted.ord);
        self.outbox.extend(frame.enhanced(words).with(&self.wanted.data).octets());
    }

    /// What the kernel has done since the last look.
    fn look(&mut self, regions: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
        if self.opening.as_ref().is_some_and(JoinHandle::is_finished) {
            let opened = self.opening.take().map(JoinHandle::join);
            let stream = opened.expect("a thread").unwrap_or_else(|_| Err(io::Error::other("a panic")))?;
            ready(&stream)?;
            self.stream = Some(stream);
            self.startup(Frame::request());
        }
        let Some(stream) = &mut self.stream else { return Ok(()) };
        if let Some(why) = stream.take_error()? {
            return Err(why);
        }
        while !self.outbox.is_empty() {
            match stream.write(&self.outbox) {
                Ok(octets) => drop(self.outbox.drain(..octets)),
                Err(why) if why.kind() == ErrorKind::WouldBlock => break,
                Err(why) => return Err(why),
            }
        }
        let mut room = [0; 4_096];
        while !self.ends[0] {
            match stream.read(&mut room) {
                Ok(0) => {
                    self.ends[0] = true;
                    self.heard.push_back(Heard::PeerFinished);
                }
                Ok(octets) => self.inbox.extend(&room[..octets]),
                Err(why) if why.kind() == ErrorKind::WouldBlock => break,
                Err(why) => return Err(why),
            }
        }
        self.take(regions);
        if self.ends == [true; 2] && self.outbox.is_empty() && !self.is_over {
            self.is_over = true;
            self.heard.push_back(Heard::Ended("Ok".into()));
        }
        Ok(())
    }

    /// Whole startup frames and FPDUs of what came.
    fn take(&mut self, regions: &mut BTreeMap<String, Vec<u8>>) {
        let number = |octets: &[u8]| usize::from(octets[0]) << 8 | usize::from(octets[1]);
        if !self.is_open {
            let Some(length) = self.inbox.get(18..STARTUP).map(number) else { return };
            let Some(data) = self.inbox.get(STARTUP..STARTUP + length) else { return };
            let (words, data) = data.split_at(if self.inbox[16] & 0x10 != 0 { 4.min(length) } else { 0 });
            let depth = |at: usize| words.get(at..at + 2).map_or(0x3FFF, |two| number(two) as u16 & 0x3FFF);
            let offered = Offered { data: data.to_vec(), ird: depth(0), ord: depth(2) };
            self.heard.push_back(match self.is_active {
                true => Heard::Connected(offered),
                false => Heard::Requested(offered),
            });
            self.is_open = true;
            self.inbox.drain(..STARTUP + length);
        }
        while let Some(length) = self.inbox.get(..2).map(number) {
            let whole = (2 + length).next_multiple_of(4) + 4;
            let Some(octets) = self.inbox.get(..whole) else { return };
            let ulpdu = octets[2..2 + length].to_vec();
            self.inbox.drain(..whole);
            if ulpdu.len() >= HEADER && ulpdu[1] & 0xF == SEND {
                self.received(&ulpdu[HEADER..], regions);
            }
        }
    }

    fn received(&mut self, payload: &[u8], regions: &mut BTreeMap<String, Vec<u8>>) {
        let Some((id, place)) = self.receives.pop_front() else { return };
        if let Some(place) = place {
            let room = regions.get_mut(&place.region).map(|region| &mut region[place.at..]);
            room.into_iter().for_each(|room| room[..payload.len()].copy_from_slice(payload));
        }
        self.heard.push_back(done(id, "Receive", payload.len()));
    }
}

fn done(id: u64, op: &str, octets: usize) -> Heard {
    let (status, op, octets) = ("Success".into(), op.into(), octets as u32);
    Heard::Done(Done { id, status, op, octets, inv: 0, solicited: false, error: 0 })
}

impl Sockets {
    fn flow(&mut self, number: usize) -> &mut Flow {
        self.flows.entry(number).or_default()
    }

    fn post(&mut self, number: usize, post: &Post) -> Result<(), String> {
        let octets = match (&post.verb, &post.place) {
            (Verb::Send, Some(place)) => self.memory(&place.region, place.at, place.octets)?,
            (Verb::Send, None) => vec![],
            _ => return Err("sockets have Sends alone".into()),
        };
        let flow = self.flow(number);
        flow.msn += 1;
        let header = [&[0x41, 0x43][..], &[0; 8], &flow.msn.to_be_bytes(), &[0; 4]].concat();
        flow.outbox.extend(fpdu(&[header, octets].concat(), 0, false, true));
        flow.heard.push_back(done(post.id, "Send", 0));
        Ok(())
    }
}

fn text(why: impl std::fmt::Display) -> String {
    why.to_string()
}

impl Application for Sockets {
    fn order(&mut self, number: usize, order: Order) -> Result<(), String> {
        match order {
            Order::QueuePair { .. } => {}
            Order::Listen => {
                let listener = TcpListener::bind(("0.0.0.0", PORT)).map_err(text)?;
                listener.set_nonblocking(true).map_err(text)?;
                self.listener = Some(listener);
            }
            Order::Connect { port, wanted } => {
                let flow = self.flow(number);
                (flow.wanted, flow.is_active) = (wanted, true);
                flow.opening = Some(std::thread::spawn(move || {
                    TcpStream::connect(std::net::SocketAddr::from((PEER, port)))
                }));
            }
            Order::Accept(wanted) => {
                let flow = self.flow(number);
                flow.wanted = wanted;
                flow.startup(Frame::reply());
                flow.heard.push_back(Heard::Connected(Offered { data: vec![], ird: 4, ord: 4 }));
            }
            Order::Region(region) => {
                let name = region.name.clone();
                self.regions.insert(region.name, vec![0; region.octets]);
                self.flow(number).heard.push_back(Heard::Region { name, stag: 1, to: 0 });
            }
            Order::Fill { place, data } => {
                let region = self.regions.get_mut(&place.region).ok_or("there is no such region")?;
                region[place.at..place.at + data.0.len()].copy_from_slice(&data.0);
            }
            Order::Recv { id, place } => self.flow(number).receives.push_back((id, place)),
            Order::Post(post) => self.post(number, &post)?,
            Order::Close | Order::Finish => {
                let flow = self.flow(number);
                flow.ends[1] = true;
                let stream = flow.stream.as_ref().ok_or("there is no connection")?;
                stream.shutdown(Shutdown::Write).map_err(text)?;
            }
            Order::Abort | Order::Forget => {
                let flow = std::mem::take(self.flow(number));
                if let Some(stream) = &flow.stream {
                    // closing resets the connection
                    sockopt::set_socket_linger(stream, Some(Duration::ZERO)).map_err(text)?;
                }
            }
            other => return Err(format!("sockets cannot do {other:?}")),
        }
        Ok(())
    }

    fn hear(&mut self, number: usize) -> Result<Option<Heard>, String> {
        let has_stream = self.flow(number).stream.is_some();
        if let Some(listener) = self.listener.as_ref().filter(|_| !has_stream) {
            if let Ok((stream, _)) = listener.accept() {
                ready(&stream).map_err(text)?;
                self.flow(number).stream = Some(stream);
            }
        }
        let flow = self.flows.entry(number).or_default();
        if !flow.is_over {
            if let Err(why) = flow.look(&mut self.regions) {
                flow.is_over = true;
                let why = text(why);
                flow.heard.push_back(match (flow.is_open, flow.is_active) {
                    (true, _) => Heard::Ended(why),
                    (false, true) => Heard::Refused(why, None),
                    (false, false) => Heard::Failed(why),
                });
            }
        }
        Ok(flow.heard.pop_front())
    }

    fn memory(&mut self, region: &str, at: usize, octets: usize) -> Result<Vec<u8>, String> {
        let region = self.regions.get(region).ok_or("there is no such region")?;
        region.get(at..at + octets).map(<[u8]>::to_vec).ok_or_else(|| "outside of the region".into())
    }
}
