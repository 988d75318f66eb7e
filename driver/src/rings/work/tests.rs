// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the device finds in the blocks of its work queues.
use super::*;
use crate::backend::fake::Fake;

fn fake() -> (Arc<Fake>, Arc<dyn Backend>) {
    let fake = Fake::new();
    (fake.clone(), fake)
}

fn sge(to: u64, length: u32) -> Sge {
    Sge { to: TaggedOffset(to), length: ByteCount(length), key: STag(0x955) }
}

/// Gathers or scatters that differ.
fn segments(count: usize) -> Vec<Sge> {
    (1..).take(count).map(|n| sge(0x1000 * n, n as u32)).collect()
}

fn gathers(segments: &[Sge]) -> SendRequest<'_> {
    SendRequest { payload: Payload::Segments(segments), ..Default::default() }
}

fn inline(octets: &[u8]) -> SendRequest<'_> {
    SendRequest { payload: Payload::Inline(octets), ..Default::default() }
}

/// What block `nth` of a ring has, and the block behind it.
fn blocks(fake: &Fake, (base, log2): (u64, u8), block: usize, nth: u32) -> Vec<u8> {
    let at = |nth: u32| base + u64::from(nth & ((1 << log2) - 1)) * block as u64;
    [nth, nth.wrapping_add(1)].map(|nth| fake.octets(at(nth), block)).concat()
}

/// The segments behind the head of a request.
fn parsed(octets: &[u8], count: usize) -> Vec<Sge> {
    octets.chunks(Sge::LEN).take(count).map(|sge| Sge::parse(sge).unwrap()).collect()
}

#[test]
fn requests_say_what_was_posted() {
    let (fake, backend) = fake();
    let mut sends = SendRing::new(&backend, 5, 2).unwrap();
    let all = segments(2);
    let request = SendRequest { opcode: 3, is_signaled: true, is_fenced: true, ..gathers(&all) };
    sends.put(&request).unwrap();
    sends.ring().unwrap();
    let octets = blocks(&fake, sends.place(), SEND_BLOCK, 0);
    let head = SendWqe::parse(&octets).unwrap();
    assert_eq!((head.opcode, head.num_sge, head.length.0, head.blocks, head.flags), (3, 2, 3, 1, 0));
    assert!(head.is_signaled && head.is_fenced && !head.is_inline);
    assert_eq!(parsed(&octets[SendWqe::LEN..], 2), all);
    sends.put(&inline(&[7; INLINE_MOST])).unwrap();
    sends.ring().unwrap();
    let octets = blocks(&fake, sends.place(), SEND_BLOCK, 1);
    let head = SendWqe::parse(&octets).unwrap();
    assert_eq!((head.blocks, head.length.0, head.num_sge), (2, 96, 0));
    assert!(head.is_inline && !head.is_signaled && !head.is_fenced);
    assert_eq!(octets[SendWqe::LEN..], [7; INLINE_MOST]);

    let mut receives = ReceiveRing::new(&backend, 5, 1).unwrap();
    receives.put(&[sge(0x3000, 5)]).unwrap();
    receives.ring().unwrap();
    let octets = blocks(&fake, receives.place(), RECV_BLOCK, 0);
    assert_eq!(RecvWqe::parse(&octets).unwrap(), RecvWqe { num_sge: 1, blocks: 1, flags: 0 });
    assert_eq!(parsed(&octets[RecvWqe::LEN..], 1), [sge(0x3000, 5)]);
    let told: Vec<_> = fake.state().doorbells.iter().map(|d| (d.kind, d.number, d.value)).collect();
    let (sq, rq) = (doorbell_kind::SQ, doorbell_kind::RQ);
    assert_eq!(told, [(sq, 5, 1), (sq, 5, 3), (rq, 5, 1)]);
}

#[test]
fn a_request_takes_the_blocks_that_it_fills() {
    let (fake, backend) = fake();
    let mut sends = SendRing::new(&backend, 5, 5).unwrap();
    let mut put = |request: SendRequest<'_>| {
        let first = sends.index();
        sends.put(&request).unwrap();
        let octets = blocks(&fake, sends.place(), SEND_BLOCK, first);
        let head = SendWqe::parse(&octets).unwrap();
        assert_eq!(sends.index() - first, u32::from(head.blocks));
        (head.blocks, octets[SendWqe::LEN..].to_vec())
    };
    for (count, most) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2)] {
        let all = segments(count);
        let (blocks, octets) = put(gathers(&all));
        assert_eq!((blocks, parsed(&octets, count)), (most, all), "{count} segments");
    }
    for (count, most) in [(0, 1), (1, 1), (31, 1), (32, 1), (33, 2), (95, 2), (96, 2)] {
        let all: Vec<_> = (1..).take(count).collect();
        let (blocks, octets) = put(inline(&all));
        assert_eq!((blocks, &octets[..count]), (most, &all[..]), "{count} octets");
    }
    let mut receives = ReceiveRing::new(&backend, 5, 3).unwrap();
    for (count, most) in [(0, 1), (1, 1), (2, 2), (3, 2)] {
        let (all, first) = (segments(count), receives.index());
        receives.put(&all).unwrap();
        let octets = blocks(&fake, receives.place(), RECV_BLOCK, first);
        let head = RecvWqe::parse(&octets).unwrap();
        assert_eq!(head, RecvWqe { num_sge: count as u8, blocks: most, flags: 0 });
        assert_eq!(receives.index() - first, u32::from(most));
        assert_eq!(parsed(&octets[RecvWqe::LEN..], count), all);
    }
}

