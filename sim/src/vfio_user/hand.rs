// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of a client that are not in memory: a read of one may never end, so a thread of its own
//! touches them.
//!
//! The memory of a process (`/proc/PID/mem`) is such a file: one of its pages may be of a file
//! system in user space. The device waits for the thread as for a slow memory, but never long. A
//! client whose file has not answered in time is ended, and the thread is left behind with the
//! file. The connection of a client whose memory the thread still writes ends behind that.
use super::function::Refusal;
use super::outgoing::{Open, Outgoing};
use super::shared::{FileRange, Identity};
use super::strange::Descriptors;
use crate::memory::{Octets, Unreached};
use parking_lot::Mutex;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// How long a file may take, as a client that is asked for its memory.
const ANSWER: Duration = Duration::from_secs(3);
/// Most hands of all clients at once, those that were left behind among them.
const MOST_HANDS: usize = 64;

/// Why a file is refused.
const NO_MEMORY: &str =
    "a read of the descriptor's file might never end: give a memory file (memfd, /dev/shm, hugetlbfs) or \
    memory of a process (/proc/PID/mem)";

/// Hands that have a thread.
static HANDS: AtomicUsize = AtomicUsize::new(0);

/// What the thread does.
type Job = Box<dyn FnOnce() + Send>;

/// A session's hand. Its thread begins with the first file that is not in memory, and ends with the
/// session.
#[derive(Debug)]
pub(super) struct Hand {
    out: Arc<Outgoing>,
    /// None behind the end of the session.
    open: Weak<Open>,
    jobs: Mutex<Option<Sender<Job>>>,
    /// A file has not answered in time. None is touched any more.
    is_late: AtomicBool,
}

/// Does jobs until no more can come.
fn work(jobs: &Receiver<Job>) {
    for job in jobs {
        job();
    }
    HANDS.fetch_sub(1, Ordering::Relaxed);
}

impl Hand {
    pub(super) fn new(open: &Arc<Open>) -> Self {
        let (out, open) = (open.0.clone(), Arc::downgrade(open));
        Self { out, open, jobs: Mutex::new(None), is_late: AtomicBool::new(false) }
    }

    /// Where jobs go.
    fn jobs(&self) -> io::Result<Sender<Job>> {
        let mut place = self.jobs.lock();
        if let Some(jobs) = &*place {
            return Ok(jobs.clone());
        }
        let is_one_more = |hands: usize| (hands < MOST_HANDS).then_some(hands + 1);
        if HANDS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_one_more).is_err() {
            return Err(io::Error::other(format!("{MOST_HANDS} threads touch files of clients already")));
        }
        let (jobs, inbox) = channel();
        let thread = thread::Builder::new().name("ferrowarp-vfio-file".into()).spawn(move || work(&inbox));
        if let Err(why) = thread {
            HANDS.fetch_sub(1, Ordering::Relaxed);
            return Err(why);
        }
        Ok(place.insert(jobs).clone())
    }

    /// Has the thread do something. None if that has not ended in time: the client's session ends
    /// then.
    fn within<T: Send + 'static>(
        &self,
        most: Duration,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.is_late.load(Ordering::Relaxed) {
            return None;
        }
        let (done, ended) = sync_channel(1);
        let jobs =
            self.jobs().inspect_err(|why| tracing::warn!(%why, "a file of a vfio-user client")).ok()?;
        // whoever gave up is not there any more
        let sent = jobs.send(Box::new(move || drop(done.send(job()))));
        let result = sent.ok().and_then(|()| ended.recv_timeout(most).ok());
        if result.is_none() && !self.is_late.swap(true, Ordering::Relaxed) {
            tracing::warn!(?most, "a file of a vfio-user client does not answer; the client is ended");
            self.out.end();
        }
        result
    }

    /// Asks the file system of a descriptor that is not in memory. Refuses what is no memory of a
    /// process.
    pub(super) fn identify(&self, fd: OwnedFd) -> Result<(OwnedFd, Identity), Refusal> {
        let mut came = Descriptors(vec![fd]);
        if self.jobs().is_err() {
            return Err(Refusal::Full(format!("{MOST_HANDS} threads touch files of clients already")));
        }
        let asked = self.within(ANSWER, move || {
            let fd = came.0.first().ok_or_else(|| Refusal::Absent("no descriptor".into()))?;
            let identity = Identity::of(fd)?;
            let fd = identity.is_process.then(|| came.0.pop()).flatten();
            fd.map(|fd| (fd, identity)).ok_or_else(|| Refusal::Access(NO_MEMORY.into()))
        });
        let late = || Err(Refusal::Access(format!("the file system does not answer in {ANSWER:?}")));
        asked.unwrap_or_else(late)
    }
}

