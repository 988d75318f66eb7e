// SPDX-License-Identifier: MIT OR Apache-2.0
//! Protection domains.
use crate::context::Context;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_null};
use crate::live::{find, keep, take, Object, Shown, Use, Users};
use ferrowarp::ProtectionDomain;
use std::ffi::c_int;
use std::sync::Arc;

/// A protection domain.
#[repr(C)]
#[derive(Debug)]
pub struct Pd {
    shown: Shown<ibv_pd>,
    users: Users,
    /// The driver's.
    pub domain: ProtectionDomain,
    /// Whose it is.
    pub context: Use<Context>,
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for Pd {
    type C = ibv_pd;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

/// A protection domain for a program.
pub fn alloc(context: *mut ibv_context) -> Result<*mut ibv_pd, Errno> {
    let owner = find::<Context>(context)?;
    let domain = owner.opened.device.protection_domain()?;
    let shown = Shown::new(ibv_pd { context, handle: 0 });
    Ok(keep(Arc::new(Pd { shown, users: Users::default(), domain, context: Use::of(&owner) })))
}

/// A protection domain.
#[no_mangle]
unsafe extern "C" fn ibv_alloc_pd(context: *mut ibv_context) -> *mut ibv_pd {
    or_null(|| alloc(context))
}

/// The end of a protection domain. EBUSY: regions or queue pairs are left.
#[no_mangle]
unsafe extern "C" fn ibv_dealloc_pd(pd: *mut ibv_pd) -> c_int {
    or_errno(|| take::<Pd>(pd).map(drop))
}
