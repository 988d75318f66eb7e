// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory region table on emitted Verilog against its model.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, seeds, Bench, Item, Pattern};
use ferrowarp_tests::mr::{Ask, Error, Model, Peers, Region, Table, REGIONS};
use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

fn quiet(name: &str, body: impl Fn(&mut Bench, &Table) -> Result<(), String>) {
    run_case(name, Top::DdpRxW64, 1, |bench| {
        let table = Table::new(bench, Pattern::None, Pattern::None)?;
        body(bench, &table)
    });
}

/// A number near an edge of 32 or 64 bits, or any.
fn edgy(rng: &mut ChaCha8Rng) -> u64 {
    let near = [0_u64, 1 << 12, 1 << 32, 1 << 33, 0x7F00_0000_1000, 1 << 63, 0xFFFF_FFFF_0000_0000, 0]
        .choose(rng)
        .copied()
        .unwrap_or(0);
    match rng.random_range(0..3) {
        0 => rng.random(),
        1 => near.wrapping_add(rng.random_range(0..40)),
        _ => near.wrapping_sub(rng.random_range(0..40)),
    }
}

fn random_region(rng: &mut ChaCha8Rng) -> Region {
    let length = match rng.random_range(0..4) {
        0 => rng.random_range(0..64),
        1 => (1 << 32) + rng.random_range(0..64),
        2 => rng.random_range(0..1 << 20),
        _ => edgy(rng),
    };
    Region {
        base: edgy(rng),
        length,
        to_base: edgy(rng),
        pd: rng.random_range(0..3),
        local_write: rng.random(),
        remote_read: rng.random(),
        remote_write: rng.random(),
        only: rng.random_bool(0.3).then(|| rng.random_range(0..3)),
        is_valid: rng.random_bool(0.9),
        key: rng.random_range(0..3),
    }
}

/// Most checks hit a region, at its edges or around them.
fn random_ask(rng: &mut ChaCha8Rng, model: &Model) -> Ask {
    let known: Vec<_> = model.0.iter().collect();
    let (index, region) = known.choose(rng).map_or((1, Region::default()), |(i, r)| (**i, **r));
    let index = match rng.random_range(0..20) {
        0 => 0,
        1 => index | REGIONS,
        2 => rng.random_range(0..1 << 24),
        _ => index,
    };
    let first = region.to_base;
    let end = first.wrapping_add(region.length);
    let length = match rng.random_range(0..5) {
        0 => 0,
        1 => region.length as u32,
        2 => u32::MAX - rng.random_range(0..3),
        _ => rng.random_range(1..4_000),
    };
    let addr = match rng.random_range(0..5) {
        0 => first.wrapping_add(rng.random_range(0..3)).wrapping_sub(1),
        1 => end.wrapping_sub(length.into()).wrapping_add(rng.random_range(0..3)).wrapping_sub(1),
        2 => edgy(rng),
        3 => 0_u64.wrapping_sub(length.into()).wrapping_add(rng.random_range(0..3)).wrapping_sub(1),
        _ => first.wrapping_add(rng.random_range(0..region.length.max(1))),
    };
    let right = |rng: &mut ChaCha8Rng| rng.random_bool(0.2);
    Ask {
        stag: index << 8 | if rng.random_bool(0.9) { u32::from(region.key) } else { rng.random_range(0..4) },
        addr,
        length,
        qp: if rng.random_bool(0.8) { region.only.unwrap_or(0) as u8 } else { rng.random_range(0..3) },
        pd: if rng.random_bool(0.9) { region.pd } else { rng.random_range(0..3) },
        remote_write: right(rng),
        remote_read: right(rng),
        local_write: right(rng),
    }
}

