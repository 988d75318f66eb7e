// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/queue/README.md`: a completion becomes an entry in host memory.
use ferrowarp_hdl::record::{CqWrite, CqeItem};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::Pattern;
use ferrowarp_tests::queue::{Completion, Posted};
use ferrowarp_tests::record::Record;
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// The entry is a posted write of 32 octets, whose last octet has the phase.
#[test]
fn the_readme_shows_a_completion_written() {
    compare("queue", Top::QueueW64, |bench| {
        let rows = bench.channel_source("cq_cqw", Pattern::None);
        let client = bench.channel_source("cq_from_0", Pattern::None);
        let mut written = Posted::new(bench, "cq_cqe", [Pattern::None; 2]);
        let row = Record::<CqWrite>::new().with("cq", 3).with("row.base", 0x3000_u64);
        bench.put(rows, row.with("row.log2", 2).with("row.is_valid", true).item());
        bench.run_until(100, |b| b.put_all(rows))?;
        (0..200).for_each(|_| bench.step());
        let tape = tape(bench);
        let completion = Completion {
            cq: 3,
            index: 0x1122_3344,
            byte_len: 0x5566_7788,
            qp: 2,
            opcode: 3,
            is_recv: 1,
            has_wr: 1,
            ..Completion::default()
        };
        bench.put(client, completion.item());
        let mut entries = vec![];
        for _ in 0..40 {
            bench.step();
            entries.extend(written.taken(bench, 32)?);
        }
        assert_eq!(entries, [(0x3000, completion.entry(1))]);
        let diagram = Diagram::of(&tape, 9).handshake("cq_from_0");
        let diagram = diagram.items::<CqeItem>("cq_from_0", "cq qp index byte_len").handshake("cq_cqe_cmd");
        Ok(diagram.fields("cq_cqe_cmd", "addr length").stream("cq_cqe"))
    });
}
