//! Rows of new connections into the columns of the transmit stage.
use super::tx_row::{HeadRow, TxSetup};
use crate::cell::{Const, Flop, Reg};
use crate::gen::consts::ip_protocol;
use crate::gen::ConnRow;
use rust_hdl::prelude::*;

/// Step of an insert.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing to do.
    Idle,
    /// Adds the words of both addresses, one a cycle.
    Sum,
    /// Adds the other constant words.
    More,
    /// Folds the sums once.
    Fold,
    /// Writes the header column and tells the owners of the others.
    Tell,
    /// Answers.
    Done,
}

/// Takes `conn_insert` and `conn_remove` apart: writes the header column, the only writer it has, and hands the
/// rest to the owners of the other columns. The sums of all that is constant in a connection's headers are made
/// here once, so that a segment adds only its own words.
///
/// An update is an insert of which only the header column and the sequence column hear, the latter only of EMSS and
/// the gate. The header column changes in one cycle, so a header is made of the old row or of the new one.
///
/// An insert takes 21 cycles and a removal 2 if the owners take their share at once.
#[derive(LogicBlock, Default)]
pub struct TxInsert<const C: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Connection to insert.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub ins_row: Signal<In, ConnRow>,
    /// The connection lives: what moves in its row stays.
    pub ins_update: Signal<In, Bit>,
    /// An insert is offered.
    pub ins_valid: Signal<In, Bit>,
    /// It is done.
    pub ins_ready: Signal<Out, Bit>,
    /// Connection to remove.
    pub rem_qp: Signal<In, Bits<C>>,
    /// A removal is offered.
    pub rem_valid: Signal<In, Bit>,
    /// It is done.
    pub rem_ready: Signal<Out, Bit>,

    /// Connection that the next four are about.
    pub qp: Signal<Out, Bits<C>>,
    /// Header column.
    pub head: Signal<Out, HeadRow>,
    /// Write it in this cycle.
    pub head_write: Signal<Out, Bit>,
    /// What the owners of the other columns need.
    pub setup: Signal<Out, TxSetup>,
    /// Offered to the owner of sequence state, of ACK state, of SND.NXT.
    pub tell: [Signal<Out, Bit>; 3],
    /// That owner takes it.
    pub take: [Signal<In, Bit>; 3],

    st: Reg<St>,
    /// The connection is removed.
    removes: Flop<Bit>,
    /// The connection is updated.
    updates: Flop<Bit>,
    /// That owner has taken it.
    told: [Reg<Bit>; 3],
    words: Flop<Bits<256>>,
    count: Flop<Bits<4>>,
    sum: Flop<Bits<21>>,
    ip_wide: Flop<Bits<21>>,
    tcp_wide: Flop<Bits<21>>,
    ip_sum: Flop<Bits<17>>,
    tcp_sum: Flop<Bits<17>>,
    field: Flop<Bits<16>>,
    window: Const<Bits<32>>,
    most_window: Const<Bits<32>>,
    most_emss: Const<Bits<16>>,
    version: Const<Bits<16>>,
    dont_fragment: Const<Bits<16>>,
    protocol: Const<Bits<8>>,
    nothing: Const<TxSetup>,
    row: Signal<Local, ConnRow>,
    word: Signal<Local, Bits<16>>,
    scaled: Signal<Local, Bits<32>>,
    service: Signal<Local, Bits<16>>,
    life: Signal<Local, Bits<16>>,
    ip_lone: Signal<Local, Bits<21>>,
    tcp_lone: Signal<Local, Bits<21>>,
    all_told: Signal<Local, Bit>,
    head_now: Signal<Local, HeadRow>,
    setup_now: Signal<Local, TxSetup>,
}

