// SPDX-License-Identifier: MIT OR Apache-2.0
//! A vfio-user server that serves a table of registers, and that does one thing wrong when it is
//! told to.
use rustix::net::{sendmsg, SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use std::collections::BTreeMap;
use std::io::{IoSlice, PipeReader, PipeWriter, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tempfile::TempDir;

/// Numbers of commands, as the specification of vfio-user has them.
pub const VERSION: u16 = 1;
pub const DMA_MAP: u16 = 2;
pub const DMA_UNMAP: u16 = 3;
pub const GET_INFO: u16 = 4;
pub const GET_REGION_INFO: u16 = 5;
pub const SET_IRQS: u16 = 8;
pub const REGION_READ: u16 = 9;
pub const REGION_WRITE: u16 = 10;
pub const RESET: u16 = 13;

/// Octets of a message's head.
const HEAD: usize = 16;
/// Registers by place, as docs/registers.md has them, and what they hold.
const REGISTERS: [(u64, u32); 6] = [
    (0x000, 0x4677_5270),
    (0x008, 4 << 16),
    (0x00c, 1),
    (0x010, 0x0408_0304),
    (0x01c, 0x0010_05dc),
    (0x020, 77),
];

/// What the server does with a command of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// The server reads and answers nothing more.
    Stops,
    /// The answer ends inside of its head, and nothing follows.
    Half,
    /// The connection ends inside of the head of the answer.
    Closes,
    /// The answer is to another message.
    OtherId,
    /// The answer is to another command.
    OtherCommand,
    /// The answer is a command of the server.
    Command,
    /// The head claims four octets less than the command's answer has.
    Short,
    /// The head claims four octets more.
    Long,
    /// The head claims 4 GiB.
    Endless,
    /// The answer is a refusal of 16 octets with this errno.
    Refuses(u32),
    /// The answer is right, and has descriptors of a pipe beside it.
    Descriptors,
    /// The answer is right, and comes so much later.
    Late(Duration),
}

#[derive(Debug, Default)]
pub struct State {
    registers: BTreeMap<u64, u32>,
    /// Command, and what is done with the next one.
    wrong: Option<(u16, Mood)>,
    /// How much later each answer comes.
    pub slow: Duration,
    /// Flags of each mapping.
    pub maps: Vec<u32>,
    /// Connections of which nothing is read any more.
    pub stopped: Vec<UnixStream>,
    /// The reading end of the pipe whose other end the client was given.
    pub pipe: Option<PipeReader>,
}

/// The admin port's registers, and the octets of an answer without a row.
const ADMIN_GO: u64 = 0x0c0;
const ADMIN_STATUS: u64 = 0x0c4;
const COMMAND: u64 = 0x400;
const ANSWER: u64 = 0x500;
const ANSWERED: u32 = 8;

impl State {
    /// Writes a register. The admin port does every command at once: what is asked for does not
    /// move.
    fn write(&mut self, asked: &[u8]) {
        let (offset, [region, count]) = (u64::from(word(asked, 0)), [8, 12].map(|at| word(asked, at)));
        if (region, count) != (0, 4) {
            return;
        }
        self.registers.insert(offset, word(asked, HEAD));
        if offset == ADMIN_GO {
            // done, opcode, index
            let [opcode, _, high, low] = self.registers[&COMMAND].to_le_bytes();
            let head = u32::from_le_bytes([0, opcode, high, low]);
            self.registers.extend([(ANSWER, head), (ANSWER + 4, 0), (ADMIN_STATUS, 2 | ANSWERED << 16)]);
        }
    }
}

/// A server, whose socket goes with it.
pub struct Server {
    folder: TempDir,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
        let state = State { registers: REGISTERS.into(), ..Default::default() };
        let state = Arc::new(Mutex::new(state));
        let serves = state.clone();
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                serve(stream, &serves);
            }
        });
        Self { folder, state }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// The next command of this number meets this mood.
    pub fn arm(&self, command: u16, mood: Mood) {
        self.state().wrong = Some((command, mood));
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

fn word(octets: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(octets[at..at + 4].try_into().unwrap())
}

/// The answer's body.
fn body(state: &mut State, command: u16, asked: &[u8]) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|w| w.to_ne_bytes()).collect::<Vec<_>>();
    match command {
        VERSION => [&words(&[1 << 16])[..], b"{\"capabilities\":{}}\0"].concat(),
        GET_INFO => words(&[16, 3, 9, 5]),
        GET_REGION_INFO => words(&[32, 3, word(asked, 8), 0, 0, 0, 0, 0]),
        DMA_MAP => {
            state.maps.push(word(asked, 4));
            vec![]
        }
        DMA_UNMAP => asked.to_vec(),
        REGION_READ => {
            let count = word(asked, 12) as usize;
            let place = u64::from(word(asked, 0));
            // configuration space is zeros
            let is_register = word(asked, 8) == 0;
            let register =
                |n| state.registers.get(&(place + n)).copied().filter(|_| is_register).unwrap_or(0);
            let octets = (0..count as u64).step_by(4).flat_map(|n| register(n).to_ne_bytes());
            [asked, &octets.take(count).collect::<Vec<_>>()].concat()
        }
        REGION_WRITE => {
            state.write(asked);
            asked[..HEAD].to_vec()
        }
        _ => vec![],
    }
}

