// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records that cross from one stage to another, and the channels of more than one record.
//!
//! A file has the records that the stage of that name defines. A record that stays inside of a
//! stage stands in the folder of the stage. [`FpduSize`] is a block that two stages use.

#[allow(missing_docs)] // of the methods that the derive writes
mod ddp;
mod fpdu_size;
#[allow(missing_docs)] // of the methods that the derive writes
mod mpa;
#[allow(missing_docs)] // of the methods that the derive writes
mod mr;
#[allow(missing_docs)] // of the methods that the derive writes
mod queue;
#[allow(missing_docs)] // of the methods that the derive writes
mod rdmap;
#[allow(missing_docs)] // of the methods that the derive writes
mod tcp;

pub use ddp::{TxHead, TxMade, TxOctets, TxOwned, TxRange, TxSegment, TxTaken, TxTicket, TxTop};
pub use fpdu_size::FpduSize;
pub use mpa::{TxAnswer, TxCommand, TxSized};
pub use mr::{mr_error, MrAsk, MrInv, MrSay, MrWrite};
pub use queue::{CiteSink, CiteSource, CqWrite, CqeItem, Fault, QpWrite, Quoted, Rqe, TxLimits, TxStart};
pub use rdmap::{ReadOut, ReadRequest};
pub use tcp::{
    ctl_kind, seg_kind, Grant, RawNote, Reserve, RxCtl, RxSeen, RxTold, TxBack, TxFact, TxFpdu, TxSeen,
};
