// SPDX-License-Identifier: MIT OR Apache-2.0
//! Protection domains and the memory that is registered in them.
#[cfg(test)]
mod tests;

use crate::admin::{self, AdminError};
use crate::backend::{left, BackendError, Closing, Mapped};
use crate::dma::{DmaError, DmaMemory};
use crate::error::Error;
use crate::number::Number;
use crate::shared::{Shared, Stag};
use ferrowarp_abi::codec::{MrRow, Sge};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use parking_lot::{Mutex, MutexGuard};
use std::ops::{Bound, RangeBounds};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a device may take to give up a buffer that was borrowed for it.
pub(super) const SCOPE: Duration = Duration::from_secs(5);

/// The number of a queue pair that no device has.
const NOBODY: u16 = u16::MAX;

/// Domains that this process has made: the next one's [`DomainId`].
static DOMAINS: AtomicU64 = AtomicU64::new(0);

/// Tells a domain apart from all others of this process, of every device, also from those that are
/// gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DomainId(u64);

/// A protection domain: its queue pairs use its regions and no others.
#[derive(Debug, Clone)]
pub struct ProtectionDomain(pub(crate) Arc<Number>, pub(super) DomainId);

/// What may be done with a region besides being sent from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    /// Receives and Reads of ours write it.
    pub local_write: bool,
    /// The peer reads it.
    pub remote_read: bool,
    /// The peer writes it. The hardware asks for `local_write` beside it, as rdma-core does.
    pub remote_write: bool,
}

impl Access {
    /// Everything.
    pub const ALL: Self = Self { local_write: true, remote_read: true, remote_write: true };
    /// Receives and Reads of ours.
    pub const LOCAL: Self = Self { local_write: true, remote_read: false, remote_write: false };
}

/// Registered memory. Dropping it takes its STag away: what still names it fails. It holds its
/// domain, whose number no other one gets meanwhile.
#[derive(Debug)]
pub struct MemoryRegion {
    pub(super) registered: Arc<Registered>,
    pd: ProtectionDomain,
    mapped: Mapped,
    /// The device has no row of it any more, or was asked.
    is_over: bool,
    end: Closing,
}

/// The row of a region in the device.
#[derive(Debug)]
pub(super) struct Registered {
    stag: Stag,
    /// None when it is revoked.
    row: Mutex<Option<MrRow>>,
}

impl Registered {
    /// The queue pair to which it is bound is gone: it keeps its STag, and is bound to nobody.
    pub(super) fn unbind(&self, until: Instant) -> Result<(), AdminError> {
        let mut row = self.row(until)?;
        let Some(row) = row.as_mut() else { return Ok(()) };
        row.qp = NOBODY;
        let most = left(until);
        let (backend, index) = (&*self.stag.shared.backend, self.stag.index);
        admin::take_out(backend, admin_opcode::MR_WRITE, index, row.octets(), most)
    }

    /// Its row is not written again.
    fn revoke(&self, until: Instant) -> Result<(), AdminError> {
        let mut row = self.row(until)?;
        *row = None;
        let most = left(until);
        let (backend, index) = (&*self.stag.shared.backend, self.stag.index);
        admin::take_out(backend, admin_opcode::MR_REVOKE, index, Ok([0_u8; 0]), most)
    }

    /// Its row. Another end may hold the row while the device is asked.
    fn row(&self, until: Instant) -> Result<MutexGuard<'_, Option<MrRow>>, AdminError> {
        let most = left(until);
        self.row.try_lock_for(most).ok_or(AdminError::Backend(BackendError::Silent(most)))
    }
}

impl std::borrow::Borrow<Sge> for Segment {
    fn borrow(&self) -> &Sge {
        &self.sge
    }
}

/// A piece of a region, for a work request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub(crate) sge: Sge,
    pub(crate) domain: DomainId,
}