/// An answer with the writing end of a pipe beside it.
fn answer_beside(stream: &UnixStream, answer: &[u8], end: &PipeWriter) {
    let (ends, mut space) = ([end.as_fd(); 4], [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))]);
    let mut beside = SendAncillaryBuffer::new(&mut space);
    assert!(beside.push(SendAncillaryMessage::ScmRights(&ends)));
    let sent = sendmsg(stream, &[IoSlice::new(answer)], &mut beside, SendFlags::NOSIGNAL);
    assert_eq!(sent.unwrap(), answer.len());
}

/// Serves a client until it goes, or the server stops.
fn serve(mut stream: UnixStream, this: &Mutex<State>) {
    let mut head = [0; HEAD];
    while stream.read_exact(&mut head).is_ok() {
        let command = u16::from_ne_bytes([head[2], head[3]]);
        let mut asked = vec![0; word(&head, 4) as usize - HEAD];
        if stream.read_exact(&mut asked).is_err() {
            return;
        }
        let mut state = this.lock().unwrap();
        let mood = state.wrong.take_if(|(wrong, _)| *wrong == command).map(|(_, mood)| mood);
        let body = body(&mut state, command, &asked);
        let mut answer = [&head[..], &body].concat();
        let size = answer.len() as u32;
        let mut put = |at: usize, value: u32| answer[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        put(4, size);
        put(8, 1);
        match mood {
            None | Some(Mood::Descriptors) => {}
            Some(Mood::Late(_)) => {}
            Some(Mood::Stops) => return state.stopped.push(stream),
            Some(Mood::Half) => answer.truncate(HEAD / 2),
            Some(Mood::Closes) => {
                // a client that is gone already hears nothing
                drop(stream.write_all(&answer[..HEAD / 2]));
                return;
            }
            Some(Mood::OtherId) => answer[0] ^= 1,
            Some(Mood::OtherCommand) => answer[2] ^= 15,
            Some(Mood::Command) => put(8, 0),
            Some(Mood::Short) => put(4, size - 4),
            Some(Mood::Long) => {
                put(4, size + 4);
                answer.extend([0; 4]);
            }
            Some(Mood::Endless) => put(4, u32::MAX),
            Some(Mood::Refuses(errno)) => {
                put(4, HEAD as u32);
                put(8, 1 | 1 << 5);
                put(12, errno);
                answer.truncate(HEAD);
            }
        }
        let later = if let Some(Mood::Late(later)) = mood { later } else { state.slow };
        drop(state);
        std::thread::sleep(later);
        let mut state = this.lock().unwrap();
        if mood == Some(Mood::Descriptors) {
            let (reader, writer) = std::io::pipe().unwrap();
            answer_beside(&stream, &answer, &writer);
            state.pipe = Some(reader);
        } else if stream.write_all(&answer).is_err() {
            return;
        }
        if mood == Some(Mood::Half) {
            return state.stopped.push(stream);
        }
    }
}
