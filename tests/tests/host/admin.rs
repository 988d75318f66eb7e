// SPDX-License-Identifier: MIT OR Apache-2.0
//! The admin port: every command visits its stages in order and is answered; what cannot be is
//! refused.
mod bits;
mod limits;
mod refused;
mod rows;

use ferrowarp_abi::consts::{admin_opcode, admin_row, admin_status};
use ferrowarp_hdl::gen::CapturedError;
use ferrowarp_hdl::host::step;
use ferrowarp_hdl::record::RxTold;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, ChanSrcId, Frame, Pattern, SinkId, SourceId};
use ferrowarp_tests::cited::give;
use ferrowarp_tests::record::Record;
use rand::Rng;

/// Longest that a command may take, in cycles.
const PATIENCE: u64 = 2_000;

/// Outputs beside the steps: all hold from the offer of a step until the step is done.
const BESIDE: [&str; 15] = [
    "qp",
    "cq",
    "mr",
    "qp_row",
    "cq_row",
    "mr_row",
    "ring",
    "told",
    "limits",
    "start",
    "update",
    "setup_seq_start",
    "setup_markers",
    "setup_crc",
    "slot_fin",
];

/// The port; the test plays the stages behind it.
struct Port {
    commands: SourceId,
    answers: SinkId,
    /// What `fault` says of a segment.
    words: ChanSrcId,
    /// What receive says when it is asked: whether there is a connection, RCV.NXT, SND.WL1,
    /// SND.WL2, SND.NXT.
    receive: std::cell::Cell<(bool, [u32; 4])>,
    /// Words of the row that came by on the bus, as octets.
    row: std::cell::RefCell<Vec<u8>>,
    /// The slot that was read when the send queue was asked.
    slot: std::cell::RefCell<Vec<u8>>,
    /// Each step of the last command with the outputs `BESIDE` the step.
    beside: std::cell::RefCell<Vec<(usize, [Vec<u8>; 15])>>,
}

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    /// Steps in the order in which the stages did them.
    steps: Vec<usize>,
    answer: Vec<u8>,
}

/// A command: head, whose last 32 bits nobody looks at, and row.
fn command(opcode: u8, row: u8, index: u16, spare: u32, rest: &[u8]) -> Vec<u8> {
    [&[opcode, row], &index.to_be_bytes()[..], &spare.to_be_bytes(), rest].concat()
}

/// An answer's head.
fn answer(status: u8, opcode: u8, index: u16, value: u32) -> Vec<u8> {
    [&[status, opcode], &index.to_be_bytes()[..], &value.to_be_bytes()].concat()
}

/// `N` random octets.
fn random(bench: &mut Bench, octets: usize) -> Vec<u8> {
    (0..octets).map(|_| bench.rng().random()).collect()
}

/// A connection row with scales in bounds, an EMSS of 1,460 octets and a MULPDU of 1,442, which
/// fits with markers too.
fn conn_row(bench: &mut Bench) -> Vec<u8> {
    let mut row = random(bench, 144);
    // no timestamps, no SACK and no ECN
    row[15] &= 0x1F;
    row[112..].fill(0);
    row[54] = 0x7E;
    row[58..62].copy_from_slice(&[0x05, 0xB4, 0x05, 0xA2]);
    row
}

/// A queue pair row in this state with completion queues 3 and 4 and the largest Read depths.
fn qp_row(bench: &mut Bench, state: u8) -> Vec<u8> {
    let mut row = random(bench, 32);
    (row[0], row[1], row[28], row[29]) = (state, 0, 15, 9);
    (row[30], row[31]) = (8, 16);
    row[4..8].copy_from_slice(&[0, 3, 0, 4]);
    row
}

impl Port {
    fn new(bench: &mut Bench) -> Self {
        for port in ["ready", "inserted", "cap_ready", "capd_valid", "mrr_ready", "mrd_valid"] {
            bench.set(&format!("admin_{port}"), 0);
        }
        bench.set("admin_slot_at", 0);
        bench.set("admin_raw_index", 0x1234_5678);
        bench.set("admin_raw_tx_index", 0x0BAD_CAFE);
        bench.set("admin_dead", 0);
        bench.set("admin_usable", 0xFFFF_FFFF);
        // SND.UNA, SND.WND, gate, cwnd, SRTT that is known, the timer's wait, the first in the low
        // bits
        let seen = 0x0A0B_0C0D_u128 | 0x0102_0304 << 32 | 1 << 64 | 0x0056_789A << 65 | 0x0002_BCDE << 88;
        let seen = (seen | 1 << 106 | 0x0014_5678 << 107).to_le_bytes();
        bench.set_bytes("admin_seen_tx", &[&seen[..], &[0]].concat());
        Self {
            commands: bench.source("admin_rx", Pattern::Random),
            answers: bench.sink("admin_tx", Pattern::Random),
            words: bench.channel_source("admin_capd_words", Pattern::Random),
            receive: std::cell::Cell::new((false, [0; 4])),
            row: vec![0; 256].into(),
            slot: vec![].into(),
            beside: vec![].into(),
        }
    }

