// SPDX-License-Identifier: MIT OR Apache-2.0
//! An established connection between the device and the lab's peer, and what both say on it.
use super::lab::{Lab, PATIENCE};
use crate::fw::bench::PORT;
use crate::fw::mpa::{empty_write, first_fpdu, Frame};
use crate::mpa_model::fpdu;
use ferrowarp::{
    Access, Completion, CompletionQueue, ConnectOptions, Connected, Connection, Error, Listener,
    MemoryRegion, QueuePair,
};
use std::time::Instant;

/// Flag A and every kind of ready-to-receive message, depths of 4.
pub const PEER_TO_PEER: u32 = 0xC004_C004;
/// Depths of 4, a client-server connection.
pub const CLIENT: u32 = 0x0004_0004;
/// Octets of the region of a [`Talk`].
pub const REGION: usize = 8_192;

/// The application's end of a connection.
#[derive(Debug)]
pub struct Talk {
    /// For sends and receives.
    pub cq: CompletionQueue,
    /// Memory for whatever there is to say.
    pub region: MemoryRegion,
    /// The connection.
    pub connection: Connection,
}

/// Options with as much patience as the lab has.
pub fn options() -> ConnectOptions {
    ConnectOptions::default().ird(4).ord(4).patience(PATIENCE)
}

impl Talk {
    /// A new peer on `port` gets the device's Request, which the result has too, and answers with
    /// `reply`.
    ///
    /// # Panics
    /// If nothing comes of it.
    pub fn initiate(lab: &mut Lab, port: u16, options: ConnectOptions, reply: &Frame) -> (Self, Vec<u8>) {
        lab.meet(port, 0xFFFF_F000);
        let (cq, qp) = lab.queue_pair();
        let (remote, ours) = (lab.peer.ours, qp.clone());
        let app = lab.app(move |device| device.connect(&ours, remote, options));
        lab.until("the Request", |lab| lab.peer.inbox.len() >= 24);
        let request = std::mem::take(&mut lab.peer.inbox);
        lab.frame(reply);
        let connection = lab.finish("the connection", app).expect("a good Reply");
        (Self::over(lab, cq, connection), request)
    }

    /// A new peer on `port` sends `request`, gets the device's Reply, which the result has too, and
    /// says the first FPDU.
    ///
    /// # Panics
    /// If nothing comes of it.
    pub fn respond(
        lab: &mut Lab,
        port: u16,
        listener: &Listener,
        options: ConnectOptions,
        request: &Frame,
    ) -> (Self, Vec<u8>) {
        lab.meet(port, 0xFFFF_F000);
        let (cq, qp) = lab.queue_pair();
        let app = Self::accept(lab, listener, &qp, options, request);
        let reply = lab.reply();
        lab.say(&empty_write());
        let connection = lab.finish("the connection", app).expect("a good first FPDU");
        (Self::over(lab, cq, connection), reply)
    }

    /// The present peer sends `request`, which a thread of the application accepts.
    ///
    /// # Panics
    /// If the device does not see the Request.
    pub fn accept(
        lab: &mut Lab,
        listener: &Listener,
        qp: &QueuePair,
        options: ConnectOptions,
        request: &Frame,
    ) -> std::thread::JoinHandle<Result<Connection, Error>> {
        lab.opens(PORT);
        lab.frame(request);
        let arrival = listener.next(PATIENCE).expect("a request");
        let ours = qp.clone();
        lab.app(move |_| arrival.accept(&ours, options.into()))
    }

    /// Of a connection whose completions come to `cq`.
    ///
    /// # Panics
    /// If there is no memory for it.
    pub fn over(lab: &Lab, cq: CompletionQueue, connection: Connection) -> Self {
        let region = lab.pd.allocate(REGION, Access::ALL).expect("a region");
        Self { cq, region, connection }
    }

