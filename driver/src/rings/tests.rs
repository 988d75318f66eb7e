// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings against whatever a device may write.
use super::*;
use crate::backend::fake::Fake;
use ferrowarp_abi::codec::{Cqe, Event, RawDescriptor, RawHead};
use ferrowarp_abi::consts::{doorbell_kind, event_kind};
use ferrowarp_abi::host::raw::RAW_SLOT;
use proptest::prelude::*;

fn fake() -> (Arc<Fake>, Arc<dyn Backend>) {
    let fake = Fake::new();
    (fake.clone(), fake)
}

/// Takes from a ring until nothing is there: entries, and errors of the ring; no other error may
/// come. After as many as there are slots nothing is there: the phase is that of the next turn.
fn drain<T>(slots: usize, mut take: impl FnMut() -> Result<Option<T>, Error>) -> (usize, usize) {
    let (mut entries, mut bad) = (0, 0);
    for _ in 0..=slots {
        match take() {
            Ok(Some(_)) => entries += 1,
            Ok(None) => break,
            Err(Error::Entry(_)) => bad += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(entries + bad <= slots);
    (entries, bad)
}

/// Octets of a ring, each slot with the phase of its first turn.
fn ring(slots: usize, octets: usize, phase_at: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), slots * octets).prop_map(move |mut all| {
        all.chunks_mut(octets).for_each(|slot| slot[phase_at] |= 1);
        all
    })
}

proptest! {
    /// Wherever the ring is in its turn: of a queue pair that is gone no entry comes, of others all
    /// do, in their order, and the device goes on behind them.
    #[test]
    fn entries_of_a_queue_pair_that_is_gone_are_taken_out(
        before in 0_u32..20,
        there in proptest::collection::vec(0_u16..3, 0..=8),
        after in proptest::collection::vec(1_u16..3, 0..8),
    ) {
        let (fake, backend) = fake();
        let mut cq = CompletionRing::new(&backend, 0, 3).unwrap();
        fake.place(0, cq.row());
        let mut count = 0;
        let mut write = |qp: u16| {
            fake.complete(0, Cqe { index: count, qp, ..Default::default() });
            count += 1;
        };
        for _ in 0..before {
            write(0);
            prop_assert!(cq.take().unwrap().is_some());
        }
        there.iter().for_each(|qp| write(*qp));
        prop_assert_eq!(cq.forget(0), there.contains(&0));
        let behind = 8 - there.iter().filter(|qp| **qp != 0).count();
        let after = &after[..after.len().min(behind)];
        after.iter().for_each(|qp| write(*qp));
        let all = there.iter().chain(after).zip(before..).filter(|(qp, _)| **qp != 0);
        for (qp, index) in all {
            let taken = cq.take().unwrap().map(|cqe| (cqe.qp, cqe.index));
            prop_assert_eq!(taken, Some((*qp, index)));
        }
        prop_assert_eq!(cq.take().unwrap(), None);
    }
}

proptest! {
    #[test]
    fn any_octets_are_completions_or_errors(octets in ring(8, Cqe::LEN, Cqe::LEN - 1)) {
        let (fake, backend) = fake();
        let mut cq = CompletionRing::new(&backend, 3, 3).unwrap();
        fake.store(cq.row().base, &octets);
        let known = octets.chunks(Cqe::LEN).filter(|slot| slot[14] <= 10).count();
        prop_assert_eq!(drain(8, || {
            let taken = cq.take();
            if !matches!(taken, Ok(None)) {
                cq.ring().unwrap();
            }
            taken
        }), (known, 8 - known));
        let told: Vec<_> = fake.state().doorbells.iter().map(|d| (d.kind, d.number, d.value)).collect();
        let all: Vec<_> = (1..=8).map(|n| (doorbell_kind::CQ_CONSUMER, 3, n)).collect();
        prop_assert_eq!(told, all);
    }

    #[test]
    fn any_octets_are_events_or_errors(octets in ring(8, Event::LEN, Event::LEN - 1)) {
        let (fake, backend) = fake();
        let mut events = EventRing::new(&backend, 3).unwrap();
        fake.store(events.row().base, &octets);
        let known = octets.chunks(Event::LEN).filter(|slot| (event_kind::CQ_NOTIFY..=event_kind::RAW_RX).contains(&slot[0])).count();
        prop_assert_eq!(drain(8, || events.take()), (known, 8 - known));
    }

    #[test]
    fn any_heads_are_frames_or_errors(heads in ring(8, RawHead::LEN, RawHead::LEN - 1), right in any::<u8>()) {
        let (fake, backend) = fake();
        let mut raw = RawReceiveRing::new(&backend, 3).unwrap();
        let base = raw.row().1.base;
        let mut known = 0;
        for (nth, head) in heads.chunks(RawHead::LEN).enumerate() {
            let mut head = head.to_vec();
            if right >> nth & 1 == 1 {
                head[4..8].copy_from_slice(&(nth as u32).to_be_bytes());
            }
            let index = u32::from_be_bytes(head[4..8].try_into().unwrap());
            let fits = usize::from(u16::from_be_bytes([head[0], head[1]])) <= RAW_SLOT - 16;
            known += usize::from(fits && index == nth as u32);
            fake.store(base + (nth * RAW_SLOT) as u64, &head);
        }
        prop_assert_eq!(drain(8, || raw.take()), (known, 8 - known));
    }
}

#[test]
fn a_frame_is_what_stands_behind_its_head() {
    let (fake, backend) = fake();
    let mut raw = RawReceiveRing::new(&backend, 1).unwrap();
    let base = raw.row().1.base;
    for turn in 0..6_u32 {
        assert!(raw.take().unwrap().is_none());
        let at = base + u64::from(turn % 2) * RAW_SLOT as u64;
        let frame = vec![turn as u8 + 1; 60 + turn as usize];
        fake.store(at + 16, &frame);
        let phase = (turn / 2) % 2 == 0;
        let head = RawHead { length: frame.len() as u16, reason: 5, index: turn, phase };
        fake.store(at, &head.octets().unwrap());
        let got = raw.take().unwrap().unwrap();
        assert_eq!((got.index, got.octets), (turn, frame));
        assert_eq!(got.reason, ferrowarp_firmware::port::RawReason::NoConnection);
    }
}

#[test]
fn frames_to_send_wait_for_a_free_slot() {
    let (fake, backend) = fake();
    let mut raw = RawSendRing::new(&backend, 1).unwrap();
    let base = raw.row().1.base;
    assert!(raw.put(&[1; 60]).unwrap().is_ok());
    assert!(raw.put(&[2; 61]).unwrap().is_ok());
    assert!(raw.put(&[3; 62]).unwrap().is_err(), "both slots are in use");
    fake.state().raw_sent = 1;
    assert!(raw.put(&[3; 62]).unwrap().is_ok());
    assert!(raw.put(&[4; 62]).unwrap().is_err(), "both are again");
    fake.state().raw_sent = 4;
    assert!(raw.put(&[4; 62]).is_err(), "three frames were given");
    fake.state().raw_sent = 3;
    assert!(raw.put(&[4; RAW_SLOT]).unwrap().is_err(), "longer than a slot");
    let descriptor = RawDescriptor::parse(&fake.octets(base, 16)).unwrap();
    assert_eq!(descriptor.length, 62);
    assert!(descriptor.iova.is_multiple_of(8));
    assert_eq!(fake.octets(descriptor.iova, 62), [3; 62]);
    let rung: Vec<_> = fake.state().doorbells.iter().map(|d| d.value).collect();
    assert_eq!(rung, [1, 2, 3]);
}
