// SPDX-License-Identifier: MIT OR Apache-2.0
//! Terminates among other messages.
use super::*;

/// A queue pair without room, then faults: nothing but a Terminate and the end leave any more.
#[test]
fn a_terminate_ends_a_message_of_a_queue_pair_in_error() {
    case("terminate", |bench, rig| {
        rig.set_up(bench, 6, 4, 300)?;
        let message = message(bench, 0, 50_000);
        let post = rig.gathered(bench, 6, message, 1);
        rig.post(bench, 6, &post);
        rig.ring(bench, 6);
        rig.run(bench, 20_000, |_, rig| rig.qps[6].ulpdus() == 5)?;
        rig.kill(bench, 6);
        rig.settle(bench)?;
        rig.quiet(bench)?;
        let before = rig.qps[6].ulpdus();
        assert!((5..9).contains(&before));
        rig.abandon(6);
        rig.terminate(bench, 6, &[0x11, 0x01, 0xC0, 0x00, 0x00, 0x20]);
        rig.end(bench, 6);
        rig.finish(bench)?;
        assert!(rig.qps[6].ulpdus() == before + 2 && rig.qps[6].stream.finished);
        // neither leaves twice
        rig.terminate(bench, 6, &[1; 30]);
        rig.end(bench, 6);
        rig.quiet(bench)?;
        assert_eq!((rig.qps[6].ulpdus(), rig.qps[6].stream.terminates.len()), (before + 2, 1));
        // a new connection has its own
        rig.set_up(bench, 6, 4, 300)?;
        let message = Message { opcode: 3, payload: octets(bench, 1_000), ..Message::default() };
        let post = rig.gathered(bench, 6, message, 1);
        rig.post(bench, 6, &post);
        rig.ring(bench, 6);
        rig.finish(bench)?;
        rig.terminate(bench, 6, &[7; 52]);
        rig.finish(bench).map(drop)
    });
}

#[test]
fn a_terminate_waits_for_the_end_of_a_good_message() {
    case("boundary", |bench, rig| {
        rig.set_up(bench, 6, 4, 300)?;
        let message = message(bench, 0, 10_000);
        let post = rig.gathered(bench, 6, message, 1);
        rig.post(bench, 6, &post);
        let after = rig.inlined(bench, Message { opcode: 3, ..Message::default() });
        rig.write_slot(bench, 6, &after.octets());
        rig.ring(bench, 6);
        rig.run(bench, 20_000, |_, rig| rig.qps[6].ulpdus() == 5)?;
        rig.terminate(bench, 6, &[0, 0, 0, 0]);
        rig.finish(bench)?;
        // the work request behind it stays
        assert!(rig.sent.last().is_some_and(|u| u[1] == 0x47));
        let payload = octets(bench, 10);
        rig.ask_for(bench, 6, payload);
        rig.quiet(bench)?;
        assert_eq!(rig.qps[6].stream.responses.len(), 1);
        rig.abandon(6);
        rig.end(bench, 6);
        rig.finish(bench)?;
        assert!(rig.qps[6].stream.finished);
        Ok(())
    });
}

#[test]
fn a_terminate_finds_room_in_a_full_ring() {
    silent("room", |bench, rig| {
        rig.set_up(bench, 6, 6, 1_454)?;
        for _ in 0..20 {
            let message = message(bench, 3, 10);
            let post = rig.inlined(bench, message);
            rig.post(bench, 6, &post);
        }
        rig.ring(bench, 6);
        rig.run(bench, 20_000, |_, rig| rig.qps[6].expected.len() == 20 - RING)?;
        rig.quiet(bench)?;
        rig.abandon(6);
        rig.terminate(bench, 6, &[0, 0, 0, 0]);
        rig.end(bench, 6);
        rig.finish(bench)?;
        assert!(rig.qps[6].stream.finished);
        Ok(())
    });
}
