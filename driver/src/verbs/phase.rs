// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a queue pair is, and the word by which its completion queue hears of an error.
//!
//! Who posts keeps the request, then asks whether the queue pair is in error. Who ends the queue
//! pair says so, then asks whether a request is there. One of the two sees the other and disturbs
//! the completion queue, whose next poll flushes. `loom_tests` runs them in every order that the
//! language's model of memory allows.
use super::cells::{Cell, Cells, Real};
use super::types::QpState;
use std::sync::atomic::Ordering;

/// As [`QpState::Connected`], while an error waits for the next post to the send queue: posts leave
/// the data path.
const HELD: u8 = QpState::Error as u8 + 1;

/// Where a queue pair is. Everyone may look; no step leads out of an error.
#[derive(Debug, Default)]
pub(super) struct Phase<C: Cells = Real>(pub(super) C::Byte);

impl<C: Cells> Phase<C> {
    #[inline(always)]
    pub(super) fn get(&self) -> QpState {
        match self.0.load(Ordering::Acquire) {
            0 => QpState::Idle,
            1 => QpState::Connecting,
            2 | HELD => QpState::Connected,
            3 => QpState::Finished,
            _ => QpState::Error,
        }
    }

    /// A step; whether it was where the step begins.
    pub(super) fn step(&self, from: QpState, to: QpState) -> bool {
        self.0.turn(from as u8, to as u8, Ordering::AcqRel)
    }

    /// Whether a request goes into its ring.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire) == QpState::Connected as u8
    }

    /// Whether it is in error.
    #[inline(always)]
    pub(super) fn is_failed(&self) -> bool {
        self.0.load(Ordering::Acquire) == QpState::Error as u8
    }

    /// [`Phase::is_open`] is false until [`Phase::go_on`], if it was true.
    pub(super) fn hold(&self) {
        self.0.turn(QpState::Connected as u8, HELD, Ordering::AcqRel);
    }

    /// The end of [`Phase::hold`].
    pub(super) fn go_on(&self) {
        self.0.turn(HELD, QpState::Connected as u8, Ordering::AcqRel);
    }

    /// This end has finished sending, if it was connected.
    pub(super) fn finish(&self) {
        let connected = QpState::Connected as u8;
        // an error may begin to wait between the first two
        let _is_done = [connected, HELD, connected]
            .into_iter()
            .any(|from| self.0.turn(from, QpState::Finished as u8, Ordering::AcqRel));
    }

    /// From now on it is in error. Who posts and does not see it has kept its request before: it is
    /// flushed by who looks next.
    #[cold]
    pub(super) fn fail(&self) {
        self.0.store(QpState::Error as u8, Ordering::Release);
        C::fence();
    }

    /// Whether it is in error, asked behind a request that was kept: either this sees the error, or
    /// who flushes it sees the request.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        C::fence();
        self.is_failed()
    }
}

/// A queue pair in error left something to a completion queue, or will: the next poll asks all of
/// them.
#[derive(Debug, Default)]
pub(super) struct Disturbed<C: Cells = Real>(pub(super) C::Bit);

impl<C: Cells> Disturbed<C> {
    /// Several threads may tell. A swap keeps what the threads before did visible to the poll that
    /// takes the word: a store would show the poll the work of the last thread alone.
    pub(super) fn tell(&self) {
        self.0.swap(true, Ordering::AcqRel);
    }

    #[inline(always)]
    pub(super) fn is_told(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Takes the word back, before queue pairs are asked; whether it was told.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}
