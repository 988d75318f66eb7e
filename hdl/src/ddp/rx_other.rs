// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages that take no receive: Read Requests, Read Responses, the Terminate.
use super::rx_inbound::RxInbound;
use super::rx_outstanding::RxOutstanding;
use super::rx_row::{RxConf, RxLooked, RxReads, RxVerdict};
use super::rx_single::RxSingle;
use crate::gen::consts::{term_error, wc_status};
use crate::prelude::*;
use crate::record::{MrAsk, ReadOut, ReadRequest};

/// What a segment of such a message is, from registers of the owner: two cycles after `get` all
/// outputs count.
///
/// `NC` = `2^C` queue pairs, `R` = `C` + 4.
#[block]
pub struct RxOther<const C: usize, const NC: usize, const R: usize> {
    /// Headers without error: a tagged segment, or one on queue 1 or 2.
    pub looked: Signal<In, RxLooked>,
    /// First 28 octets behind an untagged header.
    pub body: Signal<In, Bits<224>>,
    /// Queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// What its row fixes.
    pub conf: Signal<In, RxConf>,
    /// Its queue 1 and Reads.
    pub reads: Signal<In, RxReads>,
    /// MSN of the segment's queue that is next.
    pub msn: Signal<In, Bits<32>>,
    /// The oldest Read of ours is looked at.
    pub get: Signal<In, Bit>,
    /// In the cycle before a Read Request of `qp` was handed on.
    pub take: Signal<In, Bit>,
    /// A Read of ours.
    pub out: Signal<In, ReadOut>,
    /// It is kept; `reads` is of its queue pair.
    pub put: Signal<In, Bit>,
    /// Queue pair whose oldest Read Request is answered.
    pub free_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub free: Signal<In, Bit>,
    /// A queue pair begins anew.
    pub clear: Signal<In, Bit>,
    /// Queue pair that begins anew; with `clear`.
    pub clear_qp: Signal<In, Bits<C>>,
    /// What the segment is.
    pub verdict: Signal<Out, RxVerdict>,
    /// The check that it needs, with `verdict.asks`.
    pub ask: Signal<Out, MrAsk>,
    /// The Read Request, with `verdict.is_request`.
    pub request: Signal<Out, ReadRequest>,
    /// `reads` behind the segment, or with the Read of ours.
    pub back: Signal<Out, RxReads>,

    single: RxSingle,
    outstanding: RxOutstanding<R>,
    inbound: RxInbound<C, NC>,
    said: Signal<Local, RxVerdict>,
    behind: Signal<Local, RxReads>,
}

impl<const C: usize, const NC: usize, const R: usize> RxOther<C, NC, R> {
    /// For `NC` queue pairs.
    pub fn new() -> Self {
        Self { inbound: RxInbound::new(), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize, const R: usize> Logic for RxOther<C, NC, R> {
    fn update(&mut self) {
        parts!(inbound);
        clocked!(outstanding);
        self.single.looked.next = self.looked.val();
        self.single.body.next = self.body.val();
        self.single.qp.next = self.qp.val();
        self.single.pd.next = self.conf.val().pd;
        self.request.next = self.single.request.val();
        self.inbound.qp.next = bit_cast::<C, 8>(self.qp.val());
        self.inbound.limit.next = self.conf.val().ird;
        self.inbound.free_qp.next = self.free_qp.val();
        self.inbound.free.next = self.free.val();
        self.inbound.clear.next = self.clear.val();
        self.inbound.clear_qp.next = self.clear_qp.val();
        self.outstanding.qp.next = self.qp.val();
        if self.put.val() {
            self.outstanding.qp.next = self.out.val().qp;
        }
        self.outstanding.reads.next = self.reads.val();
        self.outstanding.item.next = self.out.val();
        self.outstanding.put.next = self.put.val();
        self.outstanding.get.next = self.get.val();
        self.outstanding.looked.next = self.looked.val();
        self.outstanding.pd.next = self.conf.val().pd;

        // What the segment is.
        self.said.next.has_error = false;
        self.said.next.error = self.single.error.val();
        self.said.next.status = wc_status::fatal_err().val();
        self.said.next.is_request = false;
        self.said.next.is_terminate = false;
        self.said.next.delivers = false;
        self.said.next.asks = false;
        self.said.next.info = self.single.info.val();
        self.ask.next = self.single.ask.val();
        let is_request: Bit = !self.looked.val().is_tagged && self.single.is_request.val();
        if self.looked.val().is_tagged {
            self.ask.next = self.outstanding.ask.val();
            if self.outstanding.none.val() {
                self.said.next.has_error = true;
                self.said.next.error = term_error::rdmap_unexpected_opcode().val();
            } else {
                // the region has its own say, which counts before this
                self.said.next.asks = self.looked.val().payload.any();
                self.said.next.has_error = self.outstanding.unfit.val();
                self.said.next.error = self.outstanding.error.val();
                self.said.next.status = wc_status::loc_access_err().val();
                self.said.next.delivers = self.looked.val().is_last;
            }
        } else if is_request {
            if self.inbound.full.val() {
                self.said.next.has_error = true;
                self.said.next.error = term_error::ddp_no_buffer().val();
            } else if self.single.unfit.val() {
                self.said.next.has_error = true;
            } else {
                self.said.next.is_request = true;
                self.said.next.delivers = true;
                self.said.next.asks = self.single.reads.val();
            }
        } else {
            // a Terminate ends the stream; nobody answers it, whatever is wrong with it: the status
            // tells
            self.said.next.has_error = true;
            self.said.next.status = wc_status::rem_op_err().val();
            if !self.single.unfit.val() {
                self.said.next.is_terminate = true;
                self.said.next.error = self.single.told.val();
                self.said.next.status = self.single.status.val();
            }
        }
        self.verdict.next = self.said.val();
        self.inbound.take.next = self.take.val();

        // The row behind it.
        self.behind.next = self.reads.val();
        self.behind.next.requests = self.msn.val();
        if self.looked.val().is_tagged {
            self.behind.next = self.outstanding.got_row.val();
        }
        if self.put.val() {
            self.behind.next = self.outstanding.put_row.val();
        }
        self.back.next = self.behind.val();
    }
}
