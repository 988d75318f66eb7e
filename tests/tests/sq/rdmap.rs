// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the RDMAP and DDP matrices about Reads, invalidation and Terminate that the send queue
//! proves on the emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use ferrowarp_tests::sq::{message, number, octets, opcode, Manners, Message, Post, Request, Rig};

fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    for manners in [Manners::steady(), Manners::rough()] {
        run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, manners);
            body(bench, &mut rig)
        });
    }
}

/// A body where nobody acknowledges, and no Read completes unless the body says so.
fn silent(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners { acks: false, ..Manners::steady() });
        body(bench, &mut rig)
    });
}

#[test]
fn five_values_of_a_read_request_in_their_order() {
    let _proof = proves_model_rows(&["RDMAP-0-02", "RDMAP-4.4-01", "RDMAP-3.2-09"]);
    case("five", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let post = rig.read_into(1, 0x0102_0304, 0x1112_1314_1516_1718, 0x2122_2324);
        let sent = rig.leave(bench, 1, &[post])?;
        let header: Vec<u8> =
            [0x01..=0x04, 0x11..=0x18, 0x21..=0x24, 0x31..=0x34, 0x41..=0x48].into_iter().flatten().collect();
        assert_eq!((sent.len(), &sent[0][18..]), (1, &header[..]));
        Ok(())
    });
}

#[test]
fn sink_and_size_of_a_read_request() {
    let _proof = proves_model_rows(&["RDMAP-4.4-03", "RDMAP-4.4-04", "RDMAP-4-04"]);
    case("sink", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let post = rig.read_into(1, 0xABCD_EF01, 0x7_1234_5678, 12_345);
        let sent = rig.leave(bench, 1, &[post])?;
        assert_eq!(sent[0][18..22], [0xAB, 0xCD, 0xEF, 0x01]);
        assert_eq!(number(&sent[0][22..30]), 0x7_1234_5678);
        assert_eq!(sent[0][30..34], [0, 0, 0x30, 0x39]);
        Ok(())
    });
}

#[test]
fn source_of_a_read_request() {
    let _proof = proves_model_rows(&["RDMAP-4.4-05", "RDMAP-4.4-06", "RDMAP-4.4-07"]);
    case("source", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let post = rig.read_into(1, 0x100, 0x1000, 77);
        let header = rig.leave(bench, 1, &[post])?[0][18..].to_vec();
        assert_eq!((number(&header[12..16]), number(&header[16..20])), (77, 0x3132_3334));
        assert_eq!((number(&header[20..28]), header.len()), (0x4142_4344_4546_4748, 28));
        Ok(())
    });
}

#[test]
fn a_read_request_is_one_segment_of_46_octets() {
    let _proof = proves_model_rows(&["RDMAP-4.2-02", "RDMAP-5.2.1-01", "RDMAP-5.2.1-02"]);
    case("request", |bench, rig| {
        rig.set_up(bench, 1, 3, 128)?;
        let post = rig.read_into(1, 0x100, 0x1000, 1 << 20);
        let sent = rig.leave(bench, 1, &[post])?;
        assert!(sent.len() == 1 && sent[0].len() == 46);
        assert!(sent[0][..2] == [0x41, 0x41] && number(&sent[0][14..18]) == 0);
        Ok(())
    });
}

#[test]
fn reads_leave_in_the_order_of_their_posts() {
    let _proof = proves_model_rows(&["RDMAP-5.2.1-07", "RDMAP-5.2.1-08", "RDMAP-5.2.1-09"]);
    case("read-order", |bench, rig| {
        rig.set_up(bench, 1, 4, 1_454)?;
        let posts: Vec<_> =
            (1..=16).map(|i| rig.read_into(1, i << 8, u64::from(i) << 40, 1_000 * i)).collect();
        let sent = rig.leave(bench, 1, &posts)?;
        let seen: Vec<_> =
            sent.iter().map(|u| (number(&u[6..10]), number(&u[10..14]), number(&u[30..34]))).collect();
        assert_eq!(seen, (1..=16).map(|i| (1, i, 1_000 * i)).collect::<Vec<_>>());
        Ok(())
    });
}

