// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages of one segment: Read Requests on queue 1, the Terminate on queue 2.
use super::rx_row::RxLooked;
use crate::cell::Const;
use crate::gen::consts::{term_error, wc_status};
use crate::gen::{UnpackReadRequestHdr, UnpackTerminateControl};
use crate::record::{MrAsk, ReadRequest};
use rust_hdl::prelude::*;

/// What the RDMAP header of such a message says (RFC 5040 sections 4.4 and 4.8), and whether it
/// fits the queue's buffer: 28 octets on queue 1, 4 to 52 on queue 2. Gates only, between registers
/// of the owner.
///
/// Of a Terminate the control field alone is looked at: what it quotes is for people.
#[derive(LogicBlock, Default)]
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
    e_mo: Const<Bits<16>>,
    e_too_long: Const<Bits<16>>,
    e_length: Const<Bits<16>>,
    refused: Const<Bits<8>>,
    failed: Const<Bits<8>>,
    k_read: Const<Bits<33>>,
    term_least: Const<Bits<33>>,
    term_most: Const<Bits<33>>,
    protection: Const<Bits<4>>,
    least: Signal<Local, Bits<33>>,
    most: Signal<Local, Bits<33>>,
    mo: Signal<Local, Bits<33>>,
    octets: Signal<Local, Bits<33>>,
    ends: Signal<Local, Bits<33>>,
    on_read: Signal<Local, Bit>,
    layer: Signal<Local, Bits<4>>,
    etype: Signal<Local, Bits<4>>,
    code: Signal<Local, Bits<8>>,
    has_length: Signal<Local, Bit>,
    has_ddp: Signal<Local, Bit>,
    has_rdmap: Signal<Local, Bit>,
    name: Signal<Local, Bits<16>>,
    flags: Signal<Local, Bits<32>>,
    size: Signal<Local, Bits<32>>,
}

impl RxSingle {
    /// The judge.
    pub fn new() -> Self {
        Self {
            e_mo: term_error::ddp_invalid_mo(),
            e_too_long: term_error::ddp_too_long(),
            e_length: term_error::rdmap_operation_unspecified(),
            refused: wc_status::rem_access_err(),
            failed: wc_status::rem_op_err(),
            k_read: Const::of(28),
            term_least: Const::of(4),
            term_most: Const::of(52),
            protection: Const::of(1),
            ..Default::default()
        }
    }
}

impl Logic for RxSingle {
    #[hdl_gen]
    fn update(&mut self) {
        // A buffer of its own queue, filled from octet 0 by one segment.
        self.on_read.next = self.looked.val().queue == 1;
        self.is_request.next = self.on_read.val();
        self.least.next = self.term_least.val();
        self.most.next = self.term_most.val();
        if self.on_read.val() {
            self.least.next = self.k_read.val();
            self.most.next = self.k_read.val();
        }
        self.mo.next = bit_cast::<33, 32>(self.looked.val().mo);
        self.octets.next = bit_cast::<33, 16>(self.looked.val().payload);
        self.ends.next = self.mo.val() + self.octets.val();
        self.unfit.next = true;
        self.error.next = self.e_length.val();
        if self.octets.val().any() && (self.mo.val() >= self.most.val()) {
            self.error.next = self.e_mo.val();
        } else if self.octets.val().any() && (self.ends.val() > self.most.val()) {
            self.error.next = self.e_too_long.val();
        } else if self.octets.val().any() && self.mo.val().any() {
            self.error.next = self.e_mo.val();
        } else if (self.octets.val() >= self.least.val()) && self.looked.val().is_last {
            self.unfit.next = false;
        }

        // The Read Request. Nothing of its source is looked at if it reads nothing.
        self.read.octets.next = self.body.val();
        self.size.next = self.read.record.val().size;
        self.request.next.qp = self.qp.val();
        self.request.next.sink_stag = self.read.record.val().sink_stag;
        self.request.next.sink_to = self.read.record.val().sink_offset;
        self.request.next.length = self.size.val();
        self.request.next.src_stag = self.read.record.val().source_stag;
        self.request.next.src_to = self.read.record.val().source_offset;
        self.reads.next = self.size.val().any();
        self.ask.next.stag = self.read.record.val().source_stag;
        self.ask.next.addr = self.read.record.val().source_offset;
        self.ask.next.length = self.size.val();
        self.ask.next.qp = self.qp.val();
        self.ask.next.pd = self.pd.val();
        self.ask.next.remote_write = false;
        self.ask.next.remote_read = true;
        self.ask.next.local_write = false;

        // The Terminate: a protection error of RDMAP or DDP is a refusal.
        self.term.octets.next = self.body.val().get_bits::<32>(0);
        self.layer.next = self.term.record.val().layer;
        self.etype.next = self.term.record.val().etype;
        self.code.next = self.term.record.val().code;
        self.has_length.next = self.term.record.val().has_length;
        self.has_ddp.next = self.term.record.val().has_ddp;
        self.has_rdmap.next = self.term.record.val().has_rdmap;
        self.name.next = (bit_cast::<16, 4>(self.layer.val()) << 12)
            | (bit_cast::<16, 4>(self.etype.val()) << 8)
            | bit_cast::<16, 8>(self.code.val());
        self.flags.next = (bit_cast::<32, 1>(self.has_length.val().into()) << 15)
            | (bit_cast::<32, 1>(self.has_ddp.val().into()) << 14)
            | (bit_cast::<32, 1>(self.has_rdmap.val().into()) << 13);
        self.told.next = self.name.val();
        self.info.next = (bit_cast::<32, 16>(self.name.val()) << 16) | self.flags.val();
        self.status.next = self.failed.val();
        if (self.etype.val() == self.protection.val())
            && ((self.layer.val() == 0) || (self.layer.val() == self.protection.val()))
        {
            self.status.next = self.refused.val();
        }
    }
}
