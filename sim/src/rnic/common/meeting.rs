// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the threads of devices meet at the end of a block.
use super::super::threads::locked;
use super::conductor::Conductor;
use super::turn::{Turn, Vote};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// For how long a thread waits for the others before it sleeps: a part of the time that a block
/// takes.
const SPIN: Duration = Duration::from_micros(50);

/// What all threads share.
pub(super) struct Meeting {
    /// Turns so far.
    turns: AtomicU64,
    /// For how long who waits looks again and again.
    spin: Duration,
    state: Mutex<State>,
    opened: Condvar,
}

struct State {
    members: usize,
    /// Of those who have come.
    votes: Vec<Vote>,
    turn: Turn,
    conductor: Conductor,
}

impl Meeting {
    pub(super) fn new(members: usize, conductor: Conductor) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // without a core of its own who looks again and again keeps others from coming
        let spin = if members <= cores { SPIN } else { Duration::ZERO };
        let state = Mutex::new(State { members, votes: vec![], turn: Turn::Look, conductor });
        Self { turns: AtomicU64::new(0), spin, state, opened: Condvar::new() }
    }

    /// Says how the last turn went and waits for the others; what all do next. The last one to come
    /// decides.
    pub(super) fn meet(&self, vote: Vote) -> Turn {
        let mut state = locked(&self.state);
        if state.turn == Turn::End {
            return Turn::End;
        }
        let turns = self.turns.load(Ordering::Relaxed);
        state.votes.push(vote);
        if state.votes.len() >= state.members {
            self.open(&mut state);
            return state.turn;
        }
        drop(state);
        let until = Instant::now() + self.spin;
        while self.turns.load(Ordering::Acquire) == turns && Instant::now() < until {
            std::hint::spin_loop();
        }
        let waits = |_: &mut State| self.turns.load(Ordering::Relaxed) == turns;
        let state = self.opened.wait_while(locked(&self.state), waits);
        state.unwrap_or_else(PoisonError::into_inner).turn
    }

    /// One does not come any more. The others do not wait for it.
    pub(super) fn leave(&self) {
        let mut state = locked(&self.state);
        state.members = state.members.saturating_sub(1);
        if state.members == 0 {
            state.conductor.end(None);
        } else if state.votes.len() >= state.members {
            self.open(&mut state);
        }
    }

    /// One has failed: all end.
    pub(super) fn fail(&self, why: &str) {
        let mut state = locked(&self.state);
        state.conductor.end(Some(why));
        state.turn = Turn::End;
        self.turns.fetch_add(1, Ordering::Release);
        self.opened.notify_all();
    }

    fn open(&self, state: &mut State) {
        let votes = std::mem::take(&mut state.votes);
        if state.turn != Turn::End {
            state.turn = state.conductor.decide(&votes);
        }
        self.turns.fetch_add(1, Ordering::Release);
        self.opened.notify_all();
    }
}

#[cfg(test)]
#[path = "meeting_tests.rs"]
mod tests;
