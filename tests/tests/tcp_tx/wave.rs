// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing diagram of `hdl/src/tcp/README.md`: a reservation, its segment, the frame.
use ferrowarp_hdl::record::{Grant, Reserve, TxFpdu};
use ferrowarp_hdl::top::Top;
use ferrowarp_tests::tcp_tx::{Row, Stage};
use ferrowarp_tests::tcp_wire::Conn;
use ferrowarp_tests::wave::{compare, tape, Diagram};

/// SND.NXT of the connection, and the first sequence number of its stream.
const SEQ: u32 = 0x2000;

/// The frame begins when the checksum of the whole segment is known.
#[test]
fn the_readme_shows_a_segment_that_leaves() {
    compare("tcp", Top::TcpTxW64, |bench| {
        let mut stage = Stage::new(bench);
        let address = |last: u8| [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, last];
        let conn = Conn {
            destination_mac: [2, 0, 0, 0, 0, 2],
            source_mac: [2, 0, 0, 0, 0, 1],
            vlan: None,
            ipv6: false,
            timestamps: false,
            local_ip: address(1),
            remote_ip: address(2),
            local_port: 0x5678,
            remote_port: 0x1234,
            ttl: 64,
            traffic_class: 0,
            flow_label: 0,
            window: 0x8000,
        };
        let row = Row::random(bench.rng());
        let row = Row { conn, rcv_scale: 0, rcv_nxt: 0x1000, una: SEQ, nxt: SEQ, start: SEQ, ..row };
        stage.insert(bench, 1, &row)?;
        stage.steps(bench, 100);
        let tape = tape(bench);
        stage.reserve(bench, 1, 10);
        let grant = stage.grant(bench)?;
        stage.segment(bench, 1, grant.seq, (0xd0..).take(grant.octets).collect(), false);
        stage.frames(bench, 1)?;
        let diagram = Diagram::of(&tape, 6).bits("tcp_tx_res_valid");
        let diagram = diagram.items::<Reserve>("tcp_tx_res", "length").bits("tcp_tx_grant_valid");
        let diagram = diagram.items::<Grant>("tcp_tx_grant", "seq octets").bits("tcp_tx_seg_valid");
        let diagram = diagram.items::<TxFpdu>("tcp_tx_seg", "seq").bits("tcp_tx_rx_valid");
        let diagram = diagram.beats("tcp_tx_rx").bits("tcp_tx_tx_valid");
        Ok(diagram.ends("tcp_tx_tx"))
    });
}
