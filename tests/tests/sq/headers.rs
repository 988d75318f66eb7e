// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the RDMAP and DDP matrices about headers and order that the send queue proves on the
//! emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};
use ferrowarp_tests::sq::{message, number, octets, opcode, Manners, Message, Post, Rig, Sge};

fn case(name: &str, body: impl Fn(&mut Bench, &mut Rig) -> Result<(), String>) {
    for manners in [Manners::steady(), Manners::rough()] {
        run_case(&format!("sq-{name}"), Top::SqW64, 1, |bench| {
            let mut rig = Rig::new(bench, manners);
            body(bench, &mut rig)
        });
    }
}

fn is_tagged(ulpdu: &[u8]) -> bool {
    ulpdu[0] & 0x80 != 0
}

#[test]
fn two_header_formats() {
    let _proof = proves_model_rows(&["DDP-4-01", "DDP-4.2-03", "DDP-4.3-03"]);
    case("formats", |bench, rig| {
        let sent = rig.all_kinds(bench, 1)?;
        for kind in 0..8_u8 {
            let of_kind: Vec<_> = sent.iter().filter(|u| opcode(u) == kind).collect();
            let tagged = matches!(kind, 0 | 2);
            assert!(!of_kind.is_empty() && of_kind.iter().all(|u| is_tagged(u) == tagged), "opcode {kind}");
            // what is no header is the 700 octets of payload, or RDMAP's own
            let header = if tagged { 14 } else { 18 };
            let rest: usize = of_kind.iter().map(|u| u.len() - header).sum();
            assert!([700, 28, 4].contains(&rest), "opcode {kind}: {rest}");
        }
        Ok(())
    });
}

#[test]
fn first_octet_of_every_kind() {
    let _proof = proves_model_rows(&["RDMAP-4.1-03", "DDP-2.3-03", "RDMAP-2.3-02"]);
    case("first-octet", |bench, rig| {
        let sent = rig.all_kinds(bench, 1)?;
        let octets: Vec<_> = sent.iter().map(|u| (u[0], u[1])).collect();
        for (kind, first, last) in [(0, 0x81, 0xC1), (2, 0x81, 0xC1), (3, 0x01, 0x41), (6, 0x01, 0x41)] {
            let of_kind: Vec<_> = octets.iter().filter(|o| o.1 == 0x40 | kind).map(|o| o.0).collect();
            assert_eq!(of_kind, [first, first, last], "opcode {kind}");
        }
        assert!(octets.contains(&(0x41, 0x41)) && octets.contains(&(0x41, 0x47)));
        assert!(octets.iter().all(|o| o.0 & 0x3F == 1));
        Ok(())
    });
}

#[test]
fn only_read_request_and_terminate_have_a_header_of_rdmap() {
    let _proof = proves_model_rows(&["RDMAP-4-06", "RDMAP-2.4-05"]);
    case("own-header", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        for kind in [0, 3, 4, 5, 6] {
            let message = message(bench, kind, 90);
            let post = rig.inlined(bench, message.clone());
            let sent = rig.leave(bench, 1, &[post])?;
            assert_eq!(sent[0][if kind == 0 { 14 } else { 18 }..], message.payload, "opcode {kind}");
        }
        let payload = octets(bench, 90);
        let sent = rig.respond(bench, 1, (0x0A0B_0C0D, 0x0102), payload.clone())?;
        assert_eq!(sent[0][14..], payload);
        let post = rig.read_into(1, 0x0102_0304, 0x1112_1314_1516_1718, 50);
        let sent = rig.leave(bench, 1, &[post])?;
        let (sink, source) = (&sent[0][18..30], &sent[0][34..46]);
        assert_eq!((number(&sink[..4]), number(&sink[4..])), (0x0102_0304, 0x1112_1314_1516_1718));
        assert_eq!((number(&source[..4]), number(&source[4..])), (0x3132_3334, 0x4142_4344_4546_4748));
        rig.terminate(bench, 1, &[0x20, 2, 0, 0]);
        rig.sent.clear();
        rig.finish(bench)?;
        assert_eq!(rig.sent[0][18..], [0x20, 2, 0, 0]);
        Ok(())
    });
}

