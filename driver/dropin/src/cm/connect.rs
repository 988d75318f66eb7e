// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls that make connections and end them.
use super::id::{Id, Inner};
use super::params::{most, octets, read, Params};
use super::phase::{Makes, Phase};
use super::sync;
use super::watcher::{watch, Goes};
use crate::context::Context;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_minus;
use crate::live::find;
use crate::mailbox::Member;
use crate::qp::Qp;
use ferrowarp::{AcceptOptions, ConnectOptions, Connecting, DeviceLimits, QueuePair};
use std::ffi::{c_int, c_void};
use std::os::fd::AsFd;
use std::sync::{Arc, Weak};

/// The context of an identifier. EINVAL: no device was chosen.
fn context(id: &Id) -> Result<Arc<Context>, Errno> {
    // SAFETY: the identifier is there, and the program calls this.
    find::<Context>(unsafe { (*id.at()).verbs })
}

/// The queue pair of an identifier, or the one of a number. EINVAL: there is none.
fn queue_pair(id: &Id, context: &Context, number: u32) -> Result<Arc<Qp>, Errno> {
    // SAFETY: as above.
    let own = unsafe { (*id.at()).qp };
    let at = match own.is_null() {
        false => own,
        true => {
            let number = u16::try_from(number).map_err(|_| Errno::INVALID)?;
            let at = context.opened.member(Member::Qp(number)).ok_or(Errno::INVALID)?;
            std::ptr::without_provenance_mut(at)
        }
    };
    find::<Qp>(at)
}

/// A connection that is being made.
fn makes(
    id: &Id,
    connecting: Connecting,
    (pair, qp): (QueuePair, &Arc<Qp>),
    is_active: bool,
) -> Result<Phase, Errno> {
    let me: Weak<dyn Goes> = id.me().clone();
    let watched = watch(connecting.as_fd(), me)?;
    // SAFETY: as above.
    let is_external = unsafe { (*id.at()).qp.is_null() };
    let qp = Arc::downgrade(qp);
    Ok(Phase::Connecting(Box::new(Makes { watched, connecting, pair, qp, is_active, is_external })))
}

fn limits(context: &Context) -> &DeviceLimits {
    &context.opened.info.limits
}

/// Asks the peer for a connection.
fn connect(id: &Id, inner: &mut Inner, param: *const rdma_conn_param) -> Result<(), Errno> {
    let (Phase::Idle, Some(remote)) = (&inner.phase, inner.remote) else { return Err(Errno::INVALID) };
    let context = context(id)?;
    // SAFETY: the program's parameters.
    let Params { data, ird, ord, qp } = unsafe { read(param, limits(&context), most(limits(&context))) }?;
    let qp = queue_pair(id, &context, qp)?;
    let pair = qp.pair()?;
    // servers of rdma-core may send first
    let options = ConnectOptions::default().peer_to_peer(true).private_data(data).ird(ird).ord(ord);
    let options = options.local(inner.local);
    let connecting = context.opened.device.start_connect(&pair, remote, options)?;
    id.set_local(inner, connecting.local_addr());
    inner.phase = makes(id, connecting, (pair, &qp), true)?;
    Ok(())
}

/// Asks the peer for a connection. The event is ESTABLISHED, REJECTED, UNREACHABLE or
/// CONNECT_ERROR; CONNECT_RESPONSE instead of ESTABLISHED if the identifier has no queue pair.
#[no_mangle]
unsafe extern "C" fn rdma_connect(id: *mut rdma_cm_id, param: *mut rdma_conn_param) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        connect(&id, &mut id.inner.lock(), param)?;
        sync::complete(&id).map(|()| 0)
    })
}

/// Answers a request with a connection.
fn accept(id: &Id, inner: &mut Inner, param: *const rdma_conn_param) -> Result<(), Errno> {
    let Phase::Requested(_) = &inner.phase else { return Err(Errno::INVALID) };
    let context = context(id)?;
    // SAFETY: the program's parameters.
    let Params { data, ird, ord, qp } = unsafe { read(param, limits(&context), inner.offered) }?;
    let qp = queue_pair(id, &context, qp)?;
    let pair = qp.pair()?;
    let Phase::Requested(request) = std::mem::replace(&mut inner.phase, Phase::Over) else {
        return Err(Errno::INVALID);
    };
    let options = AcceptOptions::default().private_data(data).ird(ird).ord(ord);
    let connecting = request.start_accept(&pair, options)?;
    inner.phase = makes(id, connecting, (pair, &qp), false)?;
    Ok(())
}

/// Accepts a request. The event is ESTABLISHED or CONNECT_ERROR.
#[no_mangle]
unsafe extern "C" fn rdma_accept(id: *mut rdma_cm_id, param: *mut rdma_conn_param) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        accept(&id, &mut id.inner.lock(), param)?;
        sync::complete(&id).map(|()| 0)
    })
}

/// Rejects a request.
#[no_mangle]
unsafe extern "C" fn rdma_reject(id: *mut rdma_cm_id, data: *const c_void, length: u8) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        // SAFETY: the program's data.
        let data = unsafe { octets(data, length) }?;
        let mut inner = id.inner.lock();
        match std::mem::replace(&mut inner.phase, Phase::Over) {
            Phase::Requested(request) => request.reject(data)?,
            other => {
                inner.phase = other;
                return Err(Errno::INVALID);
            }
        }
        Ok(0)
    })
}

/// Closes a connection behind what was posted. The event is DISCONNECTED, at both ends.
#[no_mangle]
unsafe extern "C" fn rdma_disconnect(id: *mut rdma_cm_id) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        let mut inner = id.inner.lock();
        let is_awaited = match &mut inner.phase {
            Phase::Connected(link) if link.watched.is_none() => false,
            Phase::Connected(link) if link.is_closing => true,
            Phase::Connected(link) => {
                link.connection.start_disconnect()?;
                link.is_closing = true;
                true
            }
            _ => return Err(Errno::INVALID),
        };
        drop(inner);
        match is_awaited {
            true => sync::complete_as(&id, RDMA_CM_EVENT_DISCONNECTED).map(|()| 0),
            false => Ok(0),
        }
    })
}

/// A program with a queue pair of its own says that it is ready: the connection is there already.
#[no_mangle]
unsafe extern "C" fn rdma_establish(id: *mut rdma_cm_id) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        // SAFETY: the identifier is there, and the program calls this.
        let has_own = unsafe { !(*id.at()).qp.is_null() };
        let is_made = matches!(id.inner.lock().phase, Phase::Connected(_));
        match is_made && !has_own {
            true => Ok(0),
            false => Err(Errno::INVALID),
        }
    })
}

/// The program tells of an asynchronous event. The connection is established without that.
#[no_mangle]
unsafe extern "C" fn rdma_notify(id: *mut rdma_cm_id, _event: ibv_event_type) -> c_int {
    or_minus(|| find::<Id>(id).map(|_| 0))
}
