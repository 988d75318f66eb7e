// SPDX-License-Identifier: MIT OR Apache-2.0
//! Batches, and completion queues full of anything.
use super::tests::{scene, Scene};
use super::*;
use crate::error::Error;
use crate::rings::INLINE_MOST;
use ferrowarp_abi::codec::{Cqe, QpRow, SendWqe};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind, wc_status};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use proptest::prelude::*;

/// The queue pair as one that has its connection.
fn connected(scene: &Scene) -> QueuePair<Connected> {
    scene.connect();
    QueuePair::connected(&scene.qp.0)
}

#[test]
fn a_batch_rings_once_at_its_end_however_it_ends() {
    let scene = scene();
    let qp = connected(&scene);
    let segment = scene.region.segment(0, 10).unwrap();
    let remote = Remote { stag: STag(0x100), to: TaggedOffset(0) };
    let mut sends = qp.sends();
    sends.send(1, &[segment]).post().unwrap();
    sends.write(2, &[segment; 4], remote).unsignaled().post().unwrap();
    sends.read(3, segment, remote).post().unwrap();
    assert_eq!(sends.posted(), 3);
    assert!(scene.rung(doorbell_kind::SQ).is_empty());
    sends.ring().unwrap();
    assert_eq!(scene.rung(doorbell_kind::SQ), [4], "blocks: the Write has two");
    drop(qp.sends());
    qp.sends().send(4, &[segment]).post().unwrap();
    assert_eq!(scene.rung(doorbell_kind::SQ), [4, 5]);
    let mut receives = qp.receives();
    (0..2).for_each(|wr_id| receives.post(wr_id, &[segment]).unwrap());
    assert!(matches!(receives.post(2, &[segment]), Err(Error::Full { queue: "receive", .. })));
    drop(receives);
    assert_eq!(scene.rung(doorbell_kind::RQ), [2]);
}

#[test]
fn a_verb_that_is_chosen_at_run_time_makes_the_request_of_its_own_method() {
    let scene = scene();
    let options = QpOptions { sends: 8, receives: 3 };
    let qp = scene.device.queue_pair(&scene.pd, [&scene.cq; 2], options).unwrap();
    qp.0.bind().unwrap();
    qp.0.row(1, 1);
    qp.0.connected();
    let sq = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[1].1).unwrap().sq_base;
    let qp = QueuePair::connected(&qp.0);
    let segment = scene.region.segment(0, 10).unwrap();
    let remote = Remote { stag: STag(0x100), to: TaggedOffset(7) };
    let mut sends = qp.sends();
    sends.send(1, &[segment]).solicited().invalidate(STag(5)).post().unwrap();
    sends.any(1, AnyVerb::send(&[segment], true, Some(STag(5)))).post().unwrap();
    sends.write(2, &[segment], remote).unsignaled().post().unwrap();
    sends.any(2, AnyVerb::write(&[segment], remote)).unsignaled().post().unwrap();
    sends.read(3, segment, remote).fenced().post().unwrap();
    sends.any(3, AnyVerb::read(&[segment], remote)).fenced().post().unwrap();
    sends.write_inline(4, b"octets", remote).post().unwrap();
    sends.any(4, AnyVerb::write(&[], remote).inline(b"octets")).post().unwrap();
    sends.ring().unwrap();
    for nth in [0, 128, 256, 384] {
        assert_eq!(scene.fake.octets(sq + nth, 64), scene.fake.octets(sq + nth + 64, 64), "{nth}");
    }
}

