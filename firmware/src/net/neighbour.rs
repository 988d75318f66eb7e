// SPDX-License-Identifier: MIT OR Apache-2.0
//! Station addresses of next hops, each asked for on its own (RFC 826, RFC 4861).
//!
//! Only what was asked for is entered, so that no stranger fills the table; three questions without
//! an answer are a failure. Nobody's word moves a hop that is known. A doubt, or an answer that is
//! too old, makes us ask its station alone; if that is silent, we ask everybody.
use super::ask::Heard;
use super::known::{Known, QUESTIONS};
use crate::time::{is_due, Ticks};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::net::IpAddr;
use ferrowarp_abi::types::MacAddr;

/// Packets that wait for one next hop.
const HELD: usize = 8;

#[derive(Clone, Debug)]
enum Entry {
    Asking { asked: u32, next: Ticks, held: Vec<Vec<u8>> },
    Known(Known),
}

/// What is known of a next hop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Its station address.
    Known(MacAddr),
    /// It is being asked for.
    Wait,
}

/// The table.
#[derive(Clone, Debug)]
pub struct Neighbours {
    entries: BTreeMap<IpAddr, Entry>,
    interval: u64,
    lifetime: u64,
    failed: Vec<IpAddr>,
    moved: Vec<(IpAddr, MacAddr)>,
}

impl Neighbours {
    /// Empty; `interval` between questions and `lifetime` of answers in ticks.
    pub fn new(interval: u64, lifetime: u64) -> Self {
        Self { entries: BTreeMap::new(), interval, lifetime, failed: Vec::new(), moved: Vec::new() }
    }

    /// The station of `hop`; if it is not known, it will be asked for.
    pub fn lookup(&mut self, hop: IpAddr, now: Ticks) -> Lookup {
        let asking = || Entry::Asking { asked: 0, next: now, held: Vec::new() };
        match self.entries.entry(hop).or_insert_with(asking) {
            Entry::Known(known) => Lookup::Known(known.mac()),
            Entry::Asking { .. } => Lookup::Wait,
        }
    }

    /// Keeps a packet until `hop` is known; `false` if too many wait.
    pub fn hold(&mut self, hop: IpAddr, packet: Vec<u8>) -> bool {
        match self.entries.get_mut(&hop) {
            Some(Entry::Asking { held, .. }) if held.len() < HELD => {
                held.push(packet);
                true
            }
            _ => false,
        }
    }

    /// Asks no more for a hop that is not known; what waits for it is dropped.
    pub fn drop_question(&mut self, hop: IpAddr) {
        if matches!(self.entries.get(&hop), Some(Entry::Asking { .. })) {
            self.entries.remove(&hop);
        }
    }

    /// Somebody says who a hop is. Returns the packets that waited for it.
    pub fn learned(&mut self, heard: &Heard, now: Ticks) -> Vec<Vec<u8>> {
        let (interval, lifetime) = (self.interval, self.lifetime);
        let Some(entry) = self.entries.get_mut(&heard.ip) else { return Vec::new() };
        if let Entry::Known(known) = entry {
            if !known.is_moved_by(heard, now, interval, lifetime) {
                return Vec::new();
            }
        }
        let Some(mac) = heard.station else { return Vec::new() };
        // what nobody was asked for is believed until it is checked
        let next = now.after(if heard.answers { lifetime } else { interval });
        let known = Known::new(mac, heard.answers && heard.overrides, now, next);
        match core::mem::replace(entry, Entry::Known(known)) {
            Entry::Asking { held, .. } => held,
            Entry::Known(_) => {
                self.moved.push((heard.ip, mac));
                Vec::new()
            }
        }
    }

    /// Next hops to be asked for now, and the station to be asked; without one, everybody.
    pub fn questions(&mut self, now: Ticks) -> Vec<(IpAddr, Option<MacAddr>)> {
        let mut due = Vec::new();
        for (&ip, entry) in &mut self.entries {
            match entry {
                Entry::Asking { asked, next, .. } if *next <= now && *asked < QUESTIONS => {
                    (*asked, *next) = (*asked + 1, now.after(self.interval));
                    due.push((ip, None));
                }
                Entry::Known(known) if known.asks(now) => {
                    match known.question(now, self.interval) {
                        Ok(to) => due.push((ip, to)),
                        // the last station is as good as any; TCP judges what becomes of its
                        // connections
                        Err(()) => {
                            self.failed.push(ip);
                            known.settle(now, self.lifetime);
                        }
                    }
                }
                _ => {}
            }
        }
        due
    }

