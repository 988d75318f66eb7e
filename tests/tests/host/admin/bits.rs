// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every bit of what commands carry: rows of random bits, against the codecs of `abi`.
use super::*;
use ferrowarp_abi::codec::{self, ConnAck, ConnRow, CqRow, MrRow, PathRow, QpRow, Ring};
use ferrowarp_abi::table::{Access, Layout};
use ferrowarp_abi::types::{ByteCount, SeqNum};
use ferrowarp_hdl::gen;
use ferrowarp_hdl::record::{RxTold, TxLimits, TxSeen, TxStart};
use rust_hdl::prelude::Synth;

/// Rows of each kind that a seed tries. A lost bit of a field that takes any value is missed with a
/// chance of 2^-16. `limits` tries the largest values of the other fields.
const ROWS: usize = 16;

/// A record of the hardware with the members of a codec's record, which have the same names.
fn record<T: Synth + 'static>(values: &[(&'static str, u128)]) -> Vec<u8> {
    values.iter().fold(Record::<T>::new(), |record, (name, value)| record.with(name, *value)).octets()
}

/// The octets of a codec, with the reserved bits of another row of the layout.
fn over(layout: &Layout, octets: &[u8], below: &[u8]) -> Vec<u8> {
    let mut octets = octets.to_vec();
    for field in layout.fields.iter().filter(|field| field.access == Access::Reserved) {
        for bit in field.offset..field.offset + field.width {
            octets[bit / 8] |= below[bit / 8] & (0x80 >> (bit % 8));
        }
    }
    octets
}

/// Gives a command that goes well with this value in its answer.
fn give_well(
    port: &Port,
    bench: &mut Bench,
    op: u8,
    index: u16,
    row: &[u8],
    value: u32,
) -> Result<(), String> {
    let spare = bench.rng().random();
    let done = port.run(bench, command(op, 0, index, spare, row), 0, &[])?;
    let wanted = answer(admin_status::DONE, op, index, value);
    (done.answer == wanted)
        .then_some(())
        .ok_or_else(|| format!("opcode {op}, row {row:02x?}: {done:02x?}, expected {wanted:02x?}"))
}

/// Reads a row, of which the stages `mr` and `fault` have `theirs`.
fn read(port: &Port, bench: &mut Bench, row: u8, index: u16, theirs: &[u8]) -> Result<Vec<u8>, String> {
    let op = admin_opcode::READ_ROW;
    let spare = bench.rng().random();
    let done = port.run(bench, command(op, row, index, spare, &[]), 0, theirs)?;
    let (head, octets) = done.answer.split_at(8);
    assert_eq!(head, answer(admin_status::DONE, op, index, 0), "row {row}");
    Ok(octets.into())
}

/// At each of these steps an output has said this.
fn assert_at(port: &Port, steps: &[usize], output: &str, wanted: &[u8]) {
    for (nth, said) in port.at(steps, output).into_iter().enumerate() {
        assert_eq!(said, wanted, "`{output}` at step {nth} of {steps:?}");
    }
    assert_eq!(port.at(steps, output).len(), steps.len(), "steps {steps:?}");
}

#[test]
fn every_bit_of_a_queue_pair_row_reaches_its_stages_and_comes_back() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-bits-qp", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            for nth in 0..ROWS {
                let drawn = random(bench, QpRow::LEN);
                let row = QpRow {
                    state: nth as u8 % 3,
                    use_srq: false,
                    sq_log2: drawn[28] % 16,
                    rq_log2: drawn[29] % 16,
                    ird: drawn[30] % 9,
                    ord: drawn[31] % 17,
                    ..QpRow::parse(&drawn).unwrap()
                };
                // in reset a queue pair has no completion queues
                let among = if nth % 3 == 0 { u16::MAX } else { 31 };
                let row = QpRow { send_cq: row.send_cq & among, recv_cq: row.recv_cq & among, ..row };
                let octets = over(&QpRow::LAYOUT, &row.octets().unwrap(), &drawn);
                let index = bench.rng().random_range(0..16);
                give_well(&port, bench, admin_opcode::QP_WRITE, index, &octets, 0)?;
                assert_at(&port, &QP, "qp_row", &record::<gen::QpRow>(&row.values()));
                assert_at(&port, &QP, "qp", &[index as u8]);
                bench.set("admin_dead", 0xFFFF ^ 1 << index);
                assert_eq!(read(&port, bench, admin_row::QP, index, &[])?, octets);
                // a queue pair in error: the state alone is another one
                bench.set("admin_dead", 1 << index);
                let octets = [&[2], &octets[1..]].concat();
                assert_eq!(read(&port, bench, admin_row::QP, index, &[])?, octets);
            }
            Ok(())
        });
    }
}

