// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scripted TCP peer: it shakes hands, acknowledges, collects what comes; everything else is the
//! script's.
use super::wire::{Mac, Seg};
use std::net::SocketAddr;

/// Station address of every scripted peer.
pub const MAC: Mac = [0x52, 0x54, 0, 0, 0, 0x99];

/// The peer's end of one connection.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its end.
    pub ours: SocketAddr,
    /// The device's end; known from its SYN if the peer listens.
    pub theirs: Option<SocketAddr>,
    /// Its initial sequence number.
    pub iss: u32,
    /// Its next sequence number.
    pub snd_nxt: u32,
    /// The device's next one.
    pub rcv_nxt: u32,
    /// Octets of the device in order.
    pub inbox: Vec<u8>,
    /// The device's FIN came in order.
    pub fin: bool,
    /// The device's reset came.
    pub rst: bool,
    /// Every segment of the device.
    pub log: Vec<Seg>,
    /// It acknowledges by itself.
    pub answers: bool,
    /// What it says in its SYN.
    pub mss: Option<u16>,
    /// What it says in its SYN.
    pub scale: Option<u8>,
    /// Handshake is done.
    pub open: bool,
    /// It has no room from this sequence number on; else there are always `room` octets.
    pub edge: Option<u32>,
    /// The window of what it says, if there is no edge.
    pub room: u16,
    /// Who has its wire answers the device's FIN with its own, once.
    pub closes: bool,
    /// It acknowledges nothing more once it has answered the device's SYN.
    pub falls_silent: bool,
}

impl Peer {
    /// At this end, with this initial sequence number.
    pub fn new(ours: SocketAddr, iss: u32) -> Self {
        Self {
            ours,
            theirs: None,
            iss,
            snd_nxt: iss,
            rcv_nxt: 0,
            inbox: vec![],
            fin: false,
            rst: false,
            log: vec![],
            answers: true,
            mss: Some(1_460),
            scale: None,
            open: false,
            edge: None,
            room: 60_000,
            closes: false,
            falls_silent: false,
        }
    }

    /// A segment with its present numbers.
    pub fn seg(&self) -> Seg {
        let theirs = self.theirs.expect("the device's end is known");
        let seg = Seg::new(self.ours, theirs, self.snd_nxt, self.rcv_nxt);
        match self.edge {
            Some(edge) => Seg { window: edge.wrapping_sub(self.rcv_nxt) as u16, ..seg },
            None => Seg { window: self.room, ..seg },
        }
    }

    /// Its SYN.
    pub fn syn(&mut self, theirs: SocketAddr) -> Seg {
        self.theirs = Some(theirs);
        let syn = Seg { syn: true, ack: None, mss: self.mss, scale: self.scale, ..self.seg() };
        self.snd_nxt = self.snd_nxt.wrapping_add(1);
        syn
    }

    /// Octets, once.
    pub fn data(&mut self, octets: &[u8]) -> Seg {
        let seg = Seg { data: octets.to_vec(), ..self.seg() };
        self.snd_nxt = self.snd_nxt.wrapping_add(octets.len() as u32);
        seg
    }

    /// Its FIN.
    pub fn finish(&mut self) -> Seg {
        let seg = Seg { fin: true, ..self.seg() };
        self.snd_nxt = self.snd_nxt.wrapping_add(1);
        seg
    }

    /// Its reset.
    pub fn reset(&self) -> Seg {
        Seg { rst: true, ..self.seg() }
    }

    /// A segment of the device; returns the answers.
    pub fn absorb(&mut self, seg: &Seg) -> Vec<Seg> {
        self.log.push(seg.clone());
        self.rst |= seg.rst;
        if !self.answers && seg.syn && !self.open {
            // who says nothing knows the other end's numbers all the same
            self.theirs = Some(seg.from);
            self.rcv_nxt = seg.seq.wrapping_add(1);
            self.open = seg.ack == Some(self.snd_nxt);
        }
        if !self.answers || seg.rst {
            return vec![];
        }
        if seg.syn {
            self.theirs = Some(seg.from);
            self.rcv_nxt = seg.seq.wrapping_add(1);
            if seg.ack.is_some() {
                self.open = true;
                return vec![self.seg()];
            }
            let answer = Seg { syn: true, mss: self.mss, scale: self.scale, ..self.seg() };
            self.snd_nxt = self.snd_nxt.wrapping_add(u32::from(!self.open));
            self.open = true;
            self.answers = !self.falls_silent;
            return vec![answer];
        }
        if seg.is_empty() {
            // one place before what comes next: a question
            let asks = self.open && seg.seq == self.rcv_nxt.wrapping_sub(1);
            return asks.then(|| self.seg()).into_iter().collect();
        }
        let known = self.rcv_nxt.wrapping_sub(seg.seq) as usize;
        if known <= seg.data.len() && !self.fin {
            self.inbox.extend(&seg.data[known..]);
            self.rcv_nxt = seg.seq.wrapping_add(seg.len());
            self.fin = seg.fin;
        }
        vec![self.seg()]
    }
}
