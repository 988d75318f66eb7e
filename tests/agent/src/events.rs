// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the libraries tell: events of connections, events of queue pairs, completions.
use crate::application::{Application, PATIENCE_MS};
use crate::flow::{offered, Flow};
use crate::library::{checked, failed};
use crate::words;
use ferrowarp_dropin::gen::*;
use ferrowarp_tests::script::agent::Said;
use ferrowarp_tests::script::device::Heard;
use std::ptr::null_mut;

impl Application {
    /// Takes all that has come about.
    pub fn look(&mut self) -> Result<(), String> {
        self.asynchronous();
        let mut event = null_mut();
        // SAFETY: the channel is open and does not wait; `event` is acknowledged below.
        while unsafe { (self.cm.rdma_get_cm_event)(self.channel, &mut event) } == 0 {
            // SAFETY: the event was just given.
            unsafe { self.event(event) };
            // SAFETY: nothing of the event is used from here on.
            checked("rdma_ack_cm_event", unsafe { (self.cm.rdma_ack_cm_event)(event) })?;
        }
        let waits = std::io::Error::last_os_error();
        if waits.kind() != std::io::ErrorKind::WouldBlock {
            return Err(failed("rdma_get_cm_event"));
        }
        let queues: Vec<_> =
            self.flows.iter().filter_map(|(number, flow)| Some((*number, flow.queue?))).collect();
        for (number, queue) in queues {
            while let Some(done) = queue.poll()? {
                self.tell(number, Heard::Done(done));
            }
        }
        // a thread that connects sends only why it could not
        while let Ok((number, why)) = self.refused.1.try_recv() {
            self.tell(number, Heard::Refused(why, None));
        }
        Ok(())
    }

    /// Notes faults of queue pairs.
    fn asynchronous(&mut self) {
        let mut event = ibv_async_event::default();
        // SAFETY: the context is open, its file does not wait.
        while unsafe { (self.verbs.ibv_get_async_event)(self.context, &mut event) } == 0 {
            if let Some(fault) = words::fault(event.event_type) {
                // SAFETY: events of these kinds have a queue pair.
                let qp = unsafe { event.element.qp };
                let is_its = |flow: &&mut Flow| flow.queue.is_some_and(|queue| queue.qp == qp);
                if let Some(flow) = self.flows.values_mut().find(is_its) {
                    flow.fault = Some(fault);
                }
            }
            // SAFETY: the event was given by the call before.
            unsafe { (self.verbs.ibv_ack_async_event)(&mut event) };
        }
    }

    /// # Safety
    /// The event was not acknowledged.
    unsafe fn event(&mut self, event: *const rdma_cm_event) {
        // SAFETY: by the caller.
        let (id, kind, status) = unsafe { ((*event).id, (*event).event, (*event).status) };
        if kind == RDMA_CM_EVENT_CONNECT_REQUEST {
            // SAFETY: by the caller; it is an event of a connection.
            let offered = unsafe { offered(event) };
            self.requests.push_back((id, offered.clone()));
            return self.say(Said::Requested(offered));
        }
        let Some(number) = self.flows.iter().find(|(_, flow)| flow.id == id).map(|(number, _)| *number)
        else {
            return;
        };
        let heard = match kind {
            RDMA_CM_EVENT_ADDR_RESOLVED => {
                // SAFETY: the id lives: a connection has it.
                let begun = unsafe { (self.cm.rdma_resolve_route)(id, PATIENCE_MS) };
                checked("rdma_resolve_route", begun).err().map(|why| Heard::Refused(why, None))
            }
            RDMA_CM_EVENT_ROUTE_RESOLVED => {
                self.connect(number, id);
                None
            }
            RDMA_CM_EVENT_ESTABLISHED => {
                // who accepted has heard of the peer when it asked
                let before = self.flow(number).offered.take();
                // SAFETY: by the caller; it is an event of a connection.
                Some(Heard::Connected(before.unwrap_or_else(|| unsafe { offered(event) })))
            }
            RDMA_CM_EVENT_REJECTED => {
                let why = format!("{}, status {status}", words::event(kind));
                // SAFETY: by the caller; it is an event of a connection.
                Some(Heard::Refused(why, Some(unsafe { offered(event) })))
            }
            RDMA_CM_EVENT_ADDR_ERROR
            | RDMA_CM_EVENT_ROUTE_ERROR
            | RDMA_CM_EVENT_UNREACHABLE
            | RDMA_CM_EVENT_CONNECT_ERROR => {
                Some(Heard::Refused(format!("{}, status {status}", words::event(kind)), None))
            }
            RDMA_CM_EVENT_DISCONNECTED => {
                // the event of a fault may have come meanwhile
                self.asynchronous();
                Some(Heard::Ended(match (self.flow(number).fault, status) {
                    (None, 0) => "Ok".into(),
                    (fault, status) => format!("{}, status {status}", fault.unwrap_or("no fault")),
                }))
            }
            _ => None,
        };
        if let Some(heard) = heard {
            self.tell(number, heard);
        }
    }

    /// Connects on a thread of its own: siw waits in the call for TCP's handshake.
    fn connect(&mut self, number: usize, id: *mut rdma_cm_id) {
        let Some(wanted) = self.flow(number).wanted.take() else { return };
        let (connect, refused, id) = (self.cm.rdma_connect, self.refused.0.clone(), id as usize);
        std::thread::spawn(move || {
            let mut raw = wanted.raw();
            // SAFETY: the kernel holds who gives the id back until this call is over, and then
            // refuses it; the private data lives during the call.
            let done = unsafe { connect(id as *mut rdma_cm_id, &mut raw) };
            if let Err(why) = checked("rdma_connect", done) {
                // the agent may be about to end
                drop(refused.send((number, why)));
            }
        });
    }
}
