// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands to a guest over its virtio-serial port, a line a message; `tests/interop/guest/init` is
//! the other end.
//!
//! Jobs run side by side. A thread reads what the guest says for as long as the guest lives.
use anyhow::{anyhow, bail, Context, Result};
use base64::prelude::{Engine, BASE64_STANDARD};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Exit code; 128 and more for a signal, as a shell tells it.
    pub code: i32,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// It was killed as its time was over.
    pub timed_out: bool,
}

impl Output {
    /// The standard output of a command that succeeded; the error shows the rest.
    pub fn ok(self, what: &str) -> Result<String> {
        if self.code == 0 && !self.timed_out {
            return Ok(self.stdout);
        }
        let why = if self.timed_out { "took too long".into() } else { format!("ended with {}", self.code) };
        let (stdout, stderr) = (self.stdout.trim(), self.stderr.trim());
        let last = stderr.lines().last().unwrap_or("and said no error");
        bail!("in the guest, `{what}` {why}: {last}\nstdout: {stdout}\nstderr: {stderr}")
    }
}

/// What the guest has said so far.
#[derive(Debug, Default)]
struct Said {
    /// It is up.
    up: bool,
    /// Ends of jobs that nobody has taken.
    ended: HashMap<u64, Output>,
    /// There will be no more, and why.
    over: Option<String>,
}

/// What the thread and the callers share.
#[derive(Debug, Default)]
struct Shared {
    said: Mutex<Said>,
    changed: Condvar,
}

/// The host's end; clones talk to the same guest.
#[derive(Debug, Clone)]
pub struct Channel {
    writer: Arc<Mutex<(UnixStream, u64)>>,
    shared: Arc<Shared>,
}

/// A command that runs, or has run.
#[derive(Debug)]
pub struct Job {
    channel: Channel,
    number: u64,
    /// What it runs.
    pub command: String,
}

