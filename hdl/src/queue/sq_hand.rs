//! What an FPDU leaves behind when its room is granted. No state.
use super::sq_rows::{InFlight, SqTurn, TxRow};
use crate::ddp::TxHead;
use crate::gen::SendWqe;
use crate::tcp::{Grant, Reserve, TxFpdu};
use rust_hdl::prelude::*;

/// Makes the records that go out with an FPDU, and the row as it stands after it.
#[derive(LogicBlock, Default)]
pub struct SqHand {
    /// Who has the turn.
    pub turn: Signal<In, SqTurn>,
    /// Head of its WQE.
    pub wr: Signal<In, SendWqe>,
    /// Its row before the FPDU.
    pub row: Signal<In, TxRow>,
    /// The room.
    pub grant: Signal<In, Grant>,
    /// The message is tagged.
    pub is_tagged: Signal<In, Bit>,
    /// Octets of payload.
    pub payload: Signal<In, Bits<16>>,
    /// The room that was asked for.
    pub want: Signal<In, Reserve>,
    /// It is the message's last.
    pub last: Signal<In, Bit>,
    /// DDP's header.
    pub header: Signal<In, Bits<144>>,
    /// SGE that holds the octet after the FPDU.
    pub sge: Signal<In, Bits<3>>,
    /// Octets of that SGE used up.
    pub used: Signal<In, Bits<32>>,
    /// For the maker of the ULPDU.
    pub head: Signal<Out, TxHead>,
    /// For MPA and TCP.
    pub fpdu: Signal<Out, TxFpdu>,
    /// For the in-flight ring, with the last FPDU of a message.
    pub entry: Signal<Out, InFlight>,
    /// The row after the FPDU.
    pub after: Signal<Out, TxRow>,
    heading: Signal<Local, TxHead>,
    announced: Signal<Local, TxFpdu>,
    message: Signal<Local, InFlight>,
    sent: Signal<Local, TxRow>,
}

impl Logic for SqHand {
    #[hdl_gen]
    fn update(&mut self) {
        self.heading.next.qp = self.turn.val().qp;
        self.heading.next.wr_id = self.wr.val().wr_id;
        self.heading.next.is_tagged = self.is_tagged.val();
        self.heading.next.empty = !self.payload.val().any();
        self.heading.next.octets = self.header.val();
        self.head.next = self.heading.val();
        self.announced.next.qp = self.turn.val().qp;
        self.announced.next.length = self.want.val().length;
        self.announced.next.kind = self.want.val().kind;
        self.announced.next.replay = self.want.val().replay;
        self.announced.next.seq = self.grant.val().seq;
        self.announced.next.phase = self.grant.val().phase;
        self.announced.next.total = self.grant.val().total;
        self.announced.next.markers = self.grant.val().markers;
        self.announced.next.crc = self.grant.val().crc;
        self.fpdu.next = self.announced.val();
        self.sent.next = self.row.val();
        self.sent.next.offset = self.row.val().offset + bit_cast::<48, 16>(self.grant.val().total);
        self.sent.next.sent = self.row.val().sent + bit_cast::<32, 16>(self.payload.val());
        self.sent.next.sge = self.sge.val();
        self.sent.next.used = self.used.val();
        // the MSN moves on only behind the segment with L set
        if self.last.val() && !self.is_tagged.val() {
            self.sent.next.msn = self.row.val().msn + 1;
        }
        self.after.next = self.sent.val();
        self.message.next.opcode = self.wr.val().opcode;
        self.message.next.signaled = self.wr.val().is_signaled;
        self.message.next.markers = self.grant.val().markers;
        self.message.next.index = self.turn.val().index;
        self.message.next.wr_id = self.wr.val().wr_id;
        self.message.next.cq = self.turn.val().cq;
        self.message.next.upto = self.sent.val().offset;
        self.message.next.length = self.wr.val().length;
        self.message.next.mulpdu = self.row.val().mulpdu;
        self.entry.next = self.message.val();
    }
}
