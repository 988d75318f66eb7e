// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole device behind its edge tells of its Ethernet link.
use ferrowarp_abi::codec::{Doorbell, Event};
use ferrowarp_abi::consts::{csr, csr_mask, doorbell_kind, event_kind};
use ferrowarp_abi::host::counters;
use ferrowarp_sim::pcie::RcConfig;
use ferrowarp_sim::Bench;
use ferrowarp_tests::rnic::{run_edges, CLOCK_PS};
use ferrowarp_tests::rnic_posts::{set_up, Set};

/// Slots of the event ring, and those that events of the device may use.
const SLOTS: u32 = 16;
const MOST: u32 = SLOTS / 2;
/// Cycles in which an event reaches memory.
const LONG: u64 = 2_000;

/// The link's state as the MAC tells it, for so many cycles.
fn link(bench: &mut Bench, is_up: bool, cycles: u64) {
    bench.set("eth_link_up", is_up.into());
    (0..cycles).for_each(|_| bench.step());
}

/// Kinds of the events from entry `first` on.
fn kinds(bench: &mut Bench, set: &Set, first: u32) -> Result<Vec<u8>, String> {
    let mut kinds = vec![];
    for n in first..first + SLOTS {
        let at = set.events + 16 * u64::from(n % SLOTS);
        let event = Event::parse(&set.nic.memory(bench, at, 16)?).map_err(|e| e.to_string())?;
        if event.phase != (n / SLOTS).is_multiple_of(2) {
            break;
        }
        assert_eq!((event.number, event.error, event.info), (0, 0, 0), "{event:?}");
        kinds.push(event.kind);
    }
    Ok(kinds)
}

fn is_up(bench: &mut Bench, set: &Set) -> Result<bool, String> {
    Ok(set.nic.get(bench, csr::ETH_LINK)? & csr_mask::ETH_LINK_IS_UP != 0)
}

/// How often the link went down, as the device counts.
fn downs(bench: &mut Bench, set: &Set) -> Result<u32, String> {
    let place = counters::index("link_downs").ok_or("no such counter")?;
    set.nic.get(bench, csr::COUNTER + 4 * place as u16)
}

#[test]
fn each_change_of_the_link_is_an_event_and_a_register_has_the_state() {
    run_edges("rnic-platform-link", 1, |bench| {
        let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
        assert!(!is_up(bench, &set)?);
        assert!(kinds(bench, &set, 0)?.is_empty(), "an event without a change");
        for (is, n) in [(true, 1), (false, 2), (true, 3)] {
            link(bench, is, LONG);
            assert_eq!(is_up(bench, &set)?, is);
            assert_eq!(kinds(bench, &set, 0)?.len(), n);
        }
        let (up, down) = (event_kind::LINK_UP, event_kind::LINK_DOWN);
        assert_eq!(kinds(bench, &set, 0)?, [up, down, up]);
        assert_eq!(downs(bench, &set)?, 1);
        Ok(())
    });
}

#[test]
fn flaps_that_find_no_room_are_merged_and_the_last_state_is_told() {
    for last in [false, true] {
        run_edges(&format!("rnic-platform-flaps-{last}"), 1, |bench| {
            let set = set_up(bench, RcConfig::steady(CLOCK_PS))?;
            // of several lengths, far more than the ring has slots
            for n in 0..50 {
                link(bench, true, 3 + 7 * n);
                link(bench, false, 3 + 5 * n);
            }
            link(bench, last, LONG);
            assert_eq!(kinds(bench, &set, 0)?.len() as u32, MOST, "half of the ring");
            let bell = Doorbell { kind: doorbell_kind::EVENT_CONSUMER, value: MOST, ..Default::default() };
            set.nic.ring(bench, bell)?;
            link(bench, last, LONG);
            let told = kinds(bench, &set, MOST)?;
            assert!(told.len() <= 2, "{told:?}");
            let newest = match told.last() {
                Some(kind) => *kind,
                None => *kinds(bench, &set, 0)?.last().ok_or("no event")?,
            };
            assert_eq!(newest, if last { event_kind::LINK_UP } else { event_kind::LINK_DOWN });
            assert_eq!((is_up(bench, &set)?, downs(bench, &set)?), (last, 50));
            Ok(())
        });
    }
}
