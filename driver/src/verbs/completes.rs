// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a completion queue asks of the queue pairs that complete in it.
use super::outstanding::{Stray, What};
use super::types::Completion;
use crate::number::Number;
use ferrowarp_abi::codec::Cqe;
use std::fmt::Debug;

/// An entry that is no completion of a queue pair.
#[derive(Debug)]
pub(crate) enum BadCompletion {
    /// A success without a request.
    Nameless,
    /// Of a queue that completes in another completion queue.
    Elsewhere,
    /// Of a request that is not outstanding.
    Stray(Stray),
}

impl BadCompletion {
    /// What is wrong.
    #[cold]
    pub(crate) fn why(self, qp: u16) -> String {
        match self {
            Self::Nameless => format!("a success of queue pair {qp} names no request"),
            Self::Elsewhere => format!("that queue of queue pair {qp} completes elsewhere"),
            Self::Stray(stray) => format!("queue pair {qp}: {stray}"),
        }
    }
}

/// A queue pair, as a completion queue has it. `cq` is the number in the completion queue that
/// asks, and the caller holds the lock of that queue.
pub(crate) trait Completes: Debug + Send + Sync + Sized + 'static {
    /// Its number on the device.
    fn number(&self) -> u16;

    /// The device completed something with an error.
    fn has_failed(&self);

    /// The request that an entry of `cq` completes, which is not outstanding any more. Of an entry
    /// that completes none [`Completes::unasked`] says what it is.
    fn completed(&self, cq: &Number, cqe: &Cqe) -> Option<(u64, What)>;

    /// How many slots an entry gives back that completes no request, or why it cannot be.
    fn unasked(
        &self,
        cq: &Number,
        is_recv: bool,
        status: u8,
        index: Option<u32>,
    ) -> Result<u32, BadCompletion>;

    /// Whether requests of one of the queues are flushed.
    fn is_flushing(&self) -> bool;

    /// Whether requests of the application are left that are flushed and complete in `cq`.
    fn leaves(&self, cq: &Number) -> bool;

    /// A Read that the peer has not answered before its FIN ends the queue pair: no response comes,
    /// and no request behind the Read completes. The caller has polled `cq` since the FIN was told,
    /// so an answered Read with a completion is outstanding no more.
    fn end_reads(&self, cq: &Number);

    /// Completions of what its queues leave that are flushed and complete in `cq`.
    fn flush(&self, cq: &Number) -> Vec<Completion>;
}
