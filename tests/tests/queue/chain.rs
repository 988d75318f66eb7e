// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fault unit, completion queues and event ring joined: what software sees of a fault, and who
//! waits for whom.
use ferrowarp_hdl::record::{CqWrite, Fault, Quoted};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, ChanSrcId, Pattern};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use ferrowarp_tests::queue::{self, doorbell, event, status, Completion, Posted, QpRow};
use ferrowarp_tests::record::Record;

const ARM: u64 = 3;
const EVENT_CONSUMER: u64 = 4;
const QPS: u64 = 16;
/// Where the rings lie: that of a completion queue, and of events.
const CQ_BASE: u64 = 1 << 32;
const RING_BASE: u64 = 1 << 20;

/// What host memory was given, in the order in which it came.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Write {
    /// Completion queue; index, queue pair, status.
    Entry(u64, [u64; 3]),
    /// Kind, number.
    Event([u64; 2]),
}

struct Chain {
    rows: ChanSrcId,
    cq_rows: ChanSrcId,
    cq_bells: ChanSrcId,
    ring: ChanSrcId,
    ring_bells: ChanSrcId,
    receives: ChanSrcId,
    faults: ChanSrcId,
    entries: Posted,
    events: Posted,
    seen: Vec<Write>,
    lost: u64,
}

fn number(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |v, &o| v << 8 | u64::from(o))
}

impl Chain {
    /// Two completion queues of 4 and of 256 entries, numbers 5 and 6; of the queue pairs, those
    /// below 4 send to 5 and receive to 6, those below 8 the other way round, the next 4 have 5 for
    /// both, the others 6.
    fn new(bench: &mut Bench, ring_log2: u64) -> Result<Self, String> {
        bench.set("jring_own_valid", 0);
        let mut source = |name: &str| bench.channel_source(name, Pattern::None);
        let sources =
            ["jfault_qpw", "jcq_cqw", "jcq_db", "jring_ring", "jring_db", "jcq_from_0", "jfault_from_0"]
                .map(&mut source);
        let [rows, cq_rows, cq_bells, ring, ring_bells, receives, faults] = sources;
        let mut chain = Self {
            rows,
            cq_rows,
            cq_bells,
            ring,
            ring_bells,
            receives,
            faults,
            entries: Posted::new(bench, "jcq_cqe", [Pattern::None; 2]),
            events: Posted::new(bench, "jring_evt", [Pattern::None; 2]),
            seen: vec![],
            lost: 0,
        };
        for (cq, log2) in [(5, 2), (6, 8)] {
            let row = Record::<CqWrite>::new().with("cq", cq).with("row.base", CQ_BASE * cq);
            bench.put(chain.cq_rows, row.with("row.log2", log2).with("row.is_valid", 1).item());
        }
        for qp in 0..QPS {
            let (send_cq, recv_cq) = [(5, 6), (6, 5), (5, 5), (6, 6)][qp as usize / 4];
            bench.put(chain.rows, QpRow { state: 1, send_cq, recv_cq, ..QpRow::default() }.of(qp));
        }
        bench.put(chain.ring, queue::ring(RING_BASE, ring_log2, true));
        chain.steps(bench, 200)?;
        Ok(chain)
    }

    fn steps(&mut self, bench: &mut Bench, cycles: u64) -> Result<(), String> {
        for _ in 0..cycles {
            bench.step();
            self.lost += bench.get("jcq_lost");
            for (addr, e) in self.entries.taken(bench, 32)? {
                self.seen
                    .push(Write::Entry(addr / CQ_BASE, [number(&e[0..4]), number(&e[12..14]), e[14].into()]));
            }
            for (_, e) in self.events.taken(bench, 16)? {
                self.seen.push(Write::Event([e[0].into(), number(&e[2..4])]));
            }
        }
        Ok(())
    }

    fn receive(&self, bench: &mut Bench, cq: u64, index: u64, opcode: u64) {
        let is_solicited = u64::from(opcode == 5 || opcode == 6);
        let receive = Completion { cq, index, opcode, is_solicited, is_recv: 1, ..Completion::default() };
        bench.put(self.receives, receive.item());
    }

    fn fault(&self, bench: &mut Bench, qp: u64, status: u64) {
        let fault = Record::<Fault>::new().with("qp", qp).with("error", 0x1100).with("status", status);
        bench.put(self.faults, Record::<Quoted>::new().field(fault.item(), "quote"));
    }

    fn events(&self) -> Vec<[u64; 2]> {
        let event = |w: &Write| match w {
            Write::Event(e) => Some(*e),
            Write::Entry(..) => None,
        };
        self.seen.iter().filter_map(event).collect()
    }

    fn entries(&self, cq: u64) -> Vec<[u64; 3]> {
        let entry = |w: &Write| match w {
            Write::Entry(number, e) if *number == cq => Some(*e),
            _ => None,
        };
        self.seen.iter().filter_map(entry).collect()
    }
}

