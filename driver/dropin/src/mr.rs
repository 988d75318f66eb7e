// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory regions of the program's memory. `lkey` and `rkey` are the STag.
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_null};
use crate::live::{find, keep, take, Object, Shown, Use, Users};
use crate::pd::Pd;
use ferrowarp::{Access, MemoryRegion};
use parking_lot::Mutex;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

/// Rights that a region may have.
const RIGHTS: c_uint = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
/// Flags that ask for nothing of this device. iWARP has no request that could use the right of
/// atomic operations (RFC 5040), and a post of one is EOPNOTSUPP.
const HINTS: c_uint = IBV_ACCESS_HUGETLB | IBV_ACCESS_OPTIONAL_RANGE | IBV_ACCESS_REMOTE_ATOMIC;
const IBV_ACCESS_OPTIONAL_RANGE: c_uint = IBV_ACCESS_OPTIONAL_FIRST * ((1 << 10) - 1);

/// The driver's region, its domain, and its rights as the program gave them.
type Registered = (MemoryRegion, Use<Pd>, c_uint);

/// A memory region.
#[repr(C)]
#[derive(Debug)]
pub struct Mr {
    shown: Shown<ibv_mr>,
    users: Users,
    region: Mutex<Registered>,
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for Mr {
    type C = ibv_mr;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

/// Rights of rdma-core's flags.
fn access(flags: c_uint) -> Result<Access, Errno> {
    let has = |flag| flags & flag != 0;
    if flags & !(RIGHTS | HINTS) != 0 {
        return Err(Errno::NOT_SUPPORTED);
    }
    if has(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !has(IBV_ACCESS_LOCAL_WRITE) {
        return Err(Errno::INVALID);
    }
    Ok(Access {
        local_write: has(IBV_ACCESS_LOCAL_WRITE),
        remote_read: has(IBV_ACCESS_REMOTE_READ),
        remote_write: has(IBV_ACCESS_REMOTE_WRITE),
    })
}

/// Registers memory.
///
/// # Safety
/// The program leaves the memory where it is until the region is gone.
unsafe fn register(
    pd: &Pd,
    address: *mut c_void,
    length: usize,
    flags: c_uint,
) -> Result<MemoryRegion, Errno> {
    let access = access(flags)?;
    let start = NonNull::new(address.cast()).filter(|_| length > 0).ok_or(Errno::INVALID)?;
    // SAFETY: as libibverbs asks of a program: the memory stays, and the program knows when peers
    // and requests use it.
    Ok(unsafe { pd.domain.register_foreign(start, length, access) }?)
}

/// A region for a program.
///
/// # Safety
/// As [`register`] asks.
unsafe fn region(
    pd: *mut ibv_pd,
    address: *mut c_void,
    length: usize,
    flags: c_uint,
) -> Result<*mut ibv_mr, Errno> {
    let owner = find::<Pd>(pd)?;
    // SAFETY: the caller's promise.
    let region = unsafe { register(&owner, address, length, flags) }?;
    let key = region.stag().0;
    // SAFETY: the domain is there, and its context stays as it was made.
    let context = unsafe { (*pd).context };
    let shown = ibv_mr { context, pd, addr: address, length, handle: 0, lkey: key, rkey: key };
    let region = Mutex::new((region, Use::of(&owner), flags));
    Ok(keep(Arc::new(Mr { shown: Shown::new(shown), users: Users::default(), region })))
}

/// Registers memory.
#[no_mangle]
unsafe extern "C" fn ibv_reg_mr(
    pd: *mut ibv_pd,
    address: *mut c_void,
    length: usize,
    flags: c_int,
) -> *mut ibv_mr {
    // SAFETY: the program's promise.
    or_null(|| unsafe { region(pd, address, length, flags as c_uint) })
}

/// Registers memory under another address. The device names memory by its own address alone.
#[no_mangle]
unsafe extern "C" fn ibv_reg_mr_iova(
    pd: *mut ibv_pd,
    address: *mut c_void,
    length: usize,
    iova: u64,
    flags: c_int,
) -> *mut ibv_mr {
    // SAFETY: the program's promise.
    unsafe { ibv_reg_mr_iova2(pd, address, length, iova, flags as c_uint) }
}

/// The same, with flags that may be left out of account.
#[no_mangle]
unsafe extern "C" fn ibv_reg_mr_iova2(
    pd: *mut ibv_pd,
    address: *mut c_void,
    length: usize,
    iova: u64,
    flags: c_uint,
) -> *mut ibv_mr {
    or_null(|| match address.addr() as u64 == iova {
        // SAFETY: the program's promise.
        true => unsafe { region(pd, address, length, flags) },
        false => Err(Errno::NOT_SUPPORTED),
    })
}

/// Changes domain, place or rights of a region. The keys change with them.
#[no_mangle]
unsafe extern "C" fn ibv_rereg_mr(
    mr: *mut ibv_mr,
    flags: c_int,
    pd: *mut ibv_pd,
    address: *mut c_void,
    length: usize,
    rights: c_int,
) -> c_int {
    let flags = flags as c_uint;
    let changes = |flag| flags & flag != 0;
    let done = or_errno(|| {
        let known = IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS;
        if flags == 0 || flags & !known != 0 {
            return Err(Errno::INVALID);
        }
        let object = find::<Mr>(mr)?;
        let mut held = object.region.lock();
        let (_, old_pd, old_rights) = &*held;
        let owner = if changes(IBV_REREG_MR_CHANGE_PD) { find::<Pd>(pd)? } else { old_pd.object().clone() };
        let rights = if changes(IBV_REREG_MR_CHANGE_ACCESS) { rights as c_uint } else { *old_rights };
        // SAFETY: the region is there; this call alone changes what is shown.
        let shown = unsafe { &mut *object.shown.at() };
        let (address, length) = match changes(IBV_REREG_MR_CHANGE_TRANSLATION) {
            true => (address, length),
            false => (shown.addr, shown.length),
        };
        // SAFETY: the program's promise.
        let new = unsafe { register(&owner, address, length, rights) }?;
        let key = new.stag().0;
        (shown.addr, shown.length, shown.lkey, shown.rkey) = (address, length, key, key);
        shown.pd = owner.pointer();
        *held = (new, Use::of(&owner), rights);
        Ok(())
    });
    if done == 0 {
        0
    } else {
        IBV_REREG_MR_ERR_INPUT
    }
}

/// The end of a region: when this returns, the device does not reach the memory any more.
#[no_mangle]
unsafe extern "C" fn ibv_dereg_mr(mr: *mut ibv_mr) -> c_int {
    or_errno(|| take::<Mr>(mr).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_writes_need_local_writes_and_unknown_rights_are_not_supported() {
        assert_eq!(access(RIGHTS), Ok(Access::ALL));
        assert_eq!(access(IBV_ACCESS_RELAXED_ORDERING), Ok(Access::default()));
        assert_eq!(access(IBV_ACCESS_REMOTE_WRITE), Err(Errno::INVALID));
        assert_eq!(access(IBV_ACCESS_REMOTE_ATOMIC), Err(Errno::INVALID));
        assert_eq!(access(IBV_ACCESS_REMOTE_ATOMIC | RIGHTS), Ok(Access::ALL));
        assert_eq!(access(IBV_ACCESS_MW_BIND), Err(Errno::NOT_SUPPORTED));
    }
}
