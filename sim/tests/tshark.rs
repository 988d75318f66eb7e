// SPDX-License-Identifier: MIT OR Apache-2.0
//! tshark over captures: Linux's own must be all good, damaged ones must be told, and a capture of
//! a connection that was established before is understood.
use ferrowarp_sim::link::Captured;
use ferrowarp_sim::pcap::tshark::{self, Severity, Summary, TsharkError};
use ferrowarp_sim::pcap::{Endpoint, Established, Pcap};
use ferrowarp_sim::{paths, Side};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// A file of this test.
fn file(name: &str) -> PathBuf {
    std::fs::create_dir_all(paths::artefacts()).unwrap();
    paths::artefacts().join(name)
}

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

/// A copy of a little-endian pcap file with octets of some frames inverted: number from 1, place in
/// the frame from its end.
fn damaged(name: &str, damage: &[(usize, usize)]) -> Summary {
    let mut octets = std::fs::read(capture(name)).unwrap();
    let (mut at, mut number) = (24, 0);
    while at < octets.len() {
        let length = u32::from_le_bytes(octets[at + 8..at + 12].try_into().unwrap()) as usize;
        (at, number) = (at + 16 + length, number + 1);
        damage.iter().filter(|(n, _)| *n == number).for_each(|(_, back)| octets[at - back] ^= 1);
    }
    let path = file(&format!("damaged-{name}"));
    std::fs::write(&path, octets).unwrap();
    tshark::read(&path).unwrap()
}

#[test]
fn captures_of_linux_are_all_good() {
    // what they hold: tests/data/README.md
    for (name, frames, good, unchecked) in [
        ("siw_rping_crc.pcap", 168, 86, 0),
        ("siw_rping_crc_p2p.pcap", 71, 36, 0),
        ("siw_rping_stock.pcap", 172, 0, 86),
    ] {
        let summary = tshark::read(&capture(name)).unwrap();
        assert_eq!(summary.faults(), Vec::<String>::new(), "{name}");
        assert_eq!((summary.frames, summary.crc.good, summary.crc.bad), (frames, good, 0), "{name}");
        assert_eq!((summary.crc.unchecked, summary.checksums.bad), (unchecked, 0), "{name}");
        assert!(summary.checksums.good > frames && summary.count("iwarp_ddp_rdmap") > 30, "{name}");
    }
}

#[test]
fn damage_is_told_with_the_frame() {
    // an RDMA Write of 86 octets: CRC field, and with it the TCP checksum; the time to live of
    // frame 30
    let summary = damaged("siw_rping_crc_p2p.pcap", &[(26, 1), (30, 118 - 22)]);
    assert_eq!((summary.crc.good, summary.crc.bad, summary.checksums.bad), (35, 1, 2));
    let told: Vec<_> = summary.complaints.iter().map(ToString::to_string).collect();
    let want = [
        "frame 26: bad checksum of tcp",
        "frame 26: MPA CRC check: 0xebd34c5e (Bad CRC32, should be 0xebd34c5f)",
        "frame 30: bad checksum of ip",
    ];
    assert_eq!(told, want);
    let errors = summary.experts.iter().filter(|e| e.severity == Severity::Error);
    assert_eq!(errors.map(|e| e.count).sum::<u64>(), 2, "{:?}", summary.experts);
    assert_eq!(summary.faults().len(), 5);
}

#[test]
fn a_file_that_ends_too_early_is_an_error() {
    let octets = std::fs::read(capture("siw_rping_crc_p2p.pcap")).unwrap();
    let path = file("short.pcap");
    std::fs::write(&path, &octets[..octets.len() - 5]).unwrap();
    let failed = tshark::read(&path).unwrap_err();
    assert!(
        matches!(&failed, TsharkError::Failed { stderr, .. } if stderr.contains("cut short")),
        "{failed}"
    );
}

/// An FPDU of an untagged Send (DDP version 1, RDMAP version 1, opcode 3, queue 0), without
/// markers.
fn send_fpdu(msn: u32, payload: &[u8], crc: bool) -> Vec<u8> {
    let mut ulpdu = vec![0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0];
    ulpdu.extend(msn.to_be_bytes());
    ulpdu.extend([0; 4]);
    ulpdu.extend(payload);
    let mut fpdu = (ulpdu.len() as u16).to_be_bytes().to_vec();
    fpdu.extend(ulpdu);
    fpdu.resize(fpdu.len().next_multiple_of(4), 0);
    let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISCSI).checksum(&fpdu);
    fpdu.extend(if crc { sum } else { !sum }.to_le_bytes());
    fpdu
}

fn established(run: u32, v6: bool, vlan: Option<u16>) -> Established {
    let end = |n: u8, markers| Endpoint {
        mac: [2, 0, 0, 0, 0, n],
        ip: if v6 {
            IpAddr::from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n])
        } else {
            IpAddr::from([10, 0, 0, n])
        },
        port: 4_000 + 10 * run as u16 + u16::from(n),
        seq_start: (run << 28).wrapping_sub(30 + u32::from(n)),
        window_scale: 7,
        wants_markers: markers,
    };
    Established { ends: [end(1, false), end(2, false)], vlan, crc: true }
}