    /// The connections that commands name are there, with these numbers.
    fn there(&self, numbers: Option<[u32; 4]>) {
        self.receive.set((numbers.is_some(), numbers.unwrap_or_default()));
    }

    /// One cycle; listens to the bus.
    fn step(&self, bench: &mut Bench) {
        bench.step();
        if bench.get("admin_row_write") == 1 {
            let at = 8 * bench.get("admin_row_at") as usize;
            self.row.borrow_mut()[at..at + 8].copy_from_slice(&bench.get_bytes("admin_row_word"));
        }
    }

    /// What stood at an output at each step of the last command that is one of `steps`, in their
    /// order.
    fn at(&self, steps: &[usize], port: &str) -> Vec<Vec<u8>> {
        let nth = BESIDE.iter().position(|p| *p == port).unwrap_or_else(|| panic!("no output `{port}`"));
        let beside = self.beside.borrow();
        beside.iter().filter(|(step, _)| steps.contains(step)).map(|(_, ports)| ports[nth].clone()).collect()
    }

    /// Notes the outputs beside the step that is offered, which must not move while the step waits.
    fn look(&self, bench: &Bench, step: usize, anew: bool) -> Result<(), String> {
        let now = BESIDE.map(|port| bench.get_bytes(&format!("admin_{port}")));
        let mut beside = self.beside.borrow_mut();
        match beside.last() {
            Some((_, before)) if !anew && *before != now => {
                Err(format!("outputs move while step {step} waits: {before:02x?}, then {now:02x?}"))
            }
            Some(_) if !anew => Ok(()),
            _ => {
                beside.push((step, now));
                Ok(())
            }
        }
    }

    /// Reads the slot of the command under way, as the send queue does.
    fn read_slot(&self, bench: &mut Bench) {
        let mut slot = vec![];
        for at in 0..16 {
            bench.set("admin_slot_at", at);
            self.step(bench);
            slot.extend(bench.get_bytes("admin_slot_word"));
        }
        *self.slot.borrow_mut() = slot;
    }

    /// Gives a command and plays the stages, which take their time; `inserted` is what the receive
    /// side says to an insert, `row` what `fault` or `mr` gives.
    fn run(&self, bench: &mut Bench, octets: Vec<u8>, inserted: u8, row: &[u8]) -> Result<Done, String> {
        let (there, numbers) = self.receive.get();
        let mut seen = 0_u128;
        for number in numbers.into_iter().rev() {
            seen = seen << 32 | u128::from(number);
        }
        let top = u8::from(numbers[3] >> 31 != 0);
        let low = seen << 1 | u128::from(there);
        bench.set_bytes("admin_seen_rx", &[&low.to_le_bytes()[..], &[top]].concat());
        bench.send(self.commands, Frame::good(octets));
        bench.expect(self.answers, 1);
        let mut steps = vec![];
        let mut asked = [false; 2];
        self.beside.borrow_mut().clear();
        for _ in 0..PATIENCE {
            let offered = bench.get("admin_valid");
            if offered.count_ones() > 1 {
                return Err(format!("two steps are offered at once: {offered:b}"));
            }
            if offered != 0 {
                let anew = self.beside.borrow().len() == steps.len();
                self.look(bench, offered.trailing_zeros() as usize, anew)?;
            }
            if offered == 1 << step::SQ_CONTROL {
                self.read_slot(bench);
            }
            let ready = if bench.rng().random_ratio(1, 3) { offered } else { 0 };
            bench.set("admin_ready", ready);
            bench.set("admin_inserted", u64::from(inserted));
            for (i, (ask, give)) in [("cap", "capd"), ("mrr", "mrd")].into_iter().enumerate() {
                let wanted = bench.get(&format!("admin_{ask}_valid")) == 1;
                bench.set(&format!("admin_{ask}_ready"), u64::from(wanted && !asked[i]));
                bench.set(&format!("admin_{give}_valid"), u64::from(asked[i]));
                if wanted {
                    bench.set_bytes(&format!("admin_{give}_item"), row);
                }
                asked[i] |= wanted;
            }
            if ready != 0 {
                steps.push(ready.trailing_zeros() as usize);
            }
            self.step(bench);
            bench.set("admin_ready", 0);
            if let Some(frame) = bench.received(self.answers).pop() {
                return Ok(Done { steps, answer: frame.data });
            }
        }
        Err(format!("no answer after {PATIENCE} cycles, steps {steps:?}"))
    }

