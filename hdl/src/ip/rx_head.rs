// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header of a packet, as far as it has come.
use crate::gen::{Ipv4Hdr, Ipv6Hdr, UnpackIpv4Hdr, UnpackIpv6Hdr};
use crate::prelude::*;

/// Gathers the first 40 octets of each packet and reads them as both headers. `NB` = beats that
/// they touch.
///
/// The records are there in the cycle of every beat: its first eight octets always, the others from
/// the beat on that brings them. Octets beyond the packet's end are undefined.
#[block]
pub struct IpHead<const W: usize, const NB: usize> {
    /// Present beat.
    pub data: Signal<In, Bits<W>>,
    /// It is the packet's last.
    pub last: Signal<In, Bit>,
    /// It is taken.
    pub fire: Signal<In, Bit>,
    /// It is the packet's first.
    pub first: Signal<Out, Bit>,
    /// Read as IPv4.
    pub v4: Signal<Out, Ipv4Hdr>,
    /// Read as IPv6.
    pub v6: Signal<Out, Ipv6Hdr>,
    as_v4: UnpackIpv4Hdr,
    as_v6: UnpackIpv6Hdr,
    /// Beats of this packet before the present one, up to `NB`.
    beat: Reg<Bits<4>>,
    head: Flop<Bits<320>>,
    offset: Vec<Const<Bits<16>>>,
    now: Signal<Local, Bits<320>>,
}

impl<const W: usize, const NB: usize> IpHead<W, NB> {
    /// Between packets; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(NB == 320_usize.div_ceil(W), "NB = {NB} does not belong to W = {W}");
        Self { offset: (1..NB).map(|i| Const::of(i * W)).collect(), ..Default::default() }
    }
}

#[kernel]
impl<const W: usize, const NB: usize> Logic for IpHead<W, NB> {
    fn update(&mut self) {
        regs!(beat);
        flops!(head);
        self.first.next = !self.beat.q.val().any();
        self.now.next = self.head.q.val();
        if !self.beat.q.val().any() {
            self.now.next = bit_cast::<320, W>(self.data.val());
        }
        for i in 1..NB {
            if self.beat.q.val() == i.to_bits() {
                self.now.next =
                    self.head.q.val() | (bit_cast::<320, W>(self.data.val()) << self.offset[i - 1].val());
            }
        }
        if self.fire.val() {
            self.head.d.next = self.now.val();
            if self.beat.q.val() != lit::<4>(NB) {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.last.val() {
                self.beat.d.next = 0.into();
            }
        }
        self.as_v4.octets.next = self.now.val().get_bits::<160>(0);
        self.as_v6.octets.next = self.now.val();
        self.v4.next = self.as_v4.record.val();
        self.v6.next = self.as_v6.record.val();
    }
}
