// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a row that is kept, with what changed since.
use crate::gen::consts::qp_state;
use crate::gen::{ConnRow, CqRow, PackConnRow, PackCqRow, PackPathRow, PackQpRow, PathRow, QpRow};
use crate::prelude::*;
use crate::record::{RxSeen, TxSeen};

/// Lays fields over a kept row, a word of 64 bits at a time: for `conn_update` those of the command
/// that may change, for `read_row` those that the stages say as they are now.
///
/// Which bits these are is told by a row that has all ones in them and is packed like every other.
#[block(clock)]
pub struct AdminOverlay {
    /// The next word is the row's first.
    pub restart: Signal<In, Bit>,
    /// Number of the word that is next.
    pub nth: Signal<Out, Bits<5>>,
    /// The word is taken.
    pub step: Signal<In, Bit>,
    /// Of what the row is, from a cycle before its first word on: 0 connection, 1 queue pair, 2
    /// completion queue, 3 path; of a path nothing is kept.
    pub kind: Signal<In, Bits<2>>,
    /// The command's fields are laid over, else those of now; from a cycle before the first word
    /// on.
    pub merges: Signal<In, Bit>,
    /// Word of the kept row.
    pub kept: Signal<In, Bits<64>>,
    /// Word of the command's row.
    pub given: Signal<In, Bits<64>>,
    /// What receive says of the connection; without one the row is all zero.
    pub rx: Signal<In, RxSeen>,
    /// What transmit says of it.
    pub tx: Signal<In, TxSeen>,
    /// The queue pair is in error; a cycle before.
    pub dead: Signal<In, Bit>,
    /// The completion queue works; a cycle before.
    pub usable: Signal<In, Bit>,
    /// Word that results.
    pub word: Signal<Out, Bits<64>>,
    at: Flop<Bits<5>>,
    kind_q: Flop<Bits<2>>,
    merges_q: Flop<Bit>,
    dead_q: Flop<Bit>,
    usable_q: Flop<Bit>,
    pack_changing: PackConnRow,
    pack_live: PackConnRow,
    pack_conn: PackConnRow,
    pack_state: PackQpRow,
    pack_qp: PackQpRow,
    pack_cq: PackCqRow,
    pack_path: PackPathRow,
    all_8: Const<Bits<8>>,
    all_16: Const<Bits<16>>,
    all_20: Const<Bits<20>>,
    all_32: Const<Bits<32>>,
    all_48: Const<Bits<48>>,
    no_conn: Const<ConnRow>,
    no_qp: Const<QpRow>,
    no_cq: Const<CqRow>,
    no_path: Const<PathRow>,
    path: Signal<Local, PathRow>,
    changing: Signal<Local, ConnRow>,
    live: Signal<Local, ConnRow>,
    conn: Signal<Local, ConnRow>,
    state: Signal<Local, QpRow>,
    qp: Signal<Local, QpRow>,
    cq: Signal<Local, CqRow>,
    fields: Signal<Local, Bits<1152>>,
    values: Signal<Local, Bits<1152>>,
    mask: Signal<Local, Bits<64>>,
    over: Signal<Local, Bits<64>>,
}