impl<const C: usize> TxInsert<C> {
    /// An idle block. We advertise a window of `2^window_log2` octets; `most_emss` bounds the segments that the
    /// payload store takes.
    pub fn new(window_log2: usize, most_emss: usize) -> Self {
        assert!(window_log2 < 31, "a window of 2^{window_log2} octets: TCP ends at 2^30");
        Self {
            window: Const::of(1 << window_log2),
            most_window: Const::of(0xFFFF),
            most_emss: Const::of(most_emss),
            version: Const::of(0x4500),
            dont_fragment: Const::of(0x4000),
            protocol: ip_protocol::tcp(),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for TxInsert<C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, st, removes, updates, words, count, sum, ip_wide, tcp_wide, ip_sum, tcp_sum, field
        );
        self.st.reset.next = self.reset.val();
        self.row.next = self.ins_row.val();
        self.all_told.next = true;
        for i in 0..3 {
            self.told[i].clock.next = self.clock.val();
            self.told[i].reset.next = self.reset.val();
            self.told[i].d.next = false;
            self.tell[i].next = (self.st.q.val() == St::Tell) && !self.told[i].q.val();
            if self.st.q.val() == St::Tell {
                self.told[i].d.next = self.told[i].q.val() || self.take[i].val();
            }
            if !(self.told[i].q.val() || self.take[i].val()) {
                self.all_told.next = false;
            }
        }
        self.ins_ready.next = (self.st.q.val() == St::Done) && !self.removes.q.val();
        self.rem_ready.next = (self.st.q.val() == St::Done) && self.removes.q.val();

        self.word.next = self.words.q.val().get_bits::<16>(0);
        self.scaled.next = self.window.val() >> self.row.val().rcv_scale;
        self.service.next = self.version.val() | bit_cast::<16, 8>(self.row.val().traffic_class);
        self.life.next =
            (bit_cast::<16, 8>(self.row.val().ttl) << 8) | bit_cast::<16, 8>(self.protocol.val());
        self.ip_lone.next = (bit_cast::<21, 16>(self.service.val())
            + bit_cast::<21, 16>(self.dont_fragment.val()))
            + bit_cast::<21, 16>(self.life.val());
        self.tcp_lone.next = ((bit_cast::<21, 16>(self.row.val().local_port)
            + bit_cast::<21, 16>(self.row.val().remote_port))
            + bit_cast::<21, 8>(self.protocol.val()))
            + bit_cast::<21, 16>(self.field.q.val());

        match self.st.q.val() {
            St::Idle => {
                self.removes.d.next = self.rem_valid.val();
                self.updates.d.next = self.ins_update.val() && !self.rem_valid.val();
                self.words.d.next = bit_cast::<256, 128>(self.row.val().local_ip)
                    | (bit_cast::<256, 128>(self.row.val().remote_ip) << 128);
                self.count.d.next = 0.into();
                self.sum.d.next = 0.into();
                self.field.d.next = bit_cast::<16, 32>(self.scaled.val());
                if self.scaled.val() > self.most_window.val() {
                    self.field.d.next = bit_cast::<16, 32>(self.most_window.val());
                }
                if self.rem_valid.val() {
                    self.st.d.next = St::Tell;
                } else if self.ins_valid.val() {
                    self.st.d.next = St::Sum;
                }
            }
            St::Sum => {
                self.sum.d.next = self.sum.q.val() + bit_cast::<21, 16>(self.word.val());
                self.words.d.next = self.words.q.val() >> 16;
                self.count.d.next = self.count.q.val() + 1;
                if self.count.q.val().all() {
                    self.st.d.next = St::More;
                }
            }
            St::More => {
                self.ip_wide.d.next = self.sum.q.val() + self.ip_lone.val();
                self.tcp_wide.d.next = self.sum.q.val() + self.tcp_lone.val();
                self.st.d.next = St::Fold;
            }
            St::Fold => {
                self.ip_sum.d.next = bit_cast::<17, 16>(self.ip_wide.q.val().get_bits::<16>(0))
                    + bit_cast::<17, 5>(self.ip_wide.q.val().get_bits::<5>(16));
                self.tcp_sum.d.next = bit_cast::<17, 16>(self.tcp_wide.q.val().get_bits::<16>(0))
                    + bit_cast::<17, 5>(self.tcp_wide.q.val().get_bits::<5>(16));
                self.told[1].d.next = self.updates.q.val();
                self.told[2].d.next = self.updates.q.val();
                self.st.d.next = St::Tell;
            }
            St::Tell => {
                self.st.d.next = St::Tell;
                if self.all_told.val() {
                    self.st.d.next = St::Done;
                }
            }
            St::Done => {
                self.st.d.next = St::Idle;
            }
            _ => {}
        }

        self.head_now.next.destination_mac = self.row.val().destination_mac;
        self.head_now.next.source_mac = self.row.val().source_mac;
        self.head_now.next.vlan_tci = self.row.val().vlan_tci;
        self.head_now.next.has_vlan = self.row.val().has_vlan;
        self.head_now.next.is_ipv6 = self.row.val().is_ipv6;
        self.head_now.next.timestamps = self.row.val().timestamps;
        self.head_now.next.local_ip = self.row.val().local_ip;
        self.head_now.next.remote_ip = self.row.val().remote_ip;
        self.head_now.next.local_port = self.row.val().local_port;
        self.head_now.next.remote_port = self.row.val().remote_port;
        self.head_now.next.ttl = self.row.val().ttl;
        self.head_now.next.traffic_class = self.row.val().traffic_class;
        self.head_now.next.flow_label = self.row.val().flow_label;
        self.head_now.next.window = self.field.q.val();
        self.head_now.next.ip_sum = self.ip_sum.q.val();
        self.head_now.next.tcp_sum = self.tcp_sum.q.val();
        self.head.next = self.head_now.val();
        self.head_write.next = (self.st.q.val() == St::Tell) && !self.removes.q.val();

        self.qp.next = self.ins_qp.val();
        self.setup_now.next.una = self.row.val().snd_una;
        self.setup_now.next.nxt = self.row.val().snd_nxt;
        self.setup_now.next.wnd = self.row.val().snd_wnd;
        self.setup_now.next.start = bit_cast::<9, 32>(self.row.val().tx_seq_start);
        self.setup_now.next.emss = self.row.val().emss;
        if self.row.val().emss > self.most_emss.val() {
            self.setup_now.next.emss = self.most_emss.val();
        }
        self.setup_now.next.markers = self.row.val().tx_markers;
        self.setup_now.next.crc = self.row.val().tx_crc;
        self.setup_now.next.gate = self.row.val().gate_open;
        self.setup_now.next.update = self.updates.q.val();
        self.setup_now.next.rcv_nxt = self.row.val().rcv_nxt;
        self.setup_now.next.ack_now = self.row.val().ack_now;
        self.setup.next = self.setup_now.val();
        if self.removes.q.val() {
            self.qp.next = self.rem_qp.val();
            self.setup.next = self.nothing.val();
        }
    }
}
