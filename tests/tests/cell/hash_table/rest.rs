// SPDX-License-Identifier: MIT OR Apache-2.0
//! Latencies of a table at rest, lookups beside updates, updates without a pause.
use super::*;

#[test]
fn the_stated_latencies_of_a_table_at_rest() {
    run_case("table-latency", Top::BenchW64, 1, |bench| {
        let mut table = Table::new(bench, Pattern::None, Pattern::None)?;
        let mut seen = Vec::new();
        for key in keys(bench, 24) {
            table.check(bench, &key)?;
            let rates = (bench.channel_source_rate(table.lookup), bench.channel_sink_rate(table.found));
            let miss = rates.1.last_cycle - rates.0.last_cycle;
            if table.insert(bench, key, 5)? != Answer::Done {
                continue;
            }
            table.check(bench, &key)?;
            let rates = (bench.channel_source_rate(table.lookup), bench.channel_sink_rate(table.found));
            seen.push((miss + TRANSFER, rates.1.last_cycle - rates.0.last_cycle + TRANSFER));
        }
        assert!(seen.iter().all(|(miss, hit)| *miss >= MISS && *hit >= LATENCY - 1), "{seen:?}");
        assert!(seen[..4].iter().all(|(miss, hit)| *miss == MISS && *hit <= LATENCY), "{seen:?}");
        // both slots of a bucket are in use
        assert!([LATENCY - 1, LATENCY].iter().all(|l| seen.iter().any(|(_, hit)| hit == l)), "{seen:?}");
        Ok(())
    });
}

#[test]
fn a_removal_is_answered_by_what_it_found_whatever_is_looked_up_beside_it() {
    run_case("table-absent", Top::BenchW64, 1, |bench| {
        let mut table = Table::new(bench, Pattern::None, Pattern::Random)?;
        let key = random_key(bench);
        table.insert(bench, key, 7)?;
        for round in 0..20 {
            for _ in 0..40 {
                table.offer(bench, &key);
            }
            // nothing lies under 8; what lies under 7 goes in the last round
            table.remove(bench, if round == 19 { 7 } else { 8 })?;
            bench.run_until(1_000, |b| b.waiting_items(table.found) == 40)?;
            bench.taken(table.found);
            table.check(bench, &key)?;
        }
        Ok(())
    });
}

#[test]
fn a_lookup_beside_an_update_sees_it_wholly_or_not_at_all() {
    for seed in seeds(0..8, 0..40) {
        run_case("table-beside", Top::BenchW64, seed, |bench| {
            let mut table = Table::new(bench, Pattern::None, Pattern::Random)?;
            let key = random_key(bench);
            for round in 0..60 {
                // the key is asked for without a pause while it comes, and while it goes
                for _ in 0..40 {
                    table.offer(bench, &key);
                }
                let before = table.value(&key);
                for _ in 0..bench.rng().random_range(0..8) {
                    bench.step();
                }
                match before {
                    None => drop(table.insert(bench, key, 100 + round)?),
                    Some(value) => table.remove(bench, value)?,
                }
                let after = table.value(&key);
                // asked for after the answer
                table.offer(bench, &key);
                bench.run_until(1_000, |b| b.waiting_items(table.found) == 41)?;
                let seen: Vec<_> =
                    bench.taken(table.found).iter().map(value).collect::<Result<_, String>>()?;
                let turn = seen.iter().position(|s| *s == after).ok_or("the update was never seen")?;
                assert!(seen[..turn].iter().all(|s| *s == before), "{seen:?}");
                assert!(seen[turn..].iter().all(|s| *s == after), "{seen:?}");
            }
            Ok(())
        });
    }
}

#[test]
fn updates_that_are_offered_without_a_pause_are_answered_in_turn() {
    for seed in seeds(0..4, 0..40) {
        run_case("table-updates", Top::BenchW64, seed, |bench| {
            let mut table = Table::new(bench, Pattern::None, Pattern::Random)?;
            let keys = keys(bench, 24);
            for _ in 0..10 {
                let mut expected = Vec::new();
                for _ in 0..30 {
                    let (key, value) = (*keys.choose(bench.rng()).unwrap(), bench.rng().random_range(0..16));
                    let remove = bench.rng().random_bool(0.4);
                    table.offer_change(bench, &key, value, remove);
                    expected.push(if remove { table.removed(value) } else { table.inserted(key, value) });
                }
                bench.run_until(10_000, |b| b.waiting_items(table.answer) == expected.len())?;
                let answers: Vec<_> =
                    bench.taken(table.answer).iter().map(answer).collect::<Result<_, String>>()?;
                assert_eq!(answers, expected);
                for key in &keys {
                    table.check(bench, key)?;
                }
            }
            Ok(())
        });
    }
}
