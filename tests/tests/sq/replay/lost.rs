// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cannot be made or read again.
use super::*;

#[test]
fn a_message_that_cannot_be_made_again_is_a_fault() {
    type Spoil = fn(&mut Bench, &mut Rig, &Post);
    let solicited = |bench: &mut Bench, rig: &mut Rig, post: &Post| {
        let message = Message { opcode: 5, ..post.message.clone() };
        rig.rewrite(bench, 8, 0, &Post { message, ..post.clone() }.octets());
    };
    let shorter = |bench: &mut Bench, rig: &mut Rig, post: &Post| {
        let mut other = post.clone();
        other.message.payload.pop();
        other.sges[0].length -= 1;
        rig.rewrite(bench, 8, 0, &other.octets());
    };
    let emptied = |bench: &mut Bench, rig: &mut Rig, post: &Post| {
        let mut octets = post.octets();
        // the lengths of SGEs, behind their IOVAs
        post.sges.iter().enumerate().for_each(|(n, _)| octets[40 + 16 * n..][..4].fill(0));
        rig.rewrite(bench, 8, 0, &octets);
    };
    let half_emptied = |bench: &mut Bench, rig: &mut Rig, post: &Post| {
        let mut octets = post.octets();
        octets[40 + 16 * (post.sges.len() - 1)..][..4].fill(0);
        rig.rewrite(bench, 8, 0, &octets);
    };
    let in_line = |bench: &mut Bench, rig: &mut Rig, post: &Post| {
        let mut octets = post.octets();
        (octets[1], octets[2]) = (octets[1] | 0x40, 0);
        rig.rewrite(bench, 8, 0, &octets);
    };
    let spoils: [(Spoil, u64); 7] = [
        (solicited, PROT_ERR),
        (shorter, PROT_ERR),
        (emptied, LEN_ERR),
        (half_emptied, LEN_ERR),
        (in_line, OP_ERR),
        (|bench, rig, _| rig.unmap_slots(bench, 8), GENERAL_ERR),
        (|_, rig, post| post.sges.iter().for_each(|s| rig.revoke(s.key)), PROT_ERR),
    ];
    for (spoil, status) in spoils {
        silent("fault", |bench, rig| {
            rig.set_up(bench, 8, 4, 600)?;
            let first = post(bench, rig, 8, 3, 150);
            post(bench, rig, 8, 0, 900);
            rig.ring(bench, 8);
            rig.run(bench, 50_000, |_, rig| rig.qps[8].expected.is_empty())?;
            spoil(bench, rig, &first);
            rig.expire(bench, 8)?;
            rig.run(bench, 20_000, |_, rig| !rig.faults.is_empty())?;
            rig.quiet(bench)?;
            // the read that was refused is the one that the test made impossible
            let refused = bench.host(rig.slots).take_refused();
            assert_eq!(refused.len(), usize::from(status == GENERAL_ERR), "{refused:?}");
            let fault = Fault { qp: 8, error: STREAM_LOST, status, wr_id: Some(first.wr_id), is_local: true };
            assert_eq!((rig.faults.as_slice(), rig.left_again), (&[fault][..], 0));
            Ok(())
        });
    }
}

/// The slot is there, its payload is not any more.
#[test]
fn payload_that_cannot_be_read_again_is_a_fault() {
    silent("payload", |bench, rig| {
        rig.set_up(bench, 8, 4, 600)?;
        let first = post(bench, rig, 8, 3, 50);
        rig.ring(bench, 8);
        rig.run(bench, 50_000, |_, rig| rig.qps[8].expected.is_empty())?;
        rig.quiet(bench)?;
        for base in first.sges.iter().map(|s| rig.iova(s.key, s.addr) & !0xFFF) {
            bench.host(rig.payload).unmap(base).map_err(|e| e.to_string())?;
        }
        rig.expire(bench, 8)?;
        rig.run(bench, 20_000, |_, rig| !rig.faults.is_empty())?;
        rig.quiet(bench)?;
        assert!(!bench.host(rig.payload).take_refused().is_empty());
        let wr_id = Some(first.wr_id);
        let fault = Fault { qp: 8, error: STREAM_LOST, status: GENERAL_ERR, wr_id, is_local: true };
        assert_eq!((rig.faults.as_slice(), rig.again.len(), rig.left_again), (&[fault][..], 1, 0));
        assert_eq!(rig.unsent, [(8, true)]);
        Ok(())
    });
}