/// At the end of the ring, and at the end of what 32 bits count.
#[test]
fn the_second_block_of_the_last_one_is_the_first() {
    let (fake, backend) = fake();
    let (gathered, scattered) = (segments(SEND_SEGMENTS), segments(RECEIVE_SEGMENTS));
    for last in [3, 7, u32::MAX] {
        let mut sends = SendRing::new(&backend, 5, 2).unwrap();
        sends.0.step_by(last);
        sends.put(&gathers(&gathered)).unwrap();
        assert_eq!(sends.index(), last.wrapping_add(2));
        let octets = blocks(&fake, sends.place(), SEND_BLOCK, 3);
        let head = SendWqe::parse(&octets).unwrap();
        assert_eq!((head.blocks, head.num_sge, head.length.0), (2, 4, 10));
        assert_eq!(parsed(&octets[SendWqe::LEN..], SEND_SEGMENTS), gathered);
        assert_eq!(fake.octets(sends.place().0, SEND_BLOCK), octets[SEND_BLOCK..]);
        sends.ring().unwrap();

        let mut receives = ReceiveRing::new(&backend, 5, 2).unwrap();
        receives.0.step_by(last);
        receives.put(&scattered).unwrap();
        let octets = blocks(&fake, receives.place(), RECV_BLOCK, 3);
        assert_eq!(RecvWqe::parse(&octets).unwrap(), RecvWqe { num_sge: 3, blocks: 2, flags: 0 });
        assert_eq!(parsed(&octets[RecvWqe::LEN..], RECEIVE_SEGMENTS), scattered);
        receives.ring().unwrap();
    }
    let told: Vec<_> = fake.state().doorbells.iter().map(|d| d.value).collect();
    assert_eq!(told, [5, 5, 9, 9, 1, 1]);
}

#[test]
fn what_fits_no_request_is_refused_with_its_number() {
    let (fake, backend) = fake();
    let mut sends = SendRing::new(&backend, 5, 1).unwrap();
    let (sge, octets) = ([sge(0, u32::MAX); 5], [0; 97]);
    let refused = [
        (gathers(&sge), "5 segments in a work request; send requests take up to 4"),
        (gathers(&sge[..2]), "a message of 8589934590 octets"),
        (gathers(&sge[..3]), "a message of 12884901885 octets"),
        (inline(&octets), "97 octets inline; at most 96 fit"),
    ];
    for (request, why) in refused {
        assert!(request.octets().unwrap_err().to_string().contains(why), "{why}");
        assert!(sends.put(&request).unwrap_err().to_string().contains(why), "{why}");
    }
    let mut receives = ReceiveRing::new(&backend, 5, 1).unwrap();
    assert!(matches!(receives.put(&sge[..4]), Err(Error::Segments { queue: "receive", given: 4, most: 3 })));
    assert_eq!((sends.index(), receives.index()), (0, 0));
    assert!(fake.state().doorbells.is_empty());
}

/// In one block, and in two.
#[test]
fn a_message_has_less_than_2_to_the_32_octets() {
    const MOST: u32 = u32::MAX;
    let (fake, backend) = fake();
    let mut sends = SendRing::new(&backend, 5, 3).unwrap();
    let fits: [&[u32]; 4] =
        [&[MOST], &[MOST - 1, 1], &[1, 0, MOST - 1], &[1 << 30, 1 << 30, 1 << 30, (1 << 30) - 1]];
    let long: [&[u32]; 4] = [&[MOST, 1], &[1 << 31, 1 << 31], &[1, 0, MOST], &[1 << 30; 4]];
    let all = |lengths: &[u32]| lengths.iter().map(|length| sge(0x1000, *length)).collect::<Vec<_>>();
    for opcode in [0, 3] {
        for lengths in long {
            let (index, all) = (sends.index(), all(lengths));
            let refused = sends.put(&SendRequest { opcode, ..gathers(&all) });
            assert!(matches!(refused, Err(Error::Long(0x1_0000_0000))), "{lengths:?}: {refused:?}");
            assert_eq!(sends.index(), index, "{lengths:?}");
        }
        for lengths in fits {
            let (index, all) = (sends.index(), all(lengths));
            sends.put(&SendRequest { opcode, ..gathers(&all) }).unwrap();
            let head = SendWqe::parse(&blocks(&fake, sends.place(), SEND_BLOCK, index)).unwrap();
            assert_eq!(
                (head.length.0, head.opcode, usize::from(head.num_sge)),
                (MOST, opcode, lengths.len())
            );
        }
    }
    assert!(fake.state().doorbells.is_empty());
}
