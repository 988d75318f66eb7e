// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of DDP receive, written and read by the names of their fields.
use crate::ddp_model::{Completion, Event, Fault, Quote, Receive, Request, Scatter};
use crate::record::Record;
use ferrowarp_hdl::gen::Event as EventRecord;
use ferrowarp_hdl::record::{CqeItem, Fault as FaultRecord, Quoted, ReadRequest, Rqe};
use ferrowarp_sim::Item;

/// Answer to a take; `None` if there is no receive.
pub(super) fn rqe(receive: Option<Receive>) -> Vec<u8> {
    let record = Record::<Rqe>::new().with("found", receive.is_some());
    let receive = receive.unwrap_or_default();
    let record = record.with("index", receive.index).with("num_sge", receive.scatters.len());
    // what does not count is not zero either
    let none = Scatter { to: 0x666, length: 0x7777, key: 0x888 };
    let all = (0..3).fold(record, |record, i| {
        let s = receive.scatters.get(i).unwrap_or(&none);
        let record = record.with(&format!("sge{i}.to"), s.to);
        record.with(&format!("sge{i}.length"), s.length).with(&format!("sge{i}.key"), s.key)
    });
    all.octets()
}

/// A completion of a receive.
pub(super) fn completion(item: &Item) -> Result<Completion, String> {
    let cqe = Record::<CqeItem>::of_item(item);
    let (stag, has_stag) = (cqe.get("invalidated_stag") as u32, cqe.is("has_invalidate"));
    let is_bad = cqe.is("status") || cqe.is("error") || !cqe.is("is_recv") || !cqe.is("has_wr");
    if is_bad || (!has_stag && stag != 0) {
        return Err(format!("{cqe:?} is none of a receive"));
    }
    Ok(Completion {
        qp: cqe.get("qp") as u8,
        cq: cqe.get("cq") as u16,
        index: cqe.get("index") as u32,
        byte_len: cqe.get("byte_len") as u32,
        opcode: cqe.get("opcode") as u8,
        is_solicited: cqe.is("is_solicited"),
        invalidated: has_stag.then_some(stag),
    })
}

/// A fault of the peer.
pub(super) fn fault(item: &Item) -> Result<Fault, String> {
    let record = Record::<FaultRecord>::of_item(item);
    if record.is("is_local") {
        return Err("a fault of the receive side is never that of a send".into());
    }
    let index = record.is("has_wr").then(|| record.get("index") as u32);
    let (qp, error, status) =
        (record.get("qp") as u8, record.get("error") as u16, record.get("status") as u8);
    Ok(Fault { qp, error, status, index })
}

/// The segment that a fault quotes, without its octets.
pub(super) fn quote(item: &Item) -> Option<Quote> {
    let quoted = Record::<Quoted>::of_field(item, "quote");
    let (is_terminate, length) = (quoted.is("is_terminate"), quoted.get("length") as usize);
    quoted.is("is_there").then_some(Quote { is_terminate, length, head: vec![] })
}

/// A Read Request of the peer.
pub(super) fn request(item: &Item) -> Request {
    let record = Record::<ReadRequest>::of_item(item);
    let [sink_stag, length, src_stag] =
        ["sink_stag", "length", "src_stag"].map(|field| record.get(field) as u32);
    let [sink_to, src_to] = ["sink_to", "src_to"].map(|field| record.get(field));
    Request { qp: record.get("qp") as u8, sink_stag, sink_to, length, src_stag, src_to }
}

/// An event on its way to the ring.
pub(super) fn event(item: &Item) -> Result<Event, String> {
    let record = Record::<EventRecord>::of_item(item);
    if record.is("phase") {
        return Err("the event ring, not its clients, sets the phase".into());
    }
    let (kind, qp) = (record.get("kind") as u8, record.get("number") as u8);
    Ok(Event { kind, qp, error: record.get("error") as u16, info: record.get("info") as u32 })
}
