// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose a device is: the process's that opened it. A child of a fork has its objects, but neither
//! its threads nor its memory.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Once;

/// Forks between the first device of all and this process.
static FORKS: AtomicU32 = AtomicU32::new(0);
static WATCHED: Once = Once::new();

extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// A process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// This one, whose forks are seen from now on. A child that was made without the C library's
    /// `fork` is not told apart.
    pub(crate) fn this() -> Self {
        WATCHED.call_once(|| {
            if cfg!(not(miri)) {
                // SAFETY: the function does what may be done in a child, an atomic addition, and
                // stays for ever.
                let watched = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
                if watched != 0 {
                    tracing::warn!(watched, "forks are not seen: a child must not touch its parent's device");
                }
            }
        });
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// Whether this is the process, and no child of it.
    #[inline(always)]
    pub(crate) fn is_here(self) -> bool {
        FORKS.load(Ordering::Relaxed) == self.0
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What a child of this process finds: 0 if `body` is true of it.
    pub(crate) fn child(body: impl FnOnce() -> bool) -> i32 {
        // SAFETY: the child calls `body`, which takes no lock that another thread may hold, and
        // ends without destructors.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0);
        if pid == 0 {
            let is_good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or(false);
            // SAFETY: it ends the child, nothing else.
            unsafe { libc::_exit(if is_good { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: the status is there for the call.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        status
    }

    #[test]
    fn a_child_is_another_process() {
        let here = Process::this();
        assert!(here.is_here());
        assert_eq!(child(|| !here.is_here() && Process::this().is_here()), 0);
        assert!(here.is_here());
    }
}
