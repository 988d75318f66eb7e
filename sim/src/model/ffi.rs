// SPDX-License-Identifier: MIT OR Apache-2.0
//! All unsafe code of this crate: a loaded model and its instances, behind slices.
use super::time::OCTETS as TIME_OCTETS;
use std::ffi::{c_char, c_void, CString};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

/// `FwPort` of the shim.
#[repr(C)]
#[derive(Copy, Clone)]
struct FwPort {
    storage: *mut c_void,
    octets: u32,
}

/// `FwDut *` of the shim.
type Dut = *mut c_void;

/// The functions of a traced model's waveform.
#[derive(Copy, Clone)]
struct Trace {
    open: unsafe extern "C" fn(Dut, *const c_char) -> u32,
    close: unsafe extern "C" fn(Dut),
}

/// The functions of a model that counts time.
#[derive(Copy, Clone)]
struct Still {
    state: unsafe extern "C" fn(Dut, *mut FwPort),
    time: unsafe extern "C" fn(Dut, *mut FwPort),
}

/// The functions of one model.
pub(super) struct Shim {
    new: unsafe extern "C" fn(u32) -> Dut,
    free: unsafe extern "C" fn(Dut),
    ports: unsafe extern "C" fn(Dut, *mut FwPort, u32) -> u32,
    eval: unsafe extern "C" fn(Dut),
    advance: unsafe extern "C" fn(Dut),
    /// Only a traced model has these.
    trace: Option<Trace>,
    /// Only a top with a part that counts time has these.
    still: Option<Still>,
    /// Only a model that counts coverage has this.
    counters: Option<unsafe extern "C" fn(Dut, *mut FwPort)>,
    /// Octets of the storage of each port, in the order of the shim's table.
    octets: Vec<usize>,
}

impl Shim {
    /// Loads a library that `build.rs` made from `shim.rs`; `octets` is the expected storage of
    /// each port.
    ///
    /// The library stays loaded until the process ends: Verilator's runtime has thread-local
    /// objects, and unloading code that they still refer to would not be sound.
    pub(super) fn open(path: &Path, octets: Vec<usize>) -> Result<Self, libloading::Error> {
        // SAFETY: the file was linked by this crate from Verilator's output and `shim.rs`; its
        // initialisers are those of libstdc++ and of Verilator's runtime, which touch nothing
        // outside the library.
        let library = Box::leak(Box::new(unsafe { libloading::Library::new(path) }?));
        // SAFETY: each type below is that of the function of this name in `shim.rs`, and the
        // library is never unloaded, so the copied function pointers stay good.
        unsafe {
            let trace = match (library.get(b"fw_trace_open"), library.get(b"fw_trace_close")) {
                (Ok(open), Ok(close)) => Some(Trace { open: *open, close: *close }),
                _ => None,
            };
            let still = match (library.get(b"fw_state"), library.get(b"fw_time")) {
                (Ok(state), Ok(time)) => Some(Still { state: *state, time: *time }),
                _ => None,
            };
            let counters = library.get(b"fw_counters").ok().map(|counters| *counters);
            Ok(Self {
                new: *library.get(b"fw_new")?,
                free: *library.get(b"fw_free")?,
                ports: *library.get(b"fw_ports")?,
                eval: *library.get(b"fw_eval")?,
                advance: *library.get(b"fw_advance")?,
                trace,
                still,
                counters,
                octets,
            })
        }
    }

    /// Whether instances can write a waveform.
    pub(super) fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    /// A new instance, or the first port whose storage is not of the expected size.
    pub(super) fn instantiate(self: &Arc<Self>, seed: u32) -> Result<Instance, WrongPorts> {
        // SAFETY: `fw_new` takes any seed; it returns a fresh object or ends the process.
        let dut = NonNull::new(unsafe { (self.new)(seed) }).ok_or(WrongPorts)?;
        let mut instance = Instance { shim: Arc::clone(self), dut, slots: vec![], still: None };
        let mut table = vec![FwPort { storage: std::ptr::null_mut(), octets: 0 }; self.octets.len()];
        let room = u32::try_from(table.len()).map_err(|_| WrongPorts)?;
        // SAFETY: `dut` is live; `table` has `room` entries and `fw_ports` writes exactly `room` or
        // none.
        let filled = unsafe { (self.ports)(dut.as_ptr(), table.as_mut_ptr(), room) };
        if filled != room {
            return Err(WrongPorts);
        }
        for (entry, &octets) in table.iter().zip(&self.octets) {
            let storage = NonNull::new(entry.storage.cast::<u8>()).ok_or(WrongPorts)?;
            if entry.octets as usize != octets {
                return Err(WrongPorts);
            }
            instance.slots.push((storage, octets));
        }
        if let Some(still) = self.still {
            let told = |ask: unsafe extern "C" fn(Dut, *mut FwPort)| {
                let mut entry = FwPort { storage: std::ptr::null_mut(), octets: 0 };
                // SAFETY: `dut` is live, and the functions write one entry.
                unsafe { ask(dut.as_ptr(), &mut entry) };
                NonNull::new(entry.storage.cast::<u8>())
                    .map(|at| (at, entry.octets as usize))
                    .ok_or(WrongPorts)
            };
            let ((root, octets), (time, own)) = (told(still.state)?, told(still.time)?);
            if own != TIME_OCTETS {
                return Err(WrongPorts);
            }
            instance.still = Some(StillAt { root, octets, time });
        }
        Ok(instance)
    }
}

