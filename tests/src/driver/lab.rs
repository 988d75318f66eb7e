// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device, its driver, and one scripted peer at the other end of the wire.
use super::backend::Scripted;
use crate::device::tagged;
use crate::fw::bench::DUT_MAC;
use crate::fw::mpa::Frame;
use crate::fw::peer::{Peer, MAC};
use crate::fw::wire::{neighbour_answer, untagged, Seg};
use crate::scratch::scratch;
use ferrowarp::backend::{Backend, PciBackend};
use ferrowarp::url::SimUrl;
use ferrowarp::{Audit, CompletionQueue, Device, ProtectionDomain, QpOptions, QueuePair};
use ferrowarp_abi::codec::{AdminAnswer, AdminCommand, ConnRow};
use ferrowarp_abi::consts::{admin_opcode, admin_row};
use ferrowarp_sim::eth::{wait, DgramPort};
use ferrowarp_sim::EthPort;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Where the device is.
const DUT: [u8; 4] = [10, 9, 0, 1];
/// Where the peers are.
const PEER: [u8; 4] = [10, 9, 0, 2];
/// Longer than any time-out of firmware, in milliseconds.
const AGES: u64 = 61_000;

/// The scene.
pub struct Lab {
    /// The device behind its script.
    pub backend: Arc<Scripted>,
    /// The driver.
    pub device: Device,
    /// For all queue pairs.
    pub pd: ProtectionDomain,
    /// The peer of the present connection.
    pub peer: Peer,
    /// The peer answers a FIN with its own.
    pub closes: bool,
    /// Tag control information of what comes to the device.
    pub vlan: Option<u16>,
    /// The same of what the device has sent.
    pub tags: BTreeSet<Option<u16>>,
    wire: DgramPort,
    /// Answers to [`Lab::sync`].
    heard: u32,
    folder: PathBuf,
}

