// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queues, faults and events: each part alone, and the three that answer a fault joined.
use crate::emit::{emit_joined, EmitError, Emitted, Net, Part, Table};
use crate::params::{cq_of, events_of, fault_of, rq_of};

/// First index of the parts that are to meet the wrap of indices at 2^32.
const NEAR_WRAP: usize = 0xFFFF_FFF0;

const RQ: [&str; 11] =
    ["dead", "qpw", "db", "rd_req", "rd_ans", "take", "rqe", "bad", "there", "two", "to_come"];
const CQ: [&str; 13] = [
    "cqw",
    "db",
    "from_0",
    "from_1",
    "from_2",
    "cqe",
    "event",
    "over_cq",
    "over_valid",
    "usable",
    "rests",
    "lost",
    "bad_db",
];
const FAULT: [&str; 12] = [
    "dead",
    "qpw",
    "from",
    "over_cq",
    "over_valid",
    "cqe",
    "event",
    "cap",
    "capd",
    "stopped",
    "late",
    "stray",
];
const RING: [&str; 10] = ["ring", "db", "from", "own", "evt", "rest", "sent", "held", "merged", "bad_db"];

/// Puts ports of the part `<name>_0` at the top, as `<name>_<port>`; those in `inside` are joined
/// to another part.
fn shown(name: &str, ports: &[&str], inside: &[&str]) -> Vec<Net> {
    let outside = ports.iter().filter(|port| !inside.contains(port));
    outside.map(|port| Net::export(format!("{name}_0.{port}"), format!("{name}_{port}"))).collect()
}

/// For 16 queue pairs and 16 completion queues.
pub(super) fn queue(top: &str) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::new("rq_0", <rq_of!(qps_log2: 4, qps: 16, tag_width: 5, slots_log2: 8)>::new),
        Part::new("rqwrap_0", || {
            <rq_of!(qps_log2: 4, qps: 16, tag_width: 5, slots_log2: 8)>::starting_at(NEAR_WRAP)
        }),
        Part::new("cq_0", <cq_of!(cqs_log2: 4, cqs: 16)>::new),
        Part::new("cqwrap_0", || <cq_of!(cqs_log2: 4, cqs: 16)>::starting_at(NEAR_WRAP)),
        Part::new(
            "fault_0",
            <fault_of!(qps_log2: 4, qps: 16, cqs_log2: 4, cqs: 16, sources: 3, words_log2: 8)>::new,
        ),
        Part::new("ring_0", <events_of!(places_log2: 5, places: 32, sources: 2)>::new),
        Part::new("ringwrap_0", || {
            <events_of!(places_log2: 5, places: 32, sources: 2)>::starting_at(NEAR_WRAP)
        }),
        Part::new("jcq_0", <cq_of!(cqs_log2: 4, cqs: 16)>::new),
        Part::new(
            "jfault_0",
            <fault_of!(qps_log2: 4, qps: 16, cqs_log2: 4, cqs: 16, sources: 3, words_log2: 8)>::new,
        ),
        Part::new("jring_0", <events_of!(places_log2: 5, places: 32, sources: 2)>::new),
    ];
    let nets = [
        shown("rq", &RQ, &[]),
        shown("rqwrap", &RQ, &[]),
        shown("cq", &CQ, &[]),
        shown("cqwrap", &CQ, &[]),
        shown("fault", &FAULT, &[]),
        shown("ring", &RING, &[]),
        shown("ringwrap", &RING, &[]),
        shown("jcq", &CQ, &["from_2", "event", "over_cq", "over_valid"]),
        shown("jfault", &FAULT, &["cqe", "event", "over_cq", "over_valid"]),
        shown("jring", &RING, &["from"]),
        vec![
            Net::join("jfault_0.cqe", "jcq_0.from_2"),
            Net::join("jcq_0.event", "jring_0.from_0"),
            Net::join("jfault_0.event", "jring_0.from_1"),
            Net::join("jcq_0.over_cq", "jfault_0.over_cq"),
            Net::join("jcq_0.over_valid", "jfault_0.over_valid"),
        ],
    ];
    emit_joined(top, Table::new(parts).nets(nets.concat()))
}
