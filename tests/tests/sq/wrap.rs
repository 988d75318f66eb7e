// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue on the emitted Verilog, whose streams begin two messages in front of the end of the
//! MSNs.
use ferrowarp_tests::preload::{self, FIRST};
use ferrowarp_tests::sq::{message, Manners, Message, Post, Rig, Sge};

/// The MSNs of a stream's first messages on a queue.
const MSNS: [u32; 4] = [FIRST, 0xFFFF_FFFF, 0, 1];
/// Queue pair of the test.
const QP: usize = 1;

/// MSNs of the ULPDUs of an untagged queue, in their order.
fn msns(sent: &[Vec<u8>], queue: u32) -> Vec<u32> {
    let number = |ulpdu: &[u8], at: usize| ulpdu[at..at + 4].iter().fold(0, |n, o| n << 8 | u32::from(*o));
    let of_queue = sent.iter().filter(|u| u[0] & 0x80 == 0 && number(u, 6) == queue);
    of_queue.map(|u| number(u, 10)).collect()
}

#[test]
fn messages_have_msn_zero_behind_the_last_one_also_if_they_leave_again() {
    preload::sq("sq-wrap", |bench| {
        let mut rig = Rig::new(bench, Manners { acks: false, ..Manners::steady() });
        rig.first_msn = FIRST;
        rig.set_up(bench, QP, 6, 522)?;
        for _ in MSNS {
            let send = message(bench, 3, 1_200);
            let send = rig.gathered(bench, QP, send, 1);
            rig.post(bench, QP, &send);
            let sink = rig.place(bench, QP, 0, &[0; 100]);
            let sges = vec![Sge { addr: sink.addr, length: 100, key: sink.key }];
            let read = Message { opcode: 1, ..message(bench, 1, 0) };
            rig.post(bench, QP, &Post { message: read, sges, ..Post::default() });
        }
        rig.ring(bench, QP);
        rig.run(bench, 50_000, |_, rig| rig.qps[QP].expected.is_empty())?;
        rig.quiet(bench)?;
        assert_eq!(msns(&rig.sent, 0), MSNS.map(|msn| [msn; 3]).concat(), "three segments a Send");
        assert_eq!(msns(&rig.sent, 1), MSNS);
        // what leaves again is compared with what left first, octet by octet
        let all = rig.in_flight(QP).len();
        rig.expire(bench, QP)?;
        rig.run(bench, 100_000, |_, rig| rig.again.len() >= all)?;
        rig.quiet(bench)?;
        assert!(all >= 16 && rig.again.len() == all && rig.faults.is_empty());
        rig.abandon(QP);
        Ok(())
    });
}
