// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of identifiers: bound, resolved to a device, and listened on.
use super::event::Depths;
use super::id::{Id, Inner};
use super::net::{is_any, owner, read, route, source};
use super::phase::{Listens, Phase};
use super::port::Port;
use super::sync;
use super::watcher::{watch, Goes};
use crate::context::Context;
use crate::devices::{all, Entry};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_minus;
use crate::live::find;
use ferrowarp::Listener;
use std::ffi::c_int;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::Weak;

/// Requests of a listener that may wait, at least, and if the program names no number.
const BACKLOG: usize = 128;

fn is_idle(inner: &Inner) -> Result<(), Errno> {
    match inner.phase {
        Phase::Idle => Ok(()),
        _ => Err(Errno::INVALID),
    }
}

fn device_of(ip: IpAddr) -> Result<&'static Entry, Errno> {
    owner(ip).ok_or(Errno(libc::EADDRNOTAVAIL))
}

/// Takes an address as ours, with a free port in place of 0. EADDRNOTAVAIL: no device has the
/// address.
fn bind(id: &Id, inner: &mut Inner, mut local: SocketAddr) -> Result<(), Errno> {
    if !is_any(local.ip()) {
        id.take_device(inner, device_of(local.ip())?)?;
    }
    if local.port() == 0 {
        local.set_port(inner.port.insert(Port::draw()?).number());
    }
    id.set_local(inner, local);
    Ok(())
}

/// Takes an address, and its device, for an identifier.
#[no_mangle]
unsafe extern "C" fn rdma_bind_addr(id: *mut rdma_cm_id, address: *mut sockaddr) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        // SAFETY: the program's address.
        let local = unsafe { read(address) }?;
        let mut inner = id.inner.lock();
        is_idle(&inner)?;
        if inner.local.is_some() {
            return Err(Errno::INVALID);
        }
        bind(&id, &mut inner, local).map(|()| 0)
    })
}

/// Finds device and address towards a destination. ENODEV: there is none.
fn resolve(id: &Id, inner: &mut Inner, to: SocketAddr) -> Result<(), Errno> {
    let none = Errno(libc::ENODEV);
    let port = inner.local.map_or(0, |local| local.port());
    let bound = inner.local.map(|local| local.ip()).filter(|ip| !is_any(*ip));
    let (entry, ip) = match (inner.entry, bound) {
        // an address of another family has no way there
        (Some(entry), Some(ip)) => (entry, source(entry, to.ip()).map(|_| ip).ok_or(none)?),
        _ => route(to.ip()).ok_or(none)?,
    };
    if inner.entry.is_none() {
        id.take_device(inner, entry)?;
    }
    id.set_local(inner, (ip, port).into());
    id.set_remote(inner, to);
    Ok(())
}

/// Finds the device for a destination, without a packet: the event is there when this returns.
#[no_mangle]
unsafe extern "C" fn rdma_resolve_addr(
    id: *mut rdma_cm_id,
    from: *mut sockaddr,
    to: *mut sockaddr,
    _milliseconds: c_int,
) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        // SAFETY: the program's addresses.
        let (from, to) = unsafe { ((!from.is_null()).then(|| read(from)).transpose()?, read(to)?) };
        let mut inner = id.inner.lock();
        is_idle(&inner)?;
        if let (Some(from), None) = (from, inner.local) {
            bind(&id, &mut inner, from)?;
        }
        let (kind, status) = match resolve(&id, &mut inner, to) {
            Ok(()) => (RDMA_CM_EVENT_ADDR_RESOLVED, 0),
            Err(errno) => (RDMA_CM_EVENT_ADDR_ERROR, -errno.0),
        };
        drop(inner);
        id.tell(kind, status, vec![], Depths::default());
        sync::complete(&id).map(|()| 0)
    })
}