impl ProtectionDomain {
    /// The domain of a number.
    pub(crate) fn new(number: Number) -> Self {
        Self(Arc::new(number), DomainId(DOMAINS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Registers `octets` octets of fresh memory, all zero.
    pub fn allocate(&self, octets: usize, access: Access) -> Result<MemoryRegion, Error> {
        self.register_memory(self.fresh(octets)?, access)
    }

    /// Registers memory of the application, where it is. Memory that is not there, or may not be
    /// written though `access` lets somebody write, is refused.
    ///
    /// # Safety
    /// As [`DmaMemory::foreign`] asks, until the region is dropped.
    pub unsafe fn register_foreign(
        &self,
        start: NonNull<u8>,
        octets: usize,
        access: Access,
    ) -> Result<MemoryRegion, Error> {
        let writable = access.local_write || access.remote_write;
        crate::pages::check(start.as_ptr() as u64, octets, writable)?;
        // SAFETY: the caller promises what `foreign` needs.
        let memory = unsafe { DmaMemory::foreign(start, octets) }?;
        self.register_memory(memory, access)
    }

    /// Registers memory of the application while `body` runs, and gives what it returns. It does so
    /// when the device reaches the memory no more: a device that refuses that, or is silent for
    /// five seconds, is reset and has stopped, and if that fails, too, the process is aborted.
    /// Nobody but the device and the
    /// region may touch the octets meanwhile, and the region cannot outlive them:
    ///
    /// ```
    /// # fn example(pd: &ferrowarp::ProtectionDomain) -> Result<(), ferrowarp::Error> {
    /// let mut buffer = vec![0; 4096];
    /// let stag = pd.with_registered(&mut buffer, ferrowarp::Access::ALL, |region| region.stag())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_registered<R>(
        &self,
        octets: &mut [u8],
        access: Access,
        body: impl FnOnce(&MemoryRegion) -> R,
    ) -> Result<R, Error> {
        let len = octets.len();
        let start = NonNull::from(octets).cast();
        // SAFETY: the octets are borrowed until the region, which only `body` sees, and only by
        // reference, is dropped here; dropping revokes it and takes the memory away from the
        // device, also when `body` panics.
        let mut region = unsafe { self.register_foreign(start, len, access) }?;
        let result = body(&region);
        region.end(Instant::now() + SCOPE);
        Ok(result)
    }

    /// `bytes` bytes from tagged offset `to` on, in the region of this STag: rdma-core's `ibv_sge`
    /// of lkey and address. Nothing is looked up here. The device judges STag, domain, rights and
    /// bounds when the device comes to the request. A request that fails there ends with
    /// [`Status::LocalProtection`](super::Status::LocalProtection).
    ///
    /// [`MemoryRegion::slice`] finds a wrong range before the request is posted.
    #[doc(alias = "ibv_sge")]
    #[inline(always)]
    pub fn segment(&self, stag: STag, to: TaggedOffset, bytes: u32) -> Segment {
        Segment { sge: Sge { to, length: ByteCount(bytes), key: stag }, domain: self.1 }
    }

    pub(super) fn fresh(&self, octets: usize) -> Result<DmaMemory, DmaError> {
        DmaMemory::zeroed(self.0.shared.backend.arena(), octets)
    }

    pub(super) fn register_memory(&self, memory: DmaMemory, access: Access) -> Result<MemoryRegion, Error> {
        MemoryRegion::new(self, memory, Self::row(access))
    }

    pub(super) fn row(access: Access) -> MrRow {
        let row = MrRow { local_write: access.local_write, ..Default::default() };
        MrRow { remote_read: access.remote_read, remote_write: access.remote_write, ..row }
    }
}

impl MemoryRegion {
    /// Registers memory in a domain with the rights of `row`, whose place and domain are filled in.
    pub(crate) fn new(pd: &ProtectionDomain, memory: DmaMemory, row: MrRow) -> Result<Self, Error> {
        let shared = &pd.0.shared;
        let stag = Shared::stag(shared)?;
        let memory = Arc::new(memory);
        let mapped = Mapped::new(&shared.backend, memory, row.local_write || row.remote_write)?;
        let row = MrRow {
            base: mapped.iova(),
            length: mapped.memory().len() as u64,
            to_base: TaggedOffset(mapped.memory().address()),
            is_valid: true,
            pd: pd.0.index,
            key: stag.key,
            ..row
        };
        // from here on the device may have the row, whatever it answers
        let registered = Arc::new(Registered { stag, row: Mutex::new(Some(row)) });
        let mut region = Self { registered, pd: pd.clone(), mapped, is_over: false, end: Closing::default() };
        let written = admin::command(
            &*shared.backend,
            admin_opcode::MR_WRITE,
            region.registered.stag.index,
            row.octets(),
        );
        region.is_over = written.as_ref().is_err_and(AdminError::is_refusal);
        written?;
        Ok(region)
    }

    /// The octets. The device may change them at any time that a work request or a peer names them.
    pub fn memory(&self) -> &DmaMemory {
        self.mapped.memory()
    }

    /// Its STag: what rdma-core calls lkey and rkey.
    pub fn stag(&self) -> STag {
        let Stag { index, key, .. } = self.registered.stag;
        STag(u32::from(index) << 8 | u32::from(key))
    }

    /// Tagged offset of its first octet: its address in this process, as rdma-core has it.
    pub fn to_base(&self) -> TaggedOffset {
        TaggedOffset(self.memory().address())
    }

    /// `octets` octets from `at` on.
    pub fn segment(&self, at: usize, octets: usize) -> Result<Segment, Error> {
        let len = self.memory().len();
        let length = u32::try_from(octets).map_err(|_| Error::Long(octets as u64))?;
        if at.checked_add(octets).is_none_or(|end| end > len) {
            return Err(Error::Segment { at, octets, len });
        }
        Ok(Segment { sge: self.sge(at, length), domain: self.pd.1 })
    }

    /// A range of the region: `..`, `a..b`, `a..`.
    ///
    /// Errors: [`Error::Segment`] if the range is not in the region, [`Error::Long`] beyond 2^32-1
    /// bytes.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Segment, Error> {
        let len = self.memory().len();
        let first = match range.start_bound() {
            Bound::Included(&first) => first,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => len,
        };
        let outside = Error::Segment { at: first, octets: end.saturating_sub(first), len };
        self.segment(first, end.checked_sub(first).ok_or(outside)?)
    }

    fn sge(&self, at: usize, length: u32) -> Sge {
        // inside of the region, whose address is its tagged offset
        let to = TaggedOffset(self.to_base().0 + at as u64);
        Sge { to, length: ByteCount(length), key: self.stag() }
    }
}

impl MemoryRegion {
    /// Takes its STag away from the device, if that was not done. That and the unmapping behind it
    /// end together then.
    pub(super) fn end(&mut self, until: Instant) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        self.mapped.ends_by(until);
        if let Err(why) = self.registered.revoke(until) {
            self.keep(&why);
        }
    }

    /// The device does not give it up, for `why`: its STag is not given again, and its memory
    /// stays.
    pub(super) fn keep(&mut self, why: &dyn std::fmt::Display) {
        self.is_over = true;
        self.registered.stag.keep();
        self.pd.0.keep();
        self.mapped.keep(why);
    }
}

impl Drop for MemoryRegion {
    fn drop(&mut self) {
        let until = self.end.begin(self.pd.0.shared.backend.ends_within());
        self.end(until);
    }
}
