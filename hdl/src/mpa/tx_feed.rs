//! One item of the send side becomes MPA's command and TCP's segment.
use super::tx_ports::TxCommandSource;
use crate::cell::{Const, Reg};
use crate::stream::Slot;
use crate::tcp::TxFpdu;
use rust_hdl::prelude::*;

/// Gives each [`TxFpdu`] to [`super::MpaTx`] as the command for its whole FPDU and to TCP as it is, in one order.
///
/// Both may take it at their own time; the next item comes when both have. Answers are taken at once: the send side knows
/// an FPDU's octets from its grant, so a `refused` one is a fault of the hardware and pulses.
#[derive(LogicBlock, Default)]
pub struct TxFeed {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// What goes with the next ULPDU.
    pub fpdu_item: Signal<In, TxFpdu>,
    /// Offered.
    pub fpdu_valid: Signal<In, Bit>,
    /// Taken.
    pub fpdu_ready: Signal<Out, Bit>,
    /// To MPA.
    pub cmd: TxCommandSource,
    /// MPA's answer: the command was refused.
    pub ans_refused: Signal<In, Bit>,
    /// There is an answer.
    pub ans_valid: Signal<In, Bit>,
    /// Taken.
    pub ans_ready: Signal<Out, Bit>,
    /// To TCP.
    pub seg_item: Signal<Out, TxFpdu>,
    /// Offered.
    pub seg_valid: Signal<Out, Bit>,
    /// Taken.
    pub seg_ready: Signal<In, Bit>,
    /// Pulse: MPA refused a command.
    pub refused: Signal<Out, Bit>,
    items: Slot<TxFpdu>,
    commanded: Reg<Bit>,
    announced: Reg<Bit>,
    to_the_end: Const<Bits<17>>,
    commands: Signal<Local, Bit>,
    announces: Signal<Local, Bit>,
}

impl TxFeed {
    /// An idle feed.
    pub fn new() -> Self {
        Self { to_the_end: Const::of(0x1_FFFF), ..Default::default() }
    }
}

impl Logic for TxFeed {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, items);
        dff_setup!(self, clock, commanded, announced);
        self.items.reset.next = self.reset.val();
        self.commanded.reset.next = self.reset.val();
        self.announced.reset.next = self.reset.val();
        self.items.d.next = self.fpdu_item.val();
        self.items.d_valid.next = self.fpdu_valid.val();
        self.fpdu_ready.next = self.items.d_ready.val();

        self.cmd.length.next = self.items.q.val().length;
        self.cmd.phase.next = self.items.q.val().phase;
        self.cmd.markers.next = self.items.q.val().markers;
        self.cmd.crc.next = self.items.q.val().crc;
        self.cmd.from.next = 0.into();
        self.cmd.to.next = self.to_the_end.val();
        self.cmd.valid.next = self.items.q_valid.val() && !self.commanded.q.val();
        self.seg_item.next = self.items.q.val();
        self.seg_valid.next = self.items.q_valid.val() && !self.announced.q.val();
        self.ans_ready.next = true;
        self.refused.next = self.ans_valid.val() && self.ans_refused.val();

        self.commands.next = self.commanded.q.val() || self.cmd.ready.val();
        self.announces.next = self.announced.q.val() || self.seg_ready.val();
        self.items.q_ready.next = self.commands.val() && self.announces.val();
        if self.items.q_valid.val() {
            self.commanded.d.next = self.commands.val() && !self.announces.val();
            self.announced.d.next = self.announces.val() && !self.commands.val();
        }
    }
}
