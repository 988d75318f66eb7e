// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagrams of `hdl/src/ip/README.md` and `hdl/src/tcp/README.md`: a bad header, a
//! segment in order.
use ferrowarp_hdl::record::TxFact;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{Bench, Frame, Pattern};
use ferrowarp_tests::net_rx::Rx;
use ferrowarp_tests::net_rx_frames::{Segment, Tuple};
use ferrowarp_tests::net_rx_model::{bad, Conn};
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// RCV.NXT of the connection.
const SEQ: u32 = 0x1000;
/// SND.UNA and SND.NXT of the connection.
const ACK: u32 = 0x2000;

/// A stage with connection 1, and a frame with its next 12 octets.
fn connected(bench: &mut Bench) -> Result<(Rx, Vec<u8>), String> {
    let mut rx = Rx::new(bench, Pattern::None, Pattern::None)?;
    let tuple = Tuple {
        source: vec![10, 0, 0, 2],
        destination: vec![10, 0, 0, 1],
        source_port: 0x1234,
        destination_port: 0x5678,
    };
    assert_eq!(rx.insert(bench, 1, &Conn::new(tuple.clone(), SEQ, ACK))?, 0);
    let data = (0xd0..0xdc).collect();
    (0..50).for_each(|_| rx.step(bench));
    Ok((rx, Segment { data, ..Segment::new(&tuple, SEQ, ACK) }.frame()))
}

/// The header's sum is known behind its last octet, and the whole frame is dropped.
#[test]
fn the_readme_of_ip_shows_a_bad_header_checksum() {
    compare("ip", Top::NetRxW64, |bench| {
        let (rx, mut frame) = connected(bench)?;
        // the low octet of the header's checksum
        frame[14 + 11] ^= 1;
        let tape = tape(bench);
        bench.send(rx.input, Frame::good(frame));
        let ip = 1 << bad::IP;
        bench.run_until(200, |b| b.get("net_rx_bad") & ip != 0)?;
        (0..60).for_each(|_| bench.step());
        let pulse = |bit: usize| format!("net_rx_bad[{bit}]");
        let diagram = Diagram::of(&tape, 9).handshake("net_rx_rx").ends("net_rx_rx").bits(&pulse(bad::IP));
        let diagram = diagram.bits(&pulse(bad::TCP)).bits("net_rx_seg_valid net_rx_raw_valid");
        Ok(diagram.bits("net_rx_fact_valid net_rx_tx_valid"))
    });
}

/// The announcement comes before the octets, and the octets come without header and padding.
#[test]
fn the_readme_of_tcp_shows_a_segment_received() {
    compare("tcp", Top::NetRxW64, |bench| {
        let (rx, frame) = connected(bench)?;
        let tape = tape(bench);
        bench.send(rx.input, Frame::good(frame));
        bench.run_until(200, |b| b.waiting(rx.output) == 1 && b.waiting_items(rx.facts) == 1)?;
        (0..20).for_each(|_| bench.step());
        let diagram = Diagram::of(&tape, 6).handshake("net_rx_rx").ends("net_rx_rx").handshake("net_rx_seg");
        let diagram = diagram.fields("net_rx_seg", "conn seq").bits("net_rx_fact_valid");
        let diagram = diagram.items::<TxFact>("net_rx_fact", "window");
        Ok(diagram.stream("net_rx_tx"))
    });
}
