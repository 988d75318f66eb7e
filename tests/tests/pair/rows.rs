// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices whose connection rows are updated and read while they work.
use ferrowarp_abi::codec::{ConnAck, ConnRow, QpRow};
use ferrowarp_abi::consts::{admin_opcode, admin_row, qp_state};
use ferrowarp_abi::types::{ByteCount, MacAddr};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, MemoryTiming, Pair, Side};
use ferrowarp_tests::device::{
    clock_ps, config, library, link, same, tagged, Message, Plan, Traffic, Wire, SEND,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Queue pair of the connection at both ends.
const QP: u16 = 6;

/// A connection between two devices, used once by A.
fn begin(pair: &mut Pair, run: u16) -> Result<(Traffic, Wire), String> {
    let config = config();
    let wire = Wire::plain(run, config.mtu as u16, config.window_log2 as u32);
    let timing = MemoryTiming::steady(clock_ps());
    let plan = Plan { wires: vec![wire], numbers: vec![QP], timing, longest: 20_000, budget: 60_000 };
    let mut traffic = Traffic::new(pair, plan)?;
    send(&mut traffic, pair, 0, 16);
    traffic.until_settled(pair, 20_000)?;
    Ok((traffic, wire))
}

/// A switch between A's VLAN, as soon as A is in one, and B, who is in none.
fn switched(pair: &Pair) {
    let mut vlan = None;
    pair.link.set_hook(move |sent| match sent.from {
        Side::A if sent.data[12..14] == [0x81, 0] => {
            vlan = Some(u16::from_be_bytes([sent.data[14], sent.data[15]]));
            Fate::Replace(tagged(sent.data, None))
        }
        Side::B if vlan.is_some() => Fate::Replace(tagged(sent.data, vlan)),
        _ => Fate::Deliver,
    });
}

/// Posts a Send of `octets` octets from host `from`.
fn send(traffic: &mut Traffic, pair: &mut Pair, from: usize, octets: usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(octets as u64);
    let payload = Message::random(&mut rng, octets, SEND).payload;
    traffic.post(pair, from, 0, Message::plain(SEND, payload));
}

/// Gives A a command with a connection row.
fn tell(traffic: &mut Traffic, pair: &mut Pair, opcode: u8, row: &ConnRow) -> Result<(), String> {
    let row = row.octets().map_err(|e| e.to_string())?;
    traffic.hosts[0].nic.command(&mut pair.a, opcode, QP, &row);
    Ok(())
}

/// Waits for the answer of a command of A, which must be good.
fn done(traffic: &mut Traffic, pair: &mut Pair) -> Result<(), String> {
    for _ in 0..2_000 {
        if traffic.hosts[0].nic.settled(&mut pair.a).map_err(|e| e.to_string())? {
            return Ok(());
        }
        traffic.step(pair);
    }
    Err("a command was not answered".to_string())
}

/// Reads a row of a host.
fn read(traffic: &mut Traffic, pair: &mut Pair, at: usize, row: u8) -> Result<Vec<u8>, String> {
    traffic.hosts[at].nic.ask(pair.side(Side::BOTH[at]), row, QP);
    for _ in 0..2_000 {
        traffic.step(pair);
        let answers = traffic.hosts[at].nic.answered(pair.side(Side::BOTH[at])).map_err(|e| e.to_string())?;
        if let Some((head, row)) = answers.into_iter().next() {
            return match head.status {
                0 => Ok(row),
                status => Err(format!("read_row was answered with status {status}")),
            };
        }
    }
    Err("read_row was not answered".to_string())
}

/// Ones' complement sum of big-endian words.
fn sum(octets: &[u8]) -> u32 {
    let words = octets.chunks(2).map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)));
    words.fold(0, |sum, word| (sum + word) % 0xFFFF)
}

