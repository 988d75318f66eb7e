// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the agent is asked.
use crate::application::{socket_address, Application, Held, BACKLOG, PATIENCE_MS};
use crate::flow::{Flow, Parameters};
use crate::library::{checked, failed};
use crate::memory::Memory;
use crate::queue::Queue;
use ferrowarp_dropin::gen::*;
use ferrowarp_tests::script::device::{Heard, Order, Place, Region};
use libc::c_int;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ptr::null_mut;
use std::rc::Rc;

/// The protection domain of what names none.
const DOMAIN: &str = "1";
/// Entries of a completion queue of which nothing is said.
const ENTRIES: u32 = 4_096;

impl Application {
    /// Does it. The error says why nothing was done.
    pub fn order(&mut self, number: usize, order: Order) -> Result<(), String> {
        match order {
            Order::QueuePair { pd, cq } => self.make_queue(number, &pd, cq).map(drop),
            Order::Listen => self.listen(),
            Order::Connect { port, wanted } => self.resolve(number, port, Parameters::new(&wanted)?),
            Order::Accept(wanted) => {
                let (queue, parameters) = (self.queue(number)?, Parameters::new(&wanted)?);
                let (id, mut raw) = (self.connection(number)?, parameters.raw());
                // SAFETY: the id lives, and takes the queue pair as one that it made.
                unsafe { (*id).qp = queue.qp };
                // SAFETY: the private data lives during the call.
                checked("rdma_accept", unsafe { (self.cm.rdma_accept)(id, &mut raw) })
            }
            Order::Reject(data) => {
                let id = self.connection(number)?;
                let octets = u8::try_from(data.len()).map_err(|why| why.to_string())?;
                // SAFETY: the private data lives during the call.
                let done = unsafe { (self.cm.rdma_reject)(id, data.as_ptr().cast(), octets) };
                checked("rdma_reject", done)?;
                self.release(number, None);
                Ok(())
            }
            Order::Region(wanted) => self.register(number, wanted),
            Order::Drop(name) => {
                let held = self.regions.remove(&name).ok_or(format!("there is no region `{name}`"))?;
                // SAFETY: the region was registered, and nobody names it any more.
                checked("ibv_dereg_mr", unsafe { (self.verbs.ibv_dereg_mr)(held.mr) })
            }
            Order::Fill { place, data } => {
                let held = self.held(&place.region)?;
                held.memory.write(held.first + place.at, &data.0)
            }
            Order::Recv { id, place } => {
                let place = self.segment(&place)?;
                self.queue(number)?.receive(id, place)
            }
            Order::Post(post) => {
                let place = self.segment(&post.place)?;
                self.queue(number)?.post(&post, place)
            }
            Order::Close => {
                let id = self.connection(number)?;
                // SAFETY: the id lives.
                checked("rdma_disconnect", unsafe { (self.cm.rdma_disconnect)(id) })
            }
            Order::Abort => {
                self.release(number, None);
                Ok(())
            }
            Order::Forget => {
                let queue = self.flow(number).queue.take();
                self.release(number, queue);
                self.flows.remove(&number);
                Ok(())
            }
            Order::Finish => Err("EOPNOTSUPP: rdma_cm closes both directions at once".into()),
            other => Err(format!("EOPNOTSUPP: the agent has no {other:?}")),
        }
    }

    /// Octets of a region.
    pub fn memory(&self, region: &str, at: usize, octets: usize) -> Result<Vec<u8>, String> {
        let held = self.held(region)?;
        held.memory.read(held.first + at, octets)
    }

    fn held(&self, name: &str) -> Result<&Held, String> {
        self.regions.get(name).ok_or_else(|| format!("there is no region `{name}`"))
    }

    fn segment(&self, place: &Option<Place>) -> Result<Option<ibv_sge>, String> {
        let Some(Place { region, at, octets }) = place else { return Ok(None) };
        let held = self.held(region)?;
        let (addr, length) = (held.memory.address(held.first + at), *octets as u32);
        // SAFETY: the region lives until it is removed from the table.
        Ok(Some(ibv_sge { addr, length, lkey: unsafe { (*held.mr).lkey } }))
    }

    fn domain(&mut self, name: &str) -> Result<*mut ibv_pd, String> {
        if let Some(pd) = self.domains.get(name) {
            return Ok(*pd);
        }
        // SAFETY: the context is open.
        let pd = unsafe { (self.verbs.ibv_alloc_pd)(self.context) };
        if pd.is_null() {
            return Err(failed("ibv_alloc_pd"));
        }
        self.domains.insert(name.into(), pd);
        Ok(pd)
    }

    fn make_queue(&mut self, number: usize, pd: &str, entries: u32) -> Result<Queue, String> {
        let pd = self.domain(pd)?;
        let queue = Queue::new(&self.verbs, pd, entries)?;
        self.flow(number).queue = Some(queue);
        Ok(queue)
    }

