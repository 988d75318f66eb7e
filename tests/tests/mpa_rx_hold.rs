//! A Send waits in the MPA receive stage for its receive, delays others for a bounded time, and is cut then.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Pattern};
use ferrowarp_tests::mpa_rx::{both_widths, Rx, Stream};
use rand::seq::IndexedRandom;
use rand::Rng;
use std::collections::VecDeque;

/// Cycles of patience, as the bench's top has them, and those that a segment takes behind a cut.
const PATIENCE: u64 = 40;
const BEHIND: u64 = 60;
/// DDP's and RDMAP's control octets: a whole Send, its first and last segments, a segment of a Write.
const SEND: [u8; 2] = [0x41, 0x43];
const FIRST: [u8; 2] = [0x01, 0x45];
const LAST: [u8; 2] = [0x41, 0x45];
const WRITE: [u8; 2] = [0xc1, 0x40];

/// A ULPDU of random octets.
fn ulpdu(bench: &mut Bench, head: [u8; 2], length: usize) -> Vec<u8> {
    let rest = (2..length).map(|_| bench.rng().random());
    head.into_iter().chain(rest.collect::<Vec<u8>>()).collect()
}

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

/// A connection is set up, and its queue pair begins.
fn begin(bench: &mut Bench, rx: &Rx, stream: &Stream) -> Result<(), String> {
    rx.set_up(bench, stream)
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
        begin(bench, &rx, &flow.stream)?;
    }
    let slowest =
        [*[4, 60, 400].choose(bench.rng()).unwrap_or(&4), *[4, 60].choose(bench.rng()).unwrap_or(&4), 60];
    let most = *[30, 300, 1_460].choose(bench.rng()).unwrap_or(&30);
    let crowded = bench.rng().random_range(0..2);
    bench.set("mpa_rx_crowded", crowded);
    run(bench, Rig::new(rx, flows, slowest), most)
}

/// Announces all in random order, in segments of up to `most` octets, until all came out; the cuts and strays.
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
            begin(bench, &rx, &stream)?;
            flows.push(Flow::new(stream, vec![true; 100]));
        }
        bench.set("mpa_rx_crowded", 1);
        let told = run(bench, Rig::new(rx, flows, [PATIENCE - 10, 60, 1]), 1_460)?;
        assert_eq!(told, (0, 0));
        Ok(())
    });
}

/// Two connections; the first one's Send stands in the second FPDU of its segment.
fn pair(bench: &mut Bench, rx: &Rx, markers: bool) -> Result<[Stream; 2], String> {
    let streams =
        [(); 2].map(|()| bench.rng().random()).map(|seq| Stream::new(u64::from(seq) % 2, seq, markers, true));
    let [mut one, mut two] = streams;
    (one.conn, two.conn) = (5, 9);
    for (stream, heads) in [(&mut one, &[WRITE, SEND, WRITE][..]), (&mut two, &[WRITE])] {
        for head in heads {
            let ulpdu = ulpdu(bench, *head, 60);
            stream.push(&ulpdu);
        }
    }
    begin(bench, rx, &one)?;
    begin(bench, rx, &two)?;
    Ok([one, two])
}

/// Pulses of `undo` and ack points in the next cycles.
type Told = (Vec<(u64, u32)>, Vec<(u64, u32, u64)>, u64);

fn watch(bench: &mut Bench, cycles: u64) -> Told {
    let mut told = Told::default();
    for _ in 0..cycles {
        bench.step();
        if bench.get("mpa_rx_undo_valid") == 1 {
            told.0.push((bench.get("mpa_rx_undo_conn"), bench.get("mpa_rx_undo_due") as u32));
        }
        if bench.get("mpa_rx_done_valid") == 1 {
            let seq = bench.get("mpa_rx_done_seq") as u32;
            told.1.push((bench.get("mpa_rx_done_conn"), seq, bench.get("mpa_rx_done_ends")));
        }
        told.2 += bench.get("mpa_rx_stray");
    }
    told
}

