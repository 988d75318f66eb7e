// SPDX-License-Identifier: MIT OR Apache-2.0
//! Segments of TCP transmit on the emitted Verilog: headers, checksums, padding, against plain code
//! and tshark.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Frame};
use ferrowarp_tests::tcp_tx::{Row, Stage};
use ferrowarp_tests::tcp_wire::Conn;
use pcap_file::pcap::{PcapPacket, PcapWriter};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::process::Command;
use std::time::Duration;

fn random_octets(rng: &mut ChaCha8Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| rng.random()).collect()
}

/// Every shape of headers: IPv6, tag, timestamps.
fn shapes() -> impl Iterator<Item = (bool, bool, bool)> {
    (0..8).map(|i| (i & 1 == 1, i & 2 == 2, i & 4 == 4))
}

fn compare(what: &str, got: &[Vec<u8>], expected: &[Vec<u8>]) -> Result<(), String> {
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        if g != e {
            let at = g.iter().zip(e).position(|(a, b)| a != b);
            return Err(format!(
                "{what}, frame {i}: {} octets, not {}, first other octet {at:?}\n{g:02x?}\n{e:02x?}",
                g.len(),
                e.len()
            ));
        }
    }
    Ok(())
}

#[test]
fn every_shape_of_header_with_every_length() {
    for (ipv6, vlan, timestamps) in shapes() {
        run_case(&format!("tcp_tx-shape-{ipv6}-{vlan}-{timestamps}"), Top::TcpTxW64, 1, |bench| {
            let mut stage = Stage::random(bench);
            let mut row = Row::random(bench.rng());
            row.conn = Conn { window: row.conn.window, ..Conn::random(bench.rng(), ipv6, vlan, timestamps) };
            let qp = bench.rng().random_range(0..4);
            stage.insert(bench, qp, &row)?;
            let lengths: Vec<usize> = (1..=24).chain([1448, 1460, 8959, 8960]).collect();
            // the last one begins just below the wrap of sequence numbers
            let mut seq = 0_u32.wrapping_sub(lengths.iter().take(27).sum::<usize>() as u32).wrapping_sub(77);
            let mut expected = vec![];
            let mut after = vec![];
            for length in lengths {
                let payload = random_octets(bench.rng(), length);
                expected.push(row.conn.frame(seq, row.rcv_nxt, &payload));
                stage.segment(bench, qp, seq, payload, false);
                seq = seq.wrapping_add(length as u32);
                after.push((qp as u64, u64::from(seq)));
            }
            let got = stage.frames(bench, expected.len())?;
            compare("segments", &got, &expected)?;
            let told: Vec<_> = stage.pubs.iter().map(|p| (p.1, p.2)).collect();
            assert_eq!(told, after, "SND.NXT as it was published");
            Ok(())
        });
    }
}

#[test]
fn raw_frames_pass_and_short_ones_are_padded() {
    run_case("tcp_tx-raw", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let frames: Vec<_> = (1..=80).chain([1514]).map(|n| random_octets(bench.rng(), n)).collect();
        for data in &frames {
            bench.send(stage.raws, Frame { data: data.clone(), err: false });
            bench.send(stage.raws, Frame { data: vec![0xEE; 70], err: true });
        }
        let mut expected = frames.clone();
        expected.iter_mut().for_each(|f| f.resize(f.len().max(60), 0));
        let got = stage.frames(bench, expected.len())?;
        compare("raw frames", &got, &expected)?;
        assert_eq!(stage.counts, [0, 0, 0, frames.len() as u64]);
        Ok(())
    });
}

#[test]
fn tshark_agrees_with_the_frames_of_the_model() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let path = ferrowarp_sim::paths::artefacts().join("tcp_tx-model.pcap");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut pcap = PcapWriter::new(std::fs::File::create(&path).unwrap()).unwrap();
    let mut count = 0;
    for (ipv6, vlan, timestamps) in shapes() {
        let conn = Conn { vlan: vlan.then_some(7), ..Conn::random(&mut rng, ipv6, vlan, timestamps) };
        for length in [0, 1, 2, 44, 1001] {
            let payload = random_octets(&mut rng, length);
            let frame = conn.frame(rng.random(), rng.random(), &payload);
            let packet = PcapPacket::new(Duration::from_millis(count), frame.len() as u32, &frame);
            pcap.write_packet(&packet).unwrap();
            count += 1;
        }
    }
    drop(pcap);
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(&path).args(["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]);
    tshark.args(["-T", "fields", "-e", "ip.checksum.status", "-e", "tcp.checksum.status", "-e", "tcp.len"]);
    let said = tshark.output().unwrap_or_else(|e| panic!("tshark ({e}): run `cargo xtask setup`"));
    let said = String::from_utf8(said.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), count as usize, "{said}");
    for (i, line) in lines.iter().enumerate() {
        // 1 is Good; IPv6 has no header checksum
        let ip = if (i / 5) & 1 == 1 { "" } else { "1" };
        assert_eq!(
            *line,
            format!("{ip}\t1\t{}", [0, 1, 2, 44, 1001][i % 5]),
            "frame {i} of {}",
            path.display()
        );
    }
}
