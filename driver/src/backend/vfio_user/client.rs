//! Requests to a vfio-user server, one at a time, each with a deadline.
//!
//! A server that is late, or answers what nobody asked, is asked nothing more: its next answer might be taken for that of another
//! request. Each later call has the first error. A refusal leaves the connection as it is.
use super::super::BackendError;
use super::stream::{Broken, Stream};
use super::wire::{answered, message, pair, word, Answer, HEAD};
use std::ops::RangeInclusive;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};
use vfio_user::Command;

/// How long a server may take until a client is let in: it may be resetting the device behind the last one.
const WELCOME: Duration = Duration::from_secs(5);
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

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Client {
    /// What errors call the device.
    name: String,
    stream: Stream,
    last_id: u16,
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
        let mut client = Self { name, stream, last_id: 0, over: None };
        let [major, minor] = VERSION.map(u16::to_ne_bytes);
        let text = [&major[..], &minor, CAPABILITIES].concat();
        let version = Request { data: &text, ..Request::new(Command::Version, &[]) };
        let told = client.ask(version, 4..=4 + MOST_TEXT, until).map_err(|why| match why {
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
        let told = client.ask(Request::new(Command::DeviceGetInfo, &words), 16..=16, until)?;
        match word(&told, 4) & IS_PCI {
            0 => Err(BackendError::Open(format!("{}: the server's device is no PCI function", client.name))),
            _ => Ok(client),
        }
    }

    /// Gives a command until then; the answer's body, which has so many octets.
    pub(super) fn ask(
        &mut self,
        request: Request<'_>,
        body: RangeInclusive<usize>,
        until: Instant,
    ) -> Result<Vec<u8>, BackendError> {
        if let Some(why) = &self.over {
            return Err(why.clone());
        }
        let begun = Instant::now();
        self.last_id = self.last_id.wrapping_add(1);
        let command = request.command;
        match self.exchange(request, body, until) {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(errno)) => {
                Err(BackendError::Refused { what: format!("{}: {command:?}", self.name), errno })
            }
            Err(wrong) => {
                let name = &self.name;
                let why = match wrong {
                    Wrong::Broken(Broken::Closed) => {
                        BackendError::Stopped(format!("{name}: the server closed the connection"))
                    }
                    Wrong::Broken(Broken::Late) => {
                        let waited = begun.elapsed().as_millis();
                        BackendError::Lost(format!("{name}: no answer to {command:?} within {waited} ms"))
                    }
                    Wrong::Broken(Broken::Failed(errno)) => {
                        BackendError::Lost(format!("{name}: the socket: {errno}"))
                    }
                    Wrong::Answer(why) => BackendError::Lost(format!("{name}: {why}")),
                };
                self.stream.close();
                self.over = Some(why.clone());
                Err(why)
            }
        }
    }

    /// Sends a request and receives its answer: the body, or the errno of a refusal.
    fn exchange(
        &self,
        Request { command, words, data, beside }: Request<'_>,
        body: RangeInclusive<usize>,
        until: Instant,
    ) -> Result<Result<Vec<u8>, i32>, Wrong> {
        self.stream.send(&message(self.last_id, command, words, data), beside, until)?;
        let mut octets = vec![0; HEAD + body.end()];
        let there = self.stream.receive(&mut octets, 0, HEAD, until)?;
        let mut head = [0; HEAD];
        head.copy_from_slice(&octets[..HEAD]);
        let answer = answered(&head, self.last_id, command, &body).map_err(Wrong::Answer)?;
        let (Answer::Done(size) | Answer::Refused(_, size)) = answer;
        octets.truncate(size);
        if there > size {
            return Err(Wrong::Answer(format!("{} octets follow the answer to {command:?}", there - size)));
        }
        self.stream.receive(&mut octets, there, size, until)?;
        match answer {
            Answer::Refused(errno, _) => Ok(Err(errno)),
            Answer::Done(_) => Ok(Ok(octets.split_off(HEAD))),
        }
    }
}

/// Why the connection is of no use any more.
enum Wrong {
    Broken(Broken),
    Answer(String),
}

impl From<Broken> for Wrong {
    fn from(why: Broken) -> Self {
        Self::Broken(why)
    }
}