#[test]
fn what_is_refused_in_a_batch_leaves_the_rest() {
    let scene = scene();
    let qp = connected(&scene);
    let segment = scene.region.segment(0, 10).unwrap();
    let long = [Segment {
        sge: ferrowarp_abi::codec::Sge { length: ByteCount(u32::MAX), ..segment.sge },
        ..segment
    }; 2];
    let mut sends = qp.sends();
    sends.send(1, &[segment]).post().unwrap();
    let many = sends.send(2, &[segment; 5]).post().unwrap_err().to_string();
    assert!(many.contains("5 segments in a work request; send requests take up to 4"), "{many}");
    let long = sends.send(3, &long).post().unwrap_err().to_string();
    assert!(long.contains("a message of 8589934590 octets"), "{long}");
    let inline = sends.send_inline(4, &[0; INLINE_MOST + 1]).post().unwrap_err();
    assert!(matches!(inline, Error::Inline { octets: 97, most: INLINE_MOST }), "{inline}");
    assert!(inline.to_string().contains("97 octets inline; at most 96 fit"), "{inline}");
    sends.send_inline(5, &[7; INLINE_MOST]).post().unwrap();
    sends.ring().unwrap();
    assert_eq!(scene.rung(doorbell_kind::SQ), [3]);
    let sq = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[0].1).unwrap().sq_base;
    let head = SendWqe::parse(&scene.fake.octets(sq + 64, 32)).unwrap();
    assert_eq!((head.is_inline, head.length.0, head.num_sge), (true, 96, 0));
    assert_eq!(scene.fake.octets(sq + 96, 96), [7; 96]);
    [0, 1].iter().for_each(|&index| scene.done(index, false, wc_status::SUCCESS));
    assert_eq!(scene.polled().iter().map(|done| done.0).collect::<Vec<_>>(), [1, 5]);
    let three = qp.post_recv(6, &[segment; 4]).unwrap_err().to_string();
    assert!(three.contains("receive requests take up to 3"), "{three}");
}

/// Each of them may be inline, fenced and unsignaled, and takes the blocks that it fills.
#[test]
fn completions_name_the_first_blocks_of_requests_of_both_sizes() {
    let scene = scene();
    let options = QpOptions { sends: 6, receives: 3 };
    let qp = scene.device.queue_pair(&scene.pd, [&scene.cq; 2], options).unwrap();
    qp.0.bind().unwrap();
    qp.0.row(1, 1);
    qp.0.connected();
    let sq = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[1].1).unwrap().sq_base;
    let sends = QueuePair::connected(&qp.0);
    let segment = scene.region.segment(0, 10).unwrap();
    let remote = Remote { stag: STag(0x100), to: TaggedOffset(0) };
    let mut batch = sends.sends();
    batch.send_inline(0, &[1; 33]).fenced().post().unwrap();
    batch.write_inline(1, &[2; 32], remote).unsignaled().post().unwrap();
    batch.write_inline(2, &[3; INLINE_MOST], remote).unsignaled().fenced().post().unwrap();
    batch.write(3, &[segment; 3], remote).post().unwrap();
    batch.read(4, segment, remote).fenced().post().unwrap();
    let long = batch.write_inline(9, &[0; INLINE_MOST + 1], remote).unsignaled().post().unwrap_err();
    assert!(matches!(long, Error::Inline { octets: 97, most: INLINE_MOST }), "{long}");
    batch.ring().unwrap();
    assert_eq!(scene.rung(doorbell_kind::SQ), [8]);
    let head = |block: u64| SendWqe::parse(&scene.fake.octets(sq + 64 * block, 32)).unwrap();
    let kinds =
        [0, 2, 3, 5, 7].map(head).map(|head| (head.opcode, head.blocks, head.is_inline, head.is_fenced));
    let want = [
        (3, 2, true, true),
        (0, 1, true, false),
        (0, 2, true, true),
        (0, 2, false, false),
        (1, 1, false, true),
    ];
    assert_eq!(kinds, want);
    assert_eq!(scene.fake.octets(sq + 64 * 3 + 32, INLINE_MOST), [3; INLINE_MOST]);
    (0..3).for_each(|n| qp.post_recv(10 + n, &[segment; 2]).unwrap());
    assert!(matches!(qp.post_recv(13, &[]), Err(Error::Full { queue: "receive", most: 3 })));

    let done = |index, is_recv| {
        scene.fake.complete(0, Cqe { index, qp: qp.number(), is_recv, has_wr: true, ..Default::default() });
    };
    let stray = |index, why: &str| {
        done(index, false);
        let told = scene.cq.poll().unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    };
    let polled = || scene.polled().iter().map(|done| done.0).collect::<Vec<_>>();
    stray(1, "request 1 is not outstanding; 5 are, the oldest is 0");
    stray(5, "request 5 completes before request 0");
    [0, 5].into_iter().for_each(|index| done(index, false));
    [0, 2].into_iter().for_each(|index| done(index, true));
    assert_eq!(polled(), [0, 3, 10, 11]);
    done(7, false);
    assert_eq!(polled(), [4]);
    stray(7, "request 7 is not outstanding; none is");
    done(4, true);
    assert_eq!(polled(), [12]);
}

