// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which octets of an SGE come next. No state.
use crate::gen::Sge;
use crate::prelude::*;

/// The rest of an SGE, or as much of it as is wanted. Nothing of an SGE before the one that holds
/// the next octet.
#[block(comb)]
pub struct TxSpan {
    /// The SGE.
    pub sge: Signal<In, Sge>,
    /// Octets that are used up, counted from its first one; more than it has if the next one stands
    /// behind it.
    pub used: Signal<In, Bits<32>>,
    /// Octets that are wanted; all that are left if `all`.
    pub want: Signal<In, Bits<16>>,
    /// As above.
    pub all: Signal<In, Bit>,
    /// IOVA of the first one.
    pub addr: Signal<Out, Bits<64>>,
    /// How many.
    pub octets: Signal<Out, Bits<32>>,
    /// Octets used up after them, counted from the first one of this SGE or, if it ends, of the
    /// next.
    pub after: Signal<Out, Bits<32>>,
    /// The SGE is used up after them.
    pub ends: Signal<Out, Bit>,
    /// Not of `all`: no more are wanted after them.
    pub serves: Signal<Out, Bit>,
    count: Signal<Local, Bits<32>>,
}

#[kernel]
impl Logic for TxSpan {
    fn update(&mut self) {
        self.addr.next = self.sge.val().to + bit_cast::<64, 32>(self.used.val());
        let left: Bits<32> = self.sge.val().length - self.used.val();
        let is_behind: Bit = self.used.val() > self.sge.val().length;
        let wished: Bits<32> = bit_cast::<32, 16>(self.want.val());
        let takes_part: Bit = !self.all.val() && (left > wished);
        self.count.next = left;
        if takes_part {
            self.count.next = wished;
        }
        if is_behind {
            self.count.next = 0.into();
        }
        self.octets.next = self.count.val();
        self.ends.next = is_behind || !takes_part;
        self.serves.next = (!is_behind && (left >= wished)) || !self.want.val().any();
        self.after.next = self.used.val() + self.count.val();
        if is_behind {
            self.after.next = self.used.val() - self.sge.val().length;
        } else if !takes_part {
            self.after.next = 0.into();
        }
    }
}
