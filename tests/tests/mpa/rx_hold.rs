// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sends of random streams wait in the MPA receive stage for their receives, and are cut: nothing
//! is lost, and nothing comes twice.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::mpa_rx::{ulpdu, Rx, Stream, PATIENCE, SEND, WRITE};
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

/// DDP's and RDMAP's control octets of the first and last segments of a Send.
const FIRST: [u8; 2] = [0x01, 0x45];
const LAST: [u8; 2] = [0x41, 0x45];

/// One connection: its stream, what is announced of it, and its receives.
struct Flow {
    stream: Stream,
    /// Which FPDUs begin a Send.
    begins: Vec<bool>,
    /// Octets announced, and the end of the stream.
    sent: usize,
    is_ended: bool,
    /// The latest ack point in octets.
    acked: usize,
    side: u64,
    /// A cut that is heard of in that cycle.
    undo: Option<(u64, usize)>,
    stored: usize,
    came: usize,
    rung: usize,
    read: Option<u64>,
    ulpdus: usize,
    ends: usize,
}

impl Flow {
    fn new(stream: Stream, begins: Vec<bool>) -> Self {
        let rung = begins.iter().filter(|b| **b).count();
        Self {
            stream,
            begins,
            rung,
            sent: 0,
            is_ended: false,
            acked: 0,
            side: 0,
            undo: None,
            stored: 0,
            came: 0,
            read: None,
            ulpdus: 0,
            ends: 0,
        }
    }

    fn offset(&self, seq: u64) -> usize {
        (seq as u32).wrapping_sub(self.stream.seq_start) as usize
    }

    fn is_done(&self) -> bool {
        self.ulpdus == self.stream.expected.len() && self.ends == 1
    }
}

/// The stage, TCP in front of it and DDP behind it.
struct Rig {
    rx: Rx,
    flows: Vec<Flow>,
    /// Flow of each take, and when it comes.
    takes: VecDeque<(usize, u64)>,
    took: Option<usize>,
    frames: VecDeque<Vec<u8>>,
    items: VecDeque<(u64, u64)>,
    cuts: u64,
    strays: u64,
    /// Cycles of a read, of a take, and until a cut is heard of.
    slowest: [u64; 3],
}

impl Rig {
    fn new(rx: Rx, flows: Vec<Flow>, slowest: [u64; 3]) -> Self {
        let (takes, frames, items) = Default::default();
        Self { rx, flows, takes, took: None, frames, items, cuts: 0, strays: 0, slowest }
    }

    fn at(&self, conn: u64) -> Result<usize, String> {
        self.flows.iter().position(|f| f.stream.conn == conn).ok_or(format!("connection {conn}?"))
    }

    fn drive(&mut self, bench: &mut Bench) {
        let bits = |bit: &dyn Fn(&Flow) -> bool| {
            self.flows.iter().map(|f| u64::from(bit(f)) << f.stream.conn).fold(0, |a, b| a | b)
        };
        bench.set("mpa_rx_there", bits(&|f| f.stored > 0));
        bench.set("mpa_rx_two", bits(&|f| f.stored > 1));
        bench.set("mpa_rx_to_come", bits(&|f| f.came < f.rung));
        let took = self.took.take().map(|at| self.flows[at].stream.conn);
        bench.set("mpa_rx_took_qp", took.unwrap_or(0));
        bench.set("mpa_rx_took_valid", u64::from(took.is_some()));
        bench.set("mpa_rx_took_ready", 1);
    }

