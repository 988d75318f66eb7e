// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows that are read.
use super::*;

#[test]
fn rows_are_read_back() {
    for seed in seeds(0..3, 0..50) {
        run_case("rows_are_read_back", Top::HostW64, seed, |bench| {
            let port = Port::new(bench);
            let mut kept = vec![];
            for index in [0, 15, 7] {
                let conn = conn_row(bench);
                let op = admin_opcode::CONN_INSERT;
                port.run(bench, command(op, 0, index, 0, &conn), 0, &[])?;
                let qp = qp_row(bench, 1);
                port.run(bench, command(admin_opcode::QP_WRITE, 0, index, 0, &qp), 0, &[])?;
                kept.extend([(admin_row::CONN, index, conn), (admin_row::QP, index, qp)]);
                // twice as many completion queues as queue pairs
                for index in [index, index + 16] {
                    let mut cq = random(bench, 16);
                    (cq[8], cq[9]) = (4, 0x80);
                    port.run(bench, command(admin_opcode::CQ_WRITE, 0, index, 0, &cq), 0, &[])?;
                    kept.push((admin_row::CQ, index, cq));
                }
            }
            let op = admin_opcode::READ_ROW;
            let numbers = [(); 4].map(|()| bench.rng().random());
            for (row, index, mut octets) in kept {
                // a connection shows what the stages say, a queue pair and a completion queue that
                // they are well
                let steps = if row == admin_row::CONN { &LOOK[..] } else { &[] };
                port.there(Some(numbers));
                if row == admin_row::CONN {
                    live(&mut octets, numbers);
                }
                let wanted = [answer(0, op, index, 0), octets.clone()].concat();
                port.check(bench, command(op, row, index, 0, &[]), steps, wanted)?;
                // none, in error, overrun
                port.there(None);
                bench.set("admin_dead", 0xFFFF);
                bench.set("admin_usable", 0);
                match row {
                    admin_row::CONN => octets.fill(0),
                    admin_row::QP => octets[0] = 2,
                    _ => octets[9] &= 0x7F,
                }
                let wanted = [answer(0, op, index, 0), octets].concat();
                port.check(bench, command(op, row, index, 0, &[]), steps, wanted)?;
                bench.set("admin_dead", 0);
                bench.set("admin_usable", 0xFFFF_FFFF);
            }
            port.there(Some(numbers));
            let mut octets = vec![0; 144];
            live(&mut octets, numbers);
            let wanted = [answer(0, op, 3, 0), octets].concat();
            port.check(bench, command(op, admin_row::CONN, 3, 0, &[]), &LOOK, wanted)?;
            // a path is what transmit says, and nothing of it is kept
            let path = [0x0002_BCDE_u32, 0x0014_5678, 0x0056_789A, 0].map(u32::to_be_bytes).concat();
            for (there, row) in [(Some(numbers), path), (None, vec![0; 16])] {
                port.there(there);
                let wanted = [answer(0, op, 3, 0), row].concat();
                port.check(bench, command(op, admin_row::PATH, 3, 0, &[]), &LOOK, wanted)?;
            }
            Ok(())
        });
    }
}

#[test]
fn rows_of_other_stages_are_fetched() {
    run_case("rows_of_other_stages_are_fetched", Top::HostW64, 1, |bench| {
        let port = Port::new(bench);
        let op = admin_opcode::READ_ROW;
        let record = Record::<CapturedError>::new()
            .with("is_captured", true)
            .with("has_wr", true)
            .with("has_segment", true)
            .with("status", 9)
            .with("error", 0x1100)
            .with("later", 2)
            .with("index", 0x0123_4567)
            .with("length", 0x05B4)
            .octets();
        let octets = random(bench, 72);
        give(bench, port.words, &octets);
        let done = port.run(bench, command(op, admin_row::CAPTURED, 5, 0, &[]), 0, &record)?;
        assert_eq!(done.steps, [step::MPA_TOKEN, step::DDP_TOKEN, step::WRITTEN]);
        let row = [0xB0, 9, 0x11, 0, 0, 0, 0, 2, 0x01, 0x23, 0x45, 0x67, 0, 0, 0, 0];
        let length = [0x05, 0xB4, 0, 0, 0, 0, 0, 0];
        assert_eq!(done.answer, [answer(0, op, 5, 0), row.into(), length.into(), octets].concat());
        // base, length, to_base
        let record: Vec<u8> = [1_u64, 2, 3].iter().flat_map(|n| n.to_le_bytes()).chain([0; 8]).collect();
        let done = port.run(bench, command(op, admin_row::MR, 63, 0, &[]), 0, &record)?;
        let row: Vec<u8> = [1_u64, 2, 3, 0].iter().flat_map(|n| n.to_be_bytes()).collect();
        assert_eq!(done.answer, [answer(0, op, 63, 0), row].concat());
        Ok(())
    });
}
