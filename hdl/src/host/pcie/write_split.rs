// SPDX-License-Identifier: MIT OR Apache-2.0
//! A command of a posted write goes two ways.
use super::super::ports::{Read, WriteSink};
use crate::prelude::*;
use crate::stream::ItemSource;

/// Gives each command to the cutter and to the aligner in one cycle, or to neither.
///
/// A command a cycle, no latency.
#[block]
pub struct WriteSplit {
    /// Commands.
    pub wr_cmd: WriteSink,
    /// Address and octets of each, for the cutter; the tag is 0.
    pub cut: ItemSource<Read>,
    /// Octet of the dword in which each begins, for the aligner.
    pub off: ItemSource<Bits<2>>,
    /// Commands taken, modulo 2^16.
    pub taken: Signal<Out, Bits<16>>,
    count: Reg<Bits<16>>,
    request: Signal<Local, Read>,
}

#[kernel]
impl Logic for WriteSplit {
    fn update(&mut self) {
        regs!(count);
        self.request.next.addr = self.wr_cmd.addr.val();
        self.request.next.length = self.wr_cmd.length.val();
        self.request.next.tag = 0.into();
        self.wr_cmd.ready.next = self.cut.ready.val() && self.off.ready.val();
        let gives: Bit = self.wr_cmd.valid.val() && self.cut.ready.val() && self.off.ready.val();
        self.cut.item.next = self.request.val();
        self.cut.valid.next = gives;
        self.off.item.next = bit_cast::<2, 64>(self.wr_cmd.addr.val());
        self.off.valid.next = gives;
        if gives {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.taken.next = self.count.q.val();
    }
}
