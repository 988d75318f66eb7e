// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs: what an application holds. Whether work may be sent is in the type.
use super::completion_queue::CompletionQueue;
use super::options::{QpLimits, QpOptions, OWN_REQUESTS};
use super::outstanding::Posted;
use super::post::{Receives, Sends};
use super::qp_shared::QpShared;
use super::region::{Access, MemoryRegion, ProtectionDomain, Segment};
use super::request::parts::Queue;
use super::request::{ReadVerb, SendVerb, WorkRequest, WriteVerb};
use super::types::{QpState, Remote};
use crate::backend::WORK_BLOCKS_LOG2;
use crate::error::Error;
use crate::inspect::Inspect;
use crate::rings::{log2_of, Payload, SendRequest};
use crate::tcp_info::{self, TcpInfo};
use ferrowarp_abi::codec::MrRow;
use std::marker::PhantomData;
use std::sync::Arc;

/// A queue pair that may have no connection yet: receives may be posted.
#[derive(Debug, Clone, Copy)]
pub enum Unconnected {}

/// A queue pair that has, or had, a connection: everything may be posted. When the connection is
/// over it is flushed.
#[derive(Debug, Clone, Copy)]
pub enum Connected {}

/// A queue pair. It serves one connection. Clones are the same queue pair, and
/// [`crate::Connection::queue_pair`] gives it as one that is connected. With the last of them go
/// its completions that were not polled.
#[derive(Debug, Clone)]
pub struct QueuePair<S = Unconnected>(pub(crate) Arc<QpShared>, PhantomData<S>);

impl ProtectionDomain {
    /// Registers fresh memory for one queue pair of the domain, as [`ProtectionDomain::allocate`]
    /// does for all of them. Its peer, and no other, may invalidate it by a Send with Invalidate.
    /// When the queue pair ends, with its last handle, the region serves nobody any more: the next
    /// queue pair of that number does not reach it.
    pub fn allocate_for<S>(
        &self,
        qp: &QueuePair<S>,
        octets: usize,
        access: Access,
    ) -> Result<MemoryRegion, Error> {
        if !qp.0.is_in(self) {
            return Err(Error::Domain("the queue pair"));
        }
        let row = MrRow { bound_to_qp: true, qp: qp.0.number.index, ..Self::row(access) };
        let region = MemoryRegion::new(self, self.fresh(octets)?, row)?;
        qp.0.bind_region(&region.registered);
        Ok(region)
    }
}

impl QueuePair {
    pub(crate) fn new(
        pd: &ProtectionDomain,
        cqs: [&CompletionQueue; 2],
        logs: [u8; 2],
        options: QpOptions,
    ) -> Result<Self, Error> {
        Ok(Self(QpShared::new(pd, cqs.map(|cq| &cq.0), logs, options)?, PhantomData))
    }

    /// log2 of the blocks of the queues that hold what `options` ask for, on a device whose queues
    /// hold `most` requests.
    pub(crate) fn logs(options: QpOptions, most: u32) -> Result<[u8; 2], Error> {
        let fits = most.saturating_sub(OWN_REQUESTS);
        let QpOptions { sends, receives } = options;
        if !(1..=fits).contains(&sends) {
            return Err(Error::Depth { asked: sends, most: fits });
        }
        let logs = [log2_of(sends + OWN_REQUESTS, most)?, log2_of(receives, most)?];
        Ok(logs.map(|requests| requests + WORK_BLOCKS_LOG2))
    }
}

impl QueuePair {
    /// The same queue pair for a program that posts before the program knows of a connection, as a
    /// program of `ibv_post_send` may do. Without a connection a post to the send queue is
    /// [`Error::NotConnected`](crate::Error::NotConnected). In error each request is flushed.
    pub fn assume_connected(&self) -> QueuePair<Connected> {
        QueuePair::connected(&self.0)
    }
}