/// The library's table of ports is not the one it was built for.
#[derive(Debug)]
pub(super) struct WrongPorts;

/// One instance of a model.
pub(super) struct Instance {
    shim: Arc<Shim>,
    dut: NonNull<c_void>,
    /// Storage and octets of each port, as `fw_ports` gave them: `octets` is C++'s `sizeof` of that
    /// member.
    slots: Vec<(NonNull<u8>, usize)>,
    still: Option<StillAt>,
}

/// Where the state of an instance stands.
#[derive(Copy, Clone)]
struct StillAt {
    /// Verilator's root, and its octets.
    root: NonNull<u8>,
    octets: usize,
    /// The register of time within the root.
    time: NonNull<u8>,
}

// SAFETY: an instance owns its `FwDut` alone; the shim sets Verilator's thread context on entry, so
// calls may come from any thread, one at a time. It is not Sync: the pointers keep that away.
unsafe impl Send for Instance {}

impl Instance {
    /// The storage of a port, little-endian. Panics if there is no such port.
    pub(super) fn read(&self, port: usize) -> &[u8] {
        let (storage, octets) = self.slots[port];
        // SAFETY: the storage is a member of the live object, `octets` is its size, octets have no
        // alignment, and C++ writes it only in calls that take `&mut self`, which this borrow
        // excludes.
        unsafe { std::slice::from_raw_parts(storage.as_ptr(), octets) }
    }

    /// The storage of a port for writing; the caller keeps the bits above the port's width zero.
    pub(super) fn write(&mut self, port: usize) -> &mut [u8] {
        let (storage, octets) = self.slots[port];
        // SAFETY: as in `read`; `&mut self` makes this the only reference, and any octets are a
        // valid value.
        unsafe { std::slice::from_raw_parts_mut(storage.as_ptr(), octets) }
    }

    /// A port of up to 64 bits; none if the port is wider. Panics if there is no such port.
    #[inline]
    pub(super) fn read_u64(&self, port: usize) -> Option<u64> {
        match self.slots[port] {
            // SAFETY: as in `read`.
            (storage, 1) => Some(unsafe { storage.as_ptr().read() }.into()),
            _ => self.read_more(port),
        }
    }

    /// [`Instance::read_u64`] of a port of more than one octet: apart, as nearly all ports have
    /// one.
    #[inline(never)]
    fn read_more(&self, port: usize) -> Option<u64> {
        let (storage, octets) = self.slots[port];
        // SAFETY: as in `read`; each arm reads `octets` octets, at any alignment.
        unsafe {
            Some(match octets {
                1 => storage.as_ptr().read().into(),
                2 => storage.cast::<u16>().as_ptr().read_unaligned().into(),
                4 => storage.cast::<u32>().as_ptr().read_unaligned().into(),
                8 => storage.cast::<u64>().as_ptr().read_unaligned(),
                _ => return None,
            })
        }
    }

    /// Sets a port to a number; the caller keeps the bits above the port's width zero.
    #[inline]
    pub(super) fn write_u64(&mut self, port: usize, value: u64) {
        match self.slots[port] {
            // SAFETY: as in `write`.
            (storage, 1) => unsafe { storage.as_ptr().write(value as u8) },
            _ => self.write_more(port, value),
        }
    }

