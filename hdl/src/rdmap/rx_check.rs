//! RDMAP's part in the judgement of a segment: version, and opcode against T and QN.
use crate::cell::Const;
use crate::gen::consts::{opcode_set, rdmap};
use crate::gen::UnpackRdmapControl;
use rust_hdl::prelude::*;

/// Checks 2 and 3 of RFC 5040 section 7.2, wiring and gates only.
///
/// The two Rsv bits are not looked at. An opcode that goes with T and QN and that we do not serve yet (Read Request,
/// Read Response, Terminate) is unexpected.
#[derive(LogicBlock, Default)]
pub struct RxCheck {
    /// RDMAP's control octet.
    pub control: Signal<In, Bits<8>>,
    /// T of the segment.
    pub is_tagged: Signal<In, Bit>,
    /// QN of an untagged segment.
    pub queue: Signal<In, Bits<32>>,
    /// Opcode.
    pub opcode: Signal<Out, Bits<4>>,
    /// RV is not that of the stream.
    pub bad_version: Signal<Out, Bit>,
    /// The opcode is reserved, does not go with T and QN, or is not served.
    pub unexpected: Signal<Out, Bit>,
    /// The opcode names an STag to invalidate.
    pub invalidates: Signal<Out, Bit>,

    unpack: UnpackRdmapControl,
    version: Const<Bits<2>>,
    writes: Const<Bits<4>>,
    queue_send: Const<Bits<32>>,
    on_queue_send: Const<Bits<16>>,
    names_stag: Const<Bits<16>>,
    sends: Signal<Local, Bits<16>>,
    stags: Signal<Local, Bits<16>>,
    op: Signal<Local, Bits<4>>,
}

impl RxCheck {
    /// For streams of RFC 5040 peers (RV 1).
    pub fn new() -> Self {
        Self {
            version: rdmap::version(),
            writes: crate::gen::consts::opcode::rdma_write(),
            queue_send: rdmap::queue_send(),
            on_queue_send: opcode_set::on_queue_send(),
            names_stag: opcode_set::invalidates(),
            ..Default::default()
        }
    }
}

impl Logic for RxCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.unpack.octets.next = self.control.val();
        self.op.next = self.unpack.record.val().opcode;
        self.opcode.next = self.op.val();
        self.bad_version.next = self.unpack.record.val().rdmap_version != self.version.val();
        self.sends.next = self.on_queue_send.val();
        self.stags.next = self.names_stag.val();
        self.unexpected.next =
            (self.queue.val() != self.queue_send.val()) || !self.sends.val().get_bit(self.op.val().index());
        if self.is_tagged.val() {
            self.unexpected.next = self.op.val() != self.writes.val();
        }
        self.invalidates.next = !self.is_tagged.val() && self.stags.val().get_bit(self.op.val().index());
    }
}
