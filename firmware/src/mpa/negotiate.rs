// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the enhanced words of Request and Reply mean for both ends (RFC 6581 section 9; table in
//! `ddp-mpa2-notes.md` section 4). Pure functions: no state, no wire.
use crate::port::Rtr;
use ferrowarp_abi::codec::MpaDepths;
use ferrowarp_abi::consts::mpa;

/// Read depth in one direction as a side names it: a number, or "not negotiated" (0x3FFF).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A number, 0 to 0x3FFE.
    Reads(u16),
    /// The application takes care of it by itself.
    NotNegotiated,
}

impl Depth {
    /// From the 14 bits of the wire.
    pub const fn from_wire(bits: u16) -> Self {
        match bits & mpa::DEPTH_NOT_NEGOTIATED {
            mpa::DEPTH_NOT_NEGOTIATED => Self::NotNegotiated,
            n => Self::Reads(n),
        }
    }

    /// The 14 bits of the wire; a number beyond 0x3FFE becomes 0x3FFE.
    pub fn to_wire(self) -> u16 {
        match self {
            Self::Reads(n) => n.min(mpa::DEPTH_MAX),
            Self::NotNegotiated => mpa::DEPTH_NOT_NEGOTIATED,
        }
    }
}

/// The kinds of ready-to-receive message that a side can send (initiator) or take (responder).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct RtrSet {
    /// Zero-length Send, flag B. A responder that takes it loses a posted receive to it.
    pub send: bool,
    /// Zero-length RDMA Write, flag C.
    pub write: bool,
    /// Zero-length RDMA Read, flag D.
    pub read: bool,
}

impl RtrSet {
    /// Of the words.
    pub const fn of(words: &MpaDepths) -> Self {
        Self { send: words.rtr_send, write: words.rtr_write, read: words.rtr_read }
    }

    /// Those in both.
    pub const fn common(self, other: Self) -> Self {
        Self {
            send: self.send && other.send,
            write: self.write && other.write,
            read: self.read && other.read,
        }
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        !(self.send || self.write || self.read)
    }
}

/// What the device can hold, whatever applications ask for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most inbound Reads at once of one queue pair.
    pub ird: u16,
    /// Most outbound Reads at once of one queue pair.
    pub ord: u16,
    /// Kinds of ready-to-receive message.
    pub rtr: RtrSet,
}

/// Read depths of a queue pair as the application wants them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Inbound.
    pub ird: u16,
    /// Outbound.
    pub ord: u16,
    /// Whether the inbound depth is told to the peer, else 0x3FFF goes out and `ird` is used as it
    /// is.
    pub tell_ird: bool,
    /// The same of the outbound depth.
    pub tell_ord: bool,
}

impl Wanted {
    /// Both negotiated.
    pub const fn new(ird: u16, ord: u16) -> Self {
        Self { ird, ord, tell_ird: true, tell_ord: true }
    }

    /// Not above what the device can hold.
    pub fn within(self, limits: &Limits) -> Self {
        Self { ird: self.ird.min(limits.ird), ord: self.ord.min(limits.ord), ..self }
    }

    fn wire(self) -> (u16, u16) {
        let told = |tell, depth| if tell { Depth::Reads(depth) } else { Depth::NotNegotiated }.to_wire();
        (told(self.tell_ird, self.ird), told(self.tell_ord, self.ord))
    }
}

/// What a side ends with.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// Most inbound Reads at once: what the hardware is given.
    pub ird: u16,
    /// Most outbound Reads at once: what the hardware is given.
    pub ord: u16,
    /// The ready-to-receive message that the initiator sends; on the responder, always `None`.
    pub rtr: Option<Rtr>,
}

/// Why the initiator cannot go on after an accepting Reply. It sends a Terminate.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Terminate 2/0/06.
    #[error("the peer will have {needed} Reads under way at once, we can hold {most}: raise the IRD limit of the device")]
    InsufficientIrd {
        /// ORD of the Reply.
        needed: u16,
        /// Our limit.
        most: u16,
    },
    /// Terminate 2/0/07.
    #[error("the Reply offers the ready-to-receive messages {theirs:?}, we can send {ours:?} (a Read needs an IRD of at least 1 there)")]
    NoCommonRtr {
        /// Of the Reply.
        theirs: RtrSet,
        /// Ours.
        ours: RtrSet,
    },
    /// Terminate 2/0/07.
    #[error("the Request has A={asked}, the Reply has A={answered}: the peer does not follow the connection model")]
    Model {
        /// A of the Request.
        asked: bool,
        /// A of the Reply.
        answered: bool,
    },
}

/// The words of a Request. `rtr` is what the application allows of what the device can send; only
/// with `peer_to_peer`.
pub fn request(wanted: Wanted, peer_to_peer: bool, rtr: RtrSet) -> MpaDepths {
    let (ird, ord) = wanted.wire();
    words(peer_to_peer, rtr, ird, ord)
}