    /// A cycle: ports, reads, takes, what is told.
    fn step(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.drive(bench);
        bench.step();
        let now = bench.cycle();
        self.strays += bench.get("mpa_rx_stray");
        if bench.get("mpa_rx_undo_valid") == 1 {
            let at = self.at(bench.get("mpa_rx_undo_conn"))?;
            let due = self.flows[at].offset(bench.get("mpa_rx_undo_due"));
            let flow = &mut self.flows[at];
            if flow.undo.is_some() || due < flow.acked || due >= flow.sent {
                return Err(format!("cycle {now}: cut of {at} at {due}, {} acknowledged", flow.acked));
            }
            flow.undo = Some((now + bench.rng().random_range(1..=self.slowest[2]), due));
            self.cuts += 1;
        }
        if bench.get("mpa_rx_done_valid") == 1 {
            let at = self.at(bench.get("mpa_rx_done_conn"))?;
            let ends = bench.get("mpa_rx_done_ends") as usize;
            let after = self.flows[at].offset(bench.get("mpa_rx_done_seq")) - ends;
            let flow = &mut self.flows[at];
            let due = flow.undo.map_or(flow.sent, |u| u.1);
            if after < flow.acked || after > due || (ends == 1 && after != flow.stream.octets.len()) {
                return Err(format!("cycle {now}: {at} done to {after}, {} to {due}", flow.acked));
            }
            (flow.acked, flow.ends) = (after, flow.ends + ends);
        }
        for flow in &mut self.flows {
            if flow.read.is_some_and(|at| at <= now) {
                (flow.read, flow.stored, flow.came) = (None, flow.stored + 1, flow.came + 1);
            }
            if flow.read.is_none() && flow.stored < 2 && flow.came < flow.rung {
                flow.read = Some(now + bench.rng().random_range(1..=self.slowest[0]));
            }
            if flow.undo.is_some_and(|u| u.0 <= now) {
                (flow.sent, flow.is_ended) = (flow.undo.take().map_or(0, |u| u.1), false);
                flow.side ^= 1;
            }
        }
        if let Some((at, _)) = self.takes.pop_front_if(|t| t.1 <= now) {
            if self.flows[at].stored == 0 {
                return Err(format!("cycle {now}: a take of {at} finds no receive"));
            }
            self.flows[at].stored -= 1;
            self.took = Some(at);
        }
        self.judge(bench)
    }

    /// FPDUs that came out, in their order.
    fn judge(&mut self, bench: &mut Bench) -> Result<(), String> {
        self.frames.extend(bench.received(self.rx.output).into_iter().map(|f| f.data));
        for item in bench.taken(self.rx.fpdu) {
            let field = |name: &str| item.u64(name).ok_or(format!("no field {name}"));
            self.items.push_back((field("conn")?, field("verdict")?));
        }
        while !self.items.is_empty() && !self.frames.is_empty() {
            let ((conn, verdict), frame) =
                self.items.pop_front().zip(self.frames.pop_front()).ok_or("no frame")?;
            let at = self.at(conn)?;
            let flow = &mut self.flows[at];
            let want = flow.stream.expected.get(flow.ulpdus).map(|e| &e.0);
            if verdict != 0 || want != Some(&frame) {
                return Err(format!("ULPDU {} of {at} differs, verdict {verdict}", flow.ulpdus));
            }
            if flow.begins[flow.ulpdus] {
                let last = self.takes.back().map_or(0, |t| t.1 + 8);
                let due = bench.cycle() + bench.rng().random_range(1..=self.slowest[1]);
                self.takes.push_back((at, due.max(last)));
            }
            flow.ulpdus += 1;
        }
        Ok(())
    }

    /// Announces up to `most` octets of a flow.
    fn announce(&mut self, bench: &mut Bench, at: usize, most: usize) {
        let flow = &mut self.flows[at];
        let all = flow.stream.octets.len();
        let to = (flow.sent + most).min(all);
        let end = to == all;
        let seq = flow.stream.seq_start.wrapping_add(flow.sent as u32);
        let octets = &flow.stream.octets[flow.sent..to];
        if !flow.is_ended && (end || !octets.is_empty()) {
            self.rx.announce(bench, (flow.stream.conn, seq), octets, end, flow.side);
            (flow.sent, flow.is_ended) = (to, end);
        }
    }
}

