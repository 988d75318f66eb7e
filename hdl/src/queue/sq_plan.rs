//! From a WQE's head and what was sent of it to the next segment. No state.
use super::sq_rows::TxRow;
use crate::ddp::{TxHeader, TxSegment};
use crate::gen::{SendWqe, UnpackSendWqe};
use crate::rdmap::TxCheck;
use rust_hdl::prelude::*;

/// Unpacks the head of a WQE, judges it, and cuts the next segment off its message.
#[derive(LogicBlock, Default)]
pub struct SqPlan {
    /// Head of the WQE, octet 0 in bits 7:0.
    pub octets: Signal<In, Bits<256>>,
    /// What was sent of it.
    pub row: Signal<In, TxRow>,
    /// The head's fields.
    pub wr: Signal<Out, SendWqe>,
    /// It is possible.
    pub ok: Signal<Out, Bit>,
    /// If not: one of `wc_status`.
    pub status: Signal<Out, Bits<8>>,
    /// Its message is tagged.
    pub is_tagged: Signal<Out, Bit>,
    /// Octets of payload of the next segment.
    pub payload: Signal<Out, Bits<16>>,
    /// Octets of its header and payload.
    pub ulpdu: Signal<Out, Bits<16>>,
    /// It is the message's last.
    pub last: Signal<Out, Bit>,
    /// Its header, octet 0 in bits 7:0.
    pub header: Signal<Out, Bits<144>>,
    unpack: UnpackSendWqe,
    judge: TxCheck,
    cutter: TxHeader,
    cut: Signal<Local, TxSegment>,
}

impl SqPlan {
    /// The planner.
    pub fn new() -> Self {
        Self { judge: TxCheck::new(), cutter: TxHeader::new(), ..Default::default() }
    }
}

impl Logic for SqPlan {
    #[hdl_gen]
    fn update(&mut self) {
        self.unpack.octets.next = self.octets.val();
        self.wr.next = self.unpack.record.val();
        self.judge.head.next = self.unpack.record.val();
        self.ok.next = self.judge.ok.val();
        self.status.next = self.judge.status.val();
        self.is_tagged.next = self.judge.is_tagged.val();
        self.cut.next.is_tagged = self.judge.is_tagged.val();
        self.cut.next.control = self.judge.control.val();
        self.cut.next.stag = self.unpack.record.val().remote_stag;
        self.cut.next.to = self.unpack.record.val().remote_to;
        self.cut.next.msn = self.row.val().msn;
        self.cut.next.length = self.unpack.record.val().length;
        self.cut.next.sent = self.row.val().sent;
        self.cut.next.mulpdu = self.row.val().mulpdu;
        self.cutter.segment.next = self.cut.val();
        self.payload.next = self.cutter.payload.val();
        self.ulpdu.next = self.cutter.ulpdu.val();
        self.last.next = self.cutter.last.val();
        self.header.next = self.cutter.octets.val();
    }
}
