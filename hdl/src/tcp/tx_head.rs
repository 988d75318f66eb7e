// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chooses the next segment and makes its header.
use super::tx_row::{AckSaid, HeadItem, HeadRow, TxJob};
use crate::cell::ScrubbedRam;
use crate::prelude::*;
use crate::stream::{ItemSink, ItemSource};

/// Step of a header.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Chooses a segment with octets of the stream, an ACK or RST.
    Pick,
    /// Asks for the newest RCV.ACK.
    Ask,
    /// The rows are there: shares of the sums.
    Share,
    /// Sums.
    Sum,
    /// Folds them.
    Fold,
    /// The header is offered.
    Give,
}

const PLAIN_LENGTH: usize = 20;
const OPTION_LENGTH: usize = 32;

/// Builds headers, one in eight cycles: data segments and ACKs in turn if there are both, RST
/// before them.
///
/// Holds the header column, which set-up writes, and SND.NXT, which it writes itself: with a
/// set-up, and when the header of a data segment or FIN leaves for the first time. In that cycle
/// `pub` says so, before the segment's first beat is on the wire. ACK and RST carry SND.NXT as
/// their sequence number, a probe one less.
///
/// Segments of a silent connection are dropped: no header leaves, `gone` says that the payload has
/// to go as well. An RST leaves even then, and `mute` makes its connection silent.
#[block(clock)]
pub struct TxHead<const C: usize, const NC: usize> {
    /// Synchronous reset; the columns are then scrubbed, `2^C` cycles.
    pub reset: Signal<In, Bit>,
    /// Connection that is set up.
    pub set_qp: Signal<In, Bits<C>>,
    /// Its header column.
    pub set_row: Signal<In, HeadRow>,
    /// Write it in this cycle.
    pub set_write: Signal<In, Bit>,
    /// Headers are about to be written: begin none.
    pub hold: Signal<In, Bit>,
    /// None is under way.
    pub held: Signal<Out, Bit>,
    /// Its SND.NXT.
    pub set_nxt: Signal<In, Bits<32>>,
    /// A set-up of SND.NXT is offered.
    pub set_valid: Signal<In, Bit>,
    /// It is taken.
    pub set_take: Signal<Out, Bit>,
    /// Connection to reset.
    pub rst_qp: Signal<In, Bits<C>>,
    /// The connection is offered until `rst_ready`.
    pub rst_valid: Signal<In, Bit>,
    /// The RST leaves.
    pub rst_ready: Signal<Out, Bit>,
    /// Connection that becomes silent.
    pub mute_qp: Signal<Out, Bits<C>>,
    /// Pulse: `mute_qp` becomes silent.
    pub mute_valid: Signal<Out, Bit>,
    /// Data segment or FIN to build.
    pub job: ItemSink<TxJob>,
    /// There are connections that owe an ACK.
    pub some: Signal<In, Bit>,
    /// Connection of a question to the ACK column, see [`super::tx_ack::TxAck`].
    pub ask_qp: Signal<Out, Bits<C>>,
    /// The next one of the list is asked for instead.
    pub ask_list: Signal<Out, Bit>,
    /// The question stands.
    pub ask_valid: Signal<Out, Bit>,
    /// Answer of the ACK column.
    pub say: Signal<In, AckSaid>,
    /// Pulse: `say` is there.
    pub say_valid: Signal<In, Bit>,
    /// What the headers have of their own.
    pub header: ItemSource<HeadItem>,
    /// Connection whose SND.NXT moves.
    pub pub_qp: Signal<Out, Bits<C>>,
    /// Its new value.
    pub pub_snd_nxt: Signal<Out, Bits<32>>,
    /// Pulse: SND.NXT moves.
    pub pub_valid: Signal<Out, Bit>,
    /// Pulse: octets of `pub_qp` leave again.
    pub again_valid: Signal<Out, Bit>,
    /// Pulse: a segment or ACK of a silent connection was dropped.
    pub dropped: Signal<Out, Bit>,
    /// Silent connections.
    pub silent: Signal<In, Bits<NC>>,

    rows: Sdp<HeadRow, C>,
    nxts: ScrubbedRam<Bits<32>, C>,
    st: Reg<St>,
    /// A data segment or FIN, else an ACK or RST.
    data: Flop<Bit>,
    /// An RST.
    resets: Flop<Bit>,
    /// A data segment: payload follows.
    body: Flop<Bit>,
    /// FIN.
    fin: Flop<Bit>,
    /// It has left before.
    again: Flop<Bit>,
    probe: Flop<Bit>,
    /// Its connection is silent.
    lost: Reg<Bit>,
    turn: Reg<Bit>,
    qp: Flop<Bits<C>>,
    seq: Flop<Bits<32>>,
    ack: Flop<Bits<32>>,
    octets_of: Flop<Bits<16>>,
    after: Flop<Bits<32>>,
    window: Flop<Bits<16>>,
    /// Of the payload and the window field.
    sum: Flop<Bits<17>>,
    length: Flop<Bits<16>>,
    share_a: Flop<Bits<21>>,
    share_b: Flop<Bits<19>>,
    total: Flop<Bits<21>>,
    ip_share: Flop<Bits<20>>,
    ip_fold: Flop<Bits<17>>,
    tcp_check: Flop<Bits<16>>,
    ip_check: Flop<Bits<16>>,
    push: Const<Bits<16>>,
    fin_flag: Const<Bits<16>>,
    rst_flag: Const<Bits<16>>,
    most_window: Const<Bits<24>>,
    job_now: Signal<Local, TxJob>,
    row: Signal<Local, HeadRow>,
    seq_now: Signal<Local, Bits<32>>,
    flags: Signal<Local, Bits<16>>,
    window_now: Signal<Local, Bits<16>>,
    header_octets: Signal<Local, Bits<16>>,
}