#[test]
fn a_sink_that_only_the_peer_knows_is_echoed() {
    let _proof = proves_model_rows(&["RDMAP-4.4-08", "RDMAP-5.2.1-18"]);
    case("echo", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let sent = rig.respond(bench, 1, (0xDEAD_BEEF, 0xFFFF_FFFF_0000_0001), vec![7; 20])?;
        assert_eq!(sent[0][..6], [0xC1, 0x42, 0xDE, 0xAD, 0xBE, 0xEF]);
        let sent = rig.respond(bench, 1, (0xDEAD_BEEF, 0x0102_0304_0506_0708), vec![])?;
        assert_eq!(sent, [[0xC1, 0x42, 0xDE, 0xAD, 0xBE, 0xEF, 1, 2, 3, 4, 5, 6, 7, 8]]);
        assert!(rig.faults.is_empty());
        Ok(())
    });
}

#[test]
fn segments_of_a_response_have_one_stag_and_consecutive_offsets() {
    let _proof = proves_model_rows(&["RDMAP-4.4-09", "RDMAP-5.2.2-03", "RDMAP-5.2.2-10"]);
    case("offsets", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let payload = octets(bench, 4_000);
        let sent = rig.respond(bench, 1, (0x77, 0x1000), payload)?;
        let seen: Vec<_> = sent.iter().map(|u| (u[0], number(&u[2..6]), number(&u[6..14]))).collect();
        assert_eq!(seen, [(0x81, 0x77, 0x1000), (0x81, 0x77, 0x15A0), (0xC1, 0x77, 0x1B40)]);
        Ok(())
    });
}

#[test]
fn a_long_response_is_one_message() {
    let _proof = proves_model_rows(&["RDMAP-1.2-08", "RDMAP-5.2.2-02", "RDMAP-4.5-01"]);
    case("long-response", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_460)?;
        let payload = octets(bench, 64 << 10);
        let sent = rig.respond(bench, 1, (0x77, 0x1000), payload.clone())?;
        assert_eq!(sent.len(), (64_usize << 10).div_ceil(1_446));
        assert!(sent.iter().all(|u| opcode(u) == 2 && u[0] & 0x80 != 0));
        assert_eq!(sent.iter().filter(|u| u[0] & 0x40 != 0).count(), 1);
        assert!(sent.iter().flat_map(|u| &u[14..]).eq(&payload));
        Ok(())
    });
}

#[test]
fn octets_of_a_region_from_any_to_any() {
    let _proof = proves_model("RDMAP-4.4-14");
    case("inside", |bench, rig| {
        rig.set_up(bench, 1, 3, 1_454)?;
        let whole: Vec<u8> = (0..100).collect();
        let local = rig.place(bench, 1, 0, &whole);
        let base = local.addr;
        for (from, length) in [(3, 5_usize), (0, 1), (99, 1)] {
            let request =
                Request { sink: (1, 2), length: length as u32, source: (local.key, base + from as u64) };
            rig.expect_response(1, &request, whole[from..from + length].to_vec());
            rig.request(bench, 1, &request);
            rig.sent.clear();
            rig.finish(bench)?;
            assert_eq!(rig.sent[0][14..], whole[from..from + length]);
        }
        Ok(())
    });
}

#[test]
fn responses_come_in_the_order_of_their_requests() {
    let _proof = proves_model("RDMAP-5.2.1-10");
    run_case("sq-two", Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners::steady());
        rig.set_up(bench, 1, 3, 1_454)?;
        for length in [1 << 20, 8] {
            let payload = octets(bench, length);
            rig.ask_for(bench, 1, payload);
        }
        rig.finish(bench)?;
        let ends: Vec<_> = rig.sent.iter().map(|u| u[0] & 0x40).collect();
        let whole = (1_usize << 20).div_ceil(1_440);
        assert!(ends.len() == whole + 1 && ends[..whole - 1].iter().all(|l| *l == 0));
        Ok(())
    });
}

#[test]
fn the_stag_to_invalidate_is_in_every_segment() {
    let _proof = proves_model_rows(&["RDMAP-3.1-06", "RDMAP-5.3-16", "DDP-4.3-05"]);
    case("invalidate", |bench, rig| {
        rig.set_up(bench, 1, 3, 522)?;
        for opcode in [4, 6] {
            let message = Message { stag: 0x0102_0304, ..message(bench, opcode, 10 * 504) };
            let post = rig.gathered(bench, 1, message, 3);
            let sent = rig.leave(bench, 1, &[post])?;
            assert!(sent.len() == 10 && sent.iter().all(|u| u[1..6] == [0x40 | opcode, 1, 2, 3, 4]));
        }
        Ok(())
    });
}