/// The segment that carries the first octets of full operation from A: the frame of the Request
/// with another sequence number and payload, its checksums made anew by what `Established` does for
/// a Request.
fn first_segment(connection: &Established, payload: &[u8]) -> Vec<u8> {
    let (_, request) = connection.frames().swap_remove(3);
    let tcp = request.len() - 20 - 20;
    let ip = tcp - if connection.ends[0].ip.is_ipv4() { 20 } else { 40 };
    let mut frame = request[..tcp + 20].to_vec();
    frame[tcp + 4..tcp + 8].copy_from_slice(&connection.ends[0].seq_start.to_be_bytes());
    frame[tcp + 8..tcp + 12].copy_from_slice(&connection.ends[1].seq_start.to_be_bytes());
    frame[tcp + 16..tcp + 18].fill(0);
    frame.extend(payload);
    let length = (20 + payload.len()) as u16;
    let sum = |octets: &[u8]| {
        let words = octets.chunks(2).map(|w| u32::from(w[0]) * 256 + u32::from(*w.get(1).unwrap_or(&0)));
        let total: u32 = words.sum();
        !((total & 0xffff) + (total >> 16)) as u16
    };
    let addresses = if ip + 20 == tcp {
        frame[ip + 2..ip + 4].copy_from_slice(&(length + 20).to_be_bytes());
        frame[ip + 10..ip + 12].fill(0);
        let header = sum(&frame[ip..ip + 20]).to_be_bytes();
        frame[ip + 10..ip + 12].copy_from_slice(&header);
        frame[ip + 12..ip + 20].to_vec()
    } else {
        frame[ip + 4..ip + 6].copy_from_slice(&length.to_be_bytes());
        frame[ip + 8..ip + 40].to_vec()
    };
    let pseudo = [addresses, length.to_be_bytes().to_vec(), vec![0, 6], frame[tcp..].to_vec()].concat();
    let total = sum(&pseudo).to_be_bytes();
    frame[tcp + 16..tcp + 18].copy_from_slice(&total);
    frame
}

#[test]
fn fpdus_of_a_connection_that_was_there_before_are_recognised() {
    let path = file("established.pcapng");
    let mut pcap = Pcap::create(&path).unwrap();
    let mut fpdus = 0;
    for (run, (v6, vlan)) in
        [(false, None), (true, None), (false, Some(5)), (true, Some(0x6fff)), (false, None)]
            .into_iter()
            .enumerate()
    {
        let connection = established(run as u32, v6, vlan);
        let payload: Vec<u8> =
            (0..3).flat_map(|n| send_fpdu(n + 1, &vec![n as u8; 40 + run], true)).collect();
        fpdus += 3;
        let data = first_segment(&connection, &payload);
        let sent = Captured { from: Side::A, began_ps: 0, at_ps: 1_000_000, data, note: Some("kept".into()) };
        pcap.run(&format!("run {run}"), &[connection], &[sent]).unwrap();
    }
    pcap.finish().unwrap();
    let summary = tshark::read(&path).unwrap();
    assert_eq!(summary.faults(), Vec::<String>::new());
    assert_eq!((summary.frames, summary.count("tcp"), summary.count("ipv6")), (30, 30, 12));
    assert_eq!((summary.crc.good, summary.count("iwarp_mpa"), summary.count("vlan")), (fpdus, 15, 12));
}

#[test]
fn a_connection_that_tshark_would_mix_with_another_is_refused() {
    let mut pcap = Pcap::new(vec![]).unwrap();
    let connection = established(1, false, None);
    pcap.run("one", &[connection], &[]).unwrap();
    let turned = Established { ends: [connection.ends[1], connection.ends[0]], ..connection };
    for again in [connection, turned] {
        let text = pcap.run("two", &[again], &[]).unwrap_err().to_string();
        assert!(text.contains("10.0.0.1:4011") && text.contains("give each run ports of its own"), "{text}");
    }
}

#[test]
fn a_wrong_crc_behind_a_good_checksum_is_told() {
    let path = file("wrong-crc.pcapng");
    let mut pcap = Pcap::create(&path).unwrap();
    let connection = established(1, false, None);
    let data =
        first_segment(&connection, &[send_fpdu(1, &[7; 32], true), send_fpdu(2, &[7; 32], false)].concat());
    pcap.run("run", &[connection], &[Captured { from: Side::A, began_ps: 0, at_ps: 0, data, note: None }])
        .unwrap();
    pcap.finish().unwrap();
    let summary = tshark::read(&path).unwrap();
    assert_eq!((summary.crc.good, summary.crc.bad, summary.checksums.bad), (1, 1, 0));
    assert!(summary.faults()[0].starts_with("frame 6: MPA CRC check: "), "{:?}", summary.faults());
}