#[test]
fn every_bit_of_a_completion_queue_row_reaches_its_stage_and_comes_back() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-bits-cq", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            for _ in 0..ROWS {
                let drawn = random(bench, CqRow::LEN);
                let row = CqRow { log2: drawn[8] % 17, ..CqRow::parse(&drawn).unwrap() };
                let octets = over(&CqRow::LAYOUT, &row.octets().unwrap(), &drawn);
                let index = bench.rng().random_range(0..32);
                give_well(&port, bench, admin_opcode::CQ_WRITE, index, &octets, 0)?;
                let step = [step::CQ_WRITE];
                assert_at(&port, &step, "cq_row", &record::<gen::CqRow>(&row.values()));
                assert_at(&port, &step, "cq", &[index as u8]);
                bench.set("admin_usable", 1 << index);
                assert_eq!(read(&port, bench, admin_row::CQ, index, &[])?, octets);
                // after an overrun: the flag alone is another one
                bench.set("admin_usable", 0xFFFF_FFFF ^ 1 << index);
                let row = CqRow { is_valid: false, ..row };
                let octets = over(&CqRow::LAYOUT, &row.octets().unwrap(), &drawn);
                assert_eq!(read(&port, bench, admin_row::CQ, index, &[])?, octets);
            }
            Ok(())
        });
    }
}

#[test]
fn every_bit_of_a_region_row_reaches_its_stage_and_comes_from_it() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-bits-mr", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            for _ in 0..ROWS {
                let drawn = random(bench, MrRow::LEN);
                let row = MrRow::parse(&drawn).unwrap();
                let index = bench.rng().random_range(0..64);
                give_well(&port, bench, admin_opcode::MR_WRITE, index, &drawn, 0)?;
                let step = [step::MR_WRITE];
                assert_at(&port, &step, "mr_row", &record::<gen::MrRow>(&row.values()));
                assert_at(&port, &step, "mr", &[index as u8]);
                let theirs = MrRow::parse(&random(bench, MrRow::LEN)).unwrap();
                let said = record::<gen::MrRow>(&theirs.values());
                assert_eq!(read(&port, bench, admin_row::MR, index, &said)?, theirs.octets().unwrap());
                give_well(&port, bench, admin_opcode::MR_REVOKE, index, &[], 0)?;
                assert_at(&port, &[step::MR_REVOKE], "mr", &[index as u8]);
            }
            Ok(())
        });
    }
}

#[test]
fn every_bit_of_a_ring_and_of_an_acknowledgement_reaches_its_stage() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-bits-ring", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            for _ in 0..ROWS {
                for (op, step) in [
                    (admin_opcode::EVENT_RING, step::EVENT_RING),
                    (admin_opcode::RAW_RX_RING, step::RAW_RX_RING),
                    (admin_opcode::RAW_TX_RING, step::RAW_TX_RING),
                ] {
                    let drawn = random(bench, Ring::LEN);
                    let row = Ring { log2: drawn[8] % 17, ..Ring::parse(&drawn).unwrap() };
                    let octets = over(&Ring::LAYOUT, &row.octets().unwrap(), &drawn);
                    give_well(&port, bench, op, 0, &octets, 0)?;
                    assert_at(&port, &[step], "ring", &record::<gen::Ring>(&row.values()));
                }
                let drawn = random(bench, ConnAck::LEN);
                let row = ConnAck::parse(&drawn).unwrap();
                let qp = bench.rng().random_range(0..16);
                give_well(&port, bench, admin_opcode::CONN_ACK, qp, &drawn, 0)?;
                let told = Record::<RxTold>::new().with("qp", qp).with("ack_now", row.ack_now);
                let told = told.with("seq", row.wl1.to_bits()).with("ack", row.ack.to_bits());
                let told = told.with("window", row.wnd.to_bits()).octets();
                assert_at(&port, &[step::NET_RX_TOLD], "told", &told);
            }
            Ok(())
        });
    }
}