#[test]
fn the_stag_to_invalidate_of_an_empty_message() {
    let _proof = proves_model_rows(&["RDMAP-4-02", "RDMAP-4.7-01"]);
    case("invalidate-empty", |bench, rig| {
        rig.set_up(bench, 1, 3, 522)?;
        for (opcode, length) in [(4, 0), (6, 0), (4, 33), (6, 33)] {
            let message = Message { stag: 0xA1B2_C3D4, ..message(bench, opcode, length) };
            let post = rig.inlined(bench, message.clone());
            let sent = rig.leave(bench, 1, &[post])?;
            assert_eq!(sent[0][2..6], [0xA1, 0xB2, 0xC3, 0xD4]);
            assert_eq!(sent[0][18..], message.payload);
        }
        Ok(())
    });
}

#[test]
fn rdmap_octet_of_all_kinds() {
    let _proof = proves_model_rows(&["RDMAP-4.1-06", "RDMAP-4.1-19", "RDMAP-4.1-21"]);
    case("octets", |bench, rig| {
        let sent = rig.all_kinds(bench, 1)?;
        assert!((0..8).all(|kind| sent.iter().any(|u| opcode(u) == kind)));
        assert!(sent.iter().all(|u| u[1] & 0xF0 == 0x40));
        assert!(sent.iter().all(|u| (u[0] & 0x80 != 0) == matches!(opcode(u), 0 | 2)));
        Ok(())
    });
}

#[test]
fn headers_of_all_kinds() {
    let _proof = proves_model_rows(&["RDMAP-4.1-09", "RDMAP-4.1-25", "RDMAP-4.2-01"]);
    case("headers", |bench, rig| {
        let sent = rig.all_kinds(bench, 1)?;
        for ulpdu in sent.iter().filter(|u| u[0] & 0x80 == 0) {
            let queue = match opcode(ulpdu) {
                1 => 1,
                7 => 2,
                _ => 0,
            };
            assert_eq!(number(&ulpdu[6..10]), queue);
            assert!(number(&ulpdu[2..6]) == 0 || matches!(opcode(ulpdu), 4 | 6));
        }
        for ulpdu in sent.iter().filter(|u| opcode(u) == 2) {
            assert!(number(&ulpdu[2..6]) == 5 && (6..706).contains(&number(&ulpdu[6..14])));
        }
        // payload is 700 octets for every kind that has some, a header of its own for the two
        // others
        for kind in 0..8 {
            let header = if matches!(kind, 0 | 2) { 14 } else { 18 };
            let all = sent.iter().filter(|u| opcode(u) == kind).map(|u| u.len() - header).sum::<usize>();
            assert_eq!(all, [700, 28, 700, 700, 700, 700, 700, 4][usize::from(kind)]);
        }
        Ok(())
    });
}

#[test]
fn header_of_a_terminate() {
    let _proof = proves_model_rows(&["RDMAP-5.4-02", "RDMAP-5.4-03", "RDMAP-5.4-04"]);
    case("terminate-header", |bench, rig| {
        rig.set_up(bench, 1, 3, 522)?;
        let before = message(bench, 3, 2_000);
        let post = rig.gathered(bench, 1, before, 1);
        rig.leave(bench, 1, &[post])?;
        rig.terminate(bench, 1, &[0x12, 0x05, 0xC0, 0, 0, 1, 2, 3]);
        rig.finish(bench)?;
        let header = [0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0];
        assert_eq!(rig.sent, [[&header[..], &[0x12, 0x05, 0xC0, 0, 0, 1, 2, 3]].concat()]);
        Ok(())
    });
}

#[test]
fn nothing_follows_a_terminate() {
    let _proof = proves_model_rows(&["RDMAP-5.4-11", "DDP-4.3-12"]);
    case("after-terminate", |bench, rig| {
        rig.set_up(bench, 1, 4, 522)?;
        rig.terminate(bench, 1, &[0; 4]);
        rig.finish(bench)?;
        assert_eq!(rig.sent[0][6..10], [0, 0, 0, 2]);
        for _ in 0..3 {
            let payload = octets(bench, 100);
            rig.ask_for(bench, 1, payload);
            let message = message(bench, 3, 100);
            let post = rig.inlined(bench, message);
            rig.write_slot(bench, 1, &post.octets());
            rig.ring(bench, 1);
        }
        rig.quiet(bench)?;
        assert_eq!(rig.qps[1].ulpdus(), 1);
        Ok(())
    });
}

