// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application that does what scripts say, by the verbs of this project's driver.
use super::device::{
    Application, Depth, Done, Heard, How, Offered, Order, Place, Post, Region, Verb, Wanted,
};
use crate::driver::backend::Scripted;
use crate::fw::bench::PORT;
use ferrowarp::backend::PciBackend;
use ferrowarp::url::SimUrl;
use ferrowarp::{
    AcceptOptions, Access, Completion, CompletionQueue, ConnectOptions, Connecting, Connection, Device,
    Error, Listener, MemoryRegion, OfferedDepths, ProtectionDomain, QpOptions, QueuePair, Remote, Request,
    RtrSet, STag, Segment, TaggedOffset, WantedDepth, WorkRequest,
};
use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;
use std::ptr::NonNull;
use std::sync::Arc;

/// Entries of a completion queue, if a script does not say.
const ENTRIES: u32 = 64;
/// The protection domain of what names none.
pub const DOMAIN: &str = "1";

/// The application.
pub struct Verbs {
    device: Device,
    backend: Arc<Scripted>,
    peers: Ipv4Addr,
    domains: BTreeMap<String, ProtectionDomain>,
    regions: BTreeMap<String, Arc<Owned>>,
    listener: Option<Listener>,
    flows: BTreeMap<usize, Flow>,
}

/// A region, and the one whose memory it is a part of.
struct Owned {
    /// Dropped first.
    region: MemoryRegion,
    _whole: Option<Arc<Owned>>,
}

/// One connection.
#[derive(Default)]
struct Flow {
    /// Taken only by who posts before there is a connection.
    qp: Option<(CompletionQueue, QueuePair)>,
    request: Option<Request>,
    connecting: Option<Connecting>,
    connection: Option<Connection>,
    /// What was not heard yet.
    heard: VecDeque<Heard>,
    is_finished: bool,
    is_terminated: bool,
    is_ended: bool,
}

/// No connection comes of it.
fn refused(why: Error) -> Heard {
    let offered = match &why {
        Error::Rejected { private_data, ird, ord } => {
            Some(offered(OfferedDepths { ird: *ird, ord: *ord }, private_data))
        }
        _ => None,
    };
    Heard::Refused(text(why), offered)
}

fn text(why: Error) -> String {
    format!("{why:?}: {why}")
}

impl Verbs {
    /// On the simulated device of a URL, with peers at this address.
    pub fn open(url: &str, peers: Ipv4Addr) -> Result<Self, Error> {
        let url: SimUrl = url.parse()?;
        let backend = Scripted::new(PciBackend::sim(&url)?);
        let device = Device::new(backend.clone(), &url.net)?;
        Ok(Self::new(device, backend, peers))
    }

    fn new(device: Device, backend: Arc<Scripted>, peers: Ipv4Addr) -> Self {
        Self {
            device,
            backend,
            peers,
            domains: BTreeMap::new(),
            regions: BTreeMap::new(),
            listener: None,
            flows: BTreeMap::new(),
        }
    }

    fn domain(&mut self, name: &str) -> Result<ProtectionDomain, String> {
        if !self.domains.contains_key(name) {
            let domain = self.device.protection_domain().map_err(text)?;
            self.domains.insert(name.into(), domain);
        }
        Ok(self.domains[name].clone())
    }

    fn queue_pair(&mut self, number: usize, pd: &str, entries: u32) -> Result<(), String> {
        let pd = self.domain(pd)?;
        let cq = self.device.completion_queue(entries).map_err(text)?;
        let qp = self.device.queue_pair(&pd, [&cq, &cq], QpOptions::default()).map_err(text)?;
        self.flow(number).qp = Some((cq, qp));
        Ok(())
    }

    /// The queue pair of a connection, made if there is none.
    fn own(&mut self, number: usize) -> Result<&(CompletionQueue, QueuePair), String> {
        if self.flow(number).qp.is_none() {
            self.queue_pair(number, DOMAIN, ENTRIES)?;
        }
        self.flow(number).qp.as_ref().ok_or_else(|| "no queue pair".into())
    }

    fn flow(&mut self, number: usize) -> &mut Flow {
        self.flows.entry(number).or_default()
    }

    fn owned(&self, name: &str) -> Result<&Arc<Owned>, String> {
        self.regions.get(name).ok_or_else(|| format!("there is no region `{name}`"))
    }

    fn region(&self, name: &str) -> Result<&MemoryRegion, String> {
        self.owned(name).map(|owned| &owned.region)
    }

    fn segments(&self, place: &Option<Place>) -> Result<Vec<Segment>, String> {
        place
            .iter()
            .map(|place| self.region(&place.region)?.segment(place.at, place.octets).map_err(text))
            .collect()
    }

