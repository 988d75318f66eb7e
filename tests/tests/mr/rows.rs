// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of the DDP and RDMAP matrices that the memory region table proves on emitted Verilog.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Pattern};
use ferrowarp_tests::mr::{Ask, Error, Peers, Region, Table};
use ferrowarp_tests::proves::{proves_model, proves_model_rows};

/// STag of the region under test.
const STAG: u32 = 5 << 8 | 0x2A;
/// Its protection domain.
const PD: u16 = 7;

fn with(name: &str, region: Region, body: impl Fn(&mut Bench, &Table) -> Result<(), String>) {
    run_case(&format!("mr-{name}"), Top::DdpRxW64, 1, |bench| {
        let table = Table::new(bench, Pattern::None, Pattern::None)?;
        table.rows.write(bench, STAG >> 8, &region)?;
        body(bench, &table)
    });
}

fn region(base: u64, length: u64) -> Region {
    Region::writable(base, length, PD, STAG as u8)
}

fn write(to: u64, length: u32) -> Ask {
    Ask::write(STAG, to, length, 1, PD)
}

#[test]
fn an_stag_is_valid_only_for_its_octets() {
    let _proof = proves_model_rows(&["DDP-8.3-05", "DDP-2.3-08"]);
    with("octets", Region { to_base: 0x1235, ..region(0x8_0001, 13) }, |bench, table| {
        let asks =
            [write(0x1234, 1), write(0x1235, 1), write(0x1241, 1), write(0x1242, 1), write(0x1235, 13)];
        let says = table.answers(bench, &asks)?;
        let out = Err(Error::Bounds);
        assert_eq!(says, [out, Ok(0x8_0001), Ok(0x8_000D), out, Ok(0x8_0001)]);
        assert_eq!(table.answers(bench, &[write(0x1235, 14), write(0x1234, 2)])?, [out; 2]);
        Ok(())
    });
}

#[test]
fn the_wrap_is_judged_before_the_bounds_and_includes_2_to_the_64() {
    let whole = Region { to_base: u64::MAX - 63, ..region(0, 64) };
    with("wrap", whole, |bench, table| {
        let top = 0xFFFF_FFFF_FFFF_FFF0;
        let asks = [write(top, 32), write(top, 16), write(top, 15), write(u64::MAX, 1), write(u64::MAX, 0)];
        let says = table.answers(bench, &asks)?;
        assert_eq!(says[..2], [Err(Error::Wrap); 2]);
        assert_eq!(says[2..], [Ok(48), Err(Error::Wrap), Ok(0)]);
        Ok(())
    });
}

#[test]
fn a_protection_domain_associates_stags_and_streams() {
    with("pd", region(0, 4096), |bench, table| {
        let asks: Vec<_> = (0..16).map(|bit| Ask { pd: PD ^ 1 << bit, ..write(0, 8) }).collect();
        assert_eq!(table.answers(bench, &asks)?, [Err(Error::Stream); 16]);
        // nothing that a peer can put into a segment changes the domain
        let fields: Vec<_> = (0..64).map(|i| Ask { pd: 6, ..write(1 << i, 1 << (i % 32)) }).collect();
        assert_eq!(table.answers(bench, &fields)?, [Err(Error::Stream); 64]);
        assert_eq!(table.answers(bench, &[write(0, 8)])?, [Ok(0)]);
        Ok(())
    });
}

