// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests of a walk, and what they make a connection owe.
use super::estate::Estate;
use super::ledger::{opcode, Fate, Owed, Receive, Use};
use super::op::{Kind, Request};
use super::region::State;
use super::walk::Verbs;
use crate::device::{RecvWork, SendWork};
use ferrowarp_abi::codec::{SendWqe, Sge};
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_sim::{Pair, Side};

/// Most octets of a payload in its slot.
const INLINE: usize = 96;

/// One of some, none of none.
fn one(some: &[usize], pick: usize) -> Option<usize> {
    (!some.is_empty()).then(|| some[pick % some.len()])
}

/// Where a request goes at the far end.
struct Far {
    stag: STag,
    to: TaggedOffset,
    /// Slot and id of the region, and where in it; none if it serves the request not.
    place: Option<(usize, u64, usize)>,
}

/// A request as it is posted.
struct Posted<'a> {
    request: &'a Request,
    /// Its name, and the number of its places.
    number: u64,
    payload: &'a [u8],
    far: &'a Far,
    /// Slot and id of the region of its own octets, and where in it.
    sink: Option<(usize, u64, usize)>,
}

impl Verbs {
    /// Posts a receive of host `at` with room for `octets` octets, without `pick` one without a
    /// scatter.
    pub(super) fn receive(
        &mut self,
        pair: &mut Pair,
        at: usize,
        slot: usize,
        octets: usize,
        pick: Option<usize>,
    ) {
        let wr_id = self.fresh();
        let host = &mut self.hosts[at];
        let region = match pick.map(|pick| one(&host.serving(slot, true), pick)) {
            Some(None) => return,
            Some(region) => region,
            None => None,
        };
        let Estate { ends, regions, nic, .. } = host;
        let Some(end) = &mut ends[slot] else { return };
        let mut receive = Receive { wr_id, octets: 0, place: None };
        let mut scatters = vec![];
        if let Some((n, region)) = region.and_then(|n| Some((n, regions[n].as_mut()?))) {
            let Some(place) = region.give(octets) else { return };
            scatters.push(region.sge(place, octets));
            receive = Receive { wr_id, octets, place: Some((n, region.id, place)) };
        }
        if !end.claim() {
            return;
        }
        let bench = pair.side(Side::BOTH[at]);
        end.qp.post_recv(nic, bench, &RecvWork { wr_id, scatters });
        end.qp.ring(nic, bench, false, true);
        end.receives.push_back(receive);
    }

    /// An empty Send behind all of a direction.
    pub(super) fn last(&mut self, pair: &mut Pair, at: usize, slot: usize) {
        if self.hosts[1 - at].ends[slot].as_ref().is_some_and(|end| end.receives.is_empty()) {
            self.receive(pair, 1 - at, slot, 0, None);
        }
        let request = Request {
            kind: Kind::Send,
            octets: 0,
            is_signaled: true,
            is_solicited: false,
            pick: 0,
            wild_near: false,
            wild_far: false,
        };
        self.post(pair, at, slot, request);
    }

    /// The region of the peer that a request names.
    fn far(&mut self, at: usize, slot: usize, request: &Request) -> Option<Far> {
        let peer = &mut self.hosts[1 - at];
        let serves = !request.wild_far;
        let regions = match request.kind {
            Kind::Send => return Some(Far { stag: STag(0), to: TaggedOffset(0), place: None }),
            Kind::SendInvalidate => peer.invalidable(slot, serves),
            Kind::Write | Kind::Read => peer.serving(slot, serves),
        };
        let n = one(&regions, request.pick)?;
        let region = peer.regions[n].as_mut()?;
        let octets = if request.kind == Kind::SendInvalidate { 0 } else { request.octets };
        let place = region.give(octets)?;
        let (stag, to, id) = (region.stag(), region.to(place), region.id);
        Some(Far { stag, to, place: serves.then_some((n, id, place)) })
    }