#[test]
fn a_send_without_its_receive_is_cut_for_those_behind_it_and_for_nobody_else() {
    for markers in [false, true] {
        both_widths(&format!("cut-{markers}"), |bench, rx| {
            let [one, two] = pair(bench, rx, markers)?;
            bench.set("mpa_rx_to_come", 1 << one.conn);
            let second = one.expected[0].1;
            rx.announce(bench, (one.conn, one.seq_start), &one.octets, true, 0);
            // nobody behind it
            assert_eq!(watch(bench, 10 * PATIENCE), Told::default());
            assert_eq!(bench.get("mpa_rx_hold_valid"), 1);
            // somebody: cut where the Send begins, the FIN is not told
            rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
            let told = watch(bench, BEHIND);
            let points = vec![(one.conn, second, 0), (two.conn, two.end_seq(), 0)];
            assert_eq!(told, (vec![(one.conn, second)], points, 0));
            assert_eq!(bench.get("mpa_rx_hold_valid"), 0);
            // what was announced before the cut was heard of is a stray, though it begins there
            let at = second.wrapping_sub(one.seq_start) as usize;
            rx.announce(bench, (one.conn, second), &one.octets[at..], true, 0);
            assert_eq!(watch(bench, BEHIND), (vec![], vec![], 1));
            // it comes again: somebody waits, and it is cut at once
            bench.set("mpa_rx_waiting", 1);
            rx.announce(bench, (one.conn, second), &one.octets[at..], true, 1);
            let again = watch(bench, PATIENCE - 10);
            assert_eq!(again, (vec![(one.conn, second)], vec![(one.conn, second, 0)], 0));
            // nobody waits: it waits for its receive
            bench.set("mpa_rx_waiting", 0);
            rx.announce(bench, (one.conn, second), &one.octets[at..], true, 0);
            assert_eq!(watch(bench, 10 * PATIENCE), Told::default());
            bench.set("mpa_rx_there", 1 << one.conn);
            let end = one.end_seq().wrapping_add(1);
            assert_eq!(watch(bench, 2 * BEHIND), (vec![], vec![(one.conn, end, 1)], 0));
            assert_eq!(bench.waiting(rx.output), 4);
            Ok(())
        });
    }
}

/// Who waits in TCP counts when the Send has waited for twice as long; a segment of the same connection, sixteen times.
#[test]
fn whoever_waits_behind_a_send_waits_for_a_bounded_time() {
    for (name, is_own, times) in [("waiting", false, 2), ("own", true, 16)] {
        both_widths(&format!("behind-{name}"), |bench, rx| {
            let [one, two] = pair(bench, rx, false)?;
            bench.set("mpa_rx_to_come", 1 << one.conn);
            bench.set("mpa_rx_waiting", u64::from(!is_own));
            let (second, all) = (one.expected[0].1, one.octets.len());
            rx.announce(bench, (one.conn, one.seq_start), &one.octets[..all - 8], false, 0);
            let rest = one.seq_start.wrapping_add(all as u32 - 8);
            if is_own {
                rx.announce(bench, (one.conn, rest), &one.octets[all - 8..], true, 0);
                rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
            }
            assert_eq!(watch(bench, times * PATIENCE).0, vec![], "{name}");
            let told = watch(bench, 2 * BEHIND);
            assert_eq!(told.0, vec![(one.conn, second)], "{name}");
            assert_eq!(bench.get("mpa_rx_hold_valid"), 0);
            // the rest is a stray
            let others = u64::from(is_own);
            assert_eq!((told.1.len() as u64, told.2), (1 + others, others), "{name}");
            Ok(())
        });
    }
}

/// A store that is half full is somebody, and so is an end of a queue pair or connection: they wait for the patience.
#[test]
fn a_full_store_and_an_end_wait_for_the_patience_of_a_send() {
    for port in ["mpa_rx_crowded", "mpa_rx_tok_valid"] {
        both_widths(port, |bench, rx| {
            let [one, _] = pair(bench, rx, false)?;
            bench.set("mpa_rx_to_come", 1 << one.conn);
            bench.set(port, 1);
            rx.announce(bench, (one.conn, one.seq_start), &one.octets, true, 0);
            assert_eq!(watch(bench, PATIENCE), Told::default());
            let start = bench.cycle();
            let mut is_cut = false;
            while !is_cut || (port.ends_with("tok_valid") && bench.get("mpa_rx_tok_ready") == 0) {
                bench.step();
                is_cut |= bench.get("mpa_rx_undo_valid") == 1;
                let took = bench.cycle() - start;
                assert!(took < 2 * BEHIND, "{port}: not in {took} cycles");
            }
            bench.set(port, 0);
            Ok(())
        });
    }
}

/// A queue pair whose row is written has no promises.
#[test]
fn a_row_that_is_written_forgets_promises() {
    both_widths("anew", |bench, rx| {
        // the connection that stands on the port of set-ups while none is offered
        let mut stream = Stream::new(0, bench.rng().random(), false, true);
        for _ in 0..3 {
            let ulpdu = ulpdu(bench, SEND, 60);
            stream.push(&ulpdu);
        }
        begin(bench, rx, &stream)?;
        for port in ["mpa_rx_there", "mpa_rx_two", "mpa_rx_to_come"] {
            bench.set(port, 1);
        }
        rx.announce(bench, (0, stream.seq_start), &stream.octets, false, 0);
        // two are promised: the third Send waits
        assert_eq!(watch(bench, 2 * BEHIND), Told::default());
        assert_eq!(bench.get("mpa_rx_hold_valid"), 1);
        bench.set("mpa_rx_anew", 1);
        (0..100).for_each(|_| bench.step());
        bench.set("mpa_rx_anew", 0);
        let told = watch(bench, 4 * BEHIND);
        assert_eq!(told, (vec![], vec![(0, stream.end_seq(), 0)], 0));
        Ok(())
    });
}