/// A range of a file that is not in memory.
#[derive(Debug)]
pub(super) struct HandRange<R = FileRange> {
    pub(super) hand: Arc<Hand>,
    pub(super) range: Arc<R>,
}

impl<R: Octets + 'static> Octets for HandRange<R> {
    fn len(&self) -> u64 {
        self.range.len()
    }

    fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached> {
        let (range, mut octets) = (self.range.clone(), vec![0; into.len()]);
        let loaded = self.hand.within(ANSWER, move || range.load(at, &mut octets).map(|()| octets));
        into.copy_from_slice(&loaded.unwrap_or(Err(Unreached::NoAnswer))?);
        Ok(())
    }

    fn store(&self, at: u64, octets: &[u8]) -> Result<(), Unreached> {
        let (range, octets) = (self.range.clone(), octets.to_vec());
        let open = self.hand.open.upgrade().ok_or(Unreached::NoAnswer)?;
        let stored = self.hand.within(ANSWER, move || {
            let stored = range.store(at, &octets);
            drop(open);
            stored
        });
        stored.unwrap_or(Err(Unreached::NoAnswer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::time::Instant;

    /// Octets that can be read, and written by nobody before a channel closes.
    #[derive(Debug)]
    struct Endless(Mutex<Receiver<()>>);

    impl Octets for Endless {
        fn len(&self) -> u64 {
            9
        }

        fn load(&self, at: u64, into: &mut [u8]) -> Result<(), Unreached> {
            into.fill(at as u8);
            Ok(())
        }

        fn store(&self, _at: u64, _octets: &[u8]) -> Result<(), Unreached> {
            // it closes
            self.0.lock().recv().unwrap_err();
            Ok(())
        }
    }

    #[test]
    fn an_access_that_does_not_end_ends_the_client() {
        let (stream, client) = UnixStream::pair().unwrap();
        let open = Arc::new(Open(Arc::new(Outgoing::new(stream))));
        let hand = Arc::new(Hand::new(&open));
        let (ends, never) = channel();
        let range = HandRange { hand, range: Arc::new(Endless(Mutex::new(never))) };
        let mut octets = [0; 3];
        range.load(5, &mut octets).unwrap();
        assert_eq!((range.len(), octets), (9, [5; 3]));
        client.set_nonblocking(true).unwrap();
        let begun = Instant::now();
        assert_eq!(range.store(1, &[1, 2]), Err(Unreached::NoAnswer));
        let waited = begun.elapsed();
        assert!((ANSWER..2 * ANSWER).contains(&waited), "{waited:?}");
        // the session has ended, the access has not
        drop(open);
        let told = |result: io::Result<usize>| result.map_err(|why| why.kind());
        assert_eq!(
            told(io::Read::read(&mut &client, &mut octets)),
            Err(io::ErrorKind::WouldBlock),
            "the end of the connection comes before the end of the access"
        );
        let said = told(io::Write::write(&mut &client, &[0]));
        assert_eq!(said, Err(io::ErrorKind::BrokenPipe), "the client is not ended");
        // nothing waits again
        assert_eq!(range.load(5, &mut octets), Err(Unreached::NoAnswer));
        assert!(begun.elapsed() < waited + Duration::from_millis(500));
        drop(ends);
        client.set_nonblocking(false).unwrap();
        assert_eq!(told(io::Read::read(&mut &client, &mut octets)), Ok(0), "the access has ended");
    }
}
