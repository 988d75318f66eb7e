// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests to a vfio-user server, one at a time, each with a deadline.
//!
//! A server that is late, or answers what nobody asked, is asked nothing more: its next answer
//! might be taken for that of another request. Each later call has the first error. A refusal
//! leaves the connection as it is.
//!
//! The end of an object has less time than a server. An end that gives up leaves its answer to the
//! next request, which takes that answer before it asks. The server serves on. What became of the
//! end is not known.
//!
//! The end of the stream says that the server writes memory no more. A server that takes no request
//! has not said that yet, so the end of the stream is waited for.
use super::super::BackendError;
use super::stream::{Broken, Stream};
use super::wire::{answered, message, pair, word, Answer, Command, HEAD};
use parking_lot::Mutex;
use std::ops::RangeInclusive;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a server may take until a client is let in: it may be resetting the device behind the
/// last one.
const WELCOME: Duration = Duration::from_secs(5);
/// How long a server may take for an answer. The server itself gives an access to memory of a
/// client three seconds, and a busy machine some more.
pub(super) const ANSWER: Duration = Duration::from_secs(6);
/// Version 0.1 of the protocol, major number first.
const VERSION: [u16; 2] = [0, 1];
/// Capabilities of this client: it takes no descriptors.
const CAPABILITIES: &[u8] = b"{\"capabilities\":{\"max_msg_fds\":0,\"max_data_xfer_size\":4096}}\0";
/// Most octets of the server's capabilities.
const MOST_TEXT: usize = 4096;
/// Flag of a device: a PCI function.
const IS_PCI: u32 = 2;

/// A command with what it carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) command: Command,
    /// The fixed body.
    pub(super) words: &'a [u64],
    /// Octets behind that.
    pub(super) data: &'a [u8],
    pub(super) beside: Option<BorrowedFd<'a>>,
}

impl<'a> Request<'a> {
    /// A command with a fixed body alone.
    pub(super) fn new(command: Command, words: &'a [u64]) -> Self {
        Self { command, words, data: &[], beside: None }
    }
}

/// How long an answer is waited for, from the moment when its request is sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Patience {
    /// A server that has not answered by then is lost.
    Asks(Duration),
    /// The caller gives up then.
    Ends(Duration),
    /// The caller gives up at this moment, whatever the server owes others; how long that is.
    Cuts(Instant, Duration),
}

impl Patience {
    /// How long it is.
    fn most(self) -> Duration {
        match self {
            Self::Asks(most) | Self::Ends(most) | Self::Cuts(_, most) => most,
        }
    }

    /// When it ends, for a request that was sent then.
    fn until(self, sent: Instant) -> Instant {
        match self {
            Self::Asks(most) | Self::Ends(most) => sent + most,
            Self::Cuts(until, _) => until,
        }
    }
}

/// An answer that the server owes.
#[derive(Debug)]
struct Owed {
    id: u16,
    command: Command,
    /// Octets of its body.
    body: RangeInclusive<usize>,
    /// Room for the answer, and how many of its octets have come.
    octets: Vec<u8>,
    there: usize,
    sent: Instant,
    /// Without an answer until then the server is lost.
    last: Instant,
}

/// Since when the server owes an answer to anybody, if it does.
pub(super) type Since = Arc<Mutex<Option<Instant>>>;

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Client {
    /// What errors call the device.
    name: String,
    stream: Stream,
    last_id: u16,
    /// The answer that an end has not waited for.
    owed: Option<Owed>,
    since: Since,
    /// Why nothing is asked any more.
    over: Option<BackendError>,
}

impl Client {
    /// Connects, exchanges versions, and finds a PCI function.
    pub(super) fn connect(path: &Path) -> Result<Self, BackendError> {
        let (name, until) = (format!("vfio-user:{}", path.display()), Instant::now() + WELCOME);
        let stream = Stream::connect(path, until).map_err(|why| match why {
            Broken::Failed(errno) => BackendError::Open(format!("{name}: {errno}")),
            _ => BackendError::Open(format!("{name}: the server takes no caller within {WELCOME:?}")),
        })?;
        let (last_id, owed, since, over) = Default::default();
        let mut client = Self { name, stream, last_id, owed, since, over };
        let patience = || Patience::Asks(until.saturating_duration_since(Instant::now()));
        let [major, minor] = VERSION.map(u16::to_ne_bytes);
        let text = [&major[..], &minor, CAPABILITIES].concat();
        let version = Request { data: &text, ..Request::new(Command::Version, &[]) };
        let told = client.ask(version, 4..=4 + MOST_TEXT, patience()).map_err(|why| match why {
            // a server turns who comes second away without a word
            BackendError::Stopped(_) => BackendError::Busy(client.name.clone()),
            why => why,
        })?;
        let theirs = u16::from_ne_bytes([told[0], told[1]]);
        if theirs != VERSION[0] {
            let why = format!("{}: the server speaks version {theirs} of vfio-user, not 0", client.name);
            return Err(BackendError::Open(why));
        }
        let words = [pair(16, 0), 0];
        let told = client.ask(Request::new(Command::DeviceGetInfo, &words), 16..=16, patience())?;
        match word(&told, 4) & IS_PCI {
            0 => Err(BackendError::Open(format!("{}: the server's device is no PCI function", client.name))),
            _ => Ok(client),
        }
    }

