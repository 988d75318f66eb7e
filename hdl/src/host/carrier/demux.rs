// SPDX-License-Identifier: MIT OR Apache-2.0
//! Separates the carrier's frames from those of the device's wire.
use crate::gen::consts::carrier_frame;
use crate::prelude::*;
use crate::stream::{Beat, Skid, StreamSink, StreamSource};

/// Frames of EtherType 0x88B5 leave on `own`, all other frames on `ether`, unchanged.
///
/// **Contract.** A frame that ends before its EtherType leaves on `ether`. `own` waits for nobody:
/// a beat of `own` stands for one cycle. If `ether` is not taken, `rx` waits.
///
/// **Timing.** Two cycles to `ether` and to `own`; the first beat of a frame waits for the second
/// one. A beat a cycle.
#[block]
pub struct Demux {
    /// Frames from the MAC.
    pub rx: StreamSink<64, 4>,
    /// Frames for the device.
    pub ether: StreamSource<64, 4>,
    /// Beat of a frame of the carrier, with `own_valid`.
    pub own: Signal<Out, Beat<64, 4>>,
    /// A beat stands on `own`, in this cycle only.
    pub own_valid: Signal<Out, Bit>,
    held: Flop<Beat<64, 4>>,
    held_valid: Reg<Bit>,
    /// `held` is the first beat of its frame.
    is_first: Flop<Bit>,
    /// The next beat of `rx` is not the first of its frame.
    in_frame: Reg<Bit>,
    /// The frame of `held` is the carrier's, as its second beat said.
    is_own: Flop<Bit>,
    out: Flop<Beat<64, 4>>,
    out_valid: Reg<Bit>,
    skid: Skid<64, 4>,
}

#[kernel]
impl Logic for Demux {
    fn update(&mut self) {
        regs!(held_valid, in_frame, out_valid);
        flops!(held, is_first, is_own, out);
        parts!(skid);
        StreamSource::<64, 4>::link(&mut self.ether, &mut self.skid.tx);
        self.own.next = self.out.q.val();
        self.own_valid.next = self.out_valid.q.val();
        let free: Bit = self.skid.rx.ready.val();
        self.rx.ready.next = free;
        let comes: Bit = free && self.rx.valid.val();
        // octets 12 and 13 of the frame, in the second beat
        let high: Bits<8> = self.rx.data.val().get_bits::<8>(32);
        let low: Bits<8> = self.rx.data.val().get_bits::<8>(40);
        let ether_type: Bits<16> = (bit_cast::<16, 8>(high) << 8) | bit_cast::<16, 8>(low);
        let says_own: Bit =
            (ether_type == carrier_frame::ether_type().val()) && (self.rx.bytes.val() >= lit::<4>(6));
        let alone: Bit = self.held.q.val().last;
        let leaves: Bit =
            self.held_valid.q.val() && free && (self.rx.valid.val() || alone || !self.is_first.q.val());
        let ours: Bit =
            (self.is_first.q.val() && !alone && says_own) || (!self.is_first.q.val() && self.is_own.q.val());
        self.skid.rx.data.next = self.held.q.val().data;
        self.skid.rx.bytes.next = self.held.q.val().bytes;
        self.skid.rx.last.next = self.held.q.val().last;
        self.skid.rx.err.next = self.held.q.val().err;
        self.skid.rx.valid.next = leaves && !ours;
        self.out.d.next = self.held.q.val();
        self.out_valid.d.next = leaves && ours;
        if leaves {
            self.held_valid.d.next = false;
            self.is_own.d.next = ours;
        }
        if comes {
            self.held.d.next.data = self.rx.data.val();
            self.held.d.next.bytes = self.rx.bytes.val();
            self.held.d.next.last = self.rx.last.val();
            self.held.d.next.err = self.rx.err.val();
            self.held_valid.d.next = true;
            self.is_first.d.next = !self.in_frame.q.val();
            self.in_frame.d.next = !self.rx.last.val();
        }
    }
}