#[test]
fn random_checks_of_two_clients_agree_with_the_model() {
    for seed in seeds(1..4, 1..60) {
        run_case("mr-random", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let (idle, stall) = (pattern(), pattern());
            let table = Table::new(bench, idle, stall)?;
            let mut model = Model::default();
            let mut seen = [0_usize; 6];
            for _ in 0..25 {
                for _ in 0..6 {
                    let index = bench.rng().random_range(0..REGIONS);
                    let region = random_region(bench.rng());
                    table.rows.write(bench, index, &region)?;
                    model.0.insert(index, region);
                }
                if let Some(&index) = model.0.keys().collect::<Vec<_>>().choose(bench.rng()).copied() {
                    table.rows.revoke(bench, index)?;
                    model.0.entry(index).and_modify(|r| r.is_valid = false);
                }
                let mut asked: [Vec<Ask>; 2] = Default::default();
                for _ in 0..80 {
                    let client = bench.rng().random_range(0..2);
                    let ask = random_ask(bench.rng(), &model);
                    table.ask(bench, client, &ask);
                    asked[client].push(ask);
                }
                for (client, asks) in asked.iter().enumerate() {
                    for (ask, say) in asks.iter().zip(table.said(bench, client, asks)?) {
                        let expected = model.say(ask);
                        seen[expected.err().map_or(0, |e| 1 + e as usize)] += 1;
                        if say != expected {
                            let region = model.0.get(&(ask.stag >> 8));
                            return Err(format!("{ask:?} of {region:?}: {say:?}, not {expected:?}"));
                        }
                    }
                }
            }
            // a generator that no longer reaches an answer would prove nothing of it
            assert!(seen.iter().all(|&n| n > 20), "answers by kind: {seen:?}");
            Ok(())
        });
    }
}

#[test]
fn a_check_a_cycle_and_clients_in_turns() {
    quiet("mr-rate", |bench, table| {
        table.rows.write(bench, 7, &Region::writable(0x1000, 4096, 1, 5))?;
        let ask = Ask::write(7 << 8 | 5, 0, 4096, 0, 1);
        bench.restart_rates();
        for client in [0, 1] {
            (0..200).for_each(|_| table.ask(bench, client, &ask));
        }
        let start = bench.cycle();
        table.said(bench, 0, &[ask; 200])?;
        let shared = bench.cycle() - start;
        table.said(bench, 1, &[ask; 200])?;
        assert!((395..=420).contains(&shared), "{shared} cycles for twice 200 checks");
        let start = bench.cycle();
        table.answers(bench, &[ask; 200])?;
        let alone = bench.cycle() - start;
        assert!(alone <= 215, "{alone} cycles for 200 checks of one client");
        Ok(())
    });
}

#[test]
fn an_answer_comes_after_nine_cycles() {
    quiet("mr-latency", |bench, table| {
        table.rows.write(bench, 1, &Region::writable(0x1000, 4096, 1, 5))?;
        let start = bench.cycle();
        let ask = Ask::write(1 << 8 | 5, 0, 1, 0, 1);
        assert_eq!(table.answers(bench, &[ask])?, [Ok(0x1000)]);
        assert_eq!(bench.cycle() - start, 10, "taken, nine cycles, taken");
        Ok(())
    });
}

#[test]
fn a_client_that_does_not_take_its_answers_stops_only_itself() {
    quiet("mr-held", |bench, table| {
        table.rows.write(bench, 9, &Region::writable(0, 64, 2, 1))?;
        let ask = Ask::write(9 << 8 | 1, 8, 8, 3, 2);
        bench.hold_channel_sink(table.says[1], true);
        (0..60).for_each(|_| table.ask(bench, 1, &ask));
        let says = table.answers(bench, &[ask; 300])?;
        assert!(says.iter().all(|s| *s == Ok(8)));
        assert!(!bench.put_all(table.asks[1]), "answers of client 1 went somewhere");
        bench.hold_channel_sink(table.says[1], false);
        assert_eq!(table.said(bench, 1, &[ask; 60])?, [Ok(8); 60]);
        Ok(())
    });
}

#[test]
fn rows_change_under_a_stream_of_checks() {
    quiet("mr-under-way", |bench, table| {
        for i in 0..200 {
            let region = Region::writable(0x1000 * (i + 1), 4096, 1, 5);
            table.rows.write(bench, 3, &region)?;
            let ask = Ask::write(3 << 8 | 5, 0, 4096, 0, 1);
            (0..8).for_each(|_| table.ask(bench, 0, &ask));
            for _ in 0..i % 11 {
                bench.step();
            }
            table.rows.revoke(bench, 3)?;
            (0..2).for_each(|_| table.ask(bench, 0, &ask));
            let says = table.said(bench, 0, &[ask; 10])?;
            // first what stood, then nothing, and nothing from the first check after the revoke on
            let good = says.iter().take_while(|s| **s == Ok(region.base)).count();
            assert!(says[good..].iter().all(|s| *s == Err(Error::Stag)), "round {i}: {says:x?}");
            assert!(good <= 8, "round {i}: a check after the revoke passed");
        }
        Ok(())
    });
}

