// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP transmit under load on the emitted Verilog: rates, latencies, everything at once with random
//! stalls.
use ferrowarp_hdl::tcp::{TX_ACK_LATENCY, TX_LATENCY};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Frame, Pattern};
use ferrowarp_tests::tcp_tx::{Fact, Row, Stage};
use ferrowarp_tests::tcp_wire::Conn;
use rand::Rng;

const NOW: Fact = Fact { ack: None, window: None, ack_now: true, dup: false };

/// Four connections: IPv4 and IPv6, two of them with tag and timestamps.
fn insert_all(bench: &mut Bench, stage: &mut Stage) -> Result<Vec<Row>, String> {
    let mut rows = vec![];
    for qp in 0..4 {
        let mut row = Row::random(bench.rng());
        let more = qp >= 2;
        row.conn = Conn { window: row.conn.window, ..Conn::random(bench.rng(), qp % 2 == 1, more, more) };
        stage.insert(bench, qp, &row)?;
        rows.push(row);
    }
    Ok(rows)
}

#[test]
fn a_beat_a_cycle_for_data_of_every_size() {
    for (name, octets, count) in [("1500", 1460, 30), ("9000", 8960, 8), ("least", 24, 200)] {
        run_case(&format!("tcp_tx-rate-{name}"), Top::TcpTxW64, 1, |bench| {
            let mut stage = Stage::new(bench);
            let rows = insert_all(bench, &mut stage)?;
            for (qp, row) in rows.iter().enumerate() {
                bench.restart_rates();
                for i in 0..count {
                    stage.segment(
                        bench,
                        qp,
                        row.nxt.wrapping_add(i * octets),
                        vec![i as u8; octets as usize],
                        false,
                    );
                }
                stage.frames(bench, count as usize)?;
                let rate = bench.sink_rate(stage.frames);
                // the pad in front of the header takes a beat where the frame's last beat has no
                // room for it
                let frame = row.conn.header() + octets as usize;
                let pad = (8 - row.conn.header() % 8) % 8;
                let bubble = (frame + pad).div_ceil(8) - frame.div_ceil(8);
                let bubbles = (count as u64 - 1) * bubble as u64;
                assert_eq!(rate.bubbles(), bubbles, "{name}, connection {qp}: {rate:?}");
            }
            assert_eq!(stage.pauses, 0);
            Ok(())
        });
    }
}

#[test]
fn acks_leave_back_to_back() {
    run_case("tcp_tx-rate-acks", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        insert_all(bench, &mut stage)?;
        // each owes two, and one more whenever one has left
        let mut asked = 0;
        while asked < 100 {
            if asked < bench.waiting(stage.frames) + 8 {
                stage.fact(bench, asked % 4, NOW);
                asked += 1;
            }
            stage.step(bench);
        }
        stage.frames(bench, 100)?;
        let rate = bench.sink_rate(stage.frames);
        assert_eq!(rate.bubbles(), 0, "{rate:?}");
        Ok(())
    });
}

#[test]
fn first_beats_come_after_the_stated_latencies() {
    run_case("tcp_tx-latency", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::new(bench);
        let rows = insert_all(bench, &mut stage)?;
        for (octets, qp) in [(8, 0), (64, 1), (1460, 2)] {
            bench.restart_rates();
            stage.segment(bench, qp, rows[qp].nxt, vec![1; octets], false);
            stage.frames(bench, 1)?;
            let from = bench.source_rate(stage.fpdus).last_cycle;
            assert_eq!(bench.sink_rate(stage.frames).first_cycle - from, TX_LATENCY, "{octets} octets");
        }
        let told = bench.cycle();
        stage.fact(bench, 0, NOW);
        bench.restart_rates();
        stage.frames(bench, 1)?;
        assert_eq!(bench.sink_rate(stage.frames).first_cycle - told, TX_ACK_LATENCY);
        Ok(())
    });
}

#[test]
fn frames_do_not_pause_inside_whatever_their_sources_do() {
    run_case("tcp_tx-pause", Top::TcpTxW64, 1, |bench| {
        let mut patterns = [Pattern::Random; 11];
        patterns[8] = Pattern::None;
        let mut stage = Stage::with(bench, patterns);
        let rows = insert_all(bench, &mut stage)?;
        for i in 0..60_u32 {
            let qp = i as usize % 4;
            let octets = bench.rng().random_range(1..1_500);
            stage.segment(bench, qp, rows[qp].nxt.wrapping_add(i * 1_500), vec![i as u8; octets], false);
            bench.send(stage.raws, Frame::good(vec![0xA0; 1 + 23 * i as usize]));
            stage.fact(bench, 3 - qp, NOW);
        }
        // a connection owes three ACKs at most, so some of the 60 are merged
        stage.until(bench, 100_000, |s, b| b.sent_all(s.fpdus) && b.sent_all(s.raws) && s.told(b))?;
        stage.steps(bench, 5_000);
        let frames = bench.received(stage.frames).len();
        assert!((120 + 12..=180).contains(&frames), "{frames} frames");
        assert_eq!(stage.pauses, 0);
        Ok(())
    });
}

/// What was sent of a connection, and what receive told it.
struct Flow {
    row: Row,
    /// Payloads, each with its sequence number.
    sent: Vec<(u32, Vec<u8>)>,
    nxt: u32,
    rcv_ack: u32,
    /// ACKs asked for by facts.
    asked: usize,
}