    /// Gives up questions that nobody answers. Answers that are too old are checked if their hop is
    /// in use, and forgotten if not.
    pub fn expire(&mut self, now: Ticks, is_used: impl Fn(IpAddr) -> bool) {
        let failed = &mut self.failed;
        self.entries.retain(|&ip, entry| match entry {
            Entry::Known(known) => !known.begins_check(now) || is_used(ip),
            Entry::Asking { asked, next, .. } => {
                let given_up = *asked >= QUESTIONS && is_due(Some(*next), now);
                if given_up {
                    failed.push(ip);
                }
                !given_up
            }
        });
    }

    /// Next hops that did not answer, once each.
    pub fn failed(&mut self) -> Vec<IpAddr> {
        core::mem::take(&mut self.failed)
    }

    /// Next hops with a new station address, once each.
    pub fn moved(&mut self) -> Vec<(IpAddr, MacAddr)> {
        core::mem::take(&mut self.moved)
    }

    /// When [`Neighbours::expire`] and [`Neighbours::questions`] have something to do.
    pub fn due(&self) -> Option<Ticks> {
        let due = |entry: &Entry| match entry {
            Entry::Asking { next, .. } => *next,
            Entry::Known(known) => known.due(),
        };
        self.entries.values().map(due).min()
    }

    /// How many are being asked for.
    pub fn pending(&self) -> usize {
        self.entries.values().filter(|e| matches!(e, Entry::Asking { .. })).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOP: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 0, 0, 1));

    fn mac(n: u8) -> MacAddr {
        MacAddr([2, 0, 0, 0, 0, n])
    }

    fn heard(n: u8, answers: bool, overrides: bool) -> Heard {
        Heard { ip: HOP, station: Some(mac(n)), answers, overrides }
    }

    /// A table in which station 1 answered at tick 0, with or without Override.
    fn known(overrides: bool) -> Neighbours {
        let mut table = Neighbours::new(10, 100);
        assert_eq!(table.lookup(HOP, Ticks(0)), Lookup::Wait);
        assert_eq!(table.questions(Ticks(0)), [(HOP, None)]);
        table.learned(&heard(1, true, overrides), Ticks(0));
        table
    }

    #[test]
    fn an_owner_overrides_a_proxy_at_once_and_nobody_else() {
        let mut table = known(false);
        table.learned(&heard(2, true, false), Ticks(5));
        assert_eq!(table.lookup(HOP, Ticks(5)), Lookup::Known(mac(1)), "another proxy");
        table.learned(&heard(2, true, true), Ticks(5));
        assert_eq!(table.moved(), [(HOP, mac(2))]);
        table.learned(&heard(3, true, true), Ticks(6));
        assert_eq!((table.moved(), table.lookup(HOP, Ticks(6))), (vec![], Lookup::Known(mac(2))));
        let mut late = known(false);
        late.learned(&heard(2, true, true), Ticks(11));
        assert_eq!(late.moved(), [], "nobody asks any more");
    }

    #[test]
    fn a_move_takes_the_silence_of_the_old_station_and_an_answer() {
        let mut table = known(true);
        table.learned(&heard(2, false, true), Ticks(50));
        for now in [50, 60] {
            table.expire(Ticks(now), |_| true);
            assert_eq!(table.questions(Ticks(now)), [(HOP, Some(mac(1)))]);
            table.learned(&heard(2, true, true), Ticks(now));
        }
        assert_eq!(table.moved(), [], "the old station has its time");
        assert_eq!(table.questions(Ticks(70)), [(HOP, None)]);
        table.learned(&heard(2, false, true), Ticks(70));
        assert_eq!(table.moved(), [], "that is no answer");
        table.learned(&heard(2, true, true), Ticks(70));
        assert_eq!(table.moved(), [(HOP, mac(2))]);
        assert_eq!(table.due(), Some(Ticks(170)));
    }

    #[test]
    fn what_nobody_uses_is_forgotten() {
        let mut table = known(true);
        table.expire(Ticks(99), |_| false);
        assert_eq!(table.due(), Some(Ticks(100)));
        table.expire(Ticks(100), |_| false);
        assert_eq!(table.due(), None);
    }

    use alloc::vec;
}