/// The route is the device's own: the event is there when this returns.
#[no_mangle]
unsafe extern "C" fn rdma_resolve_route(id: *mut rdma_cm_id, _milliseconds: c_int) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        let inner = id.inner.lock();
        is_idle(&inner)?;
        inner.entry.and(inner.remote).ok_or(Errno::INVALID)?;
        drop(inner);
        id.tell(RDMA_CM_EVENT_ROUTE_RESOLVED, 0, vec![], Depths::default());
        sync::complete(&id).map(|()| 0)
    })
}

/// Listens at one device.
fn listen(id: &Id, entry: &'static Entry, local: SocketAddr, backlog: usize) -> Result<Listens, Errno> {
    let context = super::default::context(entry)?;
    let at = match local.ip() {
        IpAddr::V4(ip) if is_any(ip.into()) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(ip) if is_any(ip.into()) => Ipv6Addr::UNSPECIFIED.into(),
        ip => ip,
    };
    let device = &find::<Context>(context)?.opened.device;
    let listener: Listener = device.listen_on((at, local.port()).into(), backlog)?;
    let me: Weak<dyn Goes> = id.me().clone();
    Ok(Listens { _watched: watch(listener.as_fd(), me)?, listener, entry })
}

/// Listens at the device of the address, or at all devices that are not another process's.
fn listen_all(id: &Id, inner: &mut Inner, backlog: usize) -> Result<(), Errno> {
    let any = SocketAddr::from(([0, 0, 0, 0], 0));
    let mut local = inner.local.unwrap_or(any);
    let mut listeners = vec![];
    let mut refused = Err(Errno(libc::ENODEV));
    let is_one = |entry: &&Entry| inner.entry.is_none_or(|one| std::ptr::eq(one, *entry));
    for entry in all().iter().filter(is_one) {
        match listen(id, entry, local, backlog) {
            Ok(listens) => {
                // a port that the first device has chosen is the port at all
                local.set_port(listens.listener.local_addr().port());
                listeners.push(listens);
                refused = Ok(());
            }
            Err(Errno(libc::EBUSY | libc::ENODEV)) if inner.entry.is_none() => {}
            Err(errno) => return Err(errno),
        }
    }
    refused?;
    id.set_local(inner, local);
    inner.phase = Phase::Listening(listeners);
    Ok(())
}

/// Listens at the address that was bound. Without an address the port is chosen here.
#[no_mangle]
unsafe extern "C" fn rdma_listen(id: *mut rdma_cm_id, backlog: c_int) -> c_int {
    or_minus(|| {
        let id = find::<Id>(id)?;
        let mut inner = id.inner.lock();
        is_idle(&inner)?;
        let backlog = usize::try_from(backlog).unwrap_or(0).max(BACKLOG);
        listen_all(&id, &mut inner, backlog).map(|()| 0)
    })
}

/// A port in the order of the network, or 0.
fn port(address: Option<SocketAddr>) -> u16 {
    address.map_or(0, |address| address.port().to_be())
}

/// Our port, in the order of the network.
#[no_mangle]
unsafe extern "C" fn rdma_get_src_port(id: *mut rdma_cm_id) -> u16 {
    find::<Id>(id).map_or(0, |id| port(id.inner.lock().local))
}

/// The peer's port, in the order of the network.
#[no_mangle]
unsafe extern "C" fn rdma_get_dst_port(id: *mut rdma_cm_id) -> u16 {
    find::<Id>(id).map_or(0, |id| port(id.inner.lock().remote))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cm::id_calls::{create, destroy};
    use crate::cm::net::stored;
    use std::ptr::null_mut;

    #[test]
    fn an_identifier_that_is_bound_without_a_port_has_one_before_it_listens() {
        let id = create(null_mut(), null_mut(), RDMA_PS_TCP).unwrap();
        let mut any = stored(([0, 0, 0, 0], 0).into());
        // SAFETY: an identifier of this test, and a whole address.
        let (bound, port) = unsafe { (rdma_bind_addr(id, (&raw mut any).cast()), rdma_get_src_port(id)) };
        assert_eq!(bound, 0);
        assert_ne!(port, 0);
        destroy(id).unwrap();
    }
}