/// A connection row that is not refused, and its octets with random reserved bits. EMSS has all its
/// bits, MULPDU is any that fits into a segment of up to 2,048 octets.
fn connection(bench: &mut Bench, tx_markers: bool) -> (ConnRow, Vec<u8>) {
    let drawn = random(bench, ConnRow::LEN);
    let emss = bench.rng().random_range(300..=u16::MAX);
    let most = super::limits::largest_mulpdu(emss, tx_markers);
    let none = SeqNum::from_bits(0);
    let row = ConnRow {
        tx_markers,
        timestamps: false,
        sack: false,
        ecn: false,
        snd_scale: drawn[0] % 15,
        rcv_scale: drawn[1] % 15,
        emss,
        mulpdu: bench.rng().random_range(128..=most),
        sack_left_0: none,
        sack_right_0: none,
        sack_left_1: none,
        sack_right_1: none,
        sack_left_2: none,
        sack_right_2: none,
        sack_left_3: none,
        sack_right_3: none,
        ..ConnRow::parse(&drawn).unwrap()
    };
    let octets = over(&ConnRow::LAYOUT, &row.octets().unwrap(), &drawn);
    (row, octets)
}

/// What the stages beside the bus see of a connection row, at these steps.
fn assert_connection(port: &Port, steps: &[usize], row: &ConnRow, index: u16, update: bool) {
    let limits = Record::<TxLimits>::new().with("mulpdu", row.mulpdu).with("emss", row.emss);
    // words of 4 octets from SeqStart to the first FPDU, which begins with a word
    let begun = row.snd_una.to_bits().wrapping_sub(row.tx_seq_start.to_bits()).wrapping_add(3) / 4 % 128;
    let start = Record::<TxStart>::new().with("markers", row.tx_markers).with("phase", begun);
    for (output, wanted) in [
        ("limits", limits.octets()),
        ("start", start.octets()),
        ("setup_seq_start", row.rx_seq_start.to_bits().to_le_bytes().into()),
        ("setup_markers", vec![row.rx_markers.into()]),
        ("setup_crc", vec![row.rx_crc.into()]),
        ("qp", vec![index as u8]),
        ("update", vec![update.into()]),
    ] {
        assert_at(port, steps, output, &wanted);
    }
}

/// Sets what transmit says of connections: random bits.
fn transmit(bench: &mut Bench) -> Record<TxSeen> {
    let mut seen = Record::new();
    for (field, bits) in
        [("una", 32), ("wnd", 32), ("gate", 1), ("cwnd", 23), ("srtt", 18), ("is_known", 1), ("rto", 23)]
    {
        seen = seen.with(field, bench.rng().random_range(0..1_u64 << bits));
    }
    bench.set_bytes("admin_seen_tx", &seen.octets());
    seen
}