fn random_flow(bench: &mut Bench, conn: u64) -> Flow {
    let mut stream = Stream::new(conn, bench.rng().random(), bench.rng().random(), true);
    let mut begins = vec![];
    let mut amid = false;
    for _ in 0..40 {
        let head = match (amid, bench.rng().random_range(0..4)) {
            (_, 0) => WRITE,
            (false, 1) => FIRST,
            (true, 1..3) => FIRST,
            (true, _) => LAST,
            _ => SEND,
        };
        begins.push(!amid && head != WRITE);
        amid = if head == WRITE { amid } else { head == FIRST };
        let length = bench.rng().random_range(18..300);
        let ulpdu = ulpdu(bench, head, length);
        stream.push(&ulpdu);
    }
    Flow::new(stream, begins)
}

fn random(bench: &mut Bench) -> Result<(u64, u64), String> {
    let [idle, stall] = [(); 2].map(|()| *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None));
    let rx = Rx::new(bench, idle, stall)?;
    let count = bench.rng().random_range(1..5);
    let flows: Vec<Flow> = (0..count).map(|conn| random_flow(bench, 3 * conn)).collect();
    for flow in &flows {
        rx.set_up(bench, &flow.stream)?;
    }
    let slowest =
        [*[4, 60, 400].choose(bench.rng()).unwrap_or(&4), *[4, 60].choose(bench.rng()).unwrap_or(&4), 60];
    let most = *[30, 300, 1_460].choose(bench.rng()).unwrap_or(&30);
    let crowded = bench.rng().random_range(0..2);
    bench.set("mpa_rx_crowded", crowded);
    run(bench, Rig::new(rx, flows, slowest), most)
}

/// Announces all in random order, in segments of up to `most` octets, until all came out; the cuts
/// and strays.
fn run(bench: &mut Bench, mut rig: Rig, most: usize) -> Result<(u64, u64), String> {
    for _ in 0..400_000 {
        if rig.flows.iter().all(Flow::is_done) {
            (0..500).try_for_each(|_| rig.step(bench))?;
            let left = rig.flows.iter().any(|f| !f.is_done()) || !rig.takes.is_empty();
            return if left { Err("more than was sent".into()) } else { Ok((rig.cuts, rig.strays)) };
        }
        if rig.rx.all_in(bench) || bench.rng().random_range(0..40) == 0 {
            let at = bench.rng().random_range(0..rig.flows.len());
            let octets = bench.rng().random_range(1..=most);
            rig.announce(bench, at, octets);
        }
        rig.step(bench)?;
    }
    let state: Vec<_> =
        rig.flows.iter().map(|f| (f.ulpdus, f.acked, f.sent, f.side, f.stored, f.ends)).collect();
    Err(format!("not in 400000 cycles: {state:?}, {} cuts", rig.cuts))
}

/// Whatever is cut comes again, each octet once, and no take is without its receive.
#[test]
fn random_streams_whose_receives_are_late() {
    for top in [Top::MpaW64, Top::MpaW256] {
        let mut met = (0, 0);
        for seed in seeds(0..40, 0..300) {
            let case = std::cell::Cell::new((0, 0));
            run_case(&format!("mpa_rx-hold-{}", top.name()), top, seed, |bench| {
                case.set(random(bench)?);
                Ok(())
            });
            met = (met.0 + case.get().0, met.1 + case.get().1);
        }
        assert!(met.0 > 20 && met.1 > 20, "{met:?} cuts and strays");
    }
}

/// Reads of less than the patience cut nothing, however many Sends a segment has and whoever waits.
#[test]
fn short_sends_whose_receives_are_read_in_time_are_never_cut() {
    run_case("mpa_rx-hold-in-time", Top::MpaW64, 1, |bench| {
        let rx = Rx::new(bench, Pattern::None, Pattern::None)?;
        let mut flows = vec![];
        for conn in 0..2 {
            let mut stream = Stream::new(conn, bench.rng().random(), conn == 1, true);
            for _ in 0..100 {
                let ulpdu = ulpdu(bench, SEND, 18 + 64);
                stream.push(&ulpdu);
            }
            rx.set_up(bench, &stream)?;
            flows.push(Flow::new(stream, vec![true; 100]));
        }
        bench.set("mpa_rx_crowded", 1);
        let told = run(bench, Rig::new(rx, flows, [PATIENCE - 10, 60, 1]), 1_460)?;
        assert_eq!(told, (0, 0));
        Ok(())
    });
}