/// A promise that is never kept, as of a Send that DDP dropped without a take, delays others for a bounded time.
#[test]
fn a_promise_that_is_lost_holds_nobody_for_ever() {
    both_widths("promise", |bench, rx| {
        let [one, two] = pair(bench, rx, false)?;
        let mut more = Stream::new(one.conn, one.end_seq(), false, true);
        for _ in 0..2 {
            let ulpdu = ulpdu(bench, SEND, 60);
            more.push(&ulpdu);
        }
        bench.set("mpa_rx_there", 1 << one.conn);
        bench.set("mpa_rx_two", 1 << one.conn);
        bench.set("mpa_rx_to_come", 1 << one.conn);
        rx.announce(bench, (one.conn, one.seq_start), &one.octets, false, 0);
        rx.announce(bench, (more.conn, more.seq_start), &more.octets, false, 0);
        rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
        // sixteen cycles of this wait count as one
        let told = watch(bench, 32 * PATIENCE);
        assert_eq!((told.0, told.1.len()), (vec![], 1));
        let second = more.expected[0].1;
        let points = vec![(more.conn, second, 0), (two.conn, two.end_seq(), 0)];
        assert_eq!(watch(bench, 4 * PATIENCE), (vec![(more.conn, second)], points, 0));
        Ok(())
    });
}

/// A read that is not late, and Sends that wait for DDP alone, are not cut.
#[test]
fn who_waits_for_less_than_the_patience_or_for_ddp_is_not_cut() {
    both_widths("patient", |bench, rx| {
        let [one, two] = pair(bench, rx, false)?;
        bench.set("mpa_rx_to_come", 1 << one.conn);
        rx.announce(bench, (one.conn, one.seq_start), &one.octets, false, 0);
        rx.announce(bench, (two.conn, two.seq_start), &two.octets, false, 0);
        let told = watch(bench, PATIENCE);
        assert_eq!(told, Told::default());
        bench.set("mpa_rx_there", 1 << one.conn);
        assert_eq!(watch(bench, BEHIND).1.len(), 2);
        // one is promised: the next Send waits for the second receive, and with two promised for DDP
        let mut more = Stream::new(one.conn, one.end_seq(), false, true);
        for _ in 0..2 {
            let ulpdu = ulpdu(bench, SEND, 60);
            more.push(&ulpdu);
        }
        rx.announce(bench, (more.conn, more.seq_start), &more.octets, false, 0);
        rx.announce(bench, (two.conn, two.end_seq()), &[0; 1], false, 0);
        watch(bench, PATIENCE / 2);
        bench.set("mpa_rx_two", 1 << one.conn);
        assert_eq!(watch(bench, 20 * PATIENCE), Told::default());
        assert_eq!(bench.get("mpa_rx_hold_valid"), 1);
        // DDP takes one, and its place is filled again
        bench.set("mpa_rx_took_qp", one.conn);
        bench.set("mpa_rx_took_ready", 1);
        bench.set("mpa_rx_took_valid", 1);
        bench.step();
        bench.set("mpa_rx_took_valid", 0);
        let told = watch(bench, BEHIND);
        assert_eq!((told.0, told.1.len(), told.2), (vec![], 2, 0));
        Ok(())
    });
}

/// A queue pair that takes nothing, or to which nothing comes, holds nothing.
#[test]
fn nothing_is_held_for_a_queue_pair_that_takes_nothing() {
    both_widths("nothing", |bench, rx| {
        // a bad CRC stops the connection: it is drained
        let mut bad = Stream::new(5, bench.rng().random(), false, true);
        let send = ulpdu(bench, SEND, 60);
        bad.push(&ulpdu(bench, WRITE, 60));
        bad.push(&send);
        bad.octets[10] ^= 1;
        for stops in [false, true] {
            let [one, _] = pair(bench, rx, false)?;
            let stream = if stops { &bad } else { &one };
            begin(bench, rx, stream)?;
            bench.set("mpa_rx_to_come", if stops { u64::MAX } else { 0 });
            rx.announce(bench, (stream.conn, stream.seq_start), &stream.octets, true, 0);
            let end = stream.end_seq().wrapping_add(1);
            assert_eq!(watch(bench, BEHIND), (vec![], vec![(stream.conn, end, 1)], 0), "stops {stops}");
        }
        Ok(())
    });
}
