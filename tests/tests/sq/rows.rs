// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the DDP and RDMAP matrices that the send queue proves on the emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use ferrowarp_tests::sq::{message, octets, Manners, Message, Post, Rig, Sge};

/// Sends messages of one queue pair, each gathered from two places, and gives the ULPDUs of each.
fn ulpdus(
    bench: &mut Bench,
    rig: &mut Rig,
    mulpdu: usize,
    messages: &[Message],
) -> Result<Vec<Vec<Vec<u8>>>, String> {
    rig.set_up(bench, 1, 6, mulpdu)?;
    for message in messages {
        let gathers = 2 * usize::from(!message.payload.is_empty());
        let post = rig.gathered(bench, 1, message.clone(), gathers);
        rig.post(bench, 1, &post);
    }
    rig.ring(bench, 1);
    rig.sent.clear();
    rig.finish(bench)?;
    let mut sent: Vec<Vec<u8>> = std::mem::take(&mut rig.sent);
    let mut split = vec![];
    for message in messages {
        let mut left = message.payload.len();
        let mut of_one = vec![];
        loop {
            let ulpdu = sent.remove(0);
            left -= payload(&ulpdu).len();
            of_one.push(ulpdu);
            if left == 0 {
                break;
            }
        }
        split.push(of_one);
    }
    assert!(sent.is_empty(), "{} ULPDUs too many", sent.len());
    Ok(split)
}

/// Octets behind the header.
fn payload(ulpdu: &[u8]) -> &[u8] {
    &ulpdu[if ulpdu[0] & 0x80 == 0 { 18 } else { 14 }..]
}

fn number(octets: &[u8]) -> u64 {
    octets.iter().fold(0, |n, &b| n << 8 | u64::from(b))
}

fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    for manners in [Manners::steady(), Manners::rough()] {
        run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, manners);
            body(bench, &mut rig)
        });
    }
}

/// A message of `length` octets to `stag`, `to`.
fn to(bench: &mut Bench, opcode: u8, stag: u32, to: u64, length: usize) -> Message {
    Message { opcode, stag, to, payload: octets(bench, length) }
}

#[test]
fn the_untagged_example_of_the_rfc() {
    let _proof = proves_model_rows(&["DDP-5.2-07", "DDP-5.2-08", "DDP-4.3-20"]);
    case("untagged", |bench, rig| {
        let messages = [to(bench, 3, 9, 9, 2_048), to(bench, 3, 9, 9, 0)];
        let got = ulpdus(bench, rig, 1_500, &messages)?;
        let lengths: Vec<_> = got[0].iter().map(Vec::len).collect();
        assert_eq!(lengths, [1_500, 584]);
        assert_eq!(got[0].iter().map(|u| number(&u[14..18])).collect::<Vec<_>>(), [0, 1_482]);
        assert_eq!(got[0].iter().map(|u| u[0] & 0x40).collect::<Vec<_>>(), [0, 0x40]);
        assert_eq!((got[1].len(), number(&got[1][0][14..18])), (1, 0));
        Ok(())
    });
}

#[test]
fn the_tagged_example_of_the_rfc() {
    let _proof = proves_model_rows(&["DDP-5.2-13", "DDP-5.2-14"]);
    case("tagged", |bench, rig| {
        let messages = [to(bench, 0, 0x1234, 16_384, 2_048)];
        let got = ulpdus(bench, rig, 1_500, &messages)?;
        let seen: Vec<_> = got[0].iter().map(|u| (u.len(), u[0], number(&u[6..14]))).collect();
        assert_eq!(seen, [(1_500, 0x81, 16_384), (576, 0xC1, 17_870)]);
        Ok(())
    });
}

#[test]
fn zero_length_messages_have_one_segment() {
    let _proof = proves_model_rows(&["RDMAP-3.1-08", "DDP-4.1-04"]);
    case("zero", |bench, rig| {
        let messages = [0, 3].map(|opcode| to(bench, opcode, 7, 8, 0));
        let more = [(0, 1), (3, 1), (0, 10 * 508), (3, 10 * 504)].map(|(o, n)| to(bench, o, 7, 8, n));
        let got = ulpdus(bench, rig, 522, &[&messages[..], &more[..]].concat())?;
        assert_eq!((got[0][0].len(), got[1][0].len()), (14, 18));
        assert_eq!(got.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1, 1, 10, 10]);
        assert!(got.iter().all(|m| m[m.len() - 1][0] & 0x40 != 0));
        Ok(())
    });
}

