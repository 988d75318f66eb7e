// SPDX-License-Identifier: MIT OR Apache-2.0
//! Function-level reset and restart.
use super::super::ports::{ReadSink, ReadSource};
use super::ports::PcieConfig;
use crate::prelude::*;

/// Step of a reset.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// The device is held in reset.
    Hold,
    /// It works.
    Run,
    /// No new reads leave; what is under way comes to its end.
    Drain,
}

/// Columns that say when they are empty.
const COLUMNS: usize = 4;
const HOLD: usize = 15;

/// Resets the device behind the edge as power-up does, without breaking a TLP.
///
/// **Order.** A request for a reset closes the device's port for reads and the way of frames into
/// it. Reads under way end by their answer or their timeout; posted writes leave. When nothing has
/// moved for 256 cycles the device is reset, its tables are scrubbed, and `ready` comes when they
/// are empty. The parts that know tags of PCI Express are not reset: a completion that comes late
/// is theirs to drop. A request waits for the credits of the link and for nothing else; since a
/// read's time begins when it has left, none is on its way out when the last one has ended. Time
/// counts while a reset waits, also with Completion Timeout Disable.
///
/// **Link.** `lost` asks for a reset, too. From then on until the device works again Bus Master
/// Enable counts as off: what the device offers to the bus is dropped and waits for no credit. The
/// device is held in reset for as long as `lost` is high.
///
/// **Counting.** `begun` is the number of posted writes since power-up, which `accepted` begins
/// anew at each reset.
#[block(clock)]
pub struct Flr {
    /// Synchronous reset: power-up.
    pub reset: Signal<In, Bit>,
    /// Function-level reset is asked for: until `done`.
    pub flr: Signal<In, Bit>,
    /// Pulse: it is over, but for `ready`.
    pub flr_done: Signal<Out, Bit>,
    /// Pulse: a restart is asked for, which keeps the registers.
    pub restart: Signal<In, Bit>,
    /// The PCI Express link is down or is being reset.
    pub lost: Signal<In, Bit>,
    /// Configuration as the block in front shows it.
    pub cfg: Signal<In, PcieConfig>,
    /// The same for all parts, a cycle later.
    pub cfg_out: Signal<Out, PcieConfig>,
    /// The device's reset.
    pub core_reset: Signal<Out, Bit>,
    /// That of the registers: not with a restart.
    pub regs_reset: Signal<Out, Bit>,
    /// A restart: registers stay.
    pub keep: Signal<Out, Bit>,
    /// The device works and its tables are empty or in use.
    pub ready: Signal<Out, Bit>,
    /// Waits for what is under way.
    pub draining: Signal<Out, Bit>,
    /// Frames may begin to come in.
    pub open: Signal<Out, Bit>,
    /// One is on its way in.
    pub passing: Signal<In, Bit>,
    /// Columns that are scrubbed.
    pub scrubbed: Signal<In, Bits<COLUMNS>>,
    /// Reads of the device.
    pub rd_req: ReadSink<5>,
    /// The same, while the port is open.
    pub rd_out: ReadSource<5>,
    /// A beat of an answer is offered.
    pub ans_valid: Signal<In, Bit>,
    /// It is taken.
    pub ans_ready: Signal<In, Bit>,
    /// It is the last of its frame.
    pub ans_last: Signal<In, Bit>,
    /// The frame is the last of its read.
    pub ans_final: Signal<In, Bit>,
    /// Posted writes begun since the device's reset.
    pub accepted: Signal<In, Bits<16>>,
    /// Those that are out of the device.
    pub left: Signal<In, Bits<16>>,
    /// Posted writes begun since power-up.
    pub begun: Signal<Out, Bits<16>>,
    /// The device offers a beat of a frame to the wire.
    pub tx_valid: Signal<In, Bit>,
    /// It is taken.
    pub tx_ready: Signal<In, Bit>,
    /// It is the frame's last.
    pub tx_last: Signal<In, Bit>,
    st: Reg<St>,
    shown: Flop<PcieConfig>,
    count: Reg<Bits<8>>,
    wipes: Reg<Bit>,
    shut: Reg<Bit>,
    reads: Reg<Bits<6>>,
    in_frame: Reg<Bit>,
    base: Reg<Bits<16>>,
    over: Reg<Bit>,
    was_flr: Reg<Bit>,
    /// No request leaves: the link was lost.
    cut: Reg<Bit>,
    told: Signal<Local, PcieConfig>,
}

