// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of the driver's own: no signal of the application reaches them, and nobody waits for
//! them without an end.
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Pause between two looks at a thread that ends.
const LOOK: Duration = Duration::from_micros(200);

/// All signals are blocked in this thread, and in those that it starts, until this is dropped.
#[derive(Debug)]
pub(crate) struct Masked {
    before: libc::sigset_t,
    /// It is the thread's own.
    _here: PhantomData<*const ()>,
}

impl Masked {
    pub(crate) fn all() -> io::Result<Self> {
        let mut all = MaybeUninit::uninit();
        // SAFETY: the call writes the whole set.
        let all = unsafe {
            libc::sigfillset(all.as_mut_ptr());
            all.assume_init()
        };
        let mut before = MaybeUninit::uninit();
        // SAFETY: both sets are there for the call, and are the kernel's kind of sets.
        match unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &all, before.as_mut_ptr()) } {
            // SAFETY: a call that succeeds has written the set.
            0 => Ok(Self { before: unsafe { before.assume_init() }, _here: PhantomData }),
            why => Err(io::Error::from_raw_os_error(why)),
        }
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        // SAFETY: the set is the one that the call gave. It fails for no set.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

/// Starts a thread in which all signals are blocked.
pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    body: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // a thread has the mask of the one that starts it
    let _masked = Masked::all()?;
    std::thread::Builder::new().name(name.into()).spawn(body)
}

/// Waits for the end of a thread, for so long: what the thread has to say. One that has not ended
/// is left to itself.
pub(crate) fn join_within<T>(thread: JoinHandle<T>, most: Duration) -> Option<T> {
    let begun = Instant::now();
    while !thread.is_finished() {
        if begun.elapsed() >= most {
            tracing::error!(
                name = thread.thread().name(),
                "a thread waits for the device and is left behind"
            );
            return None;
        }
        std::thread::sleep(LOOK);
    }
    let said = thread.join();
    if said.is_err() {
        tracing::error!("a thread of the driver panicked");
    }
    said.ok()
}

#[cfg(test)]
mod tests {
    use crate::verbs::tests::scene;
    use std::fs;
    use std::time::{Duration, Instant};

    /// Signals 1 to 31 without SIGKILL and SIGSTOP, which cannot be blocked.
    const ALL: u64 = 0x7fff_ffff & !(1 << 8 | 1 << 18);

    /// Names of this process's threads, and the signals that each has blocked.
    fn blocked() -> Vec<(String, u64)> {
        let tasks = fs::read_dir("/proc/self/task").unwrap().map(|task| task.unwrap().path());
        // one that has ended meanwhile has no file
        let status = tasks.filter_map(|task| fs::read_to_string(task.join("status")).ok());
        let of = |status: String| {
            let field =
                |name: &str| status.lines().find_map(|l| Some(l.strip_prefix(name)?.trim().to_string()));
            (field("Name:").unwrap(), u64::from_str_radix(&field("SigBlk:").unwrap(), 16).unwrap())
        };
        status.map(of).collect()
    }

    #[test]
    fn no_signal_reaches_a_thread_of_the_driver() {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let before = status.lines().find_map(|line| line.strip_prefix("SigBlk:\t")).unwrap();
        let before = u64::from_str_radix(before, 16).unwrap();
        let scene = scene();
        let driver = |name: &str| matches!(name, "ferrowarp-cm" | "ferrowarp-admin");
        let begun = Instant::now();
        // a thread gives itself its name
        while !blocked().iter().any(|(name, _)| name == "ferrowarp-cm") {
            assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", blocked());
        }
        for (name, blocked) in blocked().into_iter().filter(|(name, _)| driver(name)) {
            assert_eq!(blocked & ALL, ALL, "{name} blocks {blocked:#x}");
        }
        // who opened the device has what it had
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        assert!(status.contains(&format!("SigBlk:\t{before:016x}")), "{status}");
        drop(scene);
    }
}
