//! Memory that a device reads and writes while threads do: the only module that touches it.
//!
//! Every access is an atomic one of an octet, so that a device in this process (`sim:`) and the threads of the
//! application never race in the sense of the language, and the compiler neither repeats nor drops an access to memory that
//! a device on a bus changes. A store ends with its last octet, released; a load begins with the last octet of
//! what it reads, acquired. Entries have their phase bit there, so whoever sees it sees the whole entry.
use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{memfd_create, MemfdFlags};
use std::fmt;
use std::fs::File;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

/// Alignment of what is allocated here: a page of every IOMMU.
pub const PAGE: usize = 4096;

/// Why memory is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DmaError {
    /// No octets, or more than an address space has.
    #[error("{0} octets cannot be allocated; ask for 1 to {most}", most = isize::MAX as usize - PAGE)]
    Size(usize),
    /// The system has none.
    #[error("the system has no memory for {octets} octets: {why}; register less, or look at `ulimit -v` and `ulimit -n`")]
    Exhausted {
        /// Octets.
        octets: usize,
        /// What it said.
        why: String,
    },
    /// An access runs past the end.
    #[error("{octets} octets at {at} are not in a memory of {len} octets")]
    Outside {
        /// First octet.
        at: usize,
        /// Octets.
        octets: usize,
        /// Octets of the memory.
        len: usize,
    },
}

/// Octets at a fixed place.
pub struct DmaMemory {
    start: NonNull<u8>,
    len: usize,
    /// The file whose pages it is; none if it is somebody else's memory.
    own: Option<Own>,
}

/// Pages of a memory file: a device in another process maps them by the descriptor.
struct Own {
    file: File,
    /// Keeps the pages where they are.
    _map: MmapRaw,
}

// SAFETY: the octets are reached through atomics only, and their place stays valid until the value is dropped.
unsafe impl Send for DmaMemory {}
// SAFETY: as above: two threads that use it do atomic accesses.
unsafe impl Sync for DmaMemory {}

impl fmt::Debug for DmaMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DmaMemory({} octets at {:p})", self.len, self.start)
    }
}

impl DmaMemory {
    /// `len` octets of zeros, at the beginning of a page.
    pub fn zeroed(len: usize) -> Result<Self, DmaError> {
        let pages = len.checked_next_multiple_of(PAGE).filter(|&n| n > 0 && isize::try_from(n).is_ok());
        let pages = pages.ok_or(DmaError::Size(len))?;
        let exhausted = |why: std::io::Error| DmaError::Exhausted { octets: len, why: why.to_string() };
        let file = memfd_create("ferrowarp", MemfdFlags::CLOEXEC).map_err(|e| exhausted(e.into()))?;
        let file = File::from(file);
        file.set_len(pages as u64).map_err(exhausted)?;
        let map = MmapOptions::new().len(pages).map_raw(&file).map_err(exhausted)?;
        let start = NonNull::new(map.as_mut_ptr()).ok_or(DmaError::Size(len))?;
        Ok(Self { start, len, own: Some(Own { file, _map: map }) })
    }

    /// The file whose first octets these are, for a device in another process; none for memory of the application.
    pub fn file(&self) -> Option<&File> {
        self.own.as_ref().map(|own| &own.file)
    }

    /// Memory of the application.
    ///
    /// # Safety
    /// The `len` octets from `start` stay allocated and writable as long as the value lives. While a device may
    /// use them nobody else accesses them but by the value, or at moments at which no work request and no peer names
    /// them.
    pub unsafe fn foreign(start: NonNull<u8>, len: usize) -> Result<Self, DmaError> {
        if len == 0 || isize::try_from(len).is_err() {
            return Err(DmaError::Size(len));
        }
        Ok(Self { start, len, own: None })
    }

    /// Octets.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a memory has at least one octet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Address of the first octet in this process.
    pub fn address(&self) -> u64 {
        self.start.as_ptr() as u64
    }

