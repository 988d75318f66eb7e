// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puts each FPDU to its queue pair's rows, in order: which buffer it names, and which regions are
//! to be checked.
mod steps;

use super::rx_columns::RxColumns;
use super::rx_fill::RxFill;
use super::rx_look::RxLook;
use super::rx_other::RxOther;
use super::rx_rest::RxRest;
use super::rx_row::{RxConf, RxFirst, RxFpdu, RxJob, RxLooked, RxMessage, RxReads};
use crate::gen::QpRow;
use crate::prelude::*;
use crate::record::{MrAsk, ReadOut, ReadRequest, Rqe};
use crate::stream::{ItemSink, ItemSource};

/// Step of the one FPDU under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Takes an FPDU and asks for the rows of its queue pair; rows are written.
    Idle,
    /// Takes the rows over.
    Rows,
    /// Judges headers and MSN.
    Judge,
    /// Asks for a receive.
    Take,
    /// Waits for it.
    Wait,
    /// Reports that there is none.
    Missing,
    /// Adds up its scatters.
    Sum,
    /// Judges MO and length.
    Fit,
    /// Asks for the check of a piece, or for the scatter in which it lies.
    Piece,
    /// Takes over that scatter.
    Turn,
    /// Hands the FPDU on and writes the message back.
    Done,
    /// Looks at the oldest Read of ours.
    Oldest,
    /// Hands on a segment of a message that takes no receive.
    Other,
    /// Waits until an STag is invalid.
    Hold,
    /// Takes over the row for a Read of ours.
    OutRow,
    /// Keeps that Read.
    OutPut,
}

/// One FPDU at a time; what it changes counts at once, since after a fault the rows of its queue
/// pair count no more.
///
/// Three cycles for a segment of an RDMA Write, five of a Read Request or Response, six of a Send
/// and three for each scatter more; its first one takes three more and what the answer to `take`
/// takes. Behind a Send that invalidates an STag everything waits until that is done: checks are
/// asked for ahead of their turn. `NC` = `2^C` queue pairs, `R` = `C` + 4, `A` = `C` + 2.
#[block]
pub struct RxResolve<const C: usize, const NC: usize, const R: usize, const A: usize> {
    /// Rows are scrubbed.
    pub scrubbed: Signal<Out, Bit>,
    /// Queue pair whose row is written.
    pub qpw_qp: Signal<In, Bits<C>>,
    /// The row.
    pub qpw_row: Signal<In, QpRow>,
    /// The row is offered.
    pub qpw_valid: Signal<In, Bit>,
    /// The row is taken.
    pub qpw_ready: Signal<Out, Bit>,
    /// Queue pair whose stream begins anew.
    pub ins_qp: Signal<In, Bits<C>>,
    /// The stream is offered.
    pub ins_valid: Signal<In, Bit>,
    /// The stream is taken.
    pub ins_ready: Signal<Out, Bit>,
    /// A queue pair's row or stream is new: no fault of it counts any longer.
    pub clear: Signal<Out, Bit>,
    /// Queue pair that begins anew; with `clear`.
    pub clear_qp: Signal<Out, Bits<C>>,
    /// Queue pairs in error.
    pub dead: Signal<In, Bits<NC>>,
    /// Queue pairs in which a fault was found.
    pub stopped: Signal<In, Bits<NC>>,
    /// FPDU.
    pub fpdu: ItemSink<RxFpdu>,
    /// First octets of the oldest ULPDU.
    pub head: ItemSink<RxFirst>,
    /// Check of a region.
    pub ask: ItemSource<MrAsk>,
    /// Queue pair that needs a receive.
    pub take: ItemSource<Bits<C>>,
    /// The receive.
    pub rqe: ItemSink<Rqe>,
    /// A Read of ours leaves: its response is expected.
    pub ro: ItemSink<ReadOut>,
    /// Queue pair whose oldest Read Request is answered.
    pub free_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub free: Signal<In, Bit>,
    /// The STag that everything waits for was judged.
    pub settled: Signal<In, Bit>,
    /// Queue pair with a good FPDU.
    pub good_qp: Signal<Out, Bits<8>>,
    /// In this cycle.
    pub good_valid: Signal<Out, Bit>,
    /// Read Request of the job with `is_request`.
    /// Offered only while `ready` is high.
    pub request: ItemSource<ReadRequest>,
    /// There is no FPDU: no check is out for one that was not handed on.
    pub between: Signal<Out, Bit>,
    /// FPDU, resolved.
    pub job: ItemSource<RxJob>,

    look: RxLook,
    fill: RxFill,
    other: RxOther<C, NC, R>,
    columns: RxColumns<C>,
    rest: RxRest<C, A>,
    state: Reg<St>,
    /// A Read Request was handed on in the cycle before.
    took: Reg<Bit>,
    item: Flop<RxFpdu>,
    /// In the cycle before its queue pair was in error, or a fault of it was found.
    hushed: Flop<Bit>,
    /// Octets behind the header, of the longest one.
    body: Flop<Bits<224>>,
    slot: Flop<Bits<4>>,
    kept: Flop<Bits<4>>,
    out: Flop<ReadOut>,
    looked: Flop<RxLooked>,
    conf: Flop<RxConf>,
    message: Flop<RxMessage>,
    reads: Flop<RxReads>,
    /// Messages of this queue finished and this one.
    msn: Flop<Bits<32>>,
    /// Octets of the payload without a piece, and the pieces so far.
    left: Flop<Bits<16>>,
    pieces: Flop<Bits<2>>,
    n0: Flop<Bits<16>>,
    n1: Flop<Bits<16>>,
    n2: Flop<Bits<16>>,

    none: Const<Bits<32>>,
    finished: Signal<Local, Bits<32>>,
    remote: Signal<Local, MrAsk>,
    job_out: Signal<Local, RxJob>,
    offers: Signal<Local, Bit>,
    back: Signal<Local, RxMessage>,
}

impl<const C: usize, const NC: usize, const R: usize, const A: usize> RxResolve<C, NC, R, A> {
    /// For `NC` queue pairs.
    pub fn new() -> Self {
        Self {
            look: RxLook::new(),
            other: RxOther::new(),
            columns: RxColumns::new(),
            rest: RxRest::new(),
            ..Default::default()
        }
    }
}
