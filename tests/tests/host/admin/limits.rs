// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bounds of what a command may carry: the last value that is taken, the first that is refused, and
//! what stays of a row when another is refused.
use super::*;

/// Octets that transmit stores of a segment, whatever EMSS is.
const STORED: u16 = 2048;

/// MULPDU of RFC 5044 section 4.5: EMSS less the head, the CRC and, with markers, each marker that
/// may lie in the segment.
pub(super) fn largest_mulpdu(emss: u16, markers: bool) -> u16 {
    let emss = emss.min(STORED);
    emss - (6 + emss % 4) - if markers { 4 * emss.div_ceil(512) } else { 0 }
}

/// A row that each command takes.
fn lawful(bench: &mut Bench, op: u8) -> Vec<u8> {
    let mut row = match op {
        admin_opcode::CONN_INSERT | admin_opcode::CONN_UPDATE => conn_row(bench),
        admin_opcode::QP_WRITE => qp_row(bench, 1),
        admin_opcode::MR_WRITE => random(bench, 32),
        admin_opcode::CONN_CONTROL => random(bench, 128),
        admin_opcode::CONN_ACK
        | admin_opcode::CQ_WRITE
        | admin_opcode::EVENT_RING
        | admin_opcode::RAW_RX_RING
        | admin_opcode::RAW_TX_RING => random(bench, 16),
        _ => vec![],
    };
    match op {
        admin_opcode::CONN_CONTROL => row[0] = 7,
        admin_opcode::CQ_WRITE
        | admin_opcode::EVENT_RING
        | admin_opcode::RAW_RX_RING
        | admin_opcode::RAW_TX_RING => row[8] = 4,
        _ => {}
    }
    row
}

/// Commands with how many numbers their index may name: 16 queue pairs, 32 completion queues, 64
/// memory regions.
const COMMANDS: [(u8, u16); 14] = [
    (admin_opcode::NOTHING, 16),
    (admin_opcode::CONN_INSERT, 16),
    (admin_opcode::CONN_REMOVE, 16),
    (admin_opcode::CONN_ACK, 16),
    (admin_opcode::CONN_UPDATE, 16),
    (admin_opcode::MR_WRITE, 64),
    (admin_opcode::MR_REVOKE, 64),
    (admin_opcode::QP_WRITE, 16),
    (admin_opcode::CQ_WRITE, 32),
    (admin_opcode::EVENT_RING, 16),
    (admin_opcode::RAW_RX_RING, 16),
    (admin_opcode::RAW_TX_RING, 16),
    (admin_opcode::CONN_CONTROL, 16),
    (admin_opcode::CONN_RESET, 16),
];

/// Rows that are read, with how many there are.
const ROWS: [(u8, u16); 7] = [
    (admin_row::CONN, 16),
    (admin_row::QP, 16),
    (admin_row::CQ, 32),
    (admin_row::MR, 64),
    (admin_row::CAPTURED, 16),
    (admin_row::RAW_TX, 1),
    (admin_row::PATH, 16),
];

/// Gives a command for a connection that is there, unless the command inserts one.
fn status(port: &Port, bench: &mut Bench, head: [u8; 2], index: u16, row: &[u8]) -> Result<Done, String> {
    port.there((head[0] != admin_opcode::CONN_INSERT).then_some([0; 4]));
    let spare = bench.rng().random();
    // of `fault`, whose row ends with the words that it quotes
    if head == [admin_opcode::READ_ROW, admin_row::CAPTURED] && index < 16 && row.is_empty() {
        give(bench, port.words, &[0; 72]);
    }
    port.run(bench, command(head[0], head[1], index, spare, row), 0, &[0; 32])
}

/// Gives a command that is refused before any step.
fn refused(
    port: &Port,
    bench: &mut Bench,
    head: [u8; 2],
    index: u16,
    row: &[u8],
    why: u8,
) -> Result<(), String> {
    let done = status(port, bench, head, index, row)?;
    let wanted = Done { steps: vec![], answer: answer(why, head[0], index, 0) };
    let text = || format!("{head:?} of {index}, row {row:02x?}: {done:02x?}, expected {wanted:02x?}");
    (done == wanted).then_some(()).ok_or_else(text)
}

/// Gives a command that is done.
fn done(port: &Port, bench: &mut Bench, head: [u8; 2], index: u16, row: &[u8]) -> Result<Vec<u8>, String> {
    let done = status(port, bench, head, index, row)?;
    let text = || format!("{head:?} of {index}, row {row:02x?}: {done:02x?}");
    (done.answer[0] == admin_status::DONE).then_some(done.answer[8..].into()).ok_or_else(text)
}