#[test]
fn an_stag_bound_to_a_stream_serves_only_that_stream() {
    let _proof = proves_model_rows(&["DDP-8.2-03", "DDP-8.3-09", "DDP-8.2-06"]);
    with("bound", Region { only: Some(5), ..region(0x100, 64) }, |bench, table| {
        let asks: Vec<_> = (0..8).map(|qp| Ask { qp, ..write(0, 8) }).collect();
        let says = table.answers(bench, &asks)?;
        for (qp, say) in says.into_iter().enumerate() {
            assert_eq!(say, if qp == 5 { Ok(0x100) } else { Err(Error::Stream) }, "QP {qp}");
        }
        // a queue pair of that number in another domain is another stream
        let asks: Vec<_> = (0..16).map(|bit| Ask { qp: 5, pd: PD ^ 1 << bit, ..write(0, 8) }).collect();
        assert_eq!(table.answers(bench, &asks)?, [Err(Error::Stream); 16]);
        // bound to a number that no queue pair has, the region serves none
        table.rows.write(bench, STAG >> 8, &Region { only: Some(0xFFFF), ..region(0x100, 64) })?;
        let asks: Vec<_> = (0..=255).map(|qp| Ask { qp, ..write(0, 8) }).collect();
        assert_eq!(table.answers(bench, &asks)?, [Err(Error::Stream); 256]);
        // the other way: a domain, and every stream in it
        table.rows.write(bench, 6, &region(0x200, 64))?;
        let asks: Vec<_> = (0..8).map(|qp| Ask { qp, stag: 6 << 8 | 0x2A, ..write(0, 8) }).collect();
        assert_eq!(table.answers(bench, &asks)?, [Ok(0x200); 8]);
        Ok(())
    });
}

#[test]
fn the_range_of_an_stag_can_be_set_and_revoked() {
    let _proof = proves_model_rows(&["DDP-8.3-06", "DDP-8.3.1-05"]);
    with("range", region(0, 4096), |bench, table| {
        assert_eq!(table.answers(bench, &[write(4095, 1)])?, [Ok(4095)]);
        table.rows.write(bench, STAG >> 8, &region(0, 4095))?;
        assert_eq!(table.answers(bench, &[write(4095, 1), write(4094, 1)])?, [Err(Error::Bounds), Ok(4094)]);
        table.rows.revoke(bench, STAG >> 8)?;
        assert_eq!(table.answers(bench, &[write(0, 1)])?, [Err(Error::Stag)]);
        Ok(())
    });
}

#[test]
fn an_stag_is_valid_as_long_as_its_owner_chooses() {
    let _proof = proves_model_rows(&["DDP-8.3-07", "DDP-8.3-08", "RDMAP-3.2-13"]);
    with("revoke", Region { is_valid: false, ..region(0, 64) }, |bench, table| {
        assert_eq!(table.answers(bench, &[write(0, 1)])?, [Err(Error::Stag)], "allocated");
        for round in 0..3 {
            table.rows.write(bench, STAG >> 8, &region(0, 64))?;
            assert_eq!(table.answers(bench, &[write(0, 1); 50])?, [Ok(0); 50], "round {round}");
            table.rows.revoke(bench, STAG >> 8)?;
            assert_eq!(table.answers(bench, &[write(0, 1); 50])?, [Err(Error::Stag); 50], "round {round}");
        }
        Ok(())
    });
}

#[test]
fn each_right_is_granted_and_revoked_alone() {
    let _proof = proves_model_rows(&["DDP-8.3.1-06", "RDMAP-3.2-12"]);
    with("rights", region(0, 64), |bench, table| {
        let read = Ask { remote_write: false, remote_read: true, ..write(0, 8) };
        for (remote_read, remote_write) in [(false, true), (true, false), (true, true), (false, false)] {
            table.rows.write(bench, STAG >> 8, &Region { remote_read, remote_write, ..region(0, 64) })?;
            let granted = |g: bool| if g { Ok(0) } else { Err(Error::Access) };
            let says = table.answers(bench, &[read, write(0, 8)])?;
            assert_eq!(says, [granted(remote_read), granted(remote_write)]);
        }
        // the other three inputs of registration: STag, range, stream
        table.rows.write(bench, STAG >> 8, &region(0, 64))?;
        let asks = [Ask { stag: STAG ^ 1, ..write(0, 8) }, write(60, 8), Ask { pd: 0, ..write(0, 8) }];
        let says = table.answers(bench, &asks)?;
        assert_eq!(says, [Err(Error::Stag), Err(Error::Bounds), Err(Error::Stream)]);
        Ok(())
    });
}