    /// Its queue pair.
    pub fn qp(&self) -> &QueuePair<Connected> {
        self.connection.queue_pair()
    }

    /// Both directions work: the device sends eight octets and takes an empty Write.
    ///
    /// # Panics
    /// If one does not.
    pub fn works(&self, lab: &mut Lab) {
        let before = lab.peer.inbox.len();
        let segment = self.region.segment(0, 8).expect("a segment");
        self.qp().send(u64::MAX, &[segment]).post().expect("a connection");
        lab.until("a Send", |lab| lab.peer.inbox.len() >= before + 32);
        lab.say(&empty_write());
        let end = lab.peer.snd_nxt;
        lab.until("an acknowledgement", |lab| lab.peer.log.iter().any(|seg| seg.ack == Some(end)));
        assert!(!lab.peer.rst && !lab.peer.fin && !self.connection.is_closed());
        let done = self.next(lab);
        assert_eq!((done.wr_id, done.status), (u64::MAX, ferrowarp::Status::Success));
    }

    /// The next completion, while the wire works.
    ///
    /// # Panics
    /// If there is none.
    pub fn next(&self, lab: &mut Lab) -> Completion {
        let mut found = None;
        lab.until("a completion", |_| {
            found = self.cq.poll().expect("entries");
            found.is_some()
        });
        found.expect("it was found")
    }
}

impl Lab {
    /// The device's Reply, which has no private data but words of RFC 6581 if it says S.
    ///
    /// # Panics
    /// If none comes.
    pub fn reply(&mut self) -> Vec<u8> {
        self.until("the Reply", |lab| {
            let inbox = &lab.peer.inbox;
            inbox.len() >= 20 && inbox.len() >= 20 + usize::from(inbox[18]) * 256 + usize::from(inbox[19])
        });
        std::mem::take(&mut self.peer.inbox)
    }

    /// An FPDU of the peer arrives, with CRC and without markers.
    pub fn ulpdu(&mut self, ulpdu: &[u8]) {
        self.say(&first_fpdu(ulpdu));
    }

    /// The peer has room for this many octets from now on, or for as many as ever, and says so.
    pub fn room(&mut self, octets: Option<u32>) {
        self.peer.edge = octets.map(|octets| self.peer.rcv_nxt.wrapping_add(octets));
        let seg = self.peer.seg();
        self.send(&seg);
    }

    /// The wire works for some time.
    ///
    /// # Panics
    /// Never.
    pub fn pause(&mut self, time: std::time::Duration) {
        let end = Instant::now() + time;
        self.until("the end of a pause", |_| Instant::now() >= end);
    }

    /// ULPDUs of all FPDUs that the device has sent, each of which must be as plain code makes it.
    ///
    /// # Panics
    /// If one is not, or is not there whole.
    pub fn ulpdus(&self, crc: bool) -> Vec<Vec<u8>> {
        let (ulpdus, octets) = self.whole_ulpdus(crc);
        assert_eq!(octets, self.peer.inbox.len(), "half an FPDU behind {} octets", octets);
        ulpdus
    }

    /// Those that are there whole, and the octets of their FPDUs.
    ///
    /// # Panics
    /// If one is not as plain code makes it.
    pub fn whole_ulpdus(&self, crc: bool) -> (Vec<Vec<u8>>, usize) {
        let (mut at, mut ulpdus) = (0, vec![]);
        let inbox = &self.peer.inbox;
        while let [high, low, rest @ ..] = &inbox[at..] {
            let length = usize::from(*high) << 8 | usize::from(*low);
            let Some(ulpdu) = rest.get(..length) else { break };
            let whole = fpdu(ulpdu, at as u64, false, crc);
            let Some(got) = inbox.get(at..at + whole.len()) else { break };
            assert_eq!(got, whole, "an FPDU at octet {at}");
            at += whole.len();
            ulpdus.push(ulpdu.to_vec());
        }
        (ulpdus, at)
    }
}
