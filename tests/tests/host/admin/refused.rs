// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands that are refused.
use super::*;

#[test]
fn a_refused_insert_leaves_nothing() {
    run_case("a_refused_insert_leaves_nothing", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let (op, row) = (admin_opcode::CONN_INSERT, conn_row(bench));
        for (code, status) in [(1, admin_status::PRESENT), (2, admin_status::FULL)] {
            let done = port.run(bench, command(op, 0, 4, 0, &row), code, &[])?;
            let steps = [&INSERT[..], &[step::TCP_TX_REMOVE]].concat();
            assert_eq!(done, Done { steps, answer: answer(status, op, 4, 0) });
        }
        let op = admin_opcode::READ_ROW;
        port.check(
            bench,
            command(op, admin_row::CONN, 4, 0, &[]),
            &LOOK,
            [answer(0, op, 4, 0), vec![0; 144]].concat(),
        )
    });
}

#[test]
fn impossible_commands_are_refused() {
    run_case("impossible_commands_are_refused", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let refused = |status, octets: &[u8]| answer(status, octets[0], u16::from(octets[3]), 0);
        let row = conn_row(bench);
        let mut cq = vec![0; 16];
        cq[8] = 17;
        let insert = |index, row: &[u8]| command(admin_opcode::CONN_INSERT, 0, index, 0, row);
        let changed = |at: usize, to: u8| {
            let mut row = row.clone();
            row[at] = to;
            insert(1, &row)
        };
        let control = |index, opcode: u8, octets: usize| {
            let mut slot = vec![0; octets];
            slot[0] = opcode;
            command(admin_opcode::CONN_CONTROL, 0, index, 0, &slot)
        };
        let qp = |at: usize, to: u8| {
            let mut row = vec![0; 32];
            row[at] = to;
            command(admin_opcode::QP_WRITE, 0, 1, 0, &row)
        };
        let cases = [
            (admin_status::BAD_INDEX, command(admin_opcode::CONN_UPDATE, 0, 16, 0, &row)),
            (admin_status::BAD_ROW, command(admin_opcode::CONN_UPDATE, 0, 1, 0, &row[..104])),
            (admin_status::BAD_ROW, command(admin_opcode::CQ_WRITE, 0, 1, 0, &cq)),
            (admin_status::BAD_OPCODE, command(200, 0, 1, 0, &[])),
            (admin_status::BAD_INDEX, command(admin_opcode::CONN_RESET, 0, 16, 0, &[])),
            (admin_status::BAD_ROW, command(admin_opcode::CONN_RESET, 0, 1, 0, &[0; 8])),
            (admin_status::BAD_INDEX, control(16, 7, 128)),
            (admin_status::BAD_ROW, control(1, 7, 120)),
            (admin_status::BAD_ROW, control(1, 3, 128)),
            (admin_status::BAD_ROW, control(1, 16, 128)),
            (admin_status::BAD_ROW, control(1, 0x17, 128)),
            (admin_status::BAD_INDEX, insert(16, &row)),
            (admin_status::BAD_INDEX, command(admin_opcode::MR_REVOKE, 0, 64, 0, &[])),
            (admin_status::BAD_INDEX, command(admin_opcode::READ_ROW, admin_row::MR, 64, 0, &[])),
            (admin_status::BAD_INDEX, command(admin_opcode::READ_ROW, admin_row::CQ, 32, 0, &[])),
            (admin_status::BAD_ROW, command(admin_opcode::READ_ROW, 7, 0, 0, &[])),
            (admin_status::BAD_INDEX, command(admin_opcode::READ_ROW, 5, 1, 0, &[])),
            (admin_status::BAD_ROW, insert(1, &row[..104])),
            (admin_status::BAD_ROW, insert(1, &[&row[..], &[0; 8]].concat())),
            (admin_status::BAD_ROW, insert(1, &[&row[..], &[0; 512]].concat())),
            (admin_status::BAD_ROW, insert(1, &row[..109])),
            (admin_status::BAD_ROW, command(admin_opcode::CONN_REMOVE, 0, 1, 0, &[0; 8])),
            (admin_status::BAD_ROW, changed(54, 0xF0)),
            (admin_status::BAD_ROW, changed(54, 0x0F)),
            (admin_status::BAD_ROW, changed(15, 0x80)),
            (admin_status::BAD_ROW, changed(15, 0x40)),
            (admin_status::BAD_ROW, changed(15, 0x20)),
            (admin_status::BAD_ROW, changed(112, 0x80)),
            (admin_status::BAD_ROW, changed(143, 0x01)),
            (admin_status::BAD_MULPDU, changed(60, 0xFF)),
            (admin_status::BAD_ROW, qp(0, 3)),
            (admin_status::BAD_ROW, qp(28, 16)),
            (admin_status::BAD_ROW, qp(29, 16)),
            (admin_status::BAD_ROW, qp(30, 9)),
            (admin_status::BAD_ROW, qp(31, 17)),
            (admin_status::BAD_ROW, qp(1, 0x80)),
        ];
        for (status, octets) in cases {
            let wanted = refused(status, &octets);
            port.check(bench, octets, &[], wanted)?;
        }
        // a frame that its writer takes back
        bench.send(port.commands, Frame { data: insert(1, &row), err: true });
        bench.expect(port.answers, 1);
        bench.run_until(PATIENCE, |b| b.waiting(port.answers) == 1)?;
        let said = bench.received(port.answers).remove(0).data;
        assert_eq!(said, answer(admin_status::BAD_ROW, admin_opcode::CONN_INSERT, 1, 0));
        Ok(())
    });
}

