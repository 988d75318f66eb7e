// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contexts and domains that identifiers share, as librdmacm has them: one of each a device, open
//! until the process ends. `rdma_get_devices` lists the contexts.
use crate::devices::{all, Entry};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_nothing, or_null};
use crate::open::open;
use crate::pd::alloc;
use parking_lot::Mutex;
use std::collections::btree_map::{BTreeMap, Entry as Slot};
use std::ffi::c_int;

/// Of one device: addresses of the context and of the domain.
#[derive(Debug)]
struct Defaults {
    context: usize,
    pd: Option<usize>,
}

/// By the addresses of the devices.
static DEFAULTS: Mutex<BTreeMap<usize, Defaults>> = Mutex::new(BTreeMap::new());

fn with<T>(entry: &'static Entry, what: impl FnOnce(&mut Defaults) -> Result<T, Errno>) -> Result<T, Errno> {
    let mut all = DEFAULTS.lock();
    match all.entry(entry.pointer().addr()) {
        Slot::Occupied(slot) => what(slot.into_mut()),
        Slot::Vacant(slot) => {
            what(slot.insert(Defaults { context: open(entry)?.expose_provenance(), pd: None }))
        }
    }
}

/// The context of a device, which is opened at the first call.
pub fn context(entry: &'static Entry) -> Result<*mut ibv_context, Errno> {
    with(entry, |defaults| Ok(std::ptr::with_exposed_provenance_mut(defaults.context)))
}

/// The domain of a device for programs that name none.
pub fn domain(entry: &'static Entry) -> Result<*mut ibv_pd, Errno> {
    with(entry, |defaults| {
        let pd = match defaults.pd {
            Some(pd) => pd,
            None => alloc(std::ptr::with_exposed_provenance_mut(defaults.context))?.expose_provenance(),
        };
        defaults.pd = Some(pd);
        Ok(std::ptr::with_exposed_provenance_mut(pd))
    })
}

/// Contexts of all devices that can be opened, in an array that ends with null.
#[no_mangle]
unsafe extern "C" fn rdma_get_devices(count: *mut c_int) -> *mut *mut ibv_context {
    or_null(|| {
        let open: Vec<_> = all().iter().filter_map(|entry| context(entry).ok()).collect();
        // SAFETY: a request for memory; null is looked for. The memory is all zeros.
        let list = unsafe { libc::calloc(open.len() + 1, size_of::<*mut ibv_context>()) };
        let list = list.cast::<*mut ibv_context>();
        if list.is_null() {
            return Err(Errno::NO_ROOM);
        }
        for (nth, context) in open.iter().enumerate() {
            // SAFETY: the memory has room for all contexts and the end.
            unsafe { list.add(nth).write(*context) };
        }
        if !count.is_null() {
            // SAFETY: the program gives room for a number.
            unsafe { count.write(open.len() as c_int) };
        }
        Ok(list)
    })
}

/// The end of a list; the contexts stay open.
#[no_mangle]
unsafe extern "C" fn rdma_free_devices(list: *mut *mut ibv_context) {
    or_nothing(|| {
        // SAFETY: null, or what `rdma_get_devices` gave.
        unsafe { libc::free(list.cast()) };
        Ok(())
    });
}