fn words(peer_to_peer: bool, rtr: RtrSet, ird: u16, ord: u16) -> MpaDepths {
    MpaDepths {
        peer_to_peer,
        rtr_send: peer_to_peer && rtr.send,
        rtr_write: peer_to_peer && rtr.write,
        rtr_read: peer_to_peer && rtr.read,
        ird,
        ord,
    }
}

/// The responder's side of a Request with the words `asked`: what it ends with and the words of its
/// Reply. A depth that either side leaves out stays as the responder wants it (RFC 6581 section
/// 9.1).
pub fn respond(asked: &MpaDepths, wanted: Wanted, limits: &Limits) -> (Agreed, MpaDepths) {
    let wanted = wanted.within(limits);
    let rtr = answer_rtr(asked, limits.rtr);
    let (ird, told_ird) = match Depth::from_wire(asked.ord) {
        Depth::NotNegotiated => (wanted.ird, mpa::DEPTH_NOT_NEGOTIATED),
        Depth::Reads(_) if !wanted.tell_ird => (wanted.ird, mpa::DEPTH_NOT_NEGOTIATED),
        Depth::Reads(n) => {
            // the ready-to-receive Read needs a slot although the initiator asks for none
            // (MPA2-9.1-09)
            let least = if asked.peer_to_peer && rtr.read { n.max(1) } else { n };
            let ird = wanted.ird.max(least).min(limits.ird);
            (ird, ird)
        }
    };
    let (ord, told_ord) = match Depth::from_wire(asked.ird) {
        Depth::NotNegotiated => (wanted.ord, mpa::DEPTH_NOT_NEGOTIATED),
        Depth::Reads(_) if !wanted.tell_ord => (wanted.ord, mpa::DEPTH_NOT_NEGOTIATED),
        Depth::Reads(n) => (wanted.ord.min(n), wanted.ord.min(n)),
    };
    (Agreed { ird, ord, rtr: None }, words(asked.peer_to_peer, rtr, told_ird, told_ord))
}

/// Flags B, C, D of the Reply: each kind that both have (MPA2-9.2-07), else what we have. Never
/// none (MPA2-9.2-11). An empty Send eats a receive of the application, which names the kinds that
/// it takes (MPA2-9.2-26).
fn answer_rtr(asked: &MpaDepths, ours: RtrSet) -> RtrSet {
    let common = ours.common(RtrSet::of(asked));
    if common.is_empty() {
        ours
    } else {
        common
    }
}

/// ORD that the application needs and the initiator's IRD does not allow, if it insists on it: the
/// Request is to be rejected with these words (MPA2-9.1-11).
pub fn too_small(asked: &MpaDepths, wanted: Wanted, limits: &Limits) -> Option<MpaDepths> {
    match Depth::from_wire(asked.ird) {
        Depth::Reads(n) if wanted.tell_ord && n < wanted.ord => {
            let (_, reply) = respond(asked, wanted, limits);
            Some(MpaDepths { ord: wanted.ord.min(mpa::DEPTH_MAX), ..reply })
        }
        _ => None,
    }
}

/// The initiator's side of an accepting Reply.
pub fn conclude(
    asked: &MpaDepths,
    answered: &MpaDepths,
    wanted: Wanted,
    limits: &Limits,
) -> Result<Agreed, Mismatch> {
    let wanted = wanted.within(limits);
    if asked.peer_to_peer != answered.peer_to_peer {
        return Err(Mismatch::Model { asked: asked.peer_to_peer, answered: answered.peer_to_peer });
    }
    let ird = match Depth::from_wire(answered.ord) {
        Depth::NotNegotiated => wanted.ird,
        Depth::Reads(needed) if needed > limits.ird => {
            return Err(Mismatch::InsufficientIrd { needed, most: limits.ird })
        }
        Depth::Reads(needed) => wanted.ird.max(needed),
    };
    let granted = Depth::from_wire(answered.ird);
    let ord = match granted {
        Depth::NotNegotiated => wanted.ord,
        Depth::Reads(n) => wanted.ord.min(n),
    };
    if !asked.peer_to_peer {
        return Ok(Agreed { ird, ord, rtr: None });
    }
    let (ours, theirs) = (RtrSet::of(asked), RtrSet::of(answered));
    let both = ours.common(theirs);
    // our ORD may be 0 because nobody wanted Reads; the message itself needs one slot over there
    let read_fits = match granted {
        Depth::NotNegotiated => ord >= 1,
        Depth::Reads(n) => n >= 1 && limits.ord >= 1,
    };
    let rtr = match both {
        RtrSet { write: true, .. } => Some(Rtr::Write),
        RtrSet { read: true, .. } if read_fits => Some(Rtr::Read),
        RtrSet { send: true, .. } => Some(Rtr::Send),
        _ => None,
    };
    match rtr {
        None => Err(Mismatch::NoCommonRtr { theirs, ours }),
        Some(Rtr::Read) => Ok(Agreed { ird, ord: ord.max(1), rtr }),
        Some(_) => Ok(Agreed { ird, ord, rtr }),
    }
}