    /// Gives a command and compares.
    fn check(
        &self,
        bench: &mut Bench,
        octets: Vec<u8>,
        steps: &[usize],
        wanted: Vec<u8>,
    ) -> Result<(), String> {
        let text = format!("command {octets:02x?}");
        let done = self.run(bench, octets, 0, &[])?;
        let wanted = Done { steps: steps.into(), answer: wanted };
        if done != wanted {
            return Err(format!("{text}: {done:?}, expected {wanted:?}"));
        }
        Ok(())
    }
}

/// The steps of an insert.
const INSERT: [usize; 6] = [
    step::NET_RX_LOOK,
    step::TCP_TX_INSERT,
    step::SQ_INSERT,
    step::DDP_INSERT,
    step::MPA_SETUP,
    step::NET_RX_INSERT,
];
/// The steps of an update, and those of a connection row that is read.
const UPDATE: [usize; 3] = [step::NET_RX_LOOK, step::TCP_TX_INSERT, step::SQ_INSERT];
/// Of the row of a queue pair; what every end of a queue pair or connection waits for.
const QP: [usize; 4] = [step::RQ_WRITE, step::SQ_WRITE, step::DDP_WRITE, step::FAULT_WRITE];
const ENDS: [usize; 4] = [step::MPA_TOKEN, step::DDP_TOKEN, step::SQ_TOKEN, step::WRITTEN];
const LOOK: [usize; 2] = [step::NET_RX_LOOK, step::TCP_TX_LOOK];

#[test]
fn commands_visit_their_stages_in_order() {
    for seed in seeds(0..3, 0..50) {
        run_case("commands_visit_their_stages_in_order", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            let (qp, mr) = (bench.rng().random_range(0..16), bench.rng().random_range(0..64));
            let insert = conn_row(bench);
            let op = admin_opcode::CONN_INSERT;
            port.check(bench, command(op, 0, qp, 0, &insert), &INSERT, answer(0, op, qp, 0x1234_5678))?;
            assert_eq!(port.row.borrow()[..144], insert, "words on the bus");
            let op = admin_opcode::CONN_REMOVE;
            let mut steps = [&[step::NET_RX_REMOVE, step::TCP_TX_REMOVE][..], &ENDS].concat();
            steps.insert(5, step::TCP_TX_TOKEN);
            port.check(bench, command(op, 0, qp, 0, &[]), &steps, answer(0, op, qp, 0))?;
            let row = qp_row(bench, 1);
            let op = admin_opcode::QP_WRITE;
            let steps = [&QP[..], &ENDS].concat();
            port.check(bench, command(op, 0, qp, 0, &row), &steps, answer(0, op, qp, 0))?;
            let mut row = random(bench, 16);
            row[8] = 16;
            let op = admin_opcode::CQ_WRITE;
            port.check(
                bench,
                command(op, 0, qp, 0, &row),
                &[step::CQ_WRITE, step::WRITTEN],
                answer(0, op, qp, 0),
            )?;
            for (op, steps) in [
                (admin_opcode::EVENT_RING, &[step::EVENT_RING, step::WRITTEN][..]),
                (admin_opcode::RAW_RX_RING, &[step::RAW_RX_RING, step::WRITTEN]),
                (admin_opcode::RAW_TX_RING, &[step::RAW_TX_RING]),
            ] {
                port.check(bench, command(op, 0, 0, 0, &row), steps, answer(0, op, 0, 0))?;
            }
            let row = random(bench, 32);
            let op = admin_opcode::MR_WRITE;
            port.check(bench, command(op, 0, mr, 0, &row), &[step::MR_WRITE], answer(0, op, mr, 0))?;
            let op = admin_opcode::MR_REVOKE;
            let steps = [step::MR_REVOKE, step::DDP_TOKEN, step::SQ_TOKEN];
            port.check(bench, command(op, 0, mr, 0, &[]), &steps, answer(0, op, mr, 0))?;
            let op = admin_opcode::CONN_ACK;
            let mut row = random(bench, 16);
            row[12] |= 0x80;
            let ack = command(op, 0, qp, 77, &row);
            port.check(bench, ack, &[step::NET_RX_TOLD], answer(0, op, qp, 0))?;
            let be = |at: usize| u32::from_be_bytes(row[at..at + 4].try_into().unwrap());
            let told = Record::<RxTold>::new().with("qp", qp).with("seq", be(8)).with("ack", be(0));
            let told = told.with("window", be(4)).with("ack_now", true);
            assert_eq!(Record::of(&bench.get_bytes("admin_told")), told);
            for opcode in [7, 17] {
                let mut slot = random(bench, 128);
                slot[0] = opcode;
                let op = admin_opcode::CONN_CONTROL;
                port.check(bench, command(op, 0, qp, 0, &slot), &[step::SQ_CONTROL], answer(0, op, qp, 0))?;
                assert_eq!(*port.slot.borrow(), slot);
                assert_eq!(bench.get("admin_slot_fin"), u64::from(opcode == 17));
            }
            let op = admin_opcode::CONN_RESET;
            port.check(bench, command(op, 0, qp, 0, &[]), &[step::TCP_TX_RESET], answer(0, op, qp, 0))?;
            port.check(bench, command(0, 0, qp, 0, &[]), &[], answer(0, 0, qp, 0))
        });
    }
}