    fn connection(&mut self, number: usize) -> Result<&Connection, String> {
        self.flow(number).connection.as_ref().ok_or_else(|| "there is no connection yet".into())
    }

    fn allocate(&mut self, number: usize, wanted: Region) -> Result<(), String> {
        let Region { name, octets, rights, pd, bound, within } = wanted;
        let access = Access {
            local_write: rights.contains('l'),
            remote_read: rights.contains('r'),
            remote_write: rights.contains('w'),
        };
        let domain = self.domain(&pd)?;
        let (region, whole) = match within {
            Some((whole, at)) => {
                let whole = self.owned(&whole)?.clone();
                (part(&domain, &whole.region, at, octets, access), Some(whole))
            }
            None if bound => {
                let qp = self.own(number)?.1.clone();
                (domain.allocate_for(&qp, octets, access), None)
            }
            None => (domain.allocate(octets, access), None),
        };
        let region = region.map_err(text)?;
        let heard = Heard::Region { name: name.clone(), stag: region.stag().0, to: region.to_base().0 };
        self.flow(number).heard.push_back(heard);
        self.regions.insert(name, Arc::new(Owned { region, _whole: whole }));
        Ok(())
    }

    fn post(&mut self, number: usize, post: &Post) -> Result<(), String> {
        let Post { verb, id, place, stag, to, how } = post;
        let segments = self.segments(place)?;
        let remote = Remote { stag: STag(*stag), to: TaggedOffset(*to) };
        let qp = self.connection(number)?.queue_pair();
        let posted = match (verb, &segments[..]) {
            (Verb::Send, _) => {
                let send = qp.send(*id, &segments).invalidate(how.inv.map(STag));
                how.of(if how.solicited { send.solicited() } else { send }).post()
            }
            (Verb::Write, _) => how.of(qp.write(*id, &segments, remote)).post(),
            (Verb::Read, [sink]) => how.of(qp.read(*id, *sink, remote)).post(),
            (Verb::Read, _) => return Err("a Read needs a region, a place and octets".into()),
        };
        posted.map_err(text)
    }
}

/// A region of its own over a part of another one's memory.
fn part(
    domain: &ProtectionDomain,
    whole: &MemoryRegion,
    at: usize,
    octets: usize,
    access: Access,
) -> Result<MemoryRegion, Error> {
    whole.segment(at, octets)?;
    let start = NonNull::new((whole.memory().address() + at as u64) as *mut u8).expect("memory is not at 0");
    // SAFETY: `segment` has found the octets inside `whole`, whose memory the driver shares with
    // the device by atomic accesses alone. `Owned` keeps `whole` until the part is dropped.
    unsafe { domain.register_foreign(start, octets, access) }
}

impl How {
    fn of<Q, V>(&self, request: WorkRequest<Q, V>) -> WorkRequest<Q, V> {
        let request = if self.fenced { request.fenced() } else { request };
        if self.unsignaled {
            request.unsignaled()
        } else {
            request
        }
    }
}

impl From<Depth> for WantedDepth {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::Told(reads) => Self::Reads(reads),
            Depth::Untold(reads) => Self::Untold(reads),
        }
    }
}

impl Wanted {
    fn options(&self) -> ConnectOptions {
        let rtr = |text: &String| RtrSet {
            send: text.contains('s'),
            write: text.contains('w'),
            read: text.contains('r'),
        };
        let depth = |depth: Option<Depth>| depth.map_or(WantedDepth::Reads(4), WantedDepth::from);
        ConnectOptions::default()
            .ird(depth(self.ird))
            .ord(depth(self.ord))
            .private_data(self.data.clone())
            .markers(self.markers)
            .strict(self.strict)
            .peer_to_peer(self.peer_to_peer)
            .rtr(self.rtr.as_ref().map(rtr))
    }
}

fn offered(depths: OfferedDepths, data: &[u8]) -> Offered {
    // what the peer left out is all ones, as on the wire
    let of = |depth: Option<u16>| depth.unwrap_or(0x3FFF);
    Offered { data: data.to_vec(), ird: of(depths.ird), ord: of(depths.ord) }
}