#[test]
fn l_is_set_on_the_last_segment_only() {
    let _proof = proves_model_rows(&["DDP-4.1-05", "DDP-4.1-07", "DDP-5.3-03"]);
    case("last", |bench, rig| {
        let messages = [to(bench, 3, 7, 8, 10 * 504), to(bench, 0, 7, 8, 10 * 508)];
        let got = ulpdus(bench, rig, 522, &messages)?;
        for (message, offset) in got.iter().zip([14..18, 6..14]) {
            assert_eq!(message.len(), 10);
            assert!(message[..9].iter().all(|u| u[0] & 0x40 == 0));
            let offsets: Vec<_> = message.iter().map(|u| number(&u[offset.clone()])).collect();
            assert!(offsets.windows(2).all(|w| w[0] < w[1]), "{offsets:?}");
        }
        Ok(())
    });
}

#[test]
fn control_octet_of_every_segment() {
    let _proof = proves_model_rows(&["DDP-4.1-01", "DDP-4.1-10", "DDP-4.4-01"]);
    case("control", |bench, rig| {
        let messages: Vec<_> =
            [(0, 0), (0, 3_000), (3, 0), (3, 3_000), (5, 2_000)].map(|(o, n)| message(bench, o, n)).into();
        let got = ulpdus(bench, rig, 1_454, &messages)?;
        let controls: Vec<_> = got.iter().flatten().map(|u| u[0]).collect();
        assert!(controls.iter().all(|c| [0x01, 0x41, 0x81, 0xC1].contains(c) && c & 0x3C == 0));
        assert!([0x01, 0x41, 0x81, 0xC1].iter().all(|c| controls.contains(c)));
        assert!(got.iter().flatten().all(|u| u.len() >= if u[0] & 0x80 == 0 { 18 } else { 14 }));
        Ok(())
    });
}

#[test]
fn fields_of_a_tagged_header() {
    let _proof = proves_model_rows(&["DDP-4.2-11", "DDP-4.2-13", "RDMAP-3.1-04"]);
    case("stag", |bench, rig| {
        let messages = [to(bench, 0, 0xDEAD_BE01, 0x0102_0304_0506_0708, 4_000)];
        let got = ulpdus(bench, rig, 1_014, &messages)?;
        assert_eq!(got[0].len(), 4);
        for (i, ulpdu) in got[0].iter().enumerate() {
            assert_eq!(ulpdu[2..6], [0xDE, 0xAD, 0xBE, 0x01]);
            assert_eq!(number(&ulpdu[6..14]), 0x0102_0304_0506_0708 + 1_000 * i as u64);
        }
        assert_eq!(got[0][0][6..14], [1, 2, 3, 4, 5, 6, 7, 8]);
        Ok(())
    });
}

#[test]
fn rdmap_octet_of_a_tagged_message() {
    let _proof = proves_model_rows(&["DDP-4.2-05", "DDP-4.2-07"]);
    case("octet", |bench, rig| {
        let messages = [to(bench, 0, 1, 2, 9_000)];
        let got = ulpdus(bench, rig, 514, &messages)?;
        assert!(got[0].len() == 18 && got[0].iter().all(|u| u[1] == 0x40));
        Ok(())
    });
}

#[test]
fn fields_of_an_untagged_message_stay() {
    let _proof = proves_model_rows(&["DDP-4.3-07", "DDP-4.3-11", "DDP-4.3-17"]);
    case("untagged-fields", |bench, rig| {
        let messages = [3, 5].map(|opcode| to(bench, opcode, 0xFFFF_FFFF, u64::MAX, 5_000));
        for message in ulpdus(bench, rig, 522, &messages)? {
            assert_eq!(message.len(), 10);
            assert!(message.iter().all(|u| u[1..14] == message[0][1..14]));
        }
        Ok(())
    });
}