/// What the stages say, laid over a connection row: the octets that hold it by the table in
/// docs/abi.md.
fn live(row: &mut [u8], [rcv_nxt, wl1, wl2, snd_nxt]: [u32; 4]) {
    row[14] |= 0x20;
    for (at, number) in
        [(64, rcv_nxt), (68, 0x0A0B_0C0D), (72, snd_nxt), (76, 0x0102_0304), (88, wl1), (92, wl2)]
    {
        row[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }
}

#[test]
fn an_update_writes_what_may_change() {
    for seed in seeds(0..3, 0..50) {
        run_case("an_update_writes_what_may_change", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            let (first, mut second) = (conn_row(bench), conn_row(bench));
            second[58..62].copy_from_slice(&[0x05, 0x00, 0x04, 0x00]);
            let insert = admin_opcode::CONN_INSERT;
            port.run(bench, command(insert, 0, 5, 0, &first), 0, &[])?;
            let op = admin_opcode::CONN_UPDATE;
            let update = command(op, 0, 5, 0, &second);
            port.check(bench, update.clone(), &[step::NET_RX_LOOK], answer(admin_status::ABSENT, op, 5, 0))?;
            let numbers = [1, 2, 3, 4];
            port.there(Some(numbers));
            port.check(bench, update, &UPDATE, answer(0, op, 5, 0))?;
            // MACs and tag, `has_vlan`, TTL and traffic class, EMSS and MULPDU, flow label
            let mut wanted = first;
            for at in [0..14, 52..54, 58..62, 104..106] {
                wanted[at.clone()].copy_from_slice(&second[at]);
            }
            wanted[14] = wanted[14] & 0x7F | second[14] & 0x80;
            wanted[106] = wanted[106] & 0x0F | second[106] & 0xF0;
            // the gate too, which transmit only ever opens
            wanted[14] = wanted[14] & 0xDF | second[14] & 0x20;
            assert_eq!(port.row.borrow()[..144], wanted, "the merged row on the bus");
            live(&mut wanted, numbers);
            let read = admin_opcode::READ_ROW;
            let wanted = [answer(0, read, 5, 0), wanted].concat();
            port.check(bench, command(read, admin_row::CONN, 5, 0, &[]), &LOOK, wanted)?;
            // one that lives is not inserted over
            let again = conn_row(bench);
            let wanted = answer(admin_status::PRESENT, insert, 5, 0);
            port.check(bench, command(insert, 0, 5, 0, &again), &[step::NET_RX_LOOK], wanted)
        });
    }
}

#[test]
fn the_raw_transmit_ring_tells_how_far_it_is() {
    run_case("the_raw_transmit_ring_tells_how_far_it_is", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let op = admin_opcode::READ_ROW;
        for index in [0, 7, 0x8000_0001, u32::MAX] {
            bench.set("admin_raw_tx_index", index.into());
            let ask = command(op, admin_row::RAW_TX, 0, 0, &[]);
            port.check(bench, ask, &[], answer(0, op, 0, index))?;
        }
        Ok(())
    });
}