impl Flr {
    /// In reset.
    pub fn new() -> Self {
        Self { wipes: Reg::new(true), ..Default::default() }
    }
}

#[kernel]
impl Logic for Flr {
    fn update(&mut self) {
        regs!(st, count, wipes, shut, reads, in_frame, base, over, was_flr, cut);
        flops!(shown);
        self.shown.d.next = self.cfg.val();
        self.told.next = self.shown.q.val();
        if self.st.q.val() != St::Run {
            self.told.next.endless = false;
        }
        if self.cut.q.val() {
            self.told.next.master = false;
        }
        self.cfg_out.next = self.told.val();
        let held: Bit = self.st.q.val() == St::Hold;
        self.core_reset.next = self.reset.val() || held;
        self.regs_reset.next = self.reset.val() || (held && self.wipes.q.val());
        self.keep.next = !self.reset.val() && !self.wipes.q.val();
        self.ready.next = (self.st.q.val() == St::Run) && self.scrubbed.val().all();
        self.draining.next = self.st.q.val() == St::Drain;
        self.open.next = self.st.q.val() == St::Run;
        self.flr_done.next = self.over.q.val();
        self.over.d.next = false;

        // The gate of reads closes between two offers: what is offered stays offered.
        self.rd_out.addr.next = self.rd_req.addr.val();
        self.rd_out.length.next = self.rd_req.length.val();
        self.rd_out.tag.next = self.rd_req.tag.val();
        self.rd_out.valid.next = self.rd_req.valid.val() && !self.shut.q.val();
        self.rd_req.ready.next = self.rd_out.ready.val() && !self.shut.q.val();
        let asks: Bit = self.rd_req.valid.val() && self.rd_out.ready.val() && !self.shut.q.val();
        let answered: Bit =
            self.ans_valid.val() && self.ans_ready.val() && self.ans_last.val() && self.ans_final.val();
        if asks && !answered {
            self.reads.d.next = self.reads.q.val() + 1;
        } else if answered && !asks {
            self.reads.d.next = self.reads.q.val() - 1;
        }
        if self.tx_valid.val() && self.tx_ready.val() {
            self.in_frame.d.next = !self.tx_last.val();
        }
        let quiet: Bit = self.shut.q.val()
            && !self.reads.q.val().any()
            && (self.accepted.val() == self.left.val())
            && !self.passing.val()
            && !self.tx_valid.val()
            && !self.in_frame.q.val();
        let total: Bits<16> = self.base.q.val() + self.accepted.val();
        self.begun.next = total;
        let first: Bit = !self.count.q.val().any();
        self.was_flr.d.next = self.flr.val();

        if self.lost.val() {
            self.cut.d.next = true;
        }
        match self.st.q.val() {
            St::Hold => {
                // who asks now is heard afterwards: a restart may be under way
                self.was_flr.d.next = self.was_flr.q.val();
                if self.lost.val() {
                    self.wipes.d.next = true;
                }
                if self.count.q.val() != lit::<8>(HOLD) {
                    self.count.d.next = self.count.q.val() + 1;
                }
                // the device's count has its old value in the first cycle only
                if first {
                    self.base.d.next = total;
                }
                if (self.count.q.val() == lit::<8>(HOLD)) && !self.lost.val() {
                    self.count.d.next = 0.into();
                    self.cut.d.next = false;
                    self.shut.d.next = false;
                    self.over.d.next = self.wipes.q.val();
                    self.st.d.next = St::Run;
                }
            }
            St::Run => {
                self.wipes.d.next = false;
                self.count.d.next = 0.into();
                if self.lost.val() || (self.flr.val() && !self.was_flr.q.val()) {
                    self.wipes.d.next = true;
                    self.st.d.next = St::Drain;
                } else if self.restart.val() {
                    self.st.d.next = St::Drain;
                }
            }
            St::Drain => {
                if self.lost.val() || (self.flr.val() && !self.was_flr.q.val()) {
                    self.wipes.d.next = true;
                }
                if !self.rd_req.valid.val() || self.rd_out.ready.val() {
                    self.shut.d.next = true;
                }
                self.count.d.next = 0.into();
                if quiet {
                    self.count.d.next = self.count.q.val() + 1;
                    if self.count.q.val().all() {
                        self.st.d.next = St::Hold;
                    }
                }
            }
            _ => {}
        }
    }
}
