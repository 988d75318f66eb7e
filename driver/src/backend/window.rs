// SPDX-License-Identifier: MIT OR Apache-2.0
//! The admin window of a device: commands one at a time, given by a thread of its own.
use super::function::{dword, field, put, stopped, Function, REGISTERS};
use super::watched::Watched;
use super::{BackendError, Pending};
use crate::threads;
use ferrowarp_abi::consts::{csr, csr_mask};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the device may take for a command or a reset: a simulated one is slow.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks at a register that will change.
pub(super) const LOOK_EVERY: Duration = Duration::from_micros(50);

/// A command for the window.
struct Command {
    octets: Vec<u8>,
    answer: Sender<Vec<u8>>,
}

/// What the thread and its device tell each other.
#[derive(Debug, Default)]
struct Told {
    /// The thread gives no command any more.
    is_over: AtomicBool,
    /// The thread empties the device at its end.
    empties: AtomicBool,
    /// Why the first command failed that did. None is given behind that.
    fault: Arc<OnceLock<BackendError>>,
}

/// The window. Its thread ends when nobody can give a command any more.
#[derive(Debug)]
pub(super) struct Window {
    commands: Option<Mutex<Sender<Command>>>,
    told: Arc<Told>,
    thread: Option<JoinHandle<Result<(), BackendError>>>,
}

impl Window {
    /// The window of a function.
    pub(super) fn open(function: Arc<Watched>) -> Result<Self, BackendError> {
        let (commands, inbox) = channel();
        let told = Arc::new(Told::default());
        let hears = told.clone();
        let body = move || {
            give_commands(&function, &inbox, &hears);
            match hears.empties.load(Ordering::SeqCst) {
                true => function.empty(),
                false => Ok(()),
            }
        };
        let thread = threads::spawn("ferrowarp-admin", body);
        let thread = thread.map_err(|e| BackendError::Open(format!("no thread for commands: {e}")))?;
        Ok(Self { commands: Some(Mutex::new(commands)), told, thread: Some(thread) })
    }

    /// Gives a command.
    pub(super) fn give(&self, octets: Vec<u8>) -> Result<Pending, BackendError> {
        let (answer, answered) = channel();
        let commands = self.commands.as_ref().map(|c| c.lock());
        let sent = commands.and_then(|c| c.send(Command { octets, answer }).ok());
        sent.map(|()| Pending::until(answered, self.told.fault.clone())).ok_or_else(stopped)
    }

    /// No command is given any more.
    pub(super) fn close(&self) {
        self.told.is_over.store(true, Ordering::SeqCst);
    }

    /// The end of the thread, which first empties the device if it is to: whether that was done.
    /// None if the thread is left behind in an access that takes longer than `most`.
    pub(super) fn end(&mut self, empties: bool, most: Duration) -> Option<Result<(), BackendError>> {
        self.told.empties.store(empties, Ordering::SeqCst);
        self.close();
        self.commands = None;
        self.thread.take().and_then(|thread| threads::join_within(thread, most))
    }

    /// Thread and channel are another process's.
    pub(super) fn forget(&mut self) {
        std::mem::forget((self.thread.take(), self.commands.take()));
    }
}

/// The thread of the window. Whoever waits for an answer that does not come sees its channel
/// closed.
fn give_commands(function: &Watched, inbox: &Receiver<Command>, told: &Told) {
    for Command { octets, answer } in inbox {
        let is_over = told.is_over.load(Ordering::Relaxed) && function.lives().is_ok();
        if is_over || told.fault.get().is_some() {
            continue;
        }
        let given = give(function, &octets, &told.is_over);
        // an answer of a device that has lost its link since is none
        match given.and_then(|answer| function.look().map(|()| answer)) {
            // who asked may have given up
            Ok(octets) => drop(answer.send(octets)),
            Err(why) => {
                tracing::error!(%why, "the admin window");
                // there is none yet; it is there before the channel closes
                drop(told.fault.set(why));
            }
        }
    }
}

fn give(function: &dyn Function, command: &[u8], is_over: &AtomicBool) -> Result<Vec<u8>, BackendError> {
    for (n, octets) in command.chunks(4).enumerate() {
        let mut word = [0; 4];
        word[..octets.len()].copy_from_slice(octets);
        function.write(REGISTERS, u64::from(csr::ADMIN_COMMAND) + 4 * n as u64, &word)?;
    }
    put(function, csr::ADMIN_GO, command.len() as u32)?;
    let done = |status| (status & csr_mask::ADMIN_STATUS_DONE != 0).then_some(status);
    let status = await_register(function, csr::ADMIN_STATUS, is_over, done)?;
    let length = field(status, csr_mask::ADMIN_STATUS_OCTETS) as usize;
    let mut answer = vec![0; length.next_multiple_of(4)];
    function.read_run(REGISTERS, csr::ADMIN_ANSWER.into(), &mut answer)?;
    answer.truncate(length);
    Ok(answer)
}

/// Waits until `done` says something of a register, or `is_over`.
pub(super) fn await_register<T>(
    function: &dyn Function,
    register: u16,
    is_over: &AtomicBool,
    done: impl Fn(u32) -> Option<T>,
) -> Result<T, BackendError> {
    let start = Instant::now();
    loop {
        if let Some(value) = done(dword(function, register)?) {
            return Ok(value);
        }
        if is_over.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        if start.elapsed() > PATIENCE {
            return Err(BackendError::Silent(PATIENCE));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
