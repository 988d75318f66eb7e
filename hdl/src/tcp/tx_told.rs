//! What is told of each connection's timer, and kept to be looked at.
use crate::cell::LutRam;
use rust_hdl::prelude::*;

/// Why a timer has something to tell, as numbers in the emitted Verilog.
pub mod timer_kind {
    /// The timer of retransmission has expired: what is not acknowledged leaves again.
    pub const EXPIRY: usize = 0;
    /// The third duplicate ACK has come: the same.
    pub const DUPLICATES: usize = 1;
    /// A probe: of a lost tail, which is the same once more, or of the peer's window.
    pub const PROBE: usize = 2;
}

/// Keeps SRTT and the present wait of each connection as they were written last.
///
/// **Contract.** `srtt` and `waits_for` are those of `look_qp`, in the same cycle. A row that no set-up has written has no meaning.
#[derive(LogicBlock, Default)]
pub struct TxTold<const C: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Connection of the event.
    pub qp: Signal<In, Bits<C>>,
    /// SRTT in units of 10 us.
    pub srtt_now: Signal<In, Bits<18>>,
    /// It has a meaning.
    pub known_now: Signal<In, Bit>,
    /// Both are new.
    pub srtt_valid: Signal<In, Bit>,
    /// What the timer waits, in these units.
    pub wait_now: Signal<In, Bits<23>>,
    /// It is new.
    pub wait_valid: Signal<In, Bit>,
    /// Connection that is looked at.
    pub look_qp: Signal<In, Bits<C>>,
    /// Its SRTT.
    pub srtt: Signal<Out, Bits<18>>,
    /// It has a meaning.
    pub is_known: Signal<Out, Bit>,
    /// What its timer waits.
    pub waits_for: Signal<Out, Bits<23>>,
    srtts: LutRam<Bits<18>, C>,
    knowns: LutRam<Bit, C>,
    waits: LutRam<Bits<23>, C>,
}

impl<const C: usize> Logic for TxTold<C> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, srtts, knowns, waits);
        self.knowns.write_enable.next = self.srtt_valid.val();
        self.knowns.write_address.next = self.qp.val();
        self.knowns.write_data.next = self.known_now.val();
        self.knowns.read_address.next = self.look_qp.val();
        self.is_known.next = self.knowns.read_data.val();
        self.srtts.write_enable.next = self.srtt_valid.val();
        self.srtts.write_address.next = self.qp.val();
        self.srtts.write_data.next = self.srtt_now.val();
        self.srtts.read_address.next = self.look_qp.val();
        self.srtt.next = self.srtts.read_data.val();
        self.waits.write_enable.next = self.wait_valid.val();
        self.waits.write_address.next = self.qp.val();
        self.waits.write_data.next = self.wait_now.val();
        self.waits.read_address.next = self.look_qp.val();
        self.waits_for.next = self.waits.read_data.val();
    }
}