#[test]
fn fields_stand_where_the_formats_say() {
    let _proof = proves_model_rows(&["DDP-4-02", "DDP-4.2-01", "DDP-4.3-01"]);
    case("places", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        let tagged = Message { stag: 0x0102_0304, to: 0x0102_0304_0506_0708, ..message(bench, 0, 20) };
        let post = rig.inlined(bench, tagged.clone());
        let sent = rig.leave(bench, 1, &[post])?;
        assert_eq!(sent[0][..14], [0xC1, 0x40, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(sent[0][14..], tagged.payload);
        let untagged = Message { stag: 0x0102_0304, ..message(bench, 4, 20) };
        let post = rig.inlined(bench, untagged.clone());
        let sent = rig.leave(bench, 1, &[post])?;
        assert_eq!(sent[0][..18], [0x41, 0x44, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(sent[0][18..], untagged.payload);
        Ok(())
    });
}

#[test]
fn offsets_of_an_untagged_message() {
    let _proof = proves_model("DDP-4.3-19");
    case("mo", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        for kind in [3, 4, 5, 6] {
            let message = message(bench, kind, 2_000);
            let post = rig.gathered(bench, 1, message, 4);
            let mut before = 0;
            for ulpdu in rig.leave(bench, 1, &[post])? {
                assert_eq!(number(&ulpdu[14..18]), before);
                before += ulpdu.len() as u64 - 18;
            }
        }
        Ok(())
    });
}

#[test]
fn opcode_of_each_operation() {
    let _proof = proves_model("RDMAP-4.1-08");
    case("opcode-of", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        for kind in [0, 1, 3, 4, 5, 6] {
            let message = message(bench, kind, 10);
            let post =
                if kind == 1 { rig.read_into(1, 0x100, 0x1000, 10) } else { rig.inlined(bench, message) };
            let sent = rig.leave(bench, 1, &[post])?;
            assert_eq!(sent.iter().map(|u| opcode(u)).collect::<Vec<_>>(), [kind]);
        }
        let sent = rig.respond(bench, 1, (1, 2), vec![3; 10])?;
        assert_eq!(opcode(&sent[0]), 2);
        rig.terminate(bench, 1, &[0; 4]);
        rig.sent.clear();
        rig.finish(bench)?;
        assert_eq!(opcode(&rig.sent[0]), 7);
        Ok(())
    });
}

#[test]
fn writes_in_the_order_of_their_posts() {
    let _proof = proves_model_rows(&["RDMAP-5.1-01", "RDMAP-5.1-02", "RDMAP-5.1-08"]);
    case("numbered", |bench, rig| {
        rig.set_up(bench, 1, 6, 300)?;
        let posts: Vec<_> = (1..=64)
            .map(|n| {
                let message = Message { stag: n, to: 0x5000, ..message(bench, 0, 400) };
                rig.gathered(bench, 1, message, 2)
            })
            .collect();
        let sent = rig.leave(bench, 1, &posts)?;
        let seen: Vec<_> = sent.iter().map(|u| (u[0], number(&u[2..6]), number(&u[6..14]))).collect();
        let due: Vec<_> = (1..=64).flat_map(|n| [(0x81, n, 0x5000), (0xC1, n, 0x5000 + 286)]).collect();
        assert_eq!(seen, due);
        Ok(())
    });
}

#[test]
fn gathers_become_one_write() {
    let _proof = proves_model("RDMAP-5.1-07");
    case("merged", |bench, rig| {
        rig.set_up(bench, 1, 4, 1_454)?;
        let message = message(bench, 0, 4_107);
        let mut from = 0;
        let mut sges = vec![];
        for length in [1, 7, 4_096, 3] {
            let local = rig.place(bench, 1, 3, &message.payload[from..from + length]);
            sges.push(Sge { addr: local.addr, length: length as u32, key: local.key });
            from += length;
        }
        let whole = message.payload.clone();
        let sent = rig.leave(bench, 1, &[Post { message, sges, ..Post::default() }])?;
        assert!(sent.iter().flat_map(|u| &u[14..]).eq(&whole));
        let last: Vec<_> = sent.iter().map(|u| u[0] & 0x40 != 0).collect();
        assert_eq!(last, [false, false, true]);
        Ok(())
    });
}

#[test]
fn sends_without_octets() {
    let _proof = proves_model_rows(&["RDMAP-5.3-01", "RDMAP-5.3-13"]);
    case("empty-sends", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        for kind in [3, 4, 5, 6] {
            let empty = message(bench, kind, 0);
            let post = rig.inlined(bench, empty);
            let sent = rig.leave(bench, 1, &[post])?;
            assert!(sent.len() == 1 && sent[0].len() == 18 && sent[0][0] == 0x41);
            assert_eq!(number(&sent[0][14..18]), 0);
            let full = message(bench, kind, 282 + 5);
            let post = rig.gathered(bench, 1, full, 1);
            let sent = rig.leave(bench, 1, &[post])?;
            assert_eq!(sent.iter().map(|u| (u[0], u.len())).collect::<Vec<_>>(), [(0x01, 300), (0x41, 23)]);
        }
        Ok(())
    });
}

#[test]
fn parts_of_a_region_and_the_whole() {
    let _proof = proves_model_rows(&["RDMAP-5.2.1-13", "RDMAP-4.4-13"]);
    case("parts", |bench, rig| {
        rig.set_up(bench, 1, 4, 300)?;
        // a region is whole pages, and the test fills all of one
        let whole = octets(bench, 4_096);
        let local = rig.place(bench, 1, 0, &whole);
        let base = local.addr;
        for (from, length) in [(0_usize, 4_096_usize), (0, 1), (4_095, 1), (17, 0)] {
            let source = (local.key, base + from as u64);
            let request = ferrowarp_tests::sq::Request { sink: (1, 0x9000), length: length as u32, source };
            rig.expect_response(1, &request, whole[from..from + length].to_vec());
            rig.sent.clear();
            rig.request(bench, 1, &request);
            rig.finish(bench)?;
            assert!(rig.sent.iter().flat_map(|u| &u[14..]).eq(&whole[from..from + length]));
        }
        Ok(())
    });
}

#[test]
fn nothing_completes_before_it_is_acknowledged() {
    let _proof = proves_model("RDMAP-5.5-21");
    run_case("sq-blocked", Top::SqW64, 1, |bench| {
        let mut rig = Rig::new(bench, Manners { acks: false, ..Manners::steady() });
        rig.set_up(bench, 1, 4, 300)?;
        rig.closed[1] = true;
        for kind in [0, 3] {
            let message = message(bench, kind, 50);
            let post = Post { signaled: true, ..rig.inlined(bench, message) };
            rig.post(bench, 1, &post);
        }
        rig.ring(bench, 1);
        rig.quiet(bench)?;
        assert_eq!((rig.sent.len(), rig.dones.len()), (0, 0));
        rig.open(bench, 1);
        rig.run(bench, 5_000, |_, rig| rig.sent.len() == 2)?;
        rig.quiet(bench)?;
        assert_eq!(rig.dones.len(), 0);
        rig.acknowledge(bench, 1, 1)?;
        assert_eq!(rig.dones.len(), 1);
        rig.acknowledge(bench, 1, 2)?;
        assert_eq!(rig.dones.len(), 2);
        Ok(())
    });
}