#[test]
fn headers_change_between_two_frames_and_never_in_one() {
    let library = library().expect("the device's model");
    for seed in 0..4 {
        run_pair_on("headers_change", &library, link(), seed, |pair| {
            let (mut traffic, wire) = begin(pair, 0)?;
            switched(pair);
            pair.link.capture();
            for octets in [20_000, 15_000, 1] {
                send(&mut traffic, pair, 0, octets);
            }
            for _ in 0..900 + 13 * seed {
                traffic.step(pair);
            }
            let old = wire.row(0);
            let new = ConnRow {
                destination_mac: MacAddr([2, 0, 0, 0, 9, 9]),
                source_mac: MacAddr([2, 0, 0, 0, 8, 8]),
                has_vlan: true,
                vlan_tci: 0x6ABC,
                ttl: 17,
                traffic_class: 0x48,
                // ignored
                local_ip: 0x7F00_0001,
                remote_port: 9,
                ..old
            };
            tell(&mut traffic, pair, admin_opcode::CONN_UPDATE, &new)?;
            traffic.until_settled(pair, 60_000)?;
            done(&mut traffic, pair)?;
            traffic.compare(pair)?;
            let (mut before, mut after) = (0, 0);
            for frame in pair.link.take_captured().iter().filter(|f| f.from == Side::A) {
                let data = &frame.data;
                let head: &[u8] = match after {
                    0 if data[..6] == [2, 0, 0, 0, 0, 2] => {
                        before += 1;
                        &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00]
                    }
                    _ => {
                        after += 1;
                        &[2, 0, 0, 0, 9, 9, 2, 0, 0, 0, 8, 8, 0x81, 0x00, 0x6A, 0xBC, 0x08, 0x00]
                    }
                };
                let ip = &data[head.len()..];
                let (class, ttl) = if after == 0 { (0, old.ttl) } else { (0x48, 17) };
                let octets = usize::from(ip[2]) << 8 | usize::from(ip[3]);
                let pseudo = [&ip[12..20], &[0, 6], &((octets - 20) as u16).to_be_bytes()].concat();
                let tcp = (sum(&pseudo) + sum(&ip[20..octets])) % 0xFFFF;
                let got = (&data[..head.len()], ip[1], ip[8], sum(&ip[..20]), tcp);
                if got != (head, class, ttl, 0, 0) {
                    return Err(format!("a frame has {got:02x?}, expected {head:02x?} {class} {ttl}"));
                }
            }
            match (before, after) {
                (1.., 5..) => Ok(()),
                counts => Err(format!("frames before and after the update: {counts:?}")),
            }
        });
    }
}

#[test]
fn what_firmware_saw_of_window_and_ack_counts_if_it_is_newer() {
    let library = library().expect("the device's model");
    run_pair_on("conn_ack", &library, link(), 0, |pair| {
        let (mut traffic, _) = begin(pair, 0)?;
        let row = |traffic: &mut Traffic, pair: &mut Pair| {
            ConnRow::parse(&read(traffic, pair, 0, admin_row::CONN)?).map_err(|e| e.to_string())
        };
        let before = row(&mut traffic, pair)?;
        // sequence number of the segment, its window, what becomes SND.WND
        let wl1 = before.snd_wl1;
        for (wl1, wnd, becomes) in
            [(wl1.plus(1), 12_345, 12_345), (wl1, 999, 12_345), (wl1.plus(2), 30_001, 30_001)]
        {
            let ack = ConnAck { ack: before.snd_una, wnd: ByteCount(wnd), wl1, ack_now: false };
            let ack = ack.octets().map_err(|e| e.to_string())?;
            traffic.hosts[0].nic.command(&mut pair.a, admin_opcode::CONN_ACK, QP, &ack);
            done(&mut traffic, pair)?;
            for _ in 0..20 {
                traffic.step(pair);
            }
            let now = row(&mut traffic, pair)?;
            let got = (now.snd_wnd.0, now.snd_wl2, now.snd_una);
            same("A", "SND.WND, SND.WL2, SND.UNA", got, (becomes, before.snd_una, before.snd_una))?;
            same("A", "whether SND.WL1 moved", now.snd_wl1 == wl1, becomes == wnd)?;
        }
        send(&mut traffic, pair, 0, 20_000);
        traffic.until_settled(pair, 60_000)?;
        traffic.compare(pair)
    });
}

