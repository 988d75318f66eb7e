// SPDX-License-Identifier: MIT OR Apache-2.0
//! A work request of the send queue: the verb, then what the verb asks for besides, then `post`.
//! All of this is values that the compiler sees through: a request is made where it is written into
//! its ring.
use super::outstanding::Posted;
use super::region::Segment;
use super::types::{Remote, WcOpcode};
use crate::error::Error;
use crate::rings::{Payload, SendRequest};
use ferrowarp_abi::opcode::Opcode;
use ferrowarp_abi::types::{STag, TaggedOffset};

/// A Send, Write or Read that is not posted yet: [`WorkRequest::post`] posts it. `Q` is the queue,
/// a queue pair or a batch ([`super::Sends`]), and `V` the verb.
///
/// ```
/// # use ferrowarp::{Connected, Error, QueuePair, Remote, Segment};
/// # fn example(qp: &QueuePair<Connected>, segment: Segment, remote: Remote) -> Result<(), Error> {
/// qp.write(1, &[segment], remote).unsignaled().post()?;
/// qp.send_inline(2, b"done").solicited().fenced().post()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a work request leaves with `post`"]
pub struct WorkRequest<Q, V> {
    queue: Q,
    wr_id: u64,
    verb: V,
    is_signaled: bool,
    is_fenced: bool,
}

/// Verb of a [`WorkRequest`]: a message for the peer's next receive.
#[derive(Debug)]
pub struct SendVerb<'a> {
    payload: Payload<'a, Segment>,
    is_solicited: bool,
    invalidates: Option<STag>,
}

/// Verb of a [`WorkRequest`]: an RDMA Write into the peer's memory.
#[derive(Debug)]
pub struct WriteVerb<'a> {
    payload: Payload<'a, Segment>,
    remote: Remote,
}

/// Verb of a [`WorkRequest`]: an RDMA Read of the peer's memory.
#[derive(Debug)]
pub struct ReadVerb {
    sink: [Segment; 1],
    remote: Remote,
}

/// Verb of a [`WorkRequest`] that is known when the program runs: any of the others. Posts of all
/// verbs are one piece of code then.
#[derive(Debug)]
pub struct AnyVerb<'a> {
    opcodes: (Opcode, WcOpcode),
    payload: Payload<'a, Segment>,
    remote: Remote,
}

impl<'a> AnyVerb<'a> {
    #[inline(always)]
    fn of(opcodes: (Opcode, WcOpcode), segments: &'a [Segment], remote: Remote) -> Self {
        Self { opcodes, payload: Payload::Segments(segments), remote }
    }

    /// A message, which may wake the receiver and invalidate an STag of the peer, as
    /// [`WorkRequest::solicited`] and [`WorkRequest::invalidate`] say.
    #[inline(always)]
    pub fn send(segments: &'a [Segment], is_solicited: bool, invalidates: Option<STag>) -> Self {
        let verb = SendVerb { payload: Payload::Segments(segments), is_solicited, invalidates };
        Self::of(parts::Verb::opcodes(&verb), segments, parts::Verb::remote(&verb))
    }

    /// A Write into the peer's memory.
    #[inline(always)]
    pub fn write(segments: &'a [Segment], remote: Remote) -> Self {
        Self::of((Opcode::RdmaWrite, WcOpcode::Write), segments, remote)
    }

    /// A Read of the peer's memory into `sink`.
    #[inline(always)]
    pub fn read(sink: &'a [Segment; 1], remote: Remote) -> Self {
        Self::of((Opcode::ReadRequest, WcOpcode::Read), sink, remote)
    }

    /// Bytes that are taken now, in the place of segments, as those of
    /// [`super::Sends::send_inline`]. A Read stays as it is.
    #[inline(always)]
    pub fn inline(self, bytes: &'a [u8]) -> Self {
        match self.opcodes.1 {
            WcOpcode::Read => self,
            _ => Self { payload: Payload::Inline(bytes), ..self },
        }
    }
}

/// Closed to other crates: what a request is made for, and of.
pub(super) mod parts {
    use super::*;

    /// Takes a request.
    pub trait Queue {
        /// Posts it.
        fn take(self, posted: Posted, request: SendRequest<'_, Segment>) -> Result<(), Error>;
    }

    /// What a request says.
    pub trait Verb {
        /// Of the request, and of its completion.
        fn opcodes(&self) -> (Opcode, WcOpcode);
        /// What goes or comes.
        fn payload(&self) -> Payload<'_, Segment>;
        /// The peer's buffer, or the STag that a Send invalidates.
        fn remote(&self) -> Remote;
    }
}

impl<Q, V> WorkRequest<Q, V> {
    #[inline(always)]
    fn new(queue: Q, wr_id: u64, verb: V) -> Self {
        Self { queue, wr_id, verb, is_signaled: true, is_fenced: false }
    }

    /// No completion if the request is done. Without this call there is one: rdma-core's
    /// `IBV_SEND_SIGNALED`. An unsignaled request gives its place back with the next completion
    /// behind it.
    #[inline(always)]
    pub fn unsignaled(self) -> Self {
        Self { is_signaled: false, ..self }
    }