    /// Copies octets out, the last one first.
    pub fn read(&self, at: usize, into: &mut [u8]) -> Result<(), DmaError> {
        let cells = self.cells(at, into.len())?;
        if let (Some((last, rest)), Some((end, body))) = (cells.split_last(), into.split_last_mut()) {
            *end = last.load(Ordering::Acquire);
            for (cell, octet) in rest.iter().zip(body) {
                *octet = cell.load(Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Copies octets in, the last one last.
    pub fn write(&self, at: usize, octets: &[u8]) -> Result<(), DmaError> {
        let cells = self.cells(at, octets.len())?;
        if let (Some((last, rest)), Some((end, body))) = (cells.split_last(), octets.split_last()) {
            for (cell, octet) in rest.iter().zip(body) {
                cell.store(*octet, Ordering::Relaxed);
            }
            last.store(*end, Ordering::Release);
        }
        Ok(())
    }

    /// A copy of octets.
    pub fn copy(&self, at: usize, octets: usize) -> Result<Vec<u8>, DmaError> {
        self.cells(at, octets)?;
        let mut copy = vec![0; octets];
        self.read(at, &mut copy)?;
        Ok(copy)
    }

    fn cells(&self, at: usize, octets: usize) -> Result<&[AtomicU8], DmaError> {
        let outside = DmaError::Outside { at, octets, len: self.len };
        if at.checked_add(octets).is_none_or(|end| end > self.len) {
            return Err(outside);
        }
        // SAFETY: the range was found inside of memory that is valid as long as `self`, and `AtomicU8` has size and
        // alignment of an octet. All accesses of this type are atomic; `foreign` asks the same of others.
        Ok(unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(at).cast::<AtomicU8>(), octets) })
    }
}

#[cfg(feature = "sim")]
impl ferrowarp_sim::memory::Octets for DmaMemory {
    fn len(&self) -> u64 {
        self.len as u64
    }

    fn load(&self, at: u64, into: &mut [u8]) {
        self.reach(at, |at| self.read(at, into));
    }

    fn store(&self, at: u64, octets: &[u8]) {
        self.reach(at, |at| self.write(at, octets));
    }
}

#[cfg(feature = "sim")]
impl DmaMemory {
    /// An access of the simulator, which asks for what is inside only; another one is told and does nothing.
    fn reach(&self, at: u64, access: impl FnOnce(usize) -> Result<(), DmaError>) {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        access(at).unwrap_or_else(|why| tracing::error!(%why, "an access of the simulator"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_come_back_and_ends_are_kept() {
        let memory = DmaMemory::zeroed(100).unwrap();
        memory.write(90, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).unwrap();
        assert_eq!(memory.copy(88, 12).unwrap(), [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(memory.write(91, &[0; 10]), Err(DmaError::Outside { at: 91, octets: 10, len: 100 }));
        assert!(memory.copy(usize::MAX, 2).is_err());
        assert!(memory.copy(100, 0).unwrap().is_empty());
        assert_eq!(DmaMemory::zeroed(0).unwrap_err(), DmaError::Size(0));
        assert_eq!(memory.address() % PAGE as u64, 0);
        assert_eq!(DmaMemory::zeroed(usize::MAX).unwrap_err(), DmaError::Size(usize::MAX));
    }

    #[test]
    fn a_device_elsewhere_finds_the_octets_in_the_file() {
        use std::os::unix::fs::FileExt;
        let memory = DmaMemory::zeroed(5000).unwrap();
        let file = memory.file().unwrap();
        assert_eq!(file.metadata().unwrap().len(), 8192);
        memory.write(4998, &[1, 2]).unwrap();
        file.write_all_at(&[3], 4997).unwrap();
        let mut octets = [0; 2];
        file.read_exact_at(&mut octets, 4998).unwrap();
        assert_eq!((octets, memory.copy(4997, 3).unwrap()), ([1, 2], vec![3, 1, 2]));
    }

    #[test]
    fn memory_of_the_application_is_reached_where_it_is() {
        let mut octets = vec![7_u8; 16];
        let start = NonNull::new(octets.as_mut_ptr()).unwrap();
        // SAFETY: the vector outlives the value and is not used meanwhile.
        let memory = unsafe { DmaMemory::foreign(start, 16) }.unwrap();
        memory.write(3, &[1, 2]).unwrap();
        drop(memory);
        assert_eq!(octets[2..6], [7, 1, 2, 7]);
    }
}