    /// The connection, for whoever waits for its end.
    pub(super) fn line(&self) -> std::io::Result<OwnedFd> {
        self.stream.line()
    }

    /// Since when the server owes an answer, for whoever waits for a turn.
    pub(super) fn since(&self) -> Since {
        self.since.clone()
    }

    /// Gives a command; the answer's body, which has so many octets.
    pub(super) fn ask(
        &mut self,
        request: Request<'_>,
        body: RangeInclusive<usize>,
        patience: Patience,
    ) -> Result<Vec<u8>, BackendError> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        let command = request.command;
        match self.exchange(request, body, patience) {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(errno)) => {
                Err(BackendError::Refused { what: format!("{}: {command:?}", self.name), errno })
            }
            Err(Wrong::Later(most)) => Err(BackendError::Silent(most)),
            Err(Wrong::Broken(Broken::Closed, ..)) => {
                Err(self.end(BackendError::Stopped, "the server closed the connection".into()))
            }
            Err(Wrong::Broken(Broken::Late, command, sent)) => {
                let waited = sent.elapsed().as_millis();
                Err(self.end(BackendError::Lost, format!("no answer to {command:?} within {waited} ms")))
            }
            Err(Wrong::Broken(Broken::Failed(errno), ..)) => {
                Err(self.end(BackendError::Lost, format!("the socket: {errno}")))
            }
            Err(Wrong::Answer(why)) => Err(self.end(BackendError::Lost, why)),
        }
    }

    /// Nothing is asked any more.
    fn end(&mut self, kind: fn(String) -> BackendError, why: String) -> BackendError {
        let why = kind(format!("{}: {why}", self.name));
        self.stream.close();
        *self.since.lock() = None;
        self.over.insert(why).clone()
    }

    /// Sends a request and receives its answer: the body, or the errno of a refusal. An answer that
    /// is owed comes first.
    fn exchange(
        &mut self,
        Request { command, words, data, beside }: Request<'_>,
        body: RangeInclusive<usize>,
        patience: Patience,
    ) -> Result<Result<Vec<u8>, i32>, Wrong> {
        if let Some(owed) = self.owed.take() {
            // whoever asked has given up
            drop(self.receive(owed, patience)?);
        }
        self.last_id = self.last_id.wrapping_add(1);
        let (id, sent) = (self.last_id, Instant::now());
        let until = patience.until(sent);
        *self.since.lock() = Some(sent);
        self.stream.send(&message(id, command, words, data), beside, until).map_err(|why| match why {
            Broken::Closed => Wrong::Broken(self.stream.ended(until), command, sent),
            why => Wrong::Broken(why, command, sent),
        })?;
        let last = match patience {
            Patience::Asks(_) => until,
            Patience::Ends(_) | Patience::Cuts(..) => sent + ANSWER,
        };
        let octets = vec![0; HEAD + body.end()];
        self.receive(Owed { id, command, body, octets, there: 0, sent, last }, patience)
    }

    /// Receives an answer. A caller who gives up before the server is lost leaves the answer to the
    /// next request.
    fn receive(&mut self, mut owed: Owed, patience: Patience) -> Result<Result<Vec<u8>, i32>, Wrong> {
        let until = owed.last.min(patience.until(owed.sent));
        match self.fill(&mut owed, until) {
            Err(Wrong::Broken(Broken::Late, ..)) if until < owed.last => {
                self.owed = Some(owed);
                Err(Wrong::Later(patience.most()))
            }
            told => {
                *self.since.lock() = None;
                told
            }
        }
    }

    fn fill(&self, owed: &mut Owed, until: Instant) -> Result<Result<Vec<u8>, i32>, Wrong> {
        let Owed { id, command, ref body, ref mut octets, ref mut there, sent, .. } = *owed;
        let broken = |why| Wrong::Broken(why, command, sent);
        self.stream.receive(octets, there, HEAD, until).map_err(broken)?;
        let mut head = [0; HEAD];
        head.copy_from_slice(&octets[..HEAD]);
        let answer = answered(&head, id, command, body).map_err(Wrong::Answer)?;
        let (Answer::Done(size) | Answer::Refused(_, size)) = answer;
        if *there > size {
            return Err(Wrong::Answer(format!("{} octets follow the answer to {command:?}", *there - size)));
        }
        self.stream.receive(&mut octets[..size], there, size, until).map_err(broken)?;
        match answer {
            Answer::Refused(errno, _) => Ok(Err(errno)),
            Answer::Done(_) => Ok(Ok(octets[HEAD..size].to_vec())),
        }
    }
}

/// Why there is no answer.
enum Wrong {
    /// The connection is of no use any more: why, and the command that was sent then.
    Broken(Broken, Command, Instant),
    /// No answer can be trusted any more.
    Answer(String),
    /// Whoever ends something has given up after so long.
    Later(Duration),
}
