// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole devices on one switch, in one thread: each steps through a block of time, then the switch
//! exchanges frames.
use super::host::TO_BASE;
use super::message::RDMA_WRITE;
use super::{clock_ps, config, link, units, Done, End, Host, Message, RecvWork, SendWork, Wire};
use ferrowarp_abi::codec::{ConnRow, Cqe, SendWqe};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::TaggedOffset;
use ferrowarp_sim::link::switch::Switch;
use ferrowarp_sim::{Bench, Library, Link, LinkConfig, MemoryTiming, Side};
use std::collections::VecDeque;
use std::sync::Arc;

/// Cycles between two ticks of the devices' pins.
const TICK: u64 = 1_000;
/// Congestion control as after a reset; ticks of the shortest timeout, and expiries in a row until
/// a connection is lost.
const PINS: [(&str, u64); 3] = [("recovery", 15), ("rto_min", units(4)), ("retry_limit", 12)];
/// Queue pair of a device's first connection.
const FIRST_QP: u16 = 4;
/// Octets of a host's region.
const REGION: usize = 1 << 20;
/// What the devices send says that its sender knows ECN: ECT(0) of RFC 3168.
const ECT: u8 = 2;

/// A device, its host, and the completions that are owed: of sends and of receives.
struct Station {
    bench: Bench,
    host: Host,
    owed: [VecDeque<(u16, u64)>; 2],
}

/// Devices with a connection between any two of them.
pub struct Switched {
    stations: Vec<Station>,
    switch: Switch,
    next_id: u64,
}

/// A place in the memory of a sender and one in that of its receiver, for any number of Writes.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Sender and receiver.
    way: [usize; 2],
    places: [usize; 2],
    octets: usize,
}

/// The connection of two devices, the lower one first.
fn wire(low: usize, high: usize, window_log2: u32) -> Wire {
    let end = |own: usize, peer: usize| End {
        mac: [2, 0, 0, 0, 0, own as u8],
        ip: [10, 0, 0, own as u8 + 1].into(),
        port: 20_000 + peer as u16,
        seq_start: 0x1000 * (own * 16 + peer) as u32,
        wants_markers: false,
    };
    let mtu = config().mtu as u16;
    Wire { ends: [end(low, high), end(high, low)], vlan: None, crc: true, mtu, window_log2 }
}

/// Which connection of a device leads to a peer, from 0.
fn nth(own: usize, peer: usize) -> usize {
    peer - usize::from(peer > own)
}

impl Switched {
    /// `devices` devices of a model, set up and connected. `switch` puts their links on a switch,
    /// in their order.
    pub fn new(
        library: &Arc<Library>,
        devices: usize,
        switch: impl FnOnce(Vec<Link>) -> Switch,
    ) -> Result<Self, String> {
        Self::on(library, devices, (link(), config().window_log2 as u32), switch)
    }

    /// [`Switched::new`] with cables and a window of the caller's choice. The model must have that
    /// window.
    pub fn on(
        library: &Arc<Library>,
        devices: usize,
        (line, window_log2): (LinkConfig, u32),
        switch: impl FnOnce(Vec<Link>) -> Switch,
    ) -> Result<Self, String> {
        let (mut stations, mut links) = (vec![], vec![]);
        for own in 0..devices {
            let mut bench = Bench::live(library, own as u64)?;
            let link = Link::new(line);
            bench.ethernet(&link, Side::A, "tx", "rx");
            bench.set("ack_delay", 1);
            bench.set("tick_use_pin", 1);
            PINS.iter().for_each(|(pin, value)| bench.set(pin, *value));
            let numbers: Vec<_> = (FIRST_QP..).take(devices - 1).collect();
            let mut host = Host::new(&mut bench, MemoryTiming::steady(clock_ps()), &numbers, REGION);
            for peer in (0..devices).filter(|&peer| peer != own) {
                let row = wire(own.min(peer), own.max(peer), window_log2).row(usize::from(own > peer));
                let row = ConnRow { traffic_class: ECT, ..row };
                let octets = row.octets().expect("fields fit");
                host.nic.command(&mut bench, admin_opcode::CONN_INSERT, numbers[nth(own, peer)], &octets);
            }
            links.push(link);
            stations.push(Station { bench, host, owed: Default::default() });
        }
        let mut all = Self { stations, switch: switch(links), next_id: 1 };
        all.until(50_000, "the devices are not set up", |station| {
            station.host.nic.settled(&mut station.bench).map_err(|e| e.to_string())
        })?;
        Ok(all)
    }

    /// Posts a Write or a Send, one buffer at each end, and its receive. Doorbells are rung.
    pub fn post(&mut self, way: [usize; 2], message: Message) -> Result<(), String> {
        let Message { opcode, payload, .. } = message;
        let flow = self.flow(way, &payload)?;
        if opcode == RDMA_WRITE {
            self.write(flow);
            return Ok(());
        }
        let Flow { way: [from, to], places, octets } = flow;
        let far = &mut self.stations[to];
        let work = RecvWork { wr_id: self.next_id, scatters: vec![far.host.sge(places[1], octets)] };
        let Host { nic, qps, .. } = &mut far.host;
        let qp = &mut qps[nth(to, from)];
        qp.post_recv(nic, &mut far.bench, &work);
        qp.ring(nic, &mut far.bench, false, true);
        far.owed[1].push_back((qp.number, work.wr_id));
        self.request(flow, SendWqe { opcode, ..Default::default() });
        Ok(())
    }

