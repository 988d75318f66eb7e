// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of a link: when each left, and when and how it arrived.
use ferrowarp_sim::link::{Captured, Fate, Sent, FCS, GAP, MIN_FRAME, PREAMBLE};
use ferrowarp_sim::{LinkConfig, Side};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The end that sent it.
    pub from: Side,
    /// When its preamble began to leave.
    pub began_ps: u64,
    /// Since when its sender's port has been busy without a pause.
    pub busy_ps: u64,
    /// Its octets, without FCS.
    pub data: Vec<u8>,
    /// When it arrived whole at the other end: not at all, once or twice.
    pub arrived_ps: Vec<u64>,
    /// The octets that arrived, if the link changed them.
    pub changed: Option<Vec<u8>>,
}

/// The longest pause of a port that is busy: some cycles between two frames.
const PAUSE_PS: u64 = 100_000;

/// Why frames cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The note of a captured frame says what nobody here knows.
    #[error("frame {frame} has the note {note:?}, which tells no fate")]
    Note {
        /// Number of the frame from 0.
        frame: usize,
        /// The note.
        note: String,
    },
    /// The link has changed a frame, and [`Changes`] did not see the change.
    #[error("the link has changed frame {frame}; its hook has to be put under Changes::over")]
    Unseen {
        /// Number of the frame from 0.
        frame: usize,
    },
}

/// Octets that a hook puts in the place of others. A capture shows what was sent.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<Mutex<Changed>>);

/// Octets that arrive, by the end that sent the frame and the time of its last octet.
type Changed = BTreeMap<(Side, u64), Vec<u8>>;

impl Changes {
    /// A hook that asks `hook` what becomes of each frame, and keeps the octets that arrive
    /// instead.
    pub fn over(
        &self,
        mut hook: impl FnMut(&Sent<'_>) -> Fate + Send + 'static,
    ) -> impl FnMut(&Sent<'_>) -> Fate + Send + 'static {
        let changes = Arc::clone(&self.0);
        move |sent| {
            let fate = hook(sent);
            if let Fate::Replace(octets) = &fate {
                let mut changes = changes.lock().unwrap_or_else(PoisonError::into_inner);
                changes.insert((sent.from, sent.at_ps), octets.clone());
            }
            fate
        }
    }

    fn of(&self, frame: &Captured) -> Option<Vec<u8>> {
        let mut changes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        changes.remove(&(frame.from, frame.at_ps))
    }
}

/// A frame in flight: number, and the nanoseconds that the link holds it back.
struct Flight {
    frame: usize,
    held_ns: u64,
    is_twice: bool,
}

/// The frames of a capture with their arrivals, in the order in which they began to leave.
///
/// A frame arrives a delay after it has left, unless frames that arrive before it are in its way. A
/// hook makes long frames on short links arrive up to a microsecond later. So nothing arrives
/// earlier than is said here.
pub fn frames(
    captured: Vec<Captured>,
    link: &LinkConfig,
    changes: &Changes,
) -> Result<Vec<Frame>, FrameError> {
    let mut captured = captured;
    captured.sort_by_key(|frame| (frame.began_ps, frame.from));
    let mut frames = vec![];
    let mut flights: [Vec<Flight>; 2] = Default::default();
    // by sender: since when its port is busy, and when the port is free again
    let mut busy = [[0; 2]; 2];
    for (n, captured) in captured.into_iter().enumerate() {
        let mut changed = changes.of(&captured);
        match captured.note.as_deref() {
            None => flights[captured.from as usize].push(Flight { frame: n, held_ns: 0, is_twice: false }),
            Some(note) => {
                let flight = fate(note).ok_or_else(|| FrameError::Note { frame: n, note: note.into() })?;
                if matches!(flight, Some((_, _, true))) && changed.is_none() {
                    return Err(FrameError::Unseen { frame: n });
                }
                if let Some((held_ns, is_twice, _)) = flight {
                    flights[captured.from as usize].push(Flight { frame: n, held_ns, is_twice });
                } else {
                    changed = None;
                }
            }
        }
        let Captured { from, began_ps, data, .. } = captured;
        let [since_ps, free_ps] = &mut busy[from as usize];
        if began_ps > *free_ps + PAUSE_PS {
            *since_ps = began_ps;
        }
        *free_ps = began_ps + link.wire_ps(PREAMBLE + (data.len() as u64).max(MIN_FRAME) + FCS + GAP);
        frames.push(Frame { from, began_ps, busy_ps: *since_ps, data, arrived_ps: vec![], changed });
    }
    for flights in flights {
        arrive(&mut frames, link, flights);
    }
    Ok(frames)
}

/// What a note says: none if it says nothing that is known; else none if the frame does not arrive,
/// or nanoseconds, whether it arrives twice, whether its octets were changed.
fn fate(note: &str) -> Option<Option<(u64, bool, bool)>> {
    let lost = ["dropped on the link", "sent with a bad FCS", "lost: the link was down"];
    let held = || note.strip_prefix("held back ")?.strip_suffix(" ns by the link")?.parse().ok();
    match note {
        _ if lost.iter().any(|lost| note.contains(lost)) || note.ends_with("bad FCS") => Some(None),
        "octets changed on the link: FCS good" => Some(Some((0, false, true))),
        "delivered twice by the link" => Some(Some((0, true, false))),
        _ => held().map(|ns| Some((ns, false, false))),
    }
}

/// Notes when the frames of one direction arrive: one behind the other, of those that are there the
/// one first that was sent first.
fn arrive(frames: &mut [Frame], link: &LinkConfig, flights: Vec<Flight>) {
    let due_ps = |flight: &Flight, frames: &[Frame]| {
        frames[flight.frame].began_ps + (link.delay_ns + flight.held_ns) * 1_000
    };
    let mut coming: BTreeSet<(u64, usize, bool)> = BTreeSet::new();
    for flight in &flights {
        let due_ps = due_ps(flight, frames);
        coming.insert((due_ps, flight.frame, false));
        if flight.is_twice {
            coming.insert((due_ps, flight.frame, true));
        }
    }
    let mut there: BTreeSet<(usize, bool)> = BTreeSet::new();
    let mut free_ps = 0;
    loop {
        while let Some(&(due_ps, frame, again)) = coming.first().filter(|c| c.0 <= free_ps) {
            coming.remove(&(due_ps, frame, again));
            there.insert((frame, again));
        }
        let Some((frame, _)) = there.pop_first() else {
            let Some((due_ps, ..)) = coming.first() else { return };
            free_ps = *due_ps;
            continue;
        };
        let octets = PREAMBLE + (frames[frame].data.len() as u64).max(MIN_FRAME) + FCS;
        frames[frame].arrived_ps.push(free_ps + link.wire_ps(octets));
        free_ps += link.wire_ps(octets + GAP);
    }
}