/// A ring has two blocks for each request that was asked for.
#[test]
fn the_blocks_of_a_queue_last_as_long_as_its_requests() {
    let scene = scene();
    scene.connect();
    let qp = QueuePair::connected(&scene.qp.0);
    let row = QpRow::parse(&scene.fake.told(admin_opcode::QP_WRITE)[0].1).unwrap();
    assert_eq!((row.sq_log2, row.rq_log2), (4, 2));
    let segment = scene.region.segment(0, 10).unwrap();
    for turn in 0..3 {
        (0..8).for_each(|n| qp.send(n, &[segment; 4]).post().unwrap());
        (0..2).for_each(|n| qp.post_recv(n, &[segment; 3]).unwrap());
        let full = qp.send(9, &[]).post();
        assert!(matches!(full, Err(Error::Full { queue: "send", most: 8 })), "{full:?}");
        assert!(matches!(qp.post_recv(9, &[]), Err(Error::Full { queue: "receive", most: 2 })));
        (0..8).for_each(|n| scene.done(16 * turn + 2 * n, false, wc_status::SUCCESS));
        (0..2).for_each(|n| scene.done(4 * turn + 2 * n, true, wc_status::SUCCESS));
        assert_eq!(
            scene.polled().iter().map(|done| done.0).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
        );
    }
}

#[test]
fn a_batch_of_completions_gives_its_slots_back_once() {
    let scene = scene();
    let qp = connected(&scene);
    (0..2).for_each(|wr_id| qp.post_recv(wr_id, &[]).unwrap());
    (0..2).for_each(|index| scene.done(index, true, wc_status::SUCCESS));
    scene.fake.complete(0, Cqe { status: 99, ..Default::default() });
    let mut all = vec![];
    assert_eq!(scene.cq.poll_into(&mut all, 1).unwrap(), 1);
    assert_eq!(scene.cq.poll_into(&mut all, 9).unwrap(), 1, "an entry that cannot be ends a batch");
    assert_eq!(all.iter().map(|done| done.wr_id).collect::<Vec<_>>(), [0, 1]);
    let bad = scene.cq.poll_into(&mut all, 9).unwrap_err().to_string();
    assert!(bad.contains("status 99 is unknown"), "{bad}");
    assert_eq!(scene.cq.poll_into(&mut all, 9).unwrap(), 0);
    assert_eq!(scene.rung(doorbell_kind::CQ_CONSUMER), [1, 3]);
    // what is flushed comes in batches, too
    (2..4).for_each(|wr_id| qp.post_recv(wr_id, &[]).unwrap());
    scene.qp.0.fail();
    assert_eq!((scene.cq.poll_into(&mut all, 1).unwrap(), scene.cq.poll_into(&mut all, 9).unwrap()), (1, 1));
    assert_eq!(
        all[2..].iter().map(|done| (done.wr_id, done.status)).collect::<Vec<_>>(),
        [(2, Status::Flushed), (3, Status::Flushed)]
    );
}

