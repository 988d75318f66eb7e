// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the filter of frames.
use crate::eth::{RxAccept, RxMac, MACS};
use crate::gen::consts::csr;
use crate::prelude::*;

/// `rx_filter`, `rx_mac_low` and `rx_mac_high`.
///
/// **Contract.** A register that `put` names is written at the next edge; `word` is that of `from`
/// of the cycle before, 0 if it is none of these. After reset all frames are received.
#[block]
pub struct FilterRegs {
    /// Register that is written.
    pub at: Signal<In, Bits<12>>,
    /// Its new value.
    pub data: Signal<In, Bits<32>>,
    /// It is, now.
    pub put: Signal<In, Bit>,
    /// Register that is read.
    pub from: Signal<In, Bits<12>>,
    /// Its value.
    pub word: Signal<Out, Bits<32>>,
    /// Kinds of frames that are received.
    pub accept: Signal<Out, RxAccept>,
    /// Addresses that are received.
    pub macs: [Signal<Out, RxMac>; MACS],
    said: Flop<Bits<32>>,
    kinds: Reg<Bits<3>>,
    low: [Reg<Bits<32>>; MACS],
    high: [Reg<Bits<17>>; MACS],
    low_at: Vec<Const<Bits<12>>>,
    high_at: Vec<Const<Bits<12>>>,
    taken: Signal<Local, RxAccept>,
    entry: Signal<Local, RxMac>,
    low_now: Signal<Local, Bits<32>>,
    high_now: Signal<Local, Bits<17>>,
}

impl FilterRegs {
    /// All frames are received.
    pub fn new() -> Self {
        use ferrowarp_abi::consts::{csr, csr_reset};
        let places = |first: u16| (0..MACS).map(|i| Const::of(usize::from(first) + 4 * i)).collect();
        Self {
            kinds: Reg::new(u64::from(csr_reset::RX_FILTER).into()),
            low_at: places(csr::RX_MAC_LOW),
            high_at: places(csr::RX_MAC_HIGH),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for FilterRegs {
    fn update(&mut self) {
        regs!(kinds);
        flops!(said);
        self.word.next = self.said.q.val();
        self.said.d.next = 0.into();
        if self.put.val() && (self.at.val() == self::csr::rx_filter().val()) {
            self.kinds.d.next = self.data.val().get_bits::<3>(0);
        }
        if self.from.val() == self::csr::rx_filter().val() {
            self.said.d.next = bit_cast::<32, 3>(self.kinds.q.val());
        }
        self.taken.next.promiscuous = self.kinds.q.val().get_bit(0);
        self.taken.next.broadcast = self.kinds.q.val().get_bit(1);
        self.taken.next.multicast = self.kinds.q.val().get_bit(2);
        self.accept.next = self.taken.val();
        for i in 0..MACS {
            self.low[i].clock.next = self.clock.val();
            self.low[i].reset.next = self.reset.val();
            self.low[i].d.next = self.low[i].q.val();
            self.high[i].clock.next = self.clock.val();
            self.high[i].reset.next = self.reset.val();
            self.high[i].d.next = self.high[i].q.val();
            if self.put.val() && (self.at.val() == self.low_at[i].val()) {
                self.low[i].d.next = self.data.val();
            }
            if self.put.val() && (self.at.val() == self.high_at[i].val()) {
                self.high[i].d.next = self.data.val().get_bits::<17>(0);
            }
            self.low_now.next = self.low[i].q.val();
            self.high_now.next = self.high[i].q.val();
            if self.from.val() == self.low_at[i].val() {
                self.said.d.next = self.low_now.val();
            }
            if self.from.val() == self.high_at[i].val() {
                self.said.d.next = bit_cast::<32, 17>(self.high_now.val());
            }
            self.entry.next.is_valid = self.high_now.val().get_bit(16);
            self.entry.next.mac = bit_cast::<48, 32>(self.low_now.val())
                | (bit_cast::<48, 16>(self.high_now.val().get_bits::<16>(0)) << 32);
            self.macs[i].next = self.entry.val();
        }
    }
}
