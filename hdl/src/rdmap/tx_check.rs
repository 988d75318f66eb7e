//! What a WQE asks for, and whether that is possible. No state.
use crate::cell::Const;
use crate::gen::consts::{opcode, opcode_set, rdmap, wc_status};
use crate::gen::{PackRdmapControl, RdmapControl, SendWqe};
use rust_hdl::prelude::*;

/// Judges the head of a WQE and gives what RDMAP says of its message (RFC 5040 figure 4).
///
/// Possible are RDMA Write, Send and Send with Solicited Event, with up to four SGEs, or with up to 96 octets inline
/// and none.
#[derive(LogicBlock, Default)]
pub struct TxCheck {
    /// Head of the WQE.
    pub head: Signal<In, SendWqe>,
    /// The message is tagged: an RDMA Write.
    pub is_tagged: Signal<Out, Bit>,
    /// RDMAP's octet in each of its DDP headers.
    pub control: Signal<Out, Bits<8>>,
    /// The head is possible.
    pub ok: Signal<Out, Bit>,
    /// If not: one of `wc_status`.
    pub status: Signal<Out, Bits<8>>,
    pack: PackRdmapControl,
    version: Const<Bits<2>>,
    write: Const<Bits<8>>,
    send: Const<Bits<8>>,
    send_solicited: Const<Bits<8>>,
    tagged_set: Const<Bits<16>>,
    most_sge: Const<Bits<8>>,
    most_inline: Const<Bits<32>>,
    op_err: Const<Bits<8>>,
    len_err: Const<Bits<8>>,
    record: Signal<Local, RdmapControl>,
    op: Signal<Local, Bits<8>>,
    known: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
}

impl TxCheck {
    /// The judge.
    pub fn new() -> Self {
        let octet = |c: Const<Bits<4>>| Const::of(c.val().to_u64() as usize);
        Self {
            version: rdmap::version(),
            write: octet(opcode::rdma_write()),
            send: octet(opcode::send()),
            send_solicited: octet(opcode::send_solicited()),
            tagged_set: opcode_set::tagged(),
            most_sge: Const::of(4),
            most_inline: Const::of(96),
            op_err: wc_status::loc_qp_op_err(),
            len_err: wc_status::loc_len_err(),
            ..Default::default()
        }
    }
}

impl Logic for TxCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.op.next = self.head.val().opcode;
        self.record.next.rdmap_version = self.version.val();
        self.record.next.opcode = self.op.val().get_bits::<4>(0);
        self.pack.record.next = self.record.val();
        self.control.next = self.pack.octets.val();
        self.is_tagged.next = self.tagged_set.val().get_bit(self.op.val().get_bits::<4>(0).index());
        self.known.next = (self.op.val() == self.write.val())
            || (self.op.val() == self.send.val())
            || (self.op.val() == self.send_solicited.val());
        self.long.next = self.head.val().is_inline && (self.head.val().length > self.most_inline.val());
        self.ok.next = true;
        self.status.next = self.op_err.val();
        if self.long.val() {
            self.ok.next = false;
            self.status.next = self.len_err.val();
        }
        if !self.known.val()
            || (self.head.val().num_sge > self.most_sge.val())
            || (self.head.val().is_inline && self.head.val().num_sge.any())
        {
            self.ok.next = false;
            self.status.next = self.op_err.val();
        }
    }
}