#[test]
fn a_queue_pair_says_where_it_is_and_what_it_holds() {
    let scene = scene();
    let limits = QpLimits { sends: 2, receives: 2, send_segments: 4, receive_segments: 3, inline: 96 };
    assert_eq!((scene.qp.limits(), scene.qp.state()), (limits, QpState::Idle));
    scene.qp.0.bind().unwrap();
    assert_eq!(scene.qp.state(), QpState::Connecting);
    scene.qp.0.connected();
    assert_eq!(scene.qp.state(), QpState::Connected);
    scene.qp.0.fail();
    assert_eq!(scene.qp.state(), QpState::Error);
    assert_eq!(scene.device.capabilities().queue_pairs, 2);
}

#[test]
#[cfg(not(miri))] // whose addresses are not those of /proc/self/maps
fn memory_that_is_not_there_or_not_writable_is_refused() {
    let scene = scene();
    let text = "a constant";
    let start = std::ptr::NonNull::from(text.as_bytes()).cast::<u8>();
    // SAFETY: nobody accesses the region's octets; those of a constant live for ever.
    let register = |start, octets, access| unsafe { scene.pd.register_foreign(start, octets, access) };
    let refused = register(start, text.len(), Access::LOCAL).unwrap_err().to_string();
    assert!(refused.contains("is read-only"), "{refused}");
    assert_eq!(register(start, text.len(), Access::default()).unwrap().memory().len(), text.len());
    let nowhere = std::ptr::NonNull::new(8 as *mut u8).unwrap();
    let refused = register(nowhere, 4, Access::default()).unwrap_err().to_string();
    assert!(refused.contains("no readable memory is mapped at 0x8"), "{refused}");
    assert!(register(nowhere, usize::MAX, Access::default()).is_err());
    assert!(register(start, 0, Access::default()).is_err());
    let mut buffer = vec![1, 2, 3];
    let mapped = scene.fake.mapped();
    let written = scene.pd.with_registered(&mut buffer, Access::ALL, |region| {
        assert_eq!(scene.fake.mapped(), mapped + 1);
        region.memory().write(1, &[9])
    });
    written.unwrap().unwrap();
    assert_eq!((buffer, scene.fake.mapped()), (vec![1, 9, 3], mapped));
}

proptest! {
    /// A device writes anything into a completion queue that is in use: entries are completions,
    /// nothing, or errors; each request completes once at most, and nothing panics.
    #[test]
    fn any_entries_complete_each_request_once_at_most(
        entries in prop::collection::vec(prop::collection::vec(any::<u8>(), Cqe::LEN), 1..16),
        indices in prop::collection::vec(0_u32..5, 16),
        tame in any::<u16>(),
    ) {
        let scene = scene();
        let qp = connected(&scene);
        let segment = scene.region.segment(0, 10).unwrap();
        for wr_id in 0..2 {
            qp.send(wr_id, &[segment]).post().unwrap();
            qp.post_recv(2 + wr_id, &[segment]).unwrap();
        }
        for (nth, octets) in entries.iter().enumerate() {
            let any = Cqe::parse(octets).unwrap();
            // half of them are nearly right, so that they get further
            let nearly = Cqe { index: indices[nth], qp: 0, status: any.status % 12, has_wr: true, ..any };
            scene.fake.complete(0, if tame >> nth & 1 == 1 { nearly } else { any });
        }
        let mut seen = vec![];
        // behind the entries the connection manager hears of the error
        for is_told in [false, true] {
            if is_told && qp.state() == QpState::Error {
                qp.0.fail();
            }
            for _ in 0..=2 * entries.len() + 8 {
                match scene.cq.poll() {
                    Ok(Some(done)) => seen.push(done.wr_id),
                    Ok(None) => break,
                    Err(why) => prop_assert!(matches!(why, Error::Entry(_)), "{}", why),
                }
            }
        }
        prop_assert!(scene.cq.poll().unwrap().is_none(), "the queue comes to its end");
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), count);
        if qp.state() == QpState::Error {
            prop_assert_eq!(seen, [0, 1, 2, 3], "in error everything completes");
        }
    }
}