impl AdminOverlay {
    /// Before a row.
    pub fn new() -> Self {
        Self {
            all_8: Const::of(0xFF),
            all_16: Const::of(0xFFFF),
            all_20: Const::of(0xF_FFFF),
            all_32: Const::of(0xFFFF_FFFF),
            all_48: Const::of(0xFFFF_FFFF_FFFF),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for AdminOverlay {
    fn update(&mut self) {
        flops!(at, kind_q, merges_q, dead_q, usable_q);
        self.kind_q.d.next = self.kind.val();
        self.merges_q.d.next = self.merges.val();
        self.dead_q.d.next = self.dead.val();
        self.usable_q.d.next = self.usable.val();
        if self.step.val() {
            self.at.d.next = self.at.q.val() + 1;
        }
        self.nth.next = self.at.q.val();
        if self.restart.val() {
            self.at.d.next = 0.into();
        }

        // What `conn_update` writes.
        self.changing.next = self.no_conn.val();
        self.changing.next.destination_mac = self.all_48.val();
        self.changing.next.source_mac = self.all_48.val();
        self.changing.next.vlan_tci = self.all_16.val();
        self.changing.next.has_vlan = true;
        self.changing.next.gate_open = true;
        self.changing.next.ttl = self.all_8.val();
        self.changing.next.traffic_class = self.all_8.val();
        self.changing.next.emss = self.all_16.val();
        self.changing.next.mulpdu = self.all_16.val();
        self.changing.next.flow_label = self.all_20.val();
        self.pack_changing.record.next = self.changing.val();

        // What moves in a connection, and where it is.
        self.live.next = self.no_conn.val();
        self.live.next.gate_open = true;
        self.live.next.rcv_nxt = self.all_32.val();
        self.live.next.snd_una = self.all_32.val();
        self.live.next.snd_nxt = self.all_32.val();
        self.live.next.snd_wnd = self.all_32.val();
        self.live.next.snd_wl1 = self.all_32.val();
        self.live.next.snd_wl2 = self.all_32.val();
        self.pack_live.record.next = self.live.val();
        self.conn.next = self.no_conn.val();
        self.conn.next.gate_open = self.tx.val().gate;
        self.conn.next.rcv_nxt = self.rx.val().rcv_nxt;
        self.conn.next.snd_una = self.tx.val().una;
        self.conn.next.snd_nxt = self.rx.val().snd_nxt;
        self.conn.next.snd_wnd = self.tx.val().wnd;
        self.conn.next.snd_wl1 = self.rx.val().wl1;
        self.conn.next.snd_wl2 = self.rx.val().wl2;
        self.pack_conn.record.next = self.conn.val();

        // A queue pair in error, a completion queue that works no longer.
        self.state.next = self.no_qp.val();
        self.state.next.state = self.all_8.val();
        self.pack_state.record.next = self.state.val();
        self.qp.next = self.no_qp.val();
        self.qp.next.state = qp_state::error().val();
        self.pack_qp.record.next = self.qp.val();
        self.cq.next = self.no_cq.val();
        self.cq.next.is_valid = true;
        self.pack_cq.record.next = self.cq.val();

        // A path: all of it.
        self.path.next = self.no_path.val();
        if self.tx.val().is_known {
            self.path.next.srtt = bit_cast::<32, 18>(self.tx.val().srtt);
        }
        self.path.next.rto = bit_cast::<32, 23>(self.tx.val().rto);
        self.path.next.cwnd = bit_cast::<32, 23>(self.tx.val().cwnd);
        self.pack_path.record.next = self.path.val();

        self.fields.next = self.pack_live.octets.val();
        self.values.next = self.pack_conn.octets.val();
        if self.kind_q.q.val() == 1 {
            self.fields.next = 0.into();
            self.values.next = bit_cast::<1152, 256>(self.pack_qp.octets.val());
            if self.dead_q.q.val() {
                self.fields.next = bit_cast::<1152, 256>(self.pack_state.octets.val());
            }
        }
        if self.kind_q.q.val() == 2 {
            self.fields.next = 0.into();
            self.values.next = 0.into();
            if !self.usable_q.q.val() {
                self.fields.next = bit_cast::<1152, 128>(self.pack_cq.octets.val());
            }
        }
        if self.kind_q.q.val().all() {
            self.values.next = bit_cast::<1152, 128>(self.pack_path.octets.val());
        }
        if self.merges_q.q.val() {
            self.fields.next = self.pack_changing.octets.val();
        }
        let offset: Bits<11> = bit_cast::<11, 5>(self.at.q.val()) << 6;
        self.mask.next = self.fields.val().get_bits::<64>(offset.index());
        if self.kind_q.q.val().all() && !self.merges_q.q.val() {
            self.mask.next = lit::<64>(usize::MAX);
        }
        let rest: Bits<64> = !self.mask.val();
        self.over.next = self.values.val().get_bits::<64>(offset.index());
        if self.merges_q.q.val() {
            self.over.next = self.given.val();
        }
        self.word.next = (self.kept.val() & rest) | (self.over.val() & self.mask.val());
        if ((self.kind_q.q.val() == 0) || self.kind_q.q.val().all())
            && !self.merges_q.q.val()
            && !self.rx.val().is_valid
        {
            self.word.next = 0.into();
        }
    }
}