    /// Posts a request of host `at`. One that does not apply is passed over.
    pub(super) fn post(&mut self, pair: &mut Pair, at: usize, slot: usize, mut request: Request) {
        let is_there = |host: &Estate| host.ends[slot].as_ref().is_some_and(|end| end.is_connected);
        if self.connections[slot].is_none() || !self.hosts.iter().all(is_there) {
            return;
        }
        if request.wild_near || request.wild_far {
            // nothing is asked for a payload without octets
            request.octets = request.octets.max(1);
        }
        let is_send = matches!(request.kind, Kind::Send | Kind::SendInvalidate);
        // a receive bounds the Send that it is for, and nothing else
        let first = self.hosts[1 - at].ends[slot].as_ref().and_then(|end| end.receives.front());
        let Some(room) = (if is_send { first.map(|receive| receive.octets) } else { Some(usize::MAX) })
        else {
            return;
        };
        // one that is too long is a request that cannot be done
        let is_long = request.kind == Kind::Send && request.wild_far;
        request.octets = if is_long { room + request.octets } else { request.octets.min(room) };
        let Some(far) = self.far(at, slot, &request) else { return };

        // where the octets are, or come to
        let octets = request.octets;
        let inline = !request.wild_near
            && octets <= INLINE
            && request.kind != Kind::Read
            && request.pick.is_multiple_of(3);
        let near = &mut self.hosts[at];
        let mut gathers: Vec<Sge> = vec![];
        let mut sink = None;
        if !inline {
            let regions = near.serving(slot, !request.wild_near);
            let Some(n) = one(&regions, request.pick) else { return };
            let Some(region) = &mut near.regions[n] else { return };
            let Some(place) = region.give(octets) else { return };
            gathers.push(region.sge(place, octets));
            sink = Some((n, region.id, place));
        }
        if !near.ends[slot].as_mut().is_some_and(super::estate::End::claim) {
            return;
        }
        let wr_id = self.fresh();
        let payload: Vec<u8> = (0..octets).map(|i| (wr_id as usize * 59 + i * 7 + i / 253) as u8).collect();
        let source = match request.kind {
            Kind::Read => far.place.map(|(n, _, place)| (1 - at, n, place)),
            _ => sink.map(|(n, _, place)| (at, n, place)),
        };
        if let Some((host, n, place)) = source {
            let Estate { regions, nic, .. } = &mut self.hosts[host];
            let mapped = regions[n].as_mut();
            mapped.into_iter().for_each(|r| r.fill(nic, pair.side(Side::BOTH[host]), place, &payload));
        }
        self.owe(at, slot, Posted { request: &request, number: wr_id, payload: &payload, far: &far, sink });
        let Estate { ends, nic, .. } = &mut self.hosts[at];
        let Some(end) = &mut ends[slot] else { return };
        let head = SendWqe {
            opcode: opcode(&request),
            is_signaled: request.is_signaled || request.kind == Kind::Read,
            remote_stag: far.stag,
            remote_to: far.to,
            ..Default::default()
        };
        let work = SendWork { wr_id, head, gathers, inline: inline.then_some(payload) };
        let bench = pair.side(Side::BOTH[at]);
        end.qp.post_send(nic, bench, &work);
        end.qp.ring(nic, bench, true, false);
    }

    /// What a request makes its connection owe.
    fn owe(&mut self, at: usize, slot: usize, posted: Posted<'_>) {
        let Posted { request, number, payload, far, sink } = posted;
        let Some(connection) = &mut self.connections[slot] else { return };
        let peer = 1 - at;
        let is_bad = request.wild_near || request.wild_far;
        if is_bad && connection.fate == Fate::Clean {
            connection.fate = Fate::Fails;
        }
        let (id, is_read) = (connection.id, request.kind == Kind::Read);
        let flow = &mut connection.flows[at];
        // a Read finds its own region out when the response comes: what is behind it may have left
        let is_refused = flow.is_refused || request.wild_near && !is_read;
        flow.is_refused = is_refused || request.wild_far;
        flow.is_stuck |= request.wild_near || (request.wild_far && is_read);
        connection.uses.extend(sink.map(|(_, region, _)| (at, region, None)));
        let by = (!is_read).then_some(at);
        connection.uses.extend(far.place.map(|(_, region, _)| (peer, region, by)));
        let mut owed =
            Owed { wr_id: number, opcode: opcode(request), never: flow.is_stuck, ..Default::default() };
        match request.kind {
            Kind::Read => {
                owed.byte_len = payload.len();
                if let Some((n, _, place)) = sink.filter(|_| !flow.is_stuck && !is_refused) {
                    let region = self.hosts[at].regions[n].as_mut();
                    region.into_iter().for_each(|r| r.promise(number, id, place, payload.to_vec()));
                    owed.fills.push((at, n, number));
                }
            }
            Kind::Write => {
                if let Some((n, _, place)) = far.place.filter(|_| !is_refused) {
                    let region = self.hosts[peer].regions[n].as_mut();
                    region.into_iter().for_each(|r| r.promise(number, id, place, payload.to_vec()));
                    flow.writes.push((peer, n, number));
                }
            }
            Kind::Send | Kind::SendInvalidate => {
                let Estate { ends, regions, .. } = &mut self.hosts[peer];
                let Some(receive) = ends[slot].as_mut().and_then(|end| end.receives.pop_front()) else {
                    return;
                };
                let mut fills = std::mem::take(&mut flow.writes);
                connection.uses.extend(receive.place.map(|(_, region, _)| (peer, region, None)));
                // segments before the one that cannot be taken are placed
                if let Some((n, _, place)) = receive.place.filter(|_| !is_refused) {
                    let fits = &payload[..payload.len().min(receive.octets)];
                    let region = regions[n].as_mut();
                    region.into_iter().for_each(|r| r.promise(number, id, place, fits.to_vec()));
                    fills.push((peer, n, number));
                }
                flow.receives.push_back(Owed {
                    wr_id: receive.wr_id,
                    opcode: opcode(request),
                    byte_len: payload.len(),
                    is_solicited: request.is_solicited,
                    invalidates: far.place.map(|_| far.stag),
                    never: flow.is_refused,
                    fills,
                });
                if let Some(region) = far.place.and_then(|(n, ..)| regions[n].as_mut()) {
                    region.state = State::Dying;
                    let of_others =
                        |(host, of, by): &Use| (*host, *of) == (peer, region.id) && *by != Some(at);
                    let is_for = |r: &Receive| r.place.is_some_and(|(_, of, _)| of == region.id);
                    let mut waits = ends.iter().flatten().flat_map(|end| &end.receives);
                    if connection.uses.iter().any(of_others) || waits.any(is_for) {
                        connection.fate = Fate::Open;
                    }
                }
            }
        }
        if request.is_signaled || is_read {
            flow.sends.push_back(owed);
        }
    }
}