#[test]
fn rows_are_read_back_among_checks() {
    quiet("mr-read-back", |bench, table| {
        let index = bench.channel_source("mr_mrr", Pattern::None);
        let rows = bench.channel_sink("mr_mrd", Pattern::Random);
        let mut kept = vec![(0, Region::default()), (4, Region::default())];
        for i in 10..20 {
            let region = Region { is_valid: true, ..random_region(bench.rng()) };
            table.rows.write(bench, i, &region)?;
            kept.push((i, region));
        }
        table.rows.revoke(bench, 12)?;
        kept[4].1 = Region::default();
        let ask = Ask::write(1 << 8, 0, 8, 3, 2);
        (0..400).for_each(|_| table.ask(bench, 0, &ask));
        for (i, region) in kept {
            bench.put(index, Item::new().with("item", i.into()));
            bench.expect_items(rows, 1);
            bench.run_until(100, |b| b.waiting_items(rows) == 1)?;
            let row = bench.taken(rows).remove(0);
            assert_eq!(row.bytes("item"), Some(&region.octets()[..]), "region {i}");
        }
        assert_eq!(table.said(bench, 0, &[ask; 400])?, [Err(Error::Stag); 400]);
        Ok(())
    });
}

#[test]
fn peers_writer_revoker_and_clients_at_once_agree_with_the_model() {
    for seed in seeds(1..4, 1..60) {
        run_case("mr-peers", Top::DdpRxW64, seed, |bench| {
            let mut pattern = || *Pattern::ALL.choose(bench.rng()).unwrap_or(&Pattern::None);
            let (idle, stall) = (pattern(), pattern());
            let table = Table::new(bench, idle, stall)?;
            let peers = Peers::new(bench, "mr", idle, stall);
            let mut model = Model::default();
            let (mut killed, mut refused) = (0, 0);
            for _ in 0..120 {
                let index = bench.rng().random_range(0..6);
                let region = Region { is_valid: true, only: Some(1), key: 0, ..random_region(bench.rng()) };
                let region = if bench.rng().random_bool(0.3) { random_region(bench.rng()) } else { region };
                table.rows.write(bench, index, &region)?;
                model.0.insert(index, region);
                // checks under way on both sides of the invalidation, of other rows
                let others: Vec<_> = (0..20).map(|_| random_ask(bench.rng(), &model)).collect();
                let others: Vec<_> = others.into_iter().filter(|a| a.stag >> 8 != index).collect();
                others.iter().for_each(|ask| table.ask(bench, 1, ask));
                let (stag, qp) =
                    (index << 8 | bench.rng().random_range(0..2), bench.rng().random_range(0..3));
                let expected = model.invalidate(stag, qp);
                assert_eq!(peers.invalidate(bench, stag, qp)?, expected, "{stag:#x} by {qp}: {region:?}");
                killed += usize::from(expected);
                refused += usize::from(!expected);
                let ask =
                    Ask { stag: index << 8 | u32::from(region.key), qp, pd: region.pd, ..Ask::default() };
                assert_eq!(table.answers(bench, &[ask])?, [model.say(&ask)]);
                let says = table.said(bench, 1, &others)?;
                assert_eq!(says, others.iter().map(|a| model.say(a)).collect::<Vec<_>>());
            }
            assert!(killed > 5 && refused > 20, "{killed} invalidated, {refused} refused");
            Ok(())
        });
    }
}

#[test]
fn a_row_written_behind_an_invalidation_lives() {
    quiet("mr-peer-write", |bench, table| {
        let peers = Peers::new(bench, "mr", Pattern::None, Pattern::None);
        let region = Region { only: Some(1), ..Region::writable(0x1000, 64, 1, 5) };
        let ask = Ask::write(3 << 8 | 5, 0, 8, 1, 1);
        for delay in 0..12 {
            table.rows.write(bench, 3, &region)?;
            peers.ask(bench, 3 << 8 | 5, 1);
            (0..delay).for_each(|_| bench.step());
            // in whatever order the two are taken, the row that the writer left is there at the
            // end, or none
            table.rows.write(bench, 3, &Region { base: 0x2000, ..region })?;
            bench.run_until(200, |b| b.waiting_items(peers.answers) == 1)?;
            assert_eq!(bench.taken(peers.answers)[0].u64("ok"), Some(1), "after {delay}");
            let say = table.answers(bench, &[ask])?[0];
            assert!(say == Ok(0x2000) || (delay < 4 && say == Err(Error::Stag)), "after {delay}: {say:?}");
        }
        Ok(())
    });
}