#[test]
fn an_stag_names_one_region() {
    let _proof = proves_model("DDP-4.2-09");
    with("many", region(0, 16), |bench, table| {
        for index in 1..=255_u32 {
            table.rows.write(
                bench,
                index,
                &Region { key: index as u8 ^ 0x5A, ..region(0x1_0000 * u64::from(index), 16) },
            )?;
        }
        for index in 1..=255_u32 {
            let ask = Ask { stag: index << 8 | (index as u8 ^ 0x5A) as u32, ..write(3, 1) };
            let other = Ask { stag: ask.stag ^ 1 << (index % 8), ..ask };
            let far = Ask { stag: ask.stag | 1 << (16 + index % 16), ..ask };
            let says = table.answers(bench, &[ask, other, far])?;
            assert_eq!(says[0], Ok(0x1_0000 * u64::from(index) + 3));
            assert_eq!(says[1..], [Err(Error::Stag); 2], "index {index}");
        }
        Ok(())
    });
}

#[test]
fn nothing_is_reachable_without_a_region() {
    with("none", Region::default(), |bench, table| {
        let asks: Vec<_> = (0..24).map(|bit| Ask { stag: 1 << bit, ..write(0, 0) }).collect();
        assert_eq!(
            table.answers(bench, &asks)?,
            [Err(Error::Stag); 24],
            "no check of length 0 passes either"
        );
        table.rows.write(bench, 0, &Region { key: 0, ..region(0, 64) })?;
        assert_eq!(table.answers(bench, &[Ask { stag: 0, ..write(0, 8) }])?, [Err(Error::Stag)]);
        Ok(())
    });
}

#[test]
fn the_first_offset_of_a_region_may_be_any() {
    let whole = Region { to_base: 0x7F00_0000_1000, ..region(0xAB_0003, 1 << 33) };
    with("base", whole, |bench, table| {
        let asks = [write(0x7F00_0000_1000, 8), write(0x7F02_0000_0FFF, 1), write(0x7F02_0000_0FFF, 2)];
        assert_eq!(table.answers(bench, &asks)?, [Ok(0xAB_0003), Ok(0x2_00AB_0002), Err(Error::Bounds)]);
        Ok(())
    });
}

#[test]
fn a_peer_invalidates_what_is_bound_to_its_queue_pair_and_nothing_else() {
    with("peer", Region { only: Some(5), ..region(0x100, 64) }, |bench, table| {
        let peers = Peers::new(bench, "mr", Pattern::None, Pattern::None);
        table.rows.write(bench, 6, &region(0x200, 64))?;
        table.rows.write(bench, 0, &Region { only: Some(5), key: 0, ..region(0, 64) })?;
        let of_5 = Ask { qp: 5, ..write(0, 8) };
        let of_domain = Ask { stag: 6 << 8 | 0x2A, ..of_5 };
        // another queue pair, another key, another index, beyond the table, a domain's, index 0
        let not =
            [(STAG, 4), (STAG ^ 1, 5), (STAG + 0x500, 5), (STAG | 1 << 20, 5), (of_domain.stag, 5), (0, 5)];
        for (stag, qp) in not {
            assert!(!peers.invalidate(bench, stag, qp)?, "{stag:#x} by {qp}");
            assert_eq!(table.answers(bench, &[of_5, of_domain])?, [Ok(0x100), Ok(0x200)]);
        }
        assert!(peers.invalidate(bench, STAG, 5)?);
        assert_eq!(table.answers(bench, &[of_5, of_domain])?, [Err(Error::Stag), Ok(0x200)]);
        assert!(!peers.invalidate(bench, STAG, 5)?, "again");
        // its owner makes it valid again
        table.rows.write(bench, STAG >> 8, &Region { only: Some(5), ..region(0x300, 64) })?;
        assert_eq!(table.answers(bench, &[of_5])?, [Ok(0x300)]);
        Ok(())
    });
}
