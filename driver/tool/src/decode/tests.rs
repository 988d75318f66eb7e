// SPDX-License-Identifier: MIT OR Apache-2.0
//! Worked examples of the notes on the RFCs (`mpa-rfc5044-notes.md` section 5,
//! `ddp-mpa2-notes.md`), and captures of Linux's siw.
use super::hex::octets;
use super::stream::{fpdus, marked_fpdus, startup};
use super::*;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::DataLink;
use proptest::prelude::*;
use std::path::Path;
use std::time::Duration;

const SEND: &str = "4143 00000000 00000000 0000000";
const ZEROS: &str = "000000000000000000000000000000000000000000000000";

fn one(hex: &str) -> Explained {
    let mut all = from_hex(hex).unwrap();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).explained
}

fn field(explained: &Explained, layout: &str, name: &str) -> u64 {
    let part = explained.parts.iter().find(|p| p.layout == layout).unwrap();
    part.fields.iter().find(|f| f.name == name).unwrap().value
}

/// Examples A and B without their markers, F, I, and the ready-to-receive indications.
#[test]
fn headers_and_crcs_of_the_notes() {
    let send = one(&format!("002A {SEND}1 00000000 {ZEROS} B7243EC3"));
    assert_eq!((send.what.as_str(), send.payload, send.crc), ("Send, last segment", 24, Some(Verdict::Good)));
    assert_eq!(field(&send, "DdpUntaggedHdr", "msn"), 1);
    assert_eq!(field(&send, "FpduHdr", "ulpdu_length"), 42);
    let send = one(&format!("002A {SEND}2 00000000 {ZEROS} 290FBEDE"));
    assert_eq!((field(&send, "DdpUntaggedHdr", "msn"), send.crc), (2, Some(Verdict::Good)));
    let write = one("000e c140 00000001 0000000000000000 ebd34c5f");
    assert_eq!((write.what.as_str(), write.payload), ("RdmaWrite, last segment", 0));
    assert_eq!((field(&write, "DdpTaggedHdr", "stag"), write.crc), (1, Some(Verdict::Good)));
    let read = "002e 4141 00000000 00000001 00000001 00000000 \
                00000001 0000000000000000 00000000 00000001 0000000000000000 27dbd7e7";
    let read = one(read);
    assert_eq!((read.what.as_str(), read.payload), ("ReadRequest, last segment", 0));
    assert_eq!(field(&read, "DdpUntaggedHdr", "queue_number"), 1);
    assert_eq!(field(&read, "ReadRequestHdr", "source_stag"), 1);
    for short in
        ["0001A000 42C06E69", "0002A0A1 943660D3", "0003A0A1A2000000 1B9728DA", "0004A0A1A2A30000 B66B8047"]
    {
        let short = one(short);
        assert!(short.what.starts_with("no DDP segment"), "{short:?}");
        assert_eq!(short.crc, Some(Verdict::Good));
    }
}

#[test]
fn a_terminate_says_what_was_wrong() {
    let crc = one("0016 4147 00000000 00000002 00000001 00000000 20020000 7FE42585");
    assert_eq!(crc.note.as_deref(), Some("MPA: an FPDU's CRC is wrong."));
    assert_eq!((field(&crc, "TerminateControl", "layer"), field(&crc, "TerminateControl", "code")), (2, 2));
    let wrap = "0026 4147 00000000 00000002 00000001 00000000 \
                1103c000 002e c140 00001234 fffffffffffffff0 3378184d";
    let wrap = one(wrap);
    assert!(wrap.note.as_ref().unwrap().contains("offset plus length leaves 64 bits"), "{wrap:?}");
    assert_eq!(field(&wrap, "TerminateLength", "segment_length"), 0x2e);
    assert_eq!(field(&wrap, "DdpTaggedHdr", "tagged_offset"), 0xFFFF_FFFF_FFFF_FFF0);
    assert_eq!((wrap.payload, wrap.crc), (0, Some(Verdict::Good)));
}

#[test]
fn a_wrong_crc_is_told_with_the_right_one_and_zero_is_none() {
    let wrong = one("0002A0A1 943660D4");
    assert_eq!(wrong.crc, Some(Verdict::Bad));
    assert_eq!(wrong.note.as_deref(), Some("its CRC is 943660d4, that of its octets is 943660d3"));
    assert_eq!(one("0002A0A1 00000000").crc, Some(Verdict::Zero));
}

