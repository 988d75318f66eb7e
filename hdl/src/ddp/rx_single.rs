// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages of one segment: Read Requests on queue 1, the Terminate on queue 2.
use super::rx_row::RxLooked;
use crate::gen::consts::{term_error, wc_status};
use crate::gen::{UnpackReadRequestHdr, UnpackTerminateControl};
use crate::prelude::*;
use crate::record::{MrAsk, ReadRequest};

const READ: usize = 28;
const TERM_LEAST: usize = 4;
const TERM_MOST: usize = 52;
const PROTECTION: usize = 1;

/// What the RDMAP header of such a message says (RFC 5040 sections 4.4 and 4.8), and whether it
/// fits the queue's buffer: 28 octets on queue 1, 4 to 52 on queue 2. Gates only, between registers
/// of the owner.
///
/// Of a Terminate the control field alone is looked at: what it quotes is for people.
#[block(comb)]
pub struct RxSingle {
    /// Headers of the segment, on queue 1 or 2.
    pub looked: Signal<In, RxLooked>,
    /// First 28 octets of its payload.
    pub body: Signal<In, Bits<224>>,
    /// Queue pair.
    pub qp: Signal<In, Bits<8>>,
    /// Its protection domain.
    pub pd: Signal<In, Bits<16>>,
    /// It is no such message: `error` says why.
    pub unfit: Signal<Out, Bit>,
    /// As in a Terminate.
    pub error: Signal<Out, Bits<16>>,
    /// It is on queue 1.
    pub is_request: Signal<Out, Bit>,
    /// The Read Request.
    pub request: Signal<Out, ReadRequest>,
    /// It reads something: `ask` is the check of its source.
    pub reads: Signal<Out, Bit>,
    /// See `reads`.
    pub ask: Signal<Out, MrAsk>,
    /// The error that the Terminate tells.
    pub told: Signal<Out, Bits<16>>,
    /// That error as one of `wc_status`.
    pub status: Signal<Out, Bits<8>>,
    /// The Terminate's control field, layer in the highest four bits, reserved bits 0.
    pub info: Signal<Out, Bits<32>>,

    read: UnpackReadRequestHdr,
    term: UnpackTerminateControl,
    least: Signal<Local, Bits<33>>,
    most: Signal<Local, Bits<33>>,
    has_length: Signal<Local, Bit>,
    has_ddp: Signal<Local, Bit>,
    has_rdmap: Signal<Local, Bit>,
}

#[kernel]
impl Logic for RxSingle {
    fn update(&mut self) {
        // A buffer of its own queue, filled from octet 0 by one segment.
        let on_read: Bit = self.looked.val().queue == 1;
        self.is_request.next = on_read;
        self.least.next = lit::<33>(TERM_LEAST);
        self.most.next = lit::<33>(TERM_MOST);
        if on_read {
            self.least.next = lit::<33>(READ);
            self.most.next = lit::<33>(READ);
        }
        let mo: Bits<33> = bit_cast::<33, 32>(self.looked.val().mo);
        let octets: Bits<33> = bit_cast::<33, 16>(self.looked.val().payload);
        let ends: Bits<33> = mo + octets;
        self.unfit.next = true;
        self.error.next = term_error::rdmap_operation_unspecified().val();
        if octets.any() && (mo >= self.most.val()) {
            self.error.next = term_error::ddp_invalid_mo().val();
        } else if octets.any() && (ends > self.most.val()) {
            self.error.next = term_error::ddp_too_long().val();
        } else if octets.any() && mo.any() {
            self.error.next = term_error::ddp_invalid_mo().val();
        } else if (octets >= self.least.val()) && self.looked.val().is_last {
            self.unfit.next = false;
        }

        // The Read Request. Nothing of its source is looked at if it reads nothing.
        self.read.octets.next = self.body.val();
        let size: Bits<32> = self.read.record.val().size;
        self.request.next.qp = self.qp.val();
        self.request.next.sink_stag = self.read.record.val().sink_stag;
        self.request.next.sink_to = self.read.record.val().sink_offset;
        self.request.next.length = size;
        self.request.next.src_stag = self.read.record.val().source_stag;
        self.request.next.src_to = self.read.record.val().source_offset;
        self.reads.next = size.any();
        self.ask.next.stag = self.read.record.val().source_stag;
        self.ask.next.addr = self.read.record.val().source_offset;
        self.ask.next.length = size;
        self.ask.next.qp = self.qp.val();
        self.ask.next.pd = self.pd.val();
        self.ask.next.remote_write = false;
        self.ask.next.remote_read = true;
        self.ask.next.local_write = false;

        // The Terminate: a protection error of RDMAP or DDP is a refusal.
        self.term.octets.next = self.body.val().get_bits::<32>(0);
        let layer: Bits<4> = self.term.record.val().layer;
        let etype: Bits<4> = self.term.record.val().etype;
        let code: Bits<8> = self.term.record.val().code;
        self.has_length.next = self.term.record.val().has_length;
        self.has_ddp.next = self.term.record.val().has_ddp;
        self.has_rdmap.next = self.term.record.val().has_rdmap;
        let name: Bits<16> =
            (bit_cast::<16, 4>(layer) << 12) | (bit_cast::<16, 4>(etype) << 8) | bit_cast::<16, 8>(code);
        let flags: Bits<32> = (bit_cast::<32, 1>(self.has_length.val().into()) << 15)
            | (bit_cast::<32, 1>(self.has_ddp.val().into()) << 14)
            | (bit_cast::<32, 1>(self.has_rdmap.val().into()) << 13);
        self.told.next = name;
        self.info.next = (bit_cast::<32, 16>(name) << 16) | flags;
        self.status.next = wc_status::rem_op_err().val();
        if (etype == lit::<4>(PROTECTION)) && ((layer == 0) || (layer == lit::<4>(PROTECTION))) {
            self.status.next = wc_status::rem_access_err().val();
        }
    }
}
