// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of Linux through the receive stage, and our frames in the eyes of Wireshark.
use ferrowarp_tests::net_rx::plain;
use ferrowarp_tests::net_rx_frames::{Segment, Tuple, SYN};
use ferrowarp_tests::net_rx_model::{Conn, Model};
use pcap_file::pcap::{PcapPacket, PcapReader, PcapWriter};
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn be32(octets: &[u8]) -> u32 {
    u32::from_be_bytes([octets[0], octets[1], octets[2], octets[3]])
}

/// Frames of a capture.
fn frames(file: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    let mut reader = PcapReader::new(File::open(&path).unwrap()).unwrap();
    let mut out = vec![];
    while let Some(packet) = reader.next_packet() {
        out.push(packet.unwrap().data.into_owned());
    }
    out
}

/// Ends, SEQ, flags and data of a TCP segment over IPv4 without options.
fn segment(frame: &[u8]) -> Option<(Tuple, u32, u8, &[u8])> {
    if frame[12..14] != [8, 0] || frame[23] != 6 || frame[14] != 0x45 {
        return None;
    }
    let total = usize::from(frame[16]) << 8 | usize::from(frame[17]);
    let tcp = &frame[34..14 + total];
    let port = |at: usize| u16::from_be_bytes([tcp[at], tcp[at + 1]]);
    let (source, destination) = (frame[26..30].to_vec(), frame[30..34].to_vec());
    let tuple = Tuple { source, destination, source_port: port(0), destination_port: port(2) };
    Some((tuple, be32(&tcp[4..]), tcp[13], &tcp[usize::from(tcp[12] >> 4) * 4..]))
}

/// Data of one direction.
struct Stream {
    tuple: Tuple,
    /// Sequence number of its first octet.
    first: u32,
    octets: Vec<u8>,
}

/// Every direction of a capture becomes a connection; its data must come out in order, once, whole.
fn replay(file: &str) {
    let all = frames(file);
    let mut streams: BTreeMap<(Vec<u8>, u16, u16), Stream> = BTreeMap::new();
    for (tuple, seq, flags, data) in all.iter().filter_map(|f| segment(f)) {
        let key = (tuple.source.clone(), tuple.source_port, tuple.destination_port);
        if flags & SYN != 0 {
            streams.insert(key, Stream { tuple, first: seq.wrapping_add(1), octets: vec![] });
        } else if let Some(stream) = streams.get_mut(&key) {
            // a capture without loss: the next octet, or one that is there already
            let at = seq.wrapping_sub(stream.first) as usize;
            if at == stream.octets.len() {
                stream.octets.extend(data);
            }
        }
    }
    let octets: usize = streams.values().map(|s| s.octets.len()).sum();
    assert!(
        [2, 4].contains(&streams.len()) && octets > 2_000,
        "{file}: {} streams, {octets} octets",
        streams.len()
    );
    plain(file, |bench, rx| {
        let mut model = Model::default();
        for (qp, Stream { tuple, first, .. }) in streams.values().enumerate() {
            let ports = (tuple.destination_port, tuple.source_port);
            let mut peers =
                streams.values().filter(|s| (s.tuple.source_port, s.tuple.destination_port) == ports);
            let peer = peers.next().ok_or("one way")?;
            let conn = Conn {
                snd_nxt: peer.first.wrapping_add(1 << 24),
                ..Conn::new(tuple.clone(), *first, peer.first)
            };
            assert_eq!(rx.insert(bench, qp as u64, &conn)?, 0);
            model.conns[qp] = Some(conn);
        }
        let mut got: Vec<Vec<u8>> = vec![vec![]; streams.len()];
        for batch in all.chunks(8) {
            for frame in batch {
                let is_syn = segment(frame).is_some_and(|s| s.2 & SYN != 0);
                if !is_syn {
                    rx.send(bench, &mut model, frame.clone(), false);
                }
            }
            for text in &model.expected.texts {
                got[usize::from(text.qp)].extend(&text.octets);
            }
            rx.check(bench, &mut model)?;
        }
        for (qp, stream) in streams.values().enumerate() {
            assert_eq!(got[qp], stream.octets, "octets of {qp}");
        }
        Ok(())
    });
}

#[test]
fn siw_with_crc() {
    replay("siw_rping_crc.pcap");
}

#[test]
fn siw_peer_to_peer() {
    replay("siw_rping_crc_p2p.pcap");
}

#[test]
fn siw_as_it_comes() {
    replay("siw_rping_stock.pcap");
}

/// The frames that all other tests send: Wireshark finds every layer and both checksums right.
#[test]
fn our_frames_are_what_wireshark_takes_them_for() {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("net_rx_frames.pcap");
    let mut writer = PcapWriter::new(File::create(&path).unwrap()).unwrap();
    let mut wanted = vec![];
    for i in 0..60_u64 {
        let tuple = Tuple::random(&mut rng, i % 2 == 1);
        let mut s = Segment::new(&tuple, rng.random(), rng.random());
        s.vlan = (i % 3 == 0).then(|| rng.random::<u16>() & 0xFFF);
        // no-operation: what else options say is of no use here
        s.options = vec![1; 4 * rng.random_range(0..=10)];
        if !tuple.is_ipv6() {
            s.ip_options = vec![1; 4 * rng.random_range(0..=10)];
        }
        s.data = (0..rng.random_range(0..300)).map(|_| rng.random()).collect();
        s.padding = rng.random_range(0..9);
        let frame = s.frame();
        let data: Vec<u8> = frame.clone();
        writer.write_packet(&PcapPacket::new(Duration::from_secs(i), data.len() as u32, &data)).unwrap();
        let ip = if tuple.is_ipv6() { "" } else { "1" };
        wanted.push(format!("{ip}\t1\t{}\t{}\t{}\t{}", s.seq, s.ack, s.window, s.data.len()));
    }
    drop(writer);
    let fields = [
        "ip.checksum.status",
        "tcp.checksum.status",
        "tcp.seq_raw",
        "tcp.ack_raw",
        "tcp.window_size_value",
        "tcp.len",
    ];
    let mut command = Command::new("tshark");
    command
        .args(["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-r"])
        .arg(&path);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().expect("tshark is installed by `cargo xtask setup`");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines, wanted);
}