#[test]
fn invalidate_stag_of_a_send_is_zero_and_bits_are_reserved() {
    // the STag of the work request is not zero, and does not leave
    let _proof = proves_model("RDMAP-3.1-03");
    case("sends", |bench, rig| {
        let messages = [3, 5, 3].map(|opcode| to(bench, opcode, 0xFFFF_FFFF, u64::MAX, 1_000));
        let got = ulpdus(bench, rig, 522, &messages)?;
        for (i, message) in got.iter().enumerate() {
            assert!(message.iter().all(|u| number(&u[2..6]) == 0 && number(&u[6..10]) == 0));
            assert!(message.iter().all(|u| number(&u[10..14]) == i as u64 + 1 && u[1] & 0xF0 == 0x40));
            assert!(message[message.len() - 1][0] == 0x41);
        }
        Ok(())
    });
}

#[test]
fn no_segment_is_longer_than_mulpdu() {
    let _proof = proves_model_rows(&["DDP-5.2-02", "DDP-2.3-04", "DDP-5.2-04"]);
    case("mulpdu", |bench, rig| {
        for mulpdu in [128, 129, 135, 536, 1_454, 9_000, 10_240] {
            let messages = [0, 3].map(|opcode| message(bench, opcode, 10_000));
            let got = ulpdus(bench, rig, mulpdu, &messages)?;
            for (sent, posted) in got.iter().zip(&messages) {
                assert!(sent.iter().all(|u| u.len() <= mulpdu), "MULPDU {mulpdu}");
                let whole: Vec<u8> = sent.iter().flat_map(|u| payload(u)).copied().collect();
                assert!(whole == posted.payload, "MULPDU {mulpdu}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_message_of_ten_times_mulpdu() {
    let _proof = proves_model("DDP-5.2-01");
    case("ten", |bench, rig| {
        let messages = [message(bench, 0, 14_540)];
        let got = ulpdus(bench, rig, 1_454, &messages)?;
        assert_eq!(got[0].len(), 11);
        assert!(got[0].iter().all(|u| u[1] == 0x40 && u[0] & 0x83 == 0x81));
        Ok(())
    });
}

#[test]
fn a_work_request_rewritten_in_memory_changes_nothing() {
    let _proof = proves_model_rows(&["DDP-4.2-08", "DDP-4.2-15"]);
    run_case("sq-rewritten", Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        rig.set_up(bench, 1, 3, 1_454)?;
        let message = to(bench, 0, 0xDEAD_BE01, 0, 40_000);
        let post = rig.gathered(bench, 1, message, 1);
        rig.post(bench, 1, &post);
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.sent.len() == 1)?;
        let other = Post { message: Message { opcode: 5, stag: 1, ..post.message.clone() }, ..post };
        rig.rewrite(bench, 1, 0, &other.octets());
        rig.finish(bench)?;
        assert!(rig.sent.len() == 28 && rig.sent.iter().all(|u| u[1..6] == [0x40, 0xDE, 0xAD, 0xBE, 0x01]));
        Ok(())
    });
}

#[test]
fn messages_leave_in_the_order_of_their_posts() {
    let _proof = proves_model_rows(&["DDP-5.3-02", "DDP-4.2-14"]);
    case("order", |bench, rig| {
        let messages: Vec<_> = (0..30_u32)
            .map(|i| to(bench, [0, 3, 0, 5][i as usize % 4], i, u64::from(i) << 32, 300 * (i as usize % 5)))
            .collect();
        let got = ulpdus(bench, rig, 522, &messages)?;
        let mut msn = 0;
        for (sent, posted) in got.iter().zip(&messages) {
            msn += u64::from(posted.opcode != 0);
            for ulpdu in sent {
                let named = if posted.opcode == 0 {
                    number(&ulpdu[2..6]) == u64::from(posted.stag) && number(&ulpdu[6..10]) == posted.to >> 32
                } else {
                    number(&ulpdu[10..14]) == msn
                };
                assert!(named && ulpdu[1] == 0x40 | posted.opcode, "{ulpdu:02x?}");
            }
        }
        Ok(())
    });
}

#[test]
fn payload_follows_the_header_directly() {
    let _proof = proves_model_rows(&["RDMAP-4.3-01", "RDMAP-4.6-01", "RDMAP-4-01"]);
    case("directly", |bench, rig| {
        let messages = [0, 3, 5].map(|opcode| message(bench, opcode, 100));
        let got = ulpdus(bench, rig, 1_454, &messages)?;
        for ((sent, posted), header) in got.iter().zip(&messages).zip([14, 18, 18]) {
            assert!(sent[0].len() == header + 100 && sent[0][header..] == posted.payload);
            assert_eq!(sent[0][1], 0x40 | posted.opcode);
        }
        Ok(())
    });
}

#[test]
fn a_mebibyte_in_one_message() {
    let _proof = proves_model_rows(&["RDMAP-2.3-01", "RDMAP-4-03"]);
    run_case("sq-mebibyte", Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        let messages = [message(bench, 0, 1 << 20)];
        let got = ulpdus(bench, &mut rig, 1_454, &messages)?;
        assert!(got[0].iter().all(|u| u.len() <= 1_454));
        assert_eq!(got[0].iter().map(|u| payload(u).len()).sum::<usize>(), 1 << 20);
        Ok(())
    });
}

#[test]
fn a_late_read_holds_the_last_segment_back() {
    let _proof = proves_model("DDP-4.1-06");
    run_case("sq-late", Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        rig.set_up(bench, 1, 3, 522)?;
        let message = message(bench, 3, 8 * 504);
        // the first ULPDU is one read, the others are two
        let local = rig.place(bench, 1, 0, &message.payload);
        let sges = vec![Sge { addr: local.addr, length: 8 * 504, key: local.key }];
        let post = Post { message, sges, ..Post::default() };
        rig.post(bench, 1, &post);
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |b, _| b.get("sq_pay_ans_valid") == 1)?;
        bench.hold_memory(rig.payload, true);
        rig.quiet(bench)?;
        assert!((1..8).contains(&rig.sent.len()) && rig.sent.iter().all(|u| u[0] & 0x40 == 0));
        bench.hold_memory(rig.payload, false);
        rig.finish(bench)?;
        assert!(rig.sent.len() == 8 && rig.sent[7][0] & 0x40 != 0);
        Ok(())
    });
}