    /// The request, and all requests behind it, begin when all Reads that were posted before have
    /// completed: rdma-core's `IBV_SEND_FENCE`.
    #[inline(always)]
    pub fn fenced(self) -> Self {
        Self { is_fenced: true, ..self }
    }
}

impl<'a, Q> WorkRequest<Q, SendVerb<'a>> {
    #[inline(always)]
    pub(super) fn send(queue: Q, wr_id: u64, payload: Payload<'a, Segment>) -> Self {
        Self::new(queue, wr_id, SendVerb { payload, is_solicited: false, invalidates: None })
    }

    /// The receiver is woken, if it armed its completion queue for that: rdma-core's
    /// `IBV_SEND_SOLICITED`.
    #[inline(always)]
    pub fn solicited(self) -> Self {
        Self { verb: SendVerb { is_solicited: true, ..self.verb }, ..self }
    }

    /// The peer's region of this STag is invalid once the message is received: rdma-core's
    /// `IBV_WR_SEND_WITH_INV`.
    #[inline(always)]
    pub fn invalidate(self, stag: impl Into<Option<STag>>) -> Self {
        Self { verb: SendVerb { invalidates: stag.into(), ..self.verb }, ..self }
    }
}

impl<'a, Q> WorkRequest<Q, WriteVerb<'a>> {
    #[inline(always)]
    pub(super) fn write(queue: Q, wr_id: u64, payload: Payload<'a, Segment>, remote: Remote) -> Self {
        Self::new(queue, wr_id, WriteVerb { payload, remote })
    }
}

impl<'a, Q> WorkRequest<Q, AnyVerb<'a>> {
    #[inline(always)]
    pub(super) fn any(queue: Q, wr_id: u64, verb: AnyVerb<'a>) -> Self {
        Self::new(queue, wr_id, verb)
    }
}

impl<Q> WorkRequest<Q, ReadVerb> {
    #[inline(always)]
    pub(super) fn read(queue: Q, wr_id: u64, sink: Segment, remote: Remote) -> Self {
        Self::new(queue, wr_id, ReadVerb { sink: [sink], remote })
    }
}

impl<Q: parts::Queue, V: parts::Verb> WorkRequest<Q, V> {
    /// Posts the request. An error changes nothing.
    ///
    /// Errors: [`Error::Full`] and [`Error::NoSlot`] if there is no room, [`Error::Segments`],
    /// [`Error::Inline`], [`Error::Long`] and [`Error::Domain`] of the payload, [`Error::NoReads`]
    /// and [`Error::PeerFinished`] of a Read, [`Error::Finished`] behind the end of sending, and
    /// [`Error::Backend`] if the device is gone, now or at the end of a batch that was dropped.
    #[inline(always)]
    pub fn post(self) -> Result<(), Error> {
        let Self { queue, wr_id, verb, is_signaled, is_fenced } = self;
        let ((opcode, kind), payload) = (verb.opcodes(), verb.payload());
        let Remote { stag: remote_stag, to: remote_to } = verb.remote();
        let request =
            SendRequest { opcode: opcode as u8, is_signaled, is_fenced, remote_stag, remote_to, payload };
        queue.take(Posted { wr_id, opcode: kind, is_signaled, is_own: false, has_slot: false }, request)
    }
}

impl parts::Verb for SendVerb<'_> {
    #[inline(always)]
    fn opcodes(&self) -> (Opcode, WcOpcode) {
        let opcode = match (self.is_solicited, self.invalidates) {
            (false, None) => Opcode::Send,
            (false, Some(_)) => Opcode::SendInvalidate,
            (true, None) => Opcode::SendSolicited,
            (true, Some(_)) => Opcode::SendSolicitedInvalidate,
        };
        (opcode, WcOpcode::Send)
    }

    #[inline(always)]
    fn payload(&self) -> Payload<'_, Segment> {
        self.payload
    }

    #[inline(always)]
    fn remote(&self) -> Remote {
        Remote { stag: self.invalidates.unwrap_or_default(), to: TaggedOffset(0) }
    }
}

impl parts::Verb for WriteVerb<'_> {
    #[inline(always)]
    fn opcodes(&self) -> (Opcode, WcOpcode) {
        (Opcode::RdmaWrite, WcOpcode::Write)
    }

    #[inline(always)]
    fn payload(&self) -> Payload<'_, Segment> {
        self.payload
    }

    #[inline(always)]
    fn remote(&self) -> Remote {
        self.remote
    }
}

impl parts::Verb for AnyVerb<'_> {
    #[inline(always)]
    fn opcodes(&self) -> (Opcode, WcOpcode) {
        self.opcodes
    }

    #[inline(always)]
    fn payload(&self) -> Payload<'_, Segment> {
        self.payload
    }

    #[inline(always)]
    fn remote(&self) -> Remote {
        self.remote
    }
}

impl parts::Verb for ReadVerb {
    #[inline(always)]
    fn opcodes(&self) -> (Opcode, WcOpcode) {
        (Opcode::ReadRequest, WcOpcode::Read)
    }

    #[inline(always)]
    fn payload(&self) -> Payload<'_, Segment> {
        Payload::Segments(&self.sink)
    }

    #[inline(always)]
    fn remote(&self) -> Remote {
        self.remote
    }
}