impl<S> QueuePair<S> {
    /// Posts a place for a message of the peer.
    #[doc(alias = "ibv_post_recv")]
    pub fn post_recv(&self, wr_id: u64, segments: &[Segment]) -> Result<(), Error> {
        let mut receives = self.receives();
        receives.post(wr_id, segments)?;
        receives.ring()
    }

    /// Begins to post receives; the device is told of all of them at once, at the end.
    pub fn receives(&self) -> Receives<'_> {
        Receives::new(&self.0)
    }

    /// Its number.
    pub fn number(&self) -> u16 {
        self.0.number.index
    }

    /// Where it is.
    pub fn state(&self) -> QpState {
        self.0.phase()
    }

    /// What it can hold.
    pub fn limits(&self) -> QpLimits {
        let [sends, receives] = self.0.most();
        QpLimits::of(sends, receives)
    }
}

impl QueuePair<Connected> {
    /// Of a connection that was made.
    pub(crate) fn connected(shared: &Arc<QpShared>) -> Self {
        Self(shared.clone(), PhantomData)
    }

    /// TCP of the connection as it is now: round trip, timer, windows, what has left again. `None`
    /// if the device has no such connection any more. Commands of the admin port tell, so this is
    /// nothing for the data path.
    pub fn tcp_info(&self) -> Result<Option<TcpInfo>, Error> {
        let backend = &*self.0.number.shared.backend;
        Ok(tcp_info::tcp_info(Inspect::new(backend), self.number())?)
    }

    /// Begins to post Sends, Writes and Reads; the device is told of all of them at once, at the
    /// end.
    pub fn sends(&self) -> Sends<'_> {
        Sends::new(&self.0)
    }

    /// Sends a message: rdma-core's `IBV_WR_SEND`.
    #[doc(alias = "ibv_post_send")]
    #[inline(always)]
    pub fn send<'a>(&self, wr_id: u64, segments: &'a [Segment]) -> WorkRequest<&Self, SendVerb<'a>> {
        WorkRequest::send(self, wr_id, Payload::Segments(segments))
    }

    /// Sends a message whose bytes are taken now; as many as [`QpLimits::inline`] has. No region is
    /// needed.
    #[doc(alias = "IBV_SEND_INLINE")]
    #[inline(always)]
    pub fn send_inline<'a>(&self, wr_id: u64, bytes: &'a [u8]) -> WorkRequest<&Self, SendVerb<'a>> {
        WorkRequest::send(self, wr_id, Payload::Inline(bytes))
    }

    /// Writes into the peer's memory: rdma-core's `IBV_WR_RDMA_WRITE`.
    #[doc(alias = "ibv_post_send")]
    #[inline(always)]
    pub fn write<'a>(
        &self,
        wr_id: u64,
        segments: &'a [Segment],
        remote: Remote,
    ) -> WorkRequest<&Self, WriteVerb<'a>> {
        WorkRequest::write(self, wr_id, Payload::Segments(segments), remote)
    }

    /// Writes bytes that are taken now, as those of [`QueuePair::send_inline`].
    #[doc(alias = "IBV_SEND_INLINE")]
    #[inline(always)]
    pub fn write_inline<'a>(
        &self,
        wr_id: u64,
        bytes: &'a [u8],
        remote: Remote,
    ) -> WorkRequest<&Self, WriteVerb<'a>> {
        WorkRequest::write(self, wr_id, Payload::Inline(bytes), remote)
    }

    /// Reads from the peer's memory into `sink`: rdma-core's `IBV_WR_RDMA_READ`.
    #[doc(alias = "ibv_post_send")]
    #[inline(always)]
    pub fn read(&self, wr_id: u64, sink: Segment, remote: Remote) -> WorkRequest<&Self, ReadVerb> {
        WorkRequest::read(self, wr_id, sink, remote)
    }
}

impl Queue for &QueuePair<Connected> {
    #[inline(always)]
    fn take(self, posted: Posted, request: SendRequest<'_, Segment>) -> Result<(), Error> {
        self.0.post_one(posted, request)
    }
}