    /// [`Instance::write_u64`] of a port of more than one octet.
    #[inline(never)]
    fn write_more(&mut self, port: usize, value: u64) {
        let (storage, octets) = self.slots[port];
        // SAFETY: as in `write`; each arm writes `octets` octets, at any alignment. Beyond 8 there
        // are 12 or more: `instantiate` has compared them with the width.
        unsafe {
            match octets {
                1 => storage.as_ptr().write(value as u8),
                2 => storage.cast::<u16>().as_ptr().write_unaligned(value as u16),
                4 => storage.cast::<u32>().as_ptr().write_unaligned(value as u32),
                8 => storage.cast::<u64>().as_ptr().write_unaligned(value),
                _ => {
                    storage.cast::<u64>().as_ptr().write_unaligned(value);
                    storage.as_ptr().add(8).write_bytes(0, octets - 8);
                }
            }
        }
    }

    /// All that evaluation reads and writes; none if the top counts no time.
    pub(super) fn state(&self) -> Option<&[u8]> {
        let StillAt { root, octets, .. } = self.still?;
        // SAFETY: as in `read`; the root lives as long as the model, and `build.rs` has seen that
        // its members are plain.
        Some(unsafe { std::slice::from_raw_parts(root.as_ptr(), octets) })
    }

    /// The counters of coverage; none if the model has none. They stand outside of
    /// [`Instance::state`].
    pub(super) fn counters(&self) -> Option<&[u32]> {
        let ask = self.shim.counters?;
        let mut entry = FwPort { storage: std::ptr::null_mut(), octets: 0 };
        // SAFETY: `dut` is live, and the function writes one entry.
        unsafe { ask(self.dut.as_ptr(), &mut entry) };
        let storage = NonNull::new(entry.storage.cast::<u32>())?;
        // SAFETY: the storage is an array of `uint32_t` in the live object, `octets` is its size,
        // and C++ writes it only in calls that take `&mut self`, which this borrow excludes.
        Some(unsafe { std::slice::from_raw_parts(storage.as_ptr(), entry.octets as usize / 4) })
    }

    /// Puts back what [`Instance::state`] showed of this very instance; anything of another length
    /// is left alone.
    pub(super) fn restore(&mut self, state: &[u8]) {
        let Some(StillAt { root, octets, .. }) = self.still else { return };
        if state.len() == octets {
            // SAFETY: the octets were those of this object in an earlier state, its pointers among
            // them, which do not change while it lives; nothing it owns stands outside of them.
            // `state` is no part of the object.
            unsafe { std::ptr::copy_nonoverlapping(state.as_ptr(), root.as_ptr(), octets) }
        }
    }

    /// The register of time; none if the top counts none.
    pub(super) fn time(&self) -> Option<[u8; TIME_OCTETS]> {
        let StillAt { time, .. } = self.still?;
        // SAFETY: the register is a live member of `TIME_OCTETS` octets, which `instantiate` has
        // compared.
        Some(unsafe { time.cast::<[u8; TIME_OCTETS]>().as_ptr().read() })
    }

    /// Sets the register of time; the next evaluation takes it in.
    pub(super) fn set_time(&mut self, octets: [u8; TIME_OCTETS]) {
        if let Some(StillAt { time, .. }) = self.still {
            // SAFETY: as in `time`; Verilator was told that the variable is written from outside.
            unsafe { time.cast::<[u8; TIME_OCTETS]>().as_ptr().write(octets) }
        }
    }

    /// Settles the model.
    pub(super) fn eval(&mut self) {
        // SAFETY: `dut` is live until drop.
        unsafe { (self.shim.eval)(self.dut.as_ptr()) }
    }

    /// Writes the present values to an open trace and moves time on by one unit.
    pub(super) fn advance(&mut self) {
        // SAFETY: `dut` is live until drop.
        unsafe { (self.shim.advance)(self.dut.as_ptr()) }
    }

    /// Opens a trace; false if the file cannot be written. `None` if the model is not a traced one.
    pub(super) fn trace_open(&mut self, path: &CString) -> Option<bool> {
        let trace = self.shim.trace?;
        // SAFETY: `dut` is live; the text ends with zero and is only read during the call.
        Some(unsafe { (trace.open)(self.dut.as_ptr(), path.as_ptr()) == 1 })
    }

    /// Closes an open trace, if there is one.
    pub(super) fn trace_close(&mut self) {
        if let Some(trace) = self.shim.trace {
            // SAFETY: `dut` is live; closing twice is allowed by the shim.
            unsafe { (trace.close)(self.dut.as_ptr()) }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `dut` came from `fw_new` and is freed only here; no slice outlives `self`.
        unsafe { (self.shim.free)(self.dut.as_ptr()) }
    }
}