impl<const C: usize, const NC: usize> TxHead<C, NC> {
    /// An idle builder.
    pub fn new() -> Self {
        Self {
            // PSH, FIN, RST
            push: Const::of(0x0008),
            fin_flag: Const::of(0x0001),
            rst_flag: Const::of(0x0004),
            most_window: Const::of(0xFFFE),
            ..Default::default()
        }
    }
}

#[kernel]
impl<const C: usize, const NC: usize> Logic for TxHead<C, NC> {
    fn update(&mut self) {
        regs!(st, lost, turn);
        flops!(data, resets, body, fin, again, qp, seq, ack, octets_of, after, window, sum, length, probe);
        flops!(share_a, share_b, total, ip_share, ip_fold, tcp_check, ip_check);
        parts!(nxts);
        clocked!(rows);

        // The header column, which is written while it is not read; reads come below.
        self.held.next = self.st.q.val() == St::Pick;
        self.rows.write_enable.next = self.set_write.val();
        self.rows.write_address.next = self.set_qp.val();
        self.rows.write_data.next = self.set_row.val();
        let said_qp: Bits<C> = bit_cast::<C, 8>(self.say.val().qp);
        self.rows.read_enable.next = false;
        self.rows.read_address.next = said_qp;
        self.nxts.read_enable.next = false;
        self.nxts.read_address.next = said_qp;

        // SND.NXT: a segment that leaves comes before a set-up.
        // The header of octets leaves, the first time or again.
        let departs: Bit = (self.st.q.val() == St::Give)
            && self.header.ready.val()
            && self.data.q.val()
            && !self.lost.q.val();
        let leaves: Bit = departs && !self.again.q.val();
        self.set_take.next = self.nxts.ready.val() && self.set_valid.val() && !departs;
        self.nxts.write_enable.next = self.set_valid.val() || leaves;
        self.nxts.write_address.next = self.set_qp.val();
        self.nxts.write_data.next = self.set_nxt.val();
        if leaves {
            self.nxts.write_address.next = self.qp.q.val();
            self.nxts.write_data.next = self.after.q.val();
        }
        self.pub_qp.next = self.qp.q.val();
        self.pub_snd_nxt.next = self.after.q.val();
        self.pub_valid.next = leaves;
        self.again_valid.next = departs && self.again.q.val();
        let mutes: Bit = (self.st.q.val() == St::Give) && self.header.ready.val() && self.resets.q.val();
        self.mute_qp.next = self.qp.q.val();
        self.mute_valid.next = mutes;
        self.rst_ready.next = mutes;

        self.job_now.next = self.job.item.val();
        self.job.ready.next = (self.st.q.val() == St::Ask) && self.say_valid.val() && self.data.q.val();
        self.ask_qp.next = bit_cast::<C, 8>(self.job_now.val().qp);
        if self.resets.q.val() {
            self.ask_qp.next = self.rst_qp.val();
        }
        self.ask_list.next = !self.data.q.val() && !self.resets.q.val();
        self.ask_valid.next = (self.st.q.val() == St::Ask) && !self.say_valid.val();
        self.dropped.next = false;
        let unheard: Bit = self.silent.val().get_bit(said_qp.index()) && !self.resets.q.val();

        self.row.next = self.rows.read_data.val();
        self.seq_now.next = self.nxts.read_data.val();
        if self.probe.q.val() {
            self.seq_now.next = self.nxts.read_data.val() - 1;
        }
        if self.data.q.val() {
            self.seq_now.next = self.seq.q.val();
        }
        self.flags.next = 0.into();
        if self.body.q.val() {
            self.flags.next = self.push.val();
        }
        if self.fin.q.val() {
            self.flags.next = self.fin_flag.val();
        }
        if self.resets.q.val() {
            self.flags.next = self.rst_flag.val();
        }
        self.header_octets.next = lit::<16>(PLAIN_LENGTH);
        if self.row.val().timestamps {
            self.header_octets.next = lit::<16>(OPTION_LENGTH);
        }
        let length_now: Bits<16> = self.octets_of.q.val() + self.header_octets.val();
        let once: Bits<17> = bit_cast::<17, 16>(self.total.q.val().get_bits::<16>(0))
            + bit_cast::<17, 5>(self.total.q.val().get_bits::<5>(16));
        let twice: Bits<16> = once.get_bits::<16>(0) + bit_cast::<16, 1>(once.get_bit(16).into());
        let ip_twice: Bits<16> = self.ip_fold.q.val().get_bits::<16>(0)
            + bit_cast::<16, 1>(self.ip_fold.q.val().get_bit(16).into());

        // Octets of the window less one, scaled.
        let scaled: Bits<24> = self.say.val().span >> self.say.val().scale;
        self.window_now.next = scaled.get_bits::<16>(0) + 1;
        if scaled > self.most_window.val() {
            self.window_now.next = 0xFFFF.into();
        }
        if self.say.val().shut {
            self.window_now.next = 0.into();
        }

        match self.st.q.val() {
            St::Pick => {
                self.resets.d.next = self.rst_valid.val();
                self.data.d.next =
                    self.job.valid.val() && (self.turn.q.val() || !self.some.val()) && !self.rst_valid.val();
                if (self.job.valid.val() || self.some.val() || self.rst_valid.val()) && !self.hold.val() {
                    self.st.d.next = St::Ask;
                }
            }
            St::Ask => {
                self.octets_of.d.next = 0.into();
                self.window.d.next = self.window_now.val();
                self.sum.d.next = bit_cast::<17, 16>(self.window_now.val());
                self.seq.d.next = self.job_now.val().seq;
                self.after.d.next = self.job_now.val().after;
                self.body.d.next = self.data.q.val() && !self.job_now.val().fin;
                self.fin.d.next = self.data.q.val() && self.job_now.val().fin;
                self.again.d.next = self.job_now.val().replay;
                if self.data.q.val() && !self.job_now.val().fin {
                    self.octets_of.d.next = self.job_now.val().octets;
                    self.sum.d.next = bit_cast::<17, 16>(self.job_now.val().sum)
                        + bit_cast::<17, 16>(self.window_now.val());
                }
                self.qp.d.next = said_qp;
                self.ack.d.next = self.say.val().ack;
                self.probe.d.next = self.say.val().probes;
                if self.say_valid.val() {
                    self.turn.d.next = !self.data.q.val();
                    self.rows.read_enable.next = true;
                    self.nxts.read_enable.next = true;
                    self.lost.d.next = unheard;
                    self.dropped.next = self.say.val().owes && unheard;
                    self.st.d.next = St::Share;
                    // an ACK that is not owed any more, or no payload that weave has to drop
                    if !self.say.val().owes || (unheard && (!self.data.q.val() || self.job_now.val().fin)) {
                        self.st.d.next = St::Pick;
                    }
                }
            }
            St::Share => {
                self.seq.d.next = self.seq_now.val();
                self.length.d.next = length_now;
                // at most 22 words, 6 more of the segment's own, and payload: below 2^21
                self.share_a.d.next = self.row.val().tcp_sum
                    + bit_cast::<21, 16>(length_now)
                    + bit_cast::<21, 16>(self.flags.val());
                self.share_b.d.next = ((bit_cast::<19, 16>(self.seq_now.val().get_bits::<16>(0))
                    + bit_cast::<19, 16>(self.seq_now.val().get_bits::<16>(16)))
                    + (bit_cast::<19, 16>(self.ack.q.val().get_bits::<16>(0))
                        + bit_cast::<19, 16>(self.ack.q.val().get_bits::<16>(16))))
                    + bit_cast::<19, 17>(self.sum.q.val());
                self.ip_share.d.next = self.row.val().ip_sum
                    + bit_cast::<20, 16>(length_now)
                    + bit_cast::<20, 16>(lit::<16>(PLAIN_LENGTH));
                self.st.d.next = St::Sum;
            }
            St::Sum => {
                self.total.d.next = self.share_a.q.val() + bit_cast::<21, 19>(self.share_b.q.val());
                self.ip_fold.d.next = bit_cast::<17, 16>(self.ip_share.q.val().get_bits::<16>(0))
                    + bit_cast::<17, 4>(self.ip_share.q.val().get_bits::<4>(16));
                self.st.d.next = St::Fold;
            }
            St::Fold => {
                self.tcp_check.d.next = !twice;
                self.ip_check.d.next = !ip_twice;
                self.st.d.next = St::Give;
            }
            St::Give => {
                self.st.d.next = St::Give;
                if self.header.ready.val() {
                    self.st.d.next = St::Pick;
                }
            }
            _ => {}
        }

        self.header.item.next.seq = self.seq.q.val();
        self.header.item.next.ack = self.ack.q.val();
        self.header.item.next.window = self.window.q.val();
        self.header.item.next.length = self.length.q.val();
        self.header.item.next.ip_check = self.ip_check.q.val();
        self.header.item.next.tcp_check = self.tcp_check.q.val();
        self.header.item.next.has_payload = self.body.q.val();
        self.header.item.next.fin = self.fin.q.val();
        self.header.item.next.rst = self.resets.q.val();
        self.header.item.next.qp = bit_cast::<8, C>(self.qp.q.val());
        self.header.item.next.skip = 2.into();
        if self.row.val().odd {
            self.header.item.next.skip = 6.into();
        }
        self.header.item.next.gone = self.lost.q.val();
        self.header.valid.next = self.st.q.val() == St::Give;
    }
}