impl Lab {
    /// A device at 10.9.0.1; `name` tells it from those of other tests.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(name: &str) -> Self {
        Self::with(name, "")
    }

    /// A device with more in its URL.
    ///
    /// # Panics
    /// If there is none.
    pub fn with(name: &str, more: &str) -> Self {
        let folder = scratch(name);
        std::fs::create_dir_all(&folder).expect("a folder for sockets");
        let [ours, theirs] = ["peer", "device"].map(|end| folder.join(end));
        let url = format!(
            "eth=qemu-dgram:{},{};ip=10.9.0.1/24;mac=52:54:00:00:00:01;{more}",
            theirs.display(),
            ours.display()
        );
        let url: SimUrl = url.parse().expect("a URL");
        let wire = DgramPort::bind(&ours, &theirs).expect("a socket");
        let backend = Scripted::new(PciBackend::sim(&url).expect("a simulated device"));
        let device = Device::new(backend.clone(), &url.net).expect("a device");
        let pd = device.protection_domain().expect("a protection domain");
        let peer = Peer::new((PEER, 1).into(), 0);
        let (vlan, tags) = Default::default();
        Self { backend, device, pd, peer, closes: false, vlan, tags, wire, heard: 0, folder }
    }

    /// A new peer on this port, with this initial sequence number.
    pub fn meet(&mut self, port: u16, iss: u32) {
        self.peer = Peer::new((PEER, port).into(), iss);
        self.closes = false;
    }

    /// A queue pair with its completion queue.
    ///
    /// # Panics
    /// If the device has none left.
    pub fn queue_pair(&self) -> (CompletionQueue, QueuePair) {
        let cq = self.device.completion_queue(64).expect("a completion queue");
        let options = QpOptions::default();
        let qp = self.device.queue_pair(&self.pd, [&cq, &cq], options).expect("a queue pair");
        (cq, qp)
    }

    /// Does something of the application's in a thread of its own.
    pub fn app<R: Send + 'static>(&self, what: impl FnOnce(Device) -> R + Send + 'static) -> JoinHandle<R> {
        let device = self.device.clone();
        std::thread::spawn(move || what(device))
    }

    /// What it came to.
    ///
    /// # Panics
    /// If it does not end, or panicked.
    pub fn finish<R>(&mut self, what: &str, app: JoinHandle<R>) -> R {
        self.until(what, |_| app.is_finished());
        app.join().expect("no panic in the application")
    }

    /// Lets the wire and the peer work until something is so.
    ///
    /// # Panics
    /// If it never is.
    pub fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so(self) {
            assert!(
                Instant::now() < end,
                "{what}: not within {PATIENCE:?}; last came {:?}",
                self.peer.log.last()
            );
            self.pump();
            wait(&[&self.wire], Duration::from_micros(500)).expect("a port");
        }
    }

    /// Takes the frames that are there.
    fn pump(&mut self) {
        self.backend.advance();
        while let Some(frame) = self.wire.receive().expect("a port") {
            let (tag, frame) = untagged(frame);
            self.tags.insert(tag);
            if let Some(answer) = neighbour_answer(&frame, &[self.peer.ours.ip()], MAC) {
                self.put(&answer);
            }
            // an ARP reply
            self.heard += u32::from(frame[12..14] == [8, 6] && frame[20..22] == [0, 2]);
            if let Some(seg) = Seg::parse(&frame).filter(|seg| seg.to == self.peer.ours) {
                self.absorb(&seg);
            }
        }
    }

    fn absorb(&mut self, seg: &Seg) {
        for answer in self.peer.absorb(seg) {
            self.send(&answer);
        }
        if self.closes && self.peer.fin {
            self.closes = false;
            let fin = self.peer.finish();
            self.send(&fin);
        }
    }

    fn put(&mut self, frame: &[u8]) {
        let frame = self.vlan.map_or(frame.to_vec(), |tci| tagged(frame, Some(tci)));
        let mut sent = self.wire.send(&frame).expect("a frame");
        while sent == ferrowarp_sim::eth::Delivery::Busy {
            std::thread::sleep(Duration::from_micros(200));
            sent = self.wire.send(&frame).expect("a frame");
        }
        self.backend.count();
    }

    /// A segment arrives.
    pub fn send(&mut self, seg: &Seg) {
        self.put(&seg.frame(MAC, DUT_MAC));
    }

    /// An IPv4 packet of the peer's arrives.
    pub fn packet(&mut self, packet: &[u8]) {
        self.put(&[&DUT_MAC[..], &MAC, &[8, 0], packet].concat());
    }

    /// Octets of the peer arrive.
    pub fn say(&mut self, octets: &[u8]) {
        let seg = self.peer.data(octets);
        self.send(&seg);
    }

    /// A startup frame of the peer arrives.
    pub fn frame(&mut self, frame: &Frame) {
        self.say(&frame.octets());
    }

    /// The peer opens TCP to this port of the device.
    pub fn opens(&mut self, port: u16) {
        let syn = self.peer.syn((DUT, port).into());
        self.send(&syn);
        self.until("the SYN is answered", |lab| lab.peer.open || lab.peer.rst);
    }

    /// Waits until firmware has looked at all that was sent before: an ARP request comes back
    /// answered.
    pub fn sync(&mut self) {
        let heard = self.heard;
        let request = [&[0xFF; 6][..], &MAC, &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1], &MAC, &PEER, &[0; 6], &DUT];
        self.put(&request.concat());
        self.until("an ARP request is answered", |lab| lab.heard != heard);
    }

    /// What the hardware has of a connection; all zero in what lives, if it has none.
    pub fn row(&self, qp: u16) -> ConnRow {
        let head = AdminCommand { opcode: admin_opcode::READ_ROW, row: admin_row::CONN, index: qp };
        let octets = head.octets().expect("a command").to_vec();
        // SAFETY: a row is read.
        let mut pending = unsafe { self.backend.admin(octets) }.expect("a device");
        let begun = Instant::now();
        loop {
            // commands of the driver may be before it, which wait for the script
            self.backend.advance();
            if let Some(answer) = pending.poll().expect("a device") {
                return ConnRow::parse(&answer[AdminAnswer::LEN..]).expect("a row");
            }
            assert!(begun.elapsed() < PATIENCE, "a row does not come");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// What is held: by the driver and firmware, memories and their octets, threads of the process.
    pub fn held(&self) -> Holds {
        let threads = std::fs::read_dir("/proc/self/task").expect("a list of threads").count();
        Holds { audit: self.device.audit().expect("a device"), mapped: self.backend.mapped(), threads }
    }

    /// Waits until no more is in use than `before`, but for TIME-WAIT. Tests beside this one do not
    /// count.
    ///
    /// # Panics
    /// If more stays.
    pub fn leaves(&mut self, before: Audit) {
        self.until("nothing is left", |lab| {
            let mut now = lab.device.audit().expect("a device");
            now.firmware.time_waits = 0;
            now == before
        });
    }

    /// Waits until no more is held than `before`, TIME-WAIT over; then no queue pair has a
    /// connection in hardware.
    ///
    /// # Panics
    /// If more stays.
    pub fn settles(&mut self, before: &Holds) {
        let quiet = |holds: Holds| {
            let mut holds = holds;
            // what TIME-WAIT remembers goes with time
            holds.audit.firmware.time_waits = 0;
            holds
        };
        let end = Instant::now() + PATIENCE;
        while quiet(self.held()) != quiet(before.clone()) {
            assert!(Instant::now() < end, "held {:?}, before {before:?}", self.held());
            self.pump();
            std::thread::sleep(Duration::from_millis(1));
        }
        self.backend.skip(AGES);
        self.sync();
        assert_eq!(self.held(), *before);
        for qp in 0..self.backend.capabilities().queue_pairs {
            let ConnRow { rcv_nxt, snd_una, snd_nxt, snd_wnd, gate_open, .. } = self.row(qp);
            let lives = (rcv_nxt.0, snd_una.0, snd_nxt.0, snd_wnd.0, gate_open);
            assert_eq!(lives, (0, 0, 0, 0, false), "a connection of queue pair {qp} is still there");
        }
    }
}

/// What there is at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holds {
    audit: Audit,
    mapped: (usize, usize),
    threads: usize,
}

impl Drop for Lab {
    fn drop(&mut self) {
        // the system's own cleaning finds what is left of a folder in its place for such things
        drop(std::fs::remove_dir_all(&self.folder));
    }
}
