// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of Linux siw, in the segments in which Linux sent them, through the receive stage.
//!
//! What must come out is taken from the octets by plain code; what the captures hold:
//! `tests/data/README.md`.
use ferrowarp_tests::mpa_model::crc32c;
use ferrowarp_tests::mpa_rx::{both_widths, Stream};
use pcap_file::pcap::PcapReader;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// One direction of one connection: the octets of its addresses and ports.
type Flow = Vec<u8>;

/// TCP segments of one direction: sequence number after the SYN, then what each segment carries.
type Segments = Vec<(u32, Vec<u8>)>;

fn be16(octets: &[u8]) -> usize {
    usize::from(octets[0]) << 8 | usize::from(octets[1])
}

fn be32(octets: &[u8]) -> u32 {
    u32::from_be_bytes([octets[0], octets[1], octets[2], octets[3]])
}

/// TCP payloads by direction, in the order of the capture.
fn flows(file: &str) -> BTreeMap<Flow, Segments> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    let mut reader = PcapReader::new(File::open(&path).unwrap()).unwrap();
    let mut flows: BTreeMap<Flow, Segments> = BTreeMap::new();
    while let Some(packet) = reader.next_packet() {
        let frame = packet.unwrap().data.into_owned();
        if be16(&frame[12..]) != 0x0800 || frame[23] != 6 {
            continue;
        }
        let ip = &frame[14..14 + be16(&frame[16..])];
        let tcp = &ip[20..];
        let payload = &tcp[usize::from(tcp[12] >> 4) * 4..];
        if !payload.is_empty() {
            let flow = [&ip[12..20], &tcp[..4]].concat();
            flows.entry(flow).or_default().push((be32(&tcp[4..]), payload.to_vec()));
        }
    }
    flows
}

/// Cuts the startup frame off a direction: the stream of full operation and its segments' lengths.
fn full_operation(conn: u64, crc: bool, segments: &Segments) -> (Stream, Vec<usize>) {
    let first = &segments[0].1;
    let startup = 20 + be16(&first[18..]);
    assert!(first.starts_with(b"MPA ID Re") && first.len() == startup, "a startup frame has its own segment");
    let seq_start = segments[0].0.wrapping_add(startup as u32);
    let mut stream = Stream::new(conn, seq_start, false, crc);
    for (seq, payload) in &segments[1..] {
        assert_eq!(*seq, stream.end_seq(), "the capture has no loss");
        stream.octets.extend(payload);
    }
    let lengths = segments[1..].iter().map(|s| s.1.len()).collect();
    let mut at = 0;
    while at < stream.octets.len() {
        let length = be16(&stream.octets[at..]);
        let sum_at = at + (2 + length).next_multiple_of(4);
        let field = u32::from_le_bytes(stream.octets[sum_at..sum_at + 4].try_into().unwrap());
        let right = if crc { crc32c(&stream.octets[at..sum_at]) } else { 0 };
        assert_eq!(field, right, "CRC field of the FPDU at {at}");
        let end = seq_start.wrapping_add(sum_at as u32 + 4);
        stream.expected.push((stream.octets[at + 2..at + 2 + length].to_vec(), end));
        at = sum_at + 4;
    }
    (stream, lengths)
}

/// All directions of a capture at once; `fpdus` must be what it holds.
fn deframes(file: &str, crc: bool, fpdus: Option<usize>) {
    let (streams, lengths): (Vec<_>, Vec<_>) =
        (0..).zip(flows(file).values()).map(|(conn, s)| full_operation(conn, crc, s)).unzip();
    let found: usize = streams.iter().map(|s| s.expected.len()).sum();
    assert!(found > 30 && fpdus.is_none_or(|n| n == found), "{file} has {found} FPDUs");
    both_widths(file, |bench, rx| {
        for s in &streams {
            rx.set_up(bench, s)?;
        }
        let mut next = vec![0; streams.len()];
        let segments = ferrowarp_tests::mpa_rx::segments(&streams, bench.rng(), |_, s, _| {
            let i = s.conn as usize;
            next[i] += 1;
            lengths[i][next[i] - 1]
        });
        rx.check(bench, &streams, &segments)
    });
}

#[test]
fn siw_with_crc() {
    deframes("siw_rping_crc.pcap", true, Some(86));
}

#[test]
fn siw_peer_to_peer() {
    deframes("siw_rping_crc_p2p.pcap", true, Some(36));
}

/// The CRC field is sent as zero and not looked at.
#[test]
fn siw_as_it_comes() {
    deframes("siw_rping_stock.pcap", false, None);
}