impl Flow {
    /// Judges the frames of this connection, in their order; gives the number of ACKs without data.
    fn judge(&self, frames: &[&Vec<u8>]) -> Result<usize, String> {
        let conn = &self.row.conn;
        let mut sent = self.sent.iter();
        let (mut nxt, mut newest, mut alone) = (self.row.nxt, self.row.rcv_nxt, 0);
        for (i, frame) in frames.iter().enumerate() {
            let (_, ack) = conn.numbers(frame);
            // RCV.ACK never goes back and never runs ahead
            let (step, most) = (ack.wrapping_sub(newest), self.rcv_ack.wrapping_sub(newest));
            if step > most {
                return Err(format!(
                    "frame {i} acknowledges {ack:#x} after {newest:#x}, last is {:#x}",
                    self.rcv_ack
                ));
            }
            newest = ack;
            if **frame == conn.frame(nxt, ack, &[]) {
                alone += 1;
                continue;
            }
            let Some((seq, payload)) = sent.next() else { return Err(format!("frame {i} was never sent")) };
            if **frame != conn.frame(*seq, ack, payload) {
                return Err(format!(
                    "frame {i} is not the segment at {seq:#x} acknowledging {ack:#x}: {frame:02x?}"
                ));
            }
            nxt = seq.wrapping_add(payload.len() as u32);
        }
        if sent.next().is_some() || newest != self.rcv_ack {
            return Err(format!(
                "segments are missing, or {newest:#x} is not the last number {:#x}",
                self.rcv_ack
            ));
        }
        Ok(alone)
    }
}

/// Everything at once with random stalls: each connection's frames are what was sent, in order;
/// numbers grow; ACKs are not invented, and three at least leave if so many are asked for; raw
/// frames pass.
fn mixture(bench: &mut Bench) -> Result<(), String> {
    let mut stage = Stage::random(bench);
    let rows = insert_all(bench, &mut stage)?;
    let flow = |row: Row| Flow { nxt: row.nxt, rcv_ack: row.rcv_nxt, row, sent: vec![], asked: 0 };
    let mut flows: Vec<_> = rows.into_iter().map(flow).collect();
    let mut raws = vec![];
    let mut dones = 0;
    for _ in 0..150 {
        let qp = bench.rng().random_range(0..4);
        let flow = &mut flows[qp];
        match bench.rng().random_range(0..10) {
            0..4 => {
                let most = if bench.rng().random_bool(0.1) { 3_000 } else { 200 };
                let length = bench.rng().random_range(1..most);
                let payload: Vec<u8> = (0..length).map(|_| bench.rng().random()).collect();
                stage.segment(bench, qp, flow.nxt, payload.clone(), false);
                flow.sent.push((flow.nxt, payload));
                flow.nxt = flow.nxt.wrapping_add(length);
            }
            4..6 => {
                flow.asked += 1;
                stage.fact(bench, qp, NOW);
            }
            6..8 => {
                flow.rcv_ack = flow.rcv_ack.wrapping_add(bench.rng().random_range(1..5_000));
                dones += 1;
                stage.done(bench, qp, flow.rcv_ack);
            }
            8 => {
                let length = bench.rng().random_range(1..300);
                // EtherType 0x88B5: for experiments
                let mut raw: Vec<u8> = (0..14 + length).map(|_| bench.rng().random()).collect();
                raw[12..14].copy_from_slice(&[0x88, 0xB5]);
                bench.send(stage.raws, Frame::good(raw.clone()));
                raw.resize(raw.len().max(60), 0);
                raws.push(raw);
            }
            _ => stage.tick(bench),
        }
        let pause = bench.rng().random_range(0..60);
        stage.steps(bench, pause);
    }
    stage.until(bench, 100_000, |s, b| b.sent_all(s.fpdus) && b.sent_all(s.raws) && s.told(b))?;
    for _ in 0..4 {
        stage.tick(bench);
        stage.steps(bench, 40);
    }
    // nothing moves for as long as the longest frames take
    let mut quiet = 0;
    let mut before = 0;
    while quiet < 3_000 {
        stage.step(bench);
        let now = bench.sink_rate(stage.frames).beats;
        quiet = if now == before { quiet + 1 } else { 0 };
        before = now;
    }
    let frames: Vec<_> = bench.received(stage.frames).into_iter().map(|f| f.data).collect();
    let is_raw = |f: &Vec<u8>| f[12..14] == [0x88, 0xB5];
    let passed: Vec<_> = frames.iter().filter(|f| is_raw(f)).cloned().collect();
    assert_eq!(passed, raws);
    let (mut alone, mut asked) = (0, 0);
    for (qp, flow) in flows.iter().enumerate() {
        let mac = flow.row.conn.source_mac;
        let own: Vec<_> = frames.iter().filter(|f| !is_raw(f) && f[6..12] == mac).collect();
        let acks = flow.judge(&own).map_err(|e| format!("connection {qp}: {e}"))?;
        // those that are owed while three are owed are merged with them
        if acks < flow.asked.min(3) {
            return Err(format!("connection {qp}: {acks} ACKs, {} were asked for", flow.asked));
        }
        alone += acks;
        asked += flow.asked;
    }
    // an ACK beyond those asked for is paid by at least one `done`
    if alone > asked + dones {
        return Err(format!("{alone} ACKs, {asked} asked for, {dones} segments"));
    }
    Ok(())
}

#[test]
fn everything_at_once() {
    for seed in seeds(0..25, 0..400) {
        run_case("tcp_tx-mixture", Top::TcpTxW64, seed, mixture);
    }
}