#[test]
fn an_index_ends_at_the_last_number_of_its_kind() {
    run_case("admin-limits-index", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let commands = COMMANDS.map(|(op, count)| ([op, 0], count)).into_iter();
        let reads = ROWS.map(|(row, count)| ([admin_opcode::READ_ROW, row], count));
        for (head, count) in commands.chain(reads) {
            let row = lawful(bench, head[0]);
            done(&port, bench, head, count - 1, &row)?;
            let beyond = (0..16).map(|bit| 1_u16 << bit).filter(|number| *number >= count);
            for index in beyond.chain([count + 1, u16::MAX]) {
                refused(&port, bench, head, index, &row, admin_status::BAD_INDEX)?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_row_has_the_length_of_its_command() {
    run_case("admin-limits-length", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let commands = COMMANDS.map(|(op, _)| [op, 0]).into_iter();
        for head in commands.chain(ROWS.map(|(row, _)| [admin_opcode::READ_ROW, row])) {
            let row = lawful(bench, head[0]);
            for words in (0..=20).chain([31, 32, 33, 64, 34 + row.len() / 8]) {
                let mut other = row.clone();
                other.resize(8 * words, 0);
                if other.len() == row.len() {
                    done(&port, bench, head, 0, &row)?;
                } else {
                    refused(&port, bench, head, 0, &other, admin_status::BAD_ROW)?;
                }
            }
            for cut in 1..row.len().min(8) {
                refused(&port, bench, head, 0, &row[..row.len() - cut], admin_status::BAD_ROW)?;
            }
        }
        Ok(())
    });
}

/// Fields of one octet with bounds: opcode, octet, largest value.
const BOUNDS: [(u8, usize, u8); 9] = [
    (admin_opcode::QP_WRITE, 0, 2),
    (admin_opcode::QP_WRITE, 28, 15),
    (admin_opcode::QP_WRITE, 29, 15),
    (admin_opcode::QP_WRITE, 30, 8),
    (admin_opcode::QP_WRITE, 31, 16),
    (admin_opcode::CQ_WRITE, 8, 16),
    (admin_opcode::EVENT_RING, 8, 16),
    (admin_opcode::RAW_RX_RING, 8, 16),
    (admin_opcode::RAW_TX_RING, 8, 16),
];

#[test]
fn a_number_beyond_its_bound_is_refused_and_the_row_before_stays() {
    run_case("admin-limits-number", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        for (op, octet, largest) in BOUNDS {
            let mut kept = lawful(bench, op);
            for value in (0..=largest + 1).chain((0..8).map(|bit| 1 << bit)).chain([u8::MAX]) {
                let mut row = lawful(bench, op);
                row[octet] = value;
                if value <= largest {
                    done(&port, bench, [op, 0], 5, &row)?;
                    kept = row;
                } else {
                    refused(&port, bench, [op, 0], 5, &row, admin_status::BAD_ROW)?;
                }
            }
            let kind = match op {
                admin_opcode::QP_WRITE => admin_row::QP,
                admin_opcode::CQ_WRITE => admin_row::CQ,
                _ => continue,
            };
            assert_eq!(done(&port, bench, [admin_opcode::READ_ROW, kind], 5, &[])?, kept, "row {kind}");
        }
        Ok(())
    });
}

#[test]
fn a_connection_row_with_what_hardware_does_not_keep_is_refused_and_the_row_before_stays() {
    run_case("admin-limits-conn", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let insert = [admin_opcode::CONN_INSERT, 0];
        let kept = conn_row(bench);
        done(&port, bench, insert, 5, &kept)?;
        // each scale to 14
        for scale in 0..16_u8 {
            for (octet, other) in [(scale << 4 | 3, scale), (3 << 4 | scale, scale)] {
                let mut row = kept.clone();
                row[54] = octet;
                if other > 14 {
                    refused(&port, bench, insert, 5, &row, admin_status::BAD_ROW)?;
                } else {
                    done(&port, bench, insert, 5, &row)?;
                }
            }
        }
        done(&port, bench, insert, 5, &kept)?;
        // flags of timestamps, SACK and ECN, and each bit of the SACK blocks
        for bit in (120..123).chain(8 * 112..8 * 144) {
            let mut row = kept.clone();
            row[bit / 8] |= 0x80 >> (bit % 8);
            refused(&port, bench, insert, 5, &row, admin_status::BAD_ROW)?;
        }
        // a flag that was refused is forgotten with its row
        let read = [admin_opcode::READ_ROW, admin_row::CONN];
        let octets = done(&port, bench, read, 5, &[])?;
        assert_eq!(octets[..14], kept[..14]);
        assert_eq!(octets[16..64], kept[16..64]);
        done(&port, bench, insert, 5, &kept)?;
        Ok(())
    });
}

#[test]
fn the_largest_mulpdu_of_any_emss_is_taken_and_the_next_is_refused() {
    for seed in seeds(0..2, 0..50) {
        run_case("admin-limits-mulpdu", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            let (insert, update) = ([admin_opcode::CONN_INSERT, 0], [admin_opcode::CONN_UPDATE, 0]);
            for nth in 0..24 {
                // up to what transmit stores, and beyond
                let emss = bench.rng().random_range([160..=STORED, 160..=u16::MAX][nth / 2 % 2].clone());
                let mut row = conn_row(bench);
                row[14] = row[14] & 0xF7 | (nth as u8 % 2) << 3;
                row[58..60].copy_from_slice(&emss.to_be_bytes());
                let most = largest_mulpdu(emss, nth % 2 == 1);
                let below = bench.rng().random_range(128..=most);
                let beyond = bench.rng().random_range(most + 1..=u16::MAX);
                for mulpdu in [most, below, 128, most + 1, beyond, 127, bench.rng().random_range(0..128)] {
                    row[60..62].copy_from_slice(&mulpdu.to_be_bytes());
                    if (128..=most).contains(&mulpdu) {
                        done(&port, bench, insert, 3, &row)?;
                        done(&port, bench, update, 3, &row)?;
                    } else {
                        refused(&port, bench, insert, 3, &row, admin_status::BAD_MULPDU)?;
                        let done = status(&port, bench, update, 3, &row)?;
                        let answer = answer(admin_status::BAD_MULPDU, update[0], 3, 0);
                        assert_eq!(done, Done { steps: vec![step::NET_RX_LOOK], answer }, "{emss}, {mulpdu}");
                    }
                }
            }
            Ok(())
        });
    }
}