impl Channel {
    /// On a socket whose other end is the guest's port.
    pub fn new(socket: UnixStream) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let (reader, theirs) = (BufReader::new(socket.try_clone()?), Arc::clone(&shared));
        std::thread::spawn(move || listen(reader, &theirs));
        Ok(Self { writer: Arc::new(Mutex::new((socket, 0))), shared })
    }

    /// Waits until the guest is up; false if `timeout` passes.
    pub fn wait_up(&self, timeout: Duration) -> Result<bool> {
        self.wait_for(timeout, |said| said.up.then_some(())).map(|up| up.is_some())
    }

    /// Starts a shell command.
    pub fn spawn(&self, command: &str) -> Result<Job> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.1 += 1;
        let number = writer.1;
        writeln!(writer.0, "run {number} {}", BASE64_STANDARD.encode(command))
            .with_context(|| format!("the guest does not take the command `{command}`"))?;
        Ok(Job { channel: self.clone(), number, command: command.into() })
    }

    /// Runs a shell command to its end; after `timeout` it is killed with all that it started.
    pub fn run(&self, command: &str, timeout: Duration) -> Result<Output> {
        self.spawn(command)?.wait(timeout)
    }

    fn say(&self, line: &str) -> Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(writer.0, "{line}").with_context(|| format!("the guest does not take `{line}`"))
    }

    /// Waits until `look` finds something; none after `timeout`, an error if the guest is gone.
    fn wait_for<T>(
        &self,
        timeout: Duration,
        mut look: impl FnMut(&mut Said) -> Option<T>,
    ) -> Result<Option<T>> {
        let end = Instant::now() + timeout;
        let mut said: MutexGuard<'_, Said> = self.shared.said.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = look(&mut said) {
                return Ok(Some(found));
            }
            if let Some(why) = &said.over {
                return Err(anyhow!("the guest is gone: {why}"));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            let waited = self.shared.changed.wait_timeout(said, left);
            said = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Job {
    /// How long a guest may take to tell the end of a job that was killed.
    const LAST_WORDS: Duration = Duration::from_secs(20);

    /// Its end. After `timeout` it is killed with all that it started, and its output until then is
    /// told.
    pub fn wait(self, timeout: Duration) -> Result<Output> {
        if let Some(output) = self.ended(timeout)? {
            return Ok(output);
        }
        Ok(Output { timed_out: true, ..self.kill()? })
    }

    /// Kills it with all that it started; its output until then.
    pub fn kill(self) -> Result<Output> {
        self.channel.say(&format!("kill {}", self.number))?;
        let output = self.ended(Self::LAST_WORDS)?;
        output.with_context(|| format!("the guest does not end `{}`, though it was killed", self.command))
    }

    /// Its end, if it comes within `timeout`.
    pub fn ended(&self, timeout: Duration) -> Result<Option<Output>> {
        self.channel.wait_for(timeout, |said| said.ended.remove(&self.number))
    }
}

/// Reads lines until there are no more.
fn listen(mut from: impl BufRead, shared: &Shared) {
    let mut line = String::new();
    let why = loop {
        line.clear();
        match from.read_line(&mut line) {
            Ok(0) => break "its channel was closed".to_string(),
            Err(e) => break format!("its channel failed: {e}"),
            Ok(_) => {}
        }
        let mut said = shared.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(why) = said.hear(line.trim_end_matches('\n')) {
            break format!("it said `{}`: {why}", line.trim_end());
        }
        drop(said);
        shared.changed.notify_all();
    };
    shared.said.lock().unwrap_or_else(PoisonError::into_inner).over = Some(why);
    shared.changed.notify_all();
}

impl Said {
    /// A line of the guest.
    fn hear(&mut self, line: &str) -> Result<()> {
        let words: Vec<_> = line.split(' ').collect();
        match words[..] {
            ["up", _] => self.up = true,
            ["end", number, code, stdout, stderr] => {
                let text = |octets: &str| -> Result<String> {
                    Ok(String::from_utf8_lossy(&BASE64_STANDARD.decode(octets)?).into_owned())
                };
                let (stdout, stderr) = (text(stdout)?, text(stderr)?);
                let output = Output { code: code.parse()?, stdout, stderr, timed_out: false };
                self.ended.insert(number.parse()?, output);
            }
            _ => bail!("that is no message"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A channel, and the guest's end of it.
    fn pair() -> (Channel, BufReader<UnixStream>) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Channel::new(ours).unwrap(), BufReader::new(theirs))
    }

    fn said(guest: &mut BufReader<UnixStream>) -> String {
        let mut line = String::new();
        guest.read_line(&mut line).unwrap();
        line
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn jobs_end_in_any_order_with_their_own_output() {
        let (channel, mut guest) = pair();
        assert!(!channel.wait_up(Duration::from_millis(1)).unwrap());
        guest.get_mut().write_all(b"up 6.12\n").unwrap();
        assert!(channel.wait_up(SECOND).unwrap());
        let (first, second) = (channel.spawn("true").unwrap(), channel.spawn("echo é").unwrap());
        assert_eq!(said(&mut guest), "run 1 dHJ1ZQ==\n");
        assert_eq!(said(&mut guest), format!("run 2 {}\n", BASE64_STANDARD.encode("echo é")));
        guest.get_mut().write_all(b"end 2 3 w6kK \nend 1 0  bm8=\n").unwrap();
        let ended = first.wait(SECOND).unwrap();
        assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, "", "no"));
        let failed = second.wait(SECOND).unwrap();
        assert_eq!((failed.code, &*failed.stdout), (3, "é\n"));
        let told = failed.ok("echo é").unwrap_err().to_string();
        assert!(told.contains("`echo é` ended with 3"), "{told}");
    }

    #[test]
    fn a_job_that_takes_too_long_is_killed_and_says_so() {
        let (channel, mut guest) = pair();
        let job = channel.spawn("sleep 100").unwrap();
        let waits = std::thread::spawn(move || job.wait(Duration::from_millis(10)).unwrap());
        said(&mut guest);
        assert_eq!(said(&mut guest), "kill 1\n");
        guest.get_mut().write_all(b"end 1 137 aGFsZg== \n").unwrap();
        let ended = waits.join().unwrap();
        assert_eq!((ended.code, &*ended.stdout, ended.timed_out), (137, "half", true));
    }

    #[test]
    fn a_guest_that_goes_or_talks_nonsense_ends_every_wait() {
        let (channel, guest) = pair();
        let job = channel.spawn("true").unwrap();
        drop(guest);
        let told = job.wait(60 * SECOND).unwrap_err().to_string();
        assert!(told.contains("guest is gone: its channel"), "{told}");
        let (channel, mut guest) = pair();
        guest.get_mut().write_all(b"end 1 x\n").unwrap();
        let told = channel.wait_up(60 * SECOND).unwrap_err().to_string();
        assert!(told.contains("`end 1 x`"), "{told}");
    }
}