/// Example A, D and E: a marker at the beginning, between FPDUs, and between pad and CRC.
#[test]
fn markers_are_taken_out_and_counted_by_the_crc() {
    let zeros = |n: usize| "00".repeat(n);
    let verdicts = |text: &str| {
        let steps = marked_fpdus("x", &octets(text).unwrap(), 0);
        steps.iter().map(|s| (s.at, s.explained.crc.unwrap())).collect::<Vec<_>>()
    };
    let good = Verdict::Good;
    assert_eq!(verdicts(&format!("00000000 002A {SEND}1 00000000 {ZEROS} 52239983")), [(0, good)]);
    let between = format!("00000000 01F6 {} 1B428104 00000000 0001 A500 A4C009F0", zeros(502));
    assert_eq!(verdicts(&between), [(0, good), (512, good)]);
    assert_eq!(verdicts(&format!("00000000 01FA {} 000001FC 1D8BAFDB", zeros(506))), [(0, good)]);
    let wrong = format!("00000000 01FA {} 000001FC 3E672553", zeros(506));
    assert_eq!(verdicts(&wrong), [(0, Verdict::Bad)], "the CRC of who leaves the marker out");
}

fn capture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name)
}

/// FPDUs of the four kinds that rping sends, and those with each verdict.
fn census(steps: &[Step]) -> ([usize; 4], [usize; 3]) {
    let kinds = ["RdmaWrite", "ReadRequest", "ReadResponse", "Send"];
    let count =
        |kind: &str| steps.iter().filter(|s| s.explained.what.starts_with(&format!("{kind},"))).count();
    let judged = |verdict| steps.iter().filter(|s| s.explained.crc == Some(verdict)).count();
    (kinds.map(count), [Verdict::Good, Verdict::Bad, Verdict::Zero].map(judged))
}

/// The numbers are those of `tests/data/README.md`.
#[test]
fn captures_of_siw_are_read_whole() {
    let all = |name| steps(&capture(name)).unwrap();
    assert_eq!(census(&all("siw_rping_crc.pcap")), ([23, 8, 23, 32], [86, 0, 0]));
    assert_eq!(census(&all("siw_rping_stock.pcap")), ([23, 8, 23, 32], [0, 0, 86]));
    assert_eq!(census(&all("siw_rping_crc_p2p.pcap")), ([6, 5, 5, 20], [36, 0, 0]));
    let startups = all("siw_rping_crc.pcap");
    let startups: Vec<_> = startups.iter().filter(|s| s.explained.what.starts_with("MPA ")).collect();
    assert_eq!(startups.len(), 4);
    assert!(startups.iter().all(|s| field(&s.explained, "MpaStartupHdr", "crc") == 1));
}

/// The same frames as pcapng, twice and in pairs the other way round: retransmissions and
/// reordering change nothing.
#[test]
fn pcapng_and_segments_out_of_order_give_the_same() {
    let octets = std::fs::read(capture("siw_rping_crc.pcap")).unwrap();
    let mut reader = PcapReader::new(&octets[..]).unwrap();
    let mut frames = vec![];
    while let Some(packet) = reader.next_packet() {
        frames.push(packet.unwrap().data.into_owned());
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = PcapNgWriter::new(file.reopen().unwrap()).unwrap();
    let interface = InterfaceDescriptionBlock { linktype: DataLink::ETHERNET, snaplen: 0, options: vec![] };
    writer.write_pcapng_block(interface).unwrap();
    // what begins or ends a connection stays in its place
    let is_data = |frame: &Vec<u8>| frame.len() > 100;
    let mut at = 0;
    while at < frames.len() {
        let swaps = at + 1 < frames.len() && is_data(&frames[at]) && is_data(&frames[at + 1]);
        let order: &[usize] = if swaps { &[at + 1, at, at + 1] } else { &[at] };
        for &n in order {
            let packet = EnhancedPacketBlock {
                interface_id: 0,
                timestamp: Duration::ZERO,
                original_len: frames[n].len() as u32,
                data: frames[n].clone().into(),
                options: vec![],
            };
            writer.write_pcapng_block(packet).unwrap();
        }
        at += if swaps { 2 } else { 1 };
    }
    assert_eq!(steps(file.path()).unwrap(), steps(&capture("siw_rping_crc.pcap")).unwrap());
}

#[test]
fn what_is_no_fpdu_is_named() {
    let why = |text| from_hex(text).unwrap_err().to_string();
    assert!(why("00 0g").contains("`g` at character 5"));
    assert!(why("001").contains("3 hexadecimal digits"));
    assert!(why(" ").contains("no octets to decode"));
    assert!(one("00").what.contains("its length is cut off"));
    assert!(one("000ec140").what.contains("4 of its 20 octets are there"));
    let none = steps(Path::new("/nowhere")).unwrap_err().to_string();
    assert!(none.contains("/nowhere: No such file"), "{none}");
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), [1; 100]).unwrap();
    assert!(steps(file.path()).unwrap_err().to_string().contains("no pcap or pcapng"));
}

proptest! {
    /// Any octets are explained to their end, with and without markers.
    #[test]
    fn any_octets_are_explained(octets in prop::collection::vec(any::<u8>(), 1..3000)) {
        let plain = fpdus("x", &octets);
        prop_assert_eq!(plain.iter().map(|s| s.explained.octets).sum::<usize>(), octets.len());
        drop(marked_fpdus("x", &octets, 0));
        drop(startup("x", &octets));
    }
}
