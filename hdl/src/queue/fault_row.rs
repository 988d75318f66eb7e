// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of faults: what is kept of a queue pair, and how its first fault is told.
use crate::gen::consts::{event_kind, wc_status};
use crate::gen::Event;
use crate::prelude::*;
use crate::record::{CqeItem, Fault};

/// The completion queues of a queue pair.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct QpCqs {
    /// Of sends.
    pub send: Bits<16>,
    /// Of receives.
    pub recv: Bits<16>,
}

/// Combinational: completion and event of a queue pair's first fault.
#[block(comb)]
pub struct FaultTell {
    /// The fault.
    pub fault: Signal<In, Fault>,
    /// Completion queues of its queue pair.
    pub cqs: Signal<In, QpCqs>,
    /// A completion queue had no room; otherwise `over_cq` has no meaning.
    pub is_over: Signal<In, Bit>,
    /// That one.
    pub over_cq: Signal<In, Bits<16>>,
    /// Goes to the send queue's completion queue if a work request of our own is at fault, else to
    /// the receive queue's, unless that is the one without room.
    pub cqe: Signal<Out, CqeItem>,
    /// Its kind says who is at fault, or that the peer is gone.
    pub told: Signal<Out, Event>,
}

#[kernel]
impl Logic for FaultTell {
    fn update(&mut self) {
        let is_send: Bit =
            self.fault.val().is_local || (self.is_over.val() && (self.cqs.val().recv == self.over_cq.val()));
        self.cqe.next.cq = self.cqs.val().recv;
        if is_send {
            self.cqe.next.cq = self.cqs.val().send;
        }
        self.cqe.next.index = self.fault.val().index;
        self.cqe.next.byte_len = 0.into();
        self.cqe.next.qp = bit_cast::<16, 8>(self.fault.val().qp);
        self.cqe.next.status = self.fault.val().status;
        self.cqe.next.opcode = 0.into();
        self.cqe.next.invalidated_stag = 0.into();
        self.cqe.next.error = self.fault.val().error;
        self.cqe.next.is_recv = !is_send;
        self.cqe.next.is_solicited = false;
        self.cqe.next.has_invalidate = false;
        self.cqe.next.has_wr = self.fault.val().has_wr;
        self.told.next.kind = event_kind::qp_fatal().val();
        if self.fault.val().status == wc_status::retry_exc_err().val() {
            self.told.next.kind = event_kind::connection_lost().val();
        } else if self.fault.val().is_local {
            self.told.next.kind = event_kind::qp_request_error().val();
        } else if self.fault.val().status == wc_status::loc_access_err().val() {
            self.told.next.kind = event_kind::qp_access_error().val();
        }
        self.told.next.number = bit_cast::<16, 8>(self.fault.val().qp);
        self.told.next.error = self.fault.val().error;
        self.told.next.info = 0.into();
        self.told.next.phase = false;
    }
}