#[test]
fn a_mulpdu_that_does_not_fit_is_refused() {
    run_case("a_mulpdu_that_does_not_fit_is_refused", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let (insert, update) = (admin_opcode::CONN_INSERT, admin_opcode::CONN_UPDATE);
        let mut row = conn_row(bench);
        // EMSS, with markers, MULPDU, fits: by hand from RFC 5044 section 4.5; transmit stores
        // 2,048 octets at most
        let cases = [
            (1460, false, 1454, true),
            (1460, false, 1455, false),
            (1460, true, 1442, true),
            (1460, true, 1443, false),
            (1463, false, 1454, true),
            (1463, false, 1455, false),
            (513, true, 498, true),
            (513, true, 499, false),
            (134, false, 128, false),
            (136, false, 128, true),
            (1460, false, 127, false),
            (0, false, 128, false),
            (9000, false, 2042, true),
            (9000, false, 2043, false),
            (0xFFFF, true, 0xFFFF, false),
        ];
        for (emss, markers, mulpdu, fits) in cases {
            row[58..60].copy_from_slice(&u16::to_be_bytes(emss));
            row[60..62].copy_from_slice(&u16::to_be_bytes(mulpdu));
            row[14] = row[14] & 0xF7 | u8::from(markers) << 3;
            port.there(None);
            let (status, steps) = if fits { (0, &INSERT[..]) } else { (admin_status::BAD_MULPDU, &[][..]) };
            let text = format!("{emss} {markers} {mulpdu}");
            let value = if fits { 0x1234_5678 } else { 0 };
            let wanted = answer(status, insert, 2, value);
            let done = port.check(bench, command(insert, 0, 2, 0, &row), steps, wanted);
            done.map_err(|e| format!("{text}: {e}"))?;
            if fits {
                // the same row does it as an update; the connection's markers count, not those of
                // the command
                port.there(Some([0; 4]));
                let mut other = row.clone();
                other[14] ^= 0x08;
                port.check(bench, command(update, 0, 2, 0, &other), &UPDATE, answer(0, update, 2, 0))?;
                other[60..62].copy_from_slice(&u16::to_be_bytes(mulpdu + 1));
                let wanted = answer(admin_status::BAD_MULPDU, update, 2, 0);
                let done = port.run(bench, command(update, 0, 2, 0, &other), 0, &[])?;
                if mulpdu != 128 {
                    assert_eq!(done, Done { steps: vec![step::NET_RX_LOOK], answer: wanted }, "{text}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn a_completion_queue_that_is_not_there_is_refused() {
    run_case("a_completion_queue_that_is_not_there_is_refused", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let op = admin_opcode::QP_WRITE;
        bench.set("admin_usable", 1 << 3 | 1 << 31);
        let steps = [&QP[..], &ENDS].concat();
        for (send, recv, there) in
            [(3, 31, true), (31, 3, true), (3, 4, false), (4, 3, false), (32, 3, false), (3, 0x1003, false)]
        {
            for state in 0..=2 {
                let mut row = qp_row(bench, state);
                row[4..6].copy_from_slice(&u16::to_be_bytes(send));
                row[6..8].copy_from_slice(&u16::to_be_bytes(recv));
                let fits = there || state == 0;
                let (status, steps) = if fits { (0, &steps[..]) } else { (admin_status::BAD_CQ, &[][..]) };
                port.check(bench, command(op, 0, 6, 0, &row), steps, answer(status, op, 6, 0))?;
            }
        }
        Ok(())
    });
}

/// A command writes rows, reads rows or sends a segment: none brings code or a bitstream.
#[test]
fn no_command_is_there_besides_those_that_are_documented() {
    let known = [
        admin_opcode::NOTHING,
        admin_opcode::CONN_INSERT,
        admin_opcode::CONN_REMOVE,
        admin_opcode::CONN_ACK,
        admin_opcode::CONN_UPDATE,
        admin_opcode::MR_WRITE,
        admin_opcode::MR_REVOKE,
        admin_opcode::QP_WRITE,
        admin_opcode::CQ_WRITE,
        admin_opcode::READ_ROW,
        admin_opcode::EVENT_RING,
        admin_opcode::RAW_RX_RING,
        admin_opcode::RAW_TX_RING,
        admin_opcode::CONN_CONTROL,
        admin_opcode::CONN_RESET,
    ];
    run_case("no_command_is_there_besides_those_that_are_documented", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        // a row that must stay
        let kept = qp_row(bench, 1);
        port.run(bench, command(admin_opcode::QP_WRITE, 0, 1, 0, &kept), 0, &[])?;
        for opcode in (0..=u8::MAX).filter(|opcode| !known.contains(opcode)) {
            // of no octets, of a row, of a connection row, and longer than any
            for octets in [0, 16, 144, 1_024] {
                let rest = random(bench, octets);
                let wanted = answer(admin_status::BAD_OPCODE, opcode, 1, 0);
                port.check(bench, command(opcode, 0, 1, 0, &rest), &[], wanted)?;
            }
        }
        let op = admin_opcode::READ_ROW;
        let wanted = [answer(0, op, 1, 0), kept].concat();
        port.check(bench, command(op, admin_row::QP, 1, 0, &[]), &[], wanted)
    });
}