/// Reads the row and the path of a connection of which the row `kept` is kept, with the reserved
/// bits of `below`.
fn read_connection(
    port: &Port,
    bench: &mut Bench,
    index: u16,
    kept: &ConnRow,
    below: &[u8],
) -> Result<(), String> {
    let tx = transmit(bench);
    let numbers = [(); 4].map(|()| bench.rng().random());
    port.there(Some(numbers));
    let [rcv_nxt, snd_wl1, snd_wl2, snd_nxt] = numbers.map(SeqNum::from_bits);
    let octets = |field: &str| ByteCount::from_bits(tx.get(field) as u32);
    let live = ConnRow {
        gate_open: tx.is("gate"),
        rcv_nxt,
        snd_una: SeqNum::from_bits(tx.get("una") as u32),
        snd_nxt,
        snd_wnd: octets("wnd"),
        snd_wl1,
        snd_wl2,
        ..*kept
    };
    let live = over(&ConnRow::LAYOUT, &live.octets().unwrap(), below);
    assert_eq!(read(port, bench, admin_row::CONN, index, &[])?, live);
    let srtt = if tx.is("is_known") { tx.get("srtt") as u32 } else { 0 };
    let path = PathRow { srtt, rto: tx.get("rto") as u32, cwnd: octets("cwnd") };
    assert_eq!(read(port, bench, admin_row::PATH, index, &[])?, path.octets().unwrap());
    Ok(())
}

#[test]
fn every_bit_of_a_connection_row_reaches_its_stages_and_comes_back() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-bits-conn", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            for nth in 0..ROWS {
                let index = bench.rng().random_range(0..16);
                let (row, octets) = connection(bench, nth % 2 == 0);
                let raw_index = bench.rng().random();
                bench.set("admin_raw_index", u64::from(raw_index));
                port.there(None);
                give_well(&port, bench, admin_opcode::CONN_INSERT, index, &octets, raw_index)?;
                assert_eq!(port.row.borrow()[..ConnRow::LEN], octets, "words on the bus");
                assert_connection(&port, &INSERT, &row, index, false);
                read_connection(&port, bench, index, &row, &octets)?;
                // what an update does not write is ignored, whatever stands there
                let (fits, _) = connection(bench, row.tx_markers);
                let drawn = random(bench, ConnRow::LEN);
                let other =
                    ConnRow { emss: fits.emss, mulpdu: fits.mulpdu, ..ConnRow::parse(&drawn).unwrap() };
                let update = over(&ConnRow::LAYOUT, &other.octets().unwrap(), &drawn);
                give_well(&port, bench, admin_opcode::CONN_UPDATE, index, &update, 0)?;
                let merged = ConnRow {
                    destination_mac: other.destination_mac,
                    source_mac: other.source_mac,
                    vlan_tci: other.vlan_tci,
                    has_vlan: other.has_vlan,
                    gate_open: other.gate_open,
                    ttl: other.ttl,
                    traffic_class: other.traffic_class,
                    emss: other.emss,
                    mulpdu: other.mulpdu,
                    flow_label: other.flow_label,
                    ..row
                };
                let wanted = over(&ConnRow::LAYOUT, &merged.octets().unwrap(), &octets);
                assert_eq!(port.row.borrow()[..ConnRow::LEN], wanted, "merged words on the bus");
                assert_connection(&port, &UPDATE[1..], &merged, index, true);
                read_connection(&port, bench, index, &merged, &octets)?;
            }
            Ok(())
        });
    }
}

#[test]
fn every_bit_of_a_captured_error_and_of_an_index_is_answered() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-bits-captured", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            for _ in 0..ROWS {
                let row = codec::CapturedError::parse(&random(bench, codec::CapturedError::LEN)).unwrap();
                let cited = random(bench, ferrowarp_tests::cited::MOST);
                give(bench, port.words, &cited);
                let said = record::<CapturedError>(&row.values());
                let index = bench.rng().random_range(0..16);
                let octets = read(&port, bench, admin_row::CAPTURED, index, &said)?;
                assert_eq!(octets, [&row.octets().unwrap()[..], &cited].concat());
                let consumer = bench.rng().random();
                bench.set("admin_raw_tx_index", u64::from(consumer));
                let op = admin_opcode::READ_ROW;
                let ask = command(op, admin_row::RAW_TX, 0, 0, &[]);
                port.check(bench, ask, &[], answer(admin_status::DONE, op, 0, consumer))?;
            }
            Ok(())
        });
    }
}