    /// The queue pair of a connection, made if there is none.
    pub fn queue(&mut self, number: usize) -> Result<Queue, String> {
        match self.flow(number).queue {
            Some(queue) => Ok(queue),
            None => self.make_queue(number, DOMAIN, ENTRIES),
        }
    }

    pub fn flow(&mut self, number: usize) -> &mut Flow {
        self.flows.entry(number).or_default()
    }

    fn connection(&mut self, number: usize) -> Result<*mut rdma_cm_id, String> {
        let id = self.flow(number).id;
        if id.is_null() {
            return Err("there is no connection, and nobody asks for one".into());
        }
        Ok(id)
    }

    fn register(&mut self, number: usize, wanted: Region) -> Result<(), String> {
        let Region { name, octets, rights, pd, bound, within } = wanted;
        if bound {
            return Err("EOPNOTSUPP: ibv_reg_mr has no region of one queue pair".into());
        }
        let (memory, first) = match within {
            Some((whole, at)) => {
                let whole = self.held(&whole)?;
                (whole.memory.clone(), whole.first + at)
            }
            None => (Rc::new(Memory::new(octets)?), 0),
        };
        let rights =
            [('l', IBV_ACCESS_LOCAL_WRITE), ('r', IBV_ACCESS_REMOTE_READ), ('w', IBV_ACCESS_REMOTE_WRITE)]
                .iter()
                .filter(|(letter, _)| rights.contains(*letter))
                .fold(0, |rights, (_, right)| rights | right);
        let (pd, start) = (self.domain(&pd)?, memory.address(first));
        // SAFETY: `Held` keeps the memory until the region is deregistered or the process ends.
        let mr = unsafe { (self.verbs.ibv_reg_mr)(pd, start as *mut _, octets, rights as c_int) };
        if mr.is_null() {
            return Err(failed("ibv_reg_mr"));
        }
        // SAFETY: the region was just made.
        let stag = unsafe { (*mr).rkey };
        self.tell(number, Heard::Region { name: name.clone(), stag, to: start });
        self.regions.insert(name, Held { mr, memory, first });
        Ok(())
    }

    fn new_id(&mut self) -> Result<*mut rdma_cm_id, String> {
        let mut id = null_mut();
        // SAFETY: the channel is open; the result is written to `id`.
        let made = unsafe { (self.cm.rdma_create_id)(self.channel, &mut id, null_mut(), RDMA_PS_TCP) };
        checked("rdma_create_id", made).map(|()| id)
    }

    fn listen(&mut self) -> Result<(), String> {
        let id = self.new_id()?;
        let mut any = socket_address(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, self.port));
        // SAFETY: the address lives during the call.
        let bound = unsafe { (self.cm.rdma_bind_addr)(id, (&raw mut any).cast()) };
        checked("rdma_bind_addr", bound)?;
        // SAFETY: the id was just made.
        checked("rdma_listen", unsafe { (self.cm.rdma_listen)(id, BACKLOG) })
    }

    /// Begins to connect; events say how it goes on.
    fn resolve(&mut self, number: usize, port: u16, wanted: Parameters) -> Result<(), String> {
        let (queue, id) = (self.queue(number)?, self.new_id()?);
        // SAFETY: the id was just made, and takes the queue pair as one that it made.
        unsafe { (*id).qp = queue.qp };
        let flow = self.flow(number);
        (flow.id, flow.wanted) = (id, Some(wanted));
        let mut peer = socket_address(SocketAddrV4::new(self.peer, port));
        // SAFETY: the address lives during the call.
        let begun =
            unsafe { (self.cm.rdma_resolve_addr)(id, null_mut(), (&raw mut peer).cast(), PATIENCE_MS) };
        checked("rdma_resolve_addr", begun)
    }

    /// Gives the cm_id back, with its connection, and then a queue pair. A thread does it: the
    /// kernel waits for the peer, if the startup is not over.
    fn release(&mut self, number: usize, queue: Option<Queue>) {
        let flow = self.flow(number);
        (flow.offered, flow.wanted) = (None, None);
        let id = std::mem::replace(&mut flow.id, null_mut());
        let (destroy, end) = (self.cm.rdma_destroy_id, queue.map(|queue| queue.ending(&self.verbs)));
        if !id.is_null() {
            // SAFETY: the id lives. The queue pair is not the id's.
            unsafe { (*id).qp = null_mut() };
        }
        let id = id as usize;
        std::thread::spawn(move || {
            if id != 0 {
                // SAFETY: no copy of the id is left; the other thread acknowledges its events.
                unsafe { destroy(id as *mut rdma_cm_id) };
            }
            end.into_iter().for_each(|end| end());
        });
    }
}