    /// Sets an input of all devices.
    pub fn set(&mut self, port: &str, value: u64) {
        self.stations.iter_mut().for_each(|station| station.bench.set(port, value));
    }

    /// Cycles of all devices.
    pub fn cycle(&self) -> u64 {
        self.stations[0].bench.cycle()
    }

    /// Gives places for a payload away, puts the payload into the sender's, and expects it in both.
    pub fn flow(&mut self, way: [usize; 2], payload: &[u8]) -> Result<Flow, String> {
        let both = self.stations.get_disjoint_mut(way).map_err(|e| e.to_string())?;
        let places = both.map(|station| {
            let at = station.host.give(payload.len(), 0);
            station.host.expected[at..at + payload.len()].copy_from_slice(payload);
            at
        });
        let near = &mut self.stations[way[0]];
        let source = near.host.base + places[0] as u64;
        near.bench.host(near.host.nic.memory).write(source, payload).map_err(|e| e.to_string())?;
        Ok(Flow { way, places, octets: payload.len() })
    }

    /// Posts one Write of a flow.
    pub fn write(&mut self, flow: Flow) {
        let remote_stag = self.stations[flow.way[1]].host.stag();
        let remote_to = TaggedOffset(TO_BASE + flow.places[1] as u64);
        self.request(flow, SendWqe { opcode: RDMA_WRITE, remote_stag, remote_to, ..Default::default() });
    }

    /// Posts a signaled request from the place of a flow's sender, and rings.
    fn request(&mut self, flow: Flow, head: SendWqe) {
        let (Flow { way: [from, to], places, octets }, wr_id) = (flow, self.next_id);
        self.next_id += 1;
        let head = SendWqe { is_signaled: true, ..head };
        let near = &mut self.stations[from];
        let work = SendWork { wr_id, head, gathers: vec![near.host.sge(places[0], octets)], inline: None };
        let Host { nic, qps, .. } = &mut near.host;
        let qp = &mut qps[nth(from, to)];
        qp.post_send(nic, &mut near.bench, &work);
        qp.ring(nic, &mut near.bench, true, false);
        near.owed[0].push_back((qp.number, wr_id));
    }

    /// Takes the completions of device `from`; how many of its requests have none.
    pub fn owed(&mut self, from: usize) -> Result<usize, String> {
        self.stations[from].look()?;
        Ok(self.stations[from].owed[0].len())
    }

    /// One block of all devices, as long as the switch allows, and the exchange.
    pub fn block(&mut self) -> Result<(), String> {
        let cycles = self.switch.lookahead_ps() / clock_ps();
        let mut reached = 0;
        for station in &mut self.stations {
            for _ in 0..cycles {
                station.bench.set("tick_pin", u64::from(station.bench.cycle().is_multiple_of(TICK)));
                station.bench.step();
            }
            reached = station.bench.cycle();
        }
        self.switch.exchange(reached * clock_ps()).map_err(|why| why.to_string())
    }

    /// Goes on until all completions came; the error after `most` cycles.
    pub fn until_settled(&mut self, most: u64) -> Result<(), String> {
        self.until(most, "completions are owed", Station::look)
    }

    fn until(
        &mut self,
        most: u64,
        what: &str,
        done: impl Fn(&mut Station) -> Result<bool, String>,
    ) -> Result<(), String> {
        let start = self.stations[0].bench.cycle();
        loop {
            // each of them is looked at, whatever the ones before it say
            let ready = self.stations.iter_mut().map(&done).collect::<Result<Vec<_>, _>>()?;
            if ready.iter().all(|ready| *ready) {
                return Ok(());
            }
            if self.stations[0].bench.cycle() - start > most {
                let owed: Vec<_> = self.stations.iter().map(|station| &station.owed).collect();
                return Err(format!("{what} after {most} cycles: {owed:?}"));
            }
            self.block()?;
        }
    }

    /// The switch.
    pub fn switch(&self) -> &Switch {
        &self.switch
    }

    /// Every memory holds what it must, and nothing else.
    pub fn compare(&mut self) -> Result<(), String> {
        let mut all = self.stations.iter_mut().enumerate();
        all.try_for_each(|(n, Station { bench, host, .. })| host.compare(bench, &format!("device {n}")))
    }
}

impl Station {
    /// Takes completions; whether none is owed.
    fn look(&mut self) -> Result<bool, String> {
        let came = self.host.poll(&mut self.bench);
        for (cqes, owed) in came.into_iter().zip(&mut self.owed) {
            for Done { wr_id, entry: Cqe { qp, status, .. } } in cqes {
                // connections go on beside each other, the requests of one in order
                let place = owed.iter().position(|(number, _)| *number == qp);
                if status != 0 || place.and_then(|place| owed.remove(place)) != Some((qp, wr_id)) {
                    return Err(format!("request {wr_id} of queue pair {qp} ended with status {status}"));
                }
            }
        }
        Ok(self.owed.iter().all(VecDeque::is_empty))
    }
}
