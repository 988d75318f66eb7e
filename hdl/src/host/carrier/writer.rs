// SPDX-License-Identifier: MIT OR Apache-2.0
//! TLPs of the device become records, and records become data frames.
use crate::gen::consts::carrier_record;
use crate::gen::PackCarrierRecord;
use crate::prelude::*;
use crate::stream::StreamSink;
use ferrowarp_abi::host::carrier::{FRAME_FULL, FRAME_MAX};

/// Octets of a header of a frame.
const HEADER: usize = 24;
/// Rows of records at which a frame is closed.
const FULL: usize = (FRAME_FULL - HEADER) / 8;
/// Rows of records that a frame holds at most.
const MOST: usize = (FRAME_MAX - HEADER) / 8;
/// Cycles without a TLP behind which a frame is closed.
const IDLE: usize = 16;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum WriterState {
    /// Between two records.
    Idle,
    /// Inside a TLP.
    Tlp,
}

/// Packs TLPs: a frame is closed at 1,400 octets, before a TLP that would not fit, or 16 cycles
/// behind the last TLP.
///
/// **Contract.** The dwords of a TLP are those that its header says, as the device's edge makes
/// them; payload is at most 1,024 octets. A record begins only with `room`. While `open` is low,
/// TLPs are taken and dropped; whoever drives `rx` lets no TLP begin before `open` and end behind.
///
/// **Timing.** A beat a cycle, a cycle for the head of each record.
#[block]
pub struct Writer {
    /// TLPs of the device.
    pub rx: StreamSink<64, 4>,
    /// The epoch runs.
    pub open: Signal<In, Bit>,
    /// The ring has room for the largest record.
    pub room: Signal<In, Bit>,
    /// Pulse: a record `reset_done` is to leave.
    pub reset_done: Signal<In, Bit>,
    /// Row for the ring, with `row_valid`.
    pub row: Signal<Out, Bits<64>>,
    /// A row leaves.
    pub row_valid: Signal<Out, Bit>,
    /// Pulse: the frame is complete; no row leaves with `close`.
    pub close: Signal<Out, Bit>,
    /// With `close`: rows of the frame.
    pub rows: Signal<Out, Bits<8>>,
    /// With `close`: its records.
    pub records: Signal<Out, Bits<8>>,
    /// The device may begin a non-posted request.
    pub np_room: Signal<Out, Bit>,
    st: Reg<WriterState>,
    rows_q: Reg<Bits<8>>,
    records_q: Reg<Bits<8>>,
    idle: Reg<Bits<5>>,
    owes: Reg<Bit>,
    np: Reg<Bit>,
    head: PackCarrierRecord,
    payload: Signal<Local, Bits<12>>,
    writes: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Writer {
    fn update(&mut self) {
        regs!(st, rows_q, records_q, idle, owes, np);
        let in_tlp: Bit = self.st.q.val() == WriterState::Tlp;
        let some: Bit = self.rows_q.q.val().any();
        // the rows of the TLP that is offered
        let length: Bits<10> = self.rx.data.val().get_bits::<10>(0);
        self.payload.next = 0.into();
        if self.rx.data.val().get_bit(30) {
            self.payload.next = bit_cast::<12, 10>(length);
        }
        let four: Bits<12> = bit_cast::<12, 1>(self.rx.data.val().get_bit(29).into());
        let dwords: Bits<12> = self.payload.val() + four + lit::<12>(3);
        let dwords_up: Bits<12> = dwords + 1;
        let half: Bits<12> = dwords_up >> 1;
        let rows_then: Bits<12> = half + bit_cast::<12, 8>(self.rows_q.q.val()) + 1;
        let is_over: Bit = some && (rows_then > lit::<12>(MOST));
        let is_full: Bit = self.rows_q.q.val() >= lit::<8>(FULL);
        let offered: Bit = self.rx.valid.val() && self.room.val();
        let owes: Bit = self.owes.q.val() && self.room.val();
        let late: Bit = self.idle.q.val() == lit::<5>(IDLE);
        let rows_up: Bits<8> = self.rows_q.q.val() + 1;
        let records_up: Bits<8> = self.records_q.q.val() + 1;

        self.head.record.next.kind = carrier_record::tlp().val();
        self.head.record.next.bar_hit = 0.into();
        self.head.record.next.dwords = bit_cast::<16, 12>(dwords);
        self.head.record.next.value = 0.into();
        if owes {
            self.head.record.next.kind = carrier_record::reset_done().val();
            self.head.record.next.dwords = 0.into();
        }
        self.rx.ready.next = in_tlp || !self.open.val();
        self.row.next = self.head.octets.val();
        self.writes.next = false;
        self.closes.next = false;
        self.rows.next = self.rows_q.q.val();
        self.records.next = self.records_q.q.val();
        self.np.d.next = self.room.val() || !self.open.val();
        self.np_room.next = self.np.q.val();
        if self.reset_done.val() {
            self.owes.d.next = true;
        }
        if in_tlp {
            self.row.next = self.rx.data.val();
            if self.rx.bytes.val() == lit::<4>(4) {
                self.row.next = bit_cast::<64, 32>(self.rx.data.val().get_bits::<32>(0));
            }
            self.writes.next = self.rx.valid.val();
            if self.rx.valid.val() {
                self.rows_q.d.next = rows_up;
                if self.rx.last.val() {
                    self.st.d.next = WriterState::Idle;
                }
            }
        } else if is_full {
            self.closes.next = true;
        } else if owes {
            self.writes.next = true;
            self.rows_q.d.next = rows_up;
            self.records_q.d.next = records_up;
            self.owes.d.next = self.reset_done.val();
            self.idle.d.next = 0.into();
        } else if offered {
            self.idle.d.next = 0.into();
            if is_over {
                self.closes.next = true;
            } else {
                self.writes.next = true;
                self.rows_q.d.next = rows_up;
                self.records_q.d.next = records_up;
                self.st.d.next = WriterState::Tlp;
            }
        } else if some {
            self.idle.d.next = self.idle.q.val() + 1;
            self.closes.next = late;
        }
        if self.closes.val() {
            self.rows_q.d.next = 0.into();
            self.records_q.d.next = 0.into();
            self.idle.d.next = 0.into();
        }
        if !self.open.val() {
            self.st.d.next = WriterState::Idle;
            self.rows_q.d.next = 0.into();
            self.records_q.d.next = 0.into();
            self.idle.d.next = 0.into();
            self.owes.d.next = false;
        }
        self.row_valid.next = self.writes.val() && self.open.val();
        self.close.next = self.closes.val() && self.open.val();
    }
}
