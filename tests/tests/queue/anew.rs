// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first cycles behind a reset: no pulse, no record, no queue that exists.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::run_case;

/// Cycles that are looked at.
const CYCLES: u64 = 8;

/// Parts of the bench, and their outputs that are 0 behind a reset.
const SILENT: [(&[&str], &[&str]); 4] = [
    (&["rq", "rqwrap"], &["rd_req_valid", "rqe_valid", "bad_valid", "there", "two", "to_come"]),
    (&["cq", "cqwrap", "jcq"], &["cqe_valid", "event_valid", "over_valid", "usable", "lost", "bad_db"]),
    (
        &["fault", "jfault"],
        &["dead", "cqe_valid", "event_valid", "cap_valid", "capd_valid", "stopped", "late", "stray"],
    ),
    (&["ring", "ringwrap", "jring"], &["evt_valid", "sent", "held", "merged", "bad_db"]),
];

#[test]
fn nothing_is_told_in_the_first_cycles_behind_a_reset() {
    let outputs = SILENT.iter().flat_map(|(parts, ports)| parts.iter().map(move |part| (part, ports)));
    let outputs: Vec<_> =
        outputs.flat_map(|(part, ports)| ports.iter().map(move |port| format!("{part}_{port}"))).collect();
    run_case("queue-anew", Top::QueueW64, 1, |bench| {
        let shown: Vec<_> = outputs.iter().filter(|port| bench.has(port)).collect();
        for cycle in 0..CYCLES {
            bench.settle();
            if let Some(port) = shown.iter().find(|port| bench.get(port) != 0) {
                return Err(format!("{port} is {:#x} in cycle {cycle} behind the reset", bench.get(port)));
            }
            bench.step();
        }
        // Parts that are joined have fewer ports.
        let least = outputs.len() * 3 / 4;
        (shown.len() > least).then_some(()).ok_or(format!("{} of {} ports", shown.len(), outputs.len()))
    });
}