impl Flow {
    /// What has come about since the last look.
    fn look(&mut self) -> Result<(), String> {
        if let Some(connecting) = &mut self.connecting {
            match connecting.poll() {
                Ok(None) => {}
                Ok(Some(connection)) => {
                    let offered = offered(connection.offered(), connection.private_data());
                    self.heard.push_back(Heard::Connected(offered));
                    (self.connecting, self.connection) = (None, Some(connection));
                }
                Err(why) => {
                    self.heard.push_back(refused(why));
                    self.connecting = None;
                }
            }
        }
        if let Some((cq, _)) = &self.qp {
            while let Some(done) = cq.poll().map_err(text)? {
                self.heard.push_back(Heard::Done(done.into()));
            }
        }
        let Some(connection) = &self.connection else { return Ok(()) };
        if connection.peer_finished() && !self.is_finished {
            self.is_finished = true;
            self.heard.push_back(Heard::PeerFinished);
        }
        if let Some(told) = connection.terminated().filter(|_| !self.is_terminated) {
            self.is_terminated = true;
            self.heard.push_back(Heard::Terminated([told.layer, told.etype, told.code]));
        }
        if let Some(ended) = connection.ended().filter(|_| !self.is_ended) {
            self.is_ended = true;
            self.heard.push_back(Heard::Ended(ended.map_or_else(text, |()| "Ok".into())));
        }
        Ok(())
    }
}

impl From<Completion> for Done {
    fn from(done: Completion) -> Self {
        Self {
            id: done.wr_id,
            status: format!("{:?}", done.status),
            op: format!("{:?}", done.opcode),
            octets: done.octets,
            inv: done.invalidated.map_or(0, |stag| stag.0),
            solicited: done.is_solicited,
            error: done.error,
        }
    }
}

impl Application for Verbs {
    fn order(&mut self, number: usize, order: Order) -> Result<(), String> {
        match order {
            Order::QueuePair { pd, cq } => self.queue_pair(number, &pd, cq),
            Order::Listen => {
                self.listener = Some(self.device.listen(PORT, 8).map_err(text)?);
                Ok(())
            }
            Order::Connect { port, wanted } => {
                let qp = self.own(number)?.1.clone();
                let remote = (self.peers, port).into();
                let connecting = self.device.start_connect(&qp, remote, wanted.options());
                let flow = self.flow(number);
                match connecting {
                    Ok(connecting) => flow.connecting = Some(connecting),
                    Err(why) => flow.heard.push_back(refused(why)),
                }
                Ok(())
            }
            Order::Accept(wanted) => {
                let qp = self.own(number)?.1.clone();
                let flow = self.flow(number);
                let request = flow.request.take().ok_or("nobody asks for a connection")?;
                let options = AcceptOptions::from(wanted.options()).early(wanted.early);
                match request.start_accept(&qp, options) {
                    Ok(connecting) => flow.connecting = Some(connecting),
                    Err(why) => flow.heard.push_back(refused(why)),
                }
                Ok(())
            }
            Order::Reject(data) => {
                let request = self.flow(number).request.take().ok_or("nobody asks for a connection")?;
                if let Err(why) = request.reject(data) {
                    self.flow(number).heard.push_back(refused(why));
                }
                Ok(())
            }
            Order::Region(wanted) => self.allocate(number, wanted),
            Order::Drop(name) => {
                self.regions.remove(&name).map(drop).ok_or_else(|| format!("there is no region `{name}`"))
            }
            Order::Fill { place, data } => {
                let region = self.region(&place.region)?;
                region.memory().write(place.at, &data.0).map_err(|why| why.to_string())
            }
            Order::Recv { id, place } => {
                let segments = self.segments(&place)?;
                self.own(number)?.1.post_recv(id, &segments).map_err(text)
            }
            Order::Post(post) => self.post(number, &post),
            Order::Close => self.connection(number)?.start_disconnect().map_err(text),
            Order::Finish => self.connection(number)?.finish_sending().map_err(text),
            Order::Rest(rests) => {
                self.backend.freeze(rests);
                Ok(())
            }
            Order::Forget => {
                *self.flow(number) = Flow::default();
                Ok(())
            }
            Order::Abort => {
                let flow = self.flow(number);
                (flow.connection, flow.connecting, flow.request) = (None, None, None);
                Ok(())
            }
        }
    }

    fn hear(&mut self, number: usize) -> Result<Option<Heard>, String> {
        self.backend.advance();
        if self.flow(number).request.is_none() {
            if let Some(listener) = &self.listener {
                if let Some(request) = listener.try_next().map_err(text)? {
                    let offered = offered(request.offered(), request.private_data());
                    let flow = self.flow(number);
                    flow.heard.push_back(Heard::Requested(offered));
                    flow.request = Some(request);
                }
            }
        }
        let failures = self.listener.as_ref().map_or(Ok(vec![]), Listener::failures).map_err(text)?;
        let flow = self.flow(number);
        flow.heard.extend(failures.into_iter().map(|why| Heard::Failed(text(why))));
        flow.look()?;
        Ok(flow.heard.pop_front())
    }

    fn memory(&mut self, region: &str, at: usize, octets: usize) -> Result<Vec<u8>, String> {
        self.region(region)?.memory().copy(at, octets).map_err(|why| why.to_string())
    }
}