/// One of three reads is late, whichever: those behind it have their octets, and wait.
#[test]
fn a_segment_whose_payload_is_late_holds_the_last_one_back() {
    const LATE_NS: u64 = 20_000;
    for late in 0..3 {
        run_case("sq-late-one", Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, Manners::steady());
            rig.set_up(bench, 1, 3, 522)?;
            let message = message(bench, 3, 3 * 504);
            let local = rig.place(bench, 1, 0, &message.payload);
            let first = rig.iova(local.key, local.addr);
            bench.host(rig.payload).delay(first + 504 * late as u64, 504, LATE_NS);
            let sges = vec![Sge { addr: local.addr, length: 3 * 504, key: local.key }];
            rig.post(bench, 1, &Post { message, sges, ..Post::default() });
            rig.ring(bench, 1);
            // two thirds of the time
            let until = bench.cycle() + 2_000;
            rig.run(bench, 2_100, |b, _| b.cycle() >= until)?;
            assert!(rig.sent.len() == late && rig.sent.iter().all(|u| u[0] & 0x40 == 0));
            rig.finish(bench)?;
            assert_eq!(rig.sent.iter().map(|u| u[0] & 0x40).collect::<Vec<_>>(), [0, 0, 0x40]);
            Ok(())
        });
    }
}

#[test]
fn a_send_rewritten_in_memory_keeps_its_queue() {
    let _proof = proves_model("DDP-4.3-13");
    run_case("sq-rewritten-send", Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        rig.set_up(bench, 1, 3, 1_454)?;
        let message = to(bench, 3, 5, 6, 40_000);
        let post = rig.gathered(bench, 1, message, 1);
        rig.post(bench, 1, &post);
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.sent.len() == 1)?;
        rig.rewrite(bench, 1, 0, &[0xFF; 128]);
        rig.finish(bench)?;
        assert!(rig.sent.len() == 28 && rig.sent.iter().all(|u| u[6..14] == [0, 0, 0, 0, 0, 0, 0, 1]));
        Ok(())
    });
}

#[test]
fn a_write_names_its_buffer_and_completes_once() {
    let _proof = proves_model("RDMAP-3.2-06");
    case("write", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let message = to(bench, 0, 0x0A0B_0C0D, 0x0102_0304_0506_0708, 100);
        let post = Post { signaled: true, wr_id: 77, ..rig.gathered(bench, 1, message, 1) };
        rig.post(bench, 1, &post);
        rig.ring(bench, 1);
        rig.finish(bench)?;
        assert_eq!(rig.sent[0][2..14], [0x0A, 0x0B, 0x0C, 0x0D, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(rig.dones.iter().map(|d| d.wr_id).collect::<Vec<_>>(), [77]);
        Ok(())
    });
}