fn chain(name: &str, ring_log2: u64, body: impl Fn(&mut Chain, &mut Bench) -> Result<(), String>) {
    run_case(&format!("queue-chain-{name}"), Top::QueueW64, 1, |bench| {
        let mut chain = Chain::new(bench, ring_log2)?;
        body(&mut chain, bench)
    });
}

#[test]
fn an_overflow_is_an_event_and_stops_every_queue_pair_of_the_queue() {
    let _proof = proves_model("MPA2-4.4.2-01");
    chain("overflow", 6, |chain, bench| {
        (0..5).for_each(|index| chain.receive(bench, 5, index, 3));
        chain.steps(bench, 300)?;
        assert_eq!(chain.entries(5).len(), 4, "nothing is overwritten");
        assert_eq!(bench.get("jfault_dead"), 0x0FFF, "all that have it, on either side");
        let mut events = chain.events();
        assert_eq!(events.remove(0), [event::CQ_OVERRUN, 5]);
        assert_eq!(events, (0..12).map(|qp| [event::QP_FATAL, qp]).collect::<Vec<_>>());
        // a queue pair with another queue has its error there; the four without lose theirs, which
        // is counted
        let told: Vec<_> = (0..8).map(|qp| [0, qp, status::GENERAL_ERR]).collect();
        assert_eq!(chain.entries(6), told);
        assert_eq!(chain.lost, 1 + 4);
        // the others go on
        (0..20).for_each(|index| chain.receive(bench, 6, 100 + index, 3));
        chain.steps(bench, 300)?;
        assert_eq!(chain.entries(6).len(), 8 + 20);
        Ok(())
    });
}

#[test]
fn a_solicited_send_is_an_event_after_its_entry_if_armed() {
    let _proof = proves_model_rows(&["RDMAP-1.2-04", "RDMAP-5.3-08"]);
    for opcode in [5, 6] {
        chain(&format!("solicited-{opcode}"), 6, |chain, bench| {
            // not armed: the completion, no event
            chain.receive(bench, 6, 1, opcode);
            chain.steps(bench, 60)?;
            assert_eq!(chain.seen, [Write::Entry(6, [1, 0, 0])]);
            bench.put(chain.cq_bells, doorbell(ARM, true, 6, 1));
            chain.steps(bench, 60)?;
            // a Send that is not solicited, then two that are
            chain.receive(bench, 6, 2, 3);
            chain.receive(bench, 6, 3, opcode);
            chain.receive(bench, 6, 4, opcode);
            chain.steps(bench, 60)?;
            let entry = |index| Write::Entry(6, [index, 0, 0]);
            let at = chain.seen.iter().position(|w| *w == Write::Event([event::CQ_NOTIFY, 6]));
            let visible = chain.seen.iter().position(|w| *w == entry(3));
            assert!(visible < at, "{:?}", chain.seen);
            assert_eq!((chain.entries(6).len(), chain.events().len()), (4, 1));
            Ok(())
        });
    }
}

#[test]
fn a_fault_is_an_entry_then_its_notify_and_its_own_event() {
    chain("fault", 6, |chain, bench| {
        bench.put(chain.cq_bells, doorbell(ARM, true, 6, 0));
        chain.steps(bench, 60)?;
        chain.fault(bench, 2, status::LOC_ACCESS_ERR);
        chain.steps(bench, 60)?;
        assert_eq!(chain.seen[0], Write::Entry(6, [0, 2, status::LOC_ACCESS_ERR]));
        let mut events = chain.events();
        events.sort_unstable();
        assert_eq!(events, [[event::CQ_NOTIFY, 6], [event::QP_ACCESS_ERROR, 2]]);
        Ok(())
    });
}

#[test]
fn software_that_never_looks_slows_nobody() {
    // the event ring holds one event and is never read; a queue of 4 entries is never read
    let cycles = |blind: bool| {
        let took = std::cell::Cell::new(0);
        chain(&format!("blind-{blind}"), if blind { 0 } else { 8 }, |chain, bench| {
            if blind {
                (0..9).for_each(|index| chain.receive(bench, 5, index, 3));
                (0..12).for_each(|qp| chain.fault(bench, qp, status::FATAL_ERR));
                chain.steps(bench, 2_000)?;
                assert_eq!((bench.get("jfault_dead"), chain.events().len()), (0x0FFF, 1));
            }
            let (from, before) = (bench.cycle(), chain.entries(6).len());
            (0..100).for_each(|index| chain.receive(bench, 6, index, 3));
            while chain.entries(6).len() < before + 100 {
                chain.steps(bench, 1)?;
                assert!(bench.cycle() - from < 5_000, "{} written", chain.entries(6).len());
            }
            took.set(bench.cycle() - from);
            if blind {
                // what waited is there as soon as software looks
                for read in 1..=13 {
                    bench.put(chain.ring_bells, doorbell(EVENT_CONSUMER, false, 0, read));
                    chain.steps(bench, 100)?;
                }
                assert_eq!(chain.events().len(), 13, "an overrun and twelve queue pairs");
            }
            Ok(())
        });
        took.get()
    };
    assert_eq!(cycles(true), cycles(false));
}