#[test]
fn a_gate_that_opens_wakes_and_a_smaller_mulpdu_counts_from_the_next_message() {
    let library = library().expect("the device's model");
    run_pair_on("gate_and_mulpdu", &library, link(), 0, |pair| {
        let (mut traffic, wire) = begin(pair, 0)?;
        // the same connection anew at both ends, where it stands, at A with a closed gate
        let mut row = ConnRow::default();
        for at in [1, 0] {
            let now = read(&mut traffic, pair, at, admin_row::CONN)?;
            row = ConnRow::parse(&now).map_err(|e| e.to_string())?;
            (row.rx_seq_start, row.tx_seq_start) = (row.rcv_nxt, row.snd_nxt);
            let anew = ConnRow { gate_open: at == 1, ..row };
            let bench = pair.side(Side::BOTH[at]);
            let nic = &mut traffic.hosts[at].nic;
            nic.command(bench, admin_opcode::CONN_REMOVE, QP, &[]);
            nic.command(bench, admin_opcode::CONN_INSERT, QP, &anew.octets().map_err(|e| e.to_string())?);
            for _ in 0..300 {
                traffic.step(pair);
            }
        }
        done(&mut traffic, pair)?;
        pair.link.capture();
        send(&mut traffic, pair, 0, 4_000);
        for _ in 0..3_000 {
            traffic.step(pair);
        }
        let early = pair.link.take_captured().len();
        if early != 0 {
            return Err(format!("{early} frames left through a closed gate"));
        }
        tell(&mut traffic, pair, admin_opcode::CONN_UPDATE, &row)?;
        // long enough for the first message to begin
        for _ in 0..600 {
            traffic.step(pair);
        }
        let small = ConnRow { emss: 600, mulpdu: 590, gate_open: false, ..row };
        tell(&mut traffic, pair, admin_opcode::CONN_UPDATE, &small)?;
        done(&mut traffic, pair)?;
        traffic.until_settled(pair, 30_000)?;
        send(&mut traffic, pair, 0, 4_000);
        traffic.until_settled(pair, 30_000)?;
        traffic.compare(pair)?;
        let frames = pair.link.take_captured();
        let data = frames.iter().filter(|f| f.from == Side::A).map(|f| f.data.len() - 54).filter(|&n| n > 6);
        let lengths: Vec<_> = data.collect();
        // 18 octets of DDP header a segment; length, pad and CRC around each
        let big = |mulpdu: usize| {
            let room = mulpdu - 18;
            let ulpdu = move |i: usize| (4_000 - i * room).min(room) + 18;
            (0..4_000_usize.div_ceil(room)).map(move |i| (ulpdu(i) + 5) / 4 * 4 + 4)
        };
        let wanted: Vec<_> = big(usize::from(wire.mulpdu(0))).chain(big(590)).collect();
        match lengths == wanted {
            true => Ok(()),
            false => Err(format!("segments of {lengths:?} octets, expected {wanted:?}")),
        }
    });
}

#[test]
fn rows_show_what_is_now() {
    let library = library().expect("the device's model");
    run_pair_on("rows_now", &library, link(), 0, |pair| {
        let (mut traffic, wire) = begin(pair, 0)?;
        let conn = |octets: Vec<u8>| ConnRow::parse(&octets).map_err(|e| e.to_string());
        for octets in [5_000, 300] {
            send(&mut traffic, pair, 0, octets);
            let during = conn(read(&mut traffic, pair, 0, admin_row::CONN)?)?;
            traffic.until_settled(pair, 30_000)?;
            let [near, far] = [
                conn(read(&mut traffic, pair, 0, admin_row::CONN)?)?,
                conn(read(&mut traffic, pair, 1, admin_row::CONN)?)?,
            ];
            let sent = near.snd_nxt.0.wrapping_sub(wire.ends[0].seq_start);
            let numbers = (near.snd_una.0, near.snd_nxt.0, far.rcv_nxt.0, near.snd_wnd.0);
            if sent <= octets as u32
                || numbers != (near.snd_nxt.0, near.snd_nxt.0, near.snd_nxt.0, wire.row(0).snd_wnd.0)
            {
                return Err(format!("SND.UNA, SND.NXT, the peer's RCV.NXT, SND.WND are {numbers:?}"));
            }
            if near.snd_una.0.wrapping_sub(during.snd_una.0) > 1 << 20 {
                return Err(format!("SND.UNA went from {:?} to {:?}", during.snd_una, near.snd_una));
            }
        }
        // a fault of A's own: a queue pair that was ready is in error
        let state = |octets: Vec<u8>| QpRow::parse(&octets).map(|row| row.state).map_err(|e| e.to_string());
        let before = state(read(&mut traffic, pair, 0, admin_row::QP)?)?;
        traffic.may_fail = Some(0);
        let host = &mut traffic.hosts[0];
        host.qps[0].post_octets(&host.nic, &mut pair.a, 0, &[0xFF; 64]);
        host.qps[0].ring(&host.nic, &mut pair.a, true, false);
        for _ in 0..2_000 {
            traffic.step(pair);
        }
        let after = state(read(&mut traffic, pair, 0, admin_row::QP)?)?;
        match (before, after) {
            (qp_state::READY, qp_state::ERROR) => Ok(()),
            states => Err(format!("states before and after a fault: {states:?}")),
        }
    });
}