#[test]
fn sends_of_all_four_kinds_share_one_sequence() {
    let _proof = proves_model_rows(&["RDMAP-5.3-02", "RDMAP-5.3-11", "RDMAP-5.3-12"]);
    case("sequence", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        let kinds = [3, 6, 4, 5, 4, 3, 6, 5];
        let posts: Vec<_> = kinds
            .iter()
            .map(|kind| {
                let message = message(bench, *kind, 500);
                rig.gathered(bench, 1, message, 1)
            })
            .collect();
        let sent = rig.leave(bench, 1, &posts)?;
        let seen: Vec<_> =
            sent.iter().map(|u| (u[0], opcode(u), number(&u[6..10]), number(&u[10..14]))).collect();
        let due: Vec<_> = (1..).zip(kinds).flat_map(|(n, k)| [(0x01, k, 0, n), (0x41, k, 0, n)]).collect();
        assert_eq!(seen, due);
        Ok(())
    });
}

#[test]
fn six_messages_in_the_order_of_their_posts() {
    let _proof = proves_model_rows(&["RDMAP-5.5-20", "DDP-4.3-14"]);
    case("six", |bench, rig| {
        rig.set_up(bench, 1, 4, 1_454)?;
        let kinds = [3, 0, 1, 4, 1, 0, 3, 5, 1, 3];
        let mut posts = vec![];
        for kind in kinds {
            let message = message(bench, kind, 40);
            posts.push(if kind == 1 {
                rig.read_into(1, 0x100, 0x1000, 9)
            } else {
                rig.inlined(bench, message)
            });
        }
        let sent = rig.leave(bench, 1, &posts)?;
        assert_eq!(sent.iter().map(|u| opcode(u)).collect::<Vec<_>>(), kinds);
        let msns = |kinds: &[u8]| -> Vec<u64> {
            sent.iter().filter(|u| kinds.contains(&opcode(u))).map(|u| number(&u[10..14])).collect()
        };
        assert_eq!((msns(&[3, 4, 5]), msns(&[1])), (vec![1, 2, 3, 4, 5], vec![1, 2, 3]));
        Ok(())
    });
}

#[test]
fn a_send_completes_behind_the_read_before_it() {
    let _proof = proves_model("RDMAP-5.5-22");
    silent("behind", |bench, rig| {
        rig.set_up(bench, 1, 4, 1_454)?;
        let first = rig.read_into(1, 0x100, 0x1000, 9);
        let message = message(bench, 3, 40);
        let second = Post { signaled: true, ..rig.inlined(bench, message) };
        rig.post(bench, 1, &first);
        rig.post(bench, 1, &second);
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.sent.len() == 2)?;
        rig.acknowledge(bench, 1, 2)?;
        assert_eq!(rig.dones.len(), 0);
        rig.finish_read(bench, 1)?;
        assert_eq!(rig.dones.iter().map(|d| d.opcode).collect::<Vec<_>>(), [1, 3]);
        Ok(())
    });
}

#[test]
fn eight_of_twenty_reads_are_on_the_wire() {
    let _proof = proves_model("RDMAP-6.1-07");
    silent("eight", |bench, rig| {
        rig.qps[1].ord = 8;
        rig.set_up(bench, 1, 5, 1_454)?;
        for _ in 0..20 {
            let post = rig.read_into(1, 0x100, 0x1000, 9);
            rig.post(bench, 1, &post);
        }
        rig.ring(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.sent.len() == 8)?;
        rig.quiet(bench)?;
        assert_eq!(rig.sent.len(), 8);
        Ok(())
    });
}

#[test]
fn one_read_at_a_time_also_without_octets() {
    let _proof = proves_model("RDMAP-6.1-10");
    silent("one", |bench, rig| {
        rig.qps[1].ord = 1;
        for round in 0..2 {
            rig.set_up(bench, 1, 6, 1_454)?;
            for i in 0..50 {
                let post = rig.read_into(1, 0x100, 0x1000, i % 3);
                rig.post(bench, 1, &post);
            }
            rig.ring(bench, 1);
            for i in 1..=50 {
                rig.run(bench, 5_000, |_, rig| rig.sent.len() == 50 * round + i)?;
                rig.quiet(bench)?;
                assert_eq!(rig.sent.len(), 50 * round + i);
                rig.acknowledge(bench, 1, i)?;
                rig.finish_read(bench, 1)?;
            }
        }
        Ok(())
    });
}
