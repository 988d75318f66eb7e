// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value and what it was a while ago.
use super::QUEUE_PS;
use std::collections::VecDeque;

/// A value over the last [`QUEUE_PS`].
#[derive(Clone, Debug)]
pub(super) struct Past(VecDeque<(u64, u64)>);

impl Past {
    /// The value from the beginning of time on.
    pub(super) fn new(value: u64) -> Self {
        Self(VecDeque::from([(0, value)]))
    }

    /// The value from `at_ps` on, which is no earlier than the time before.
    pub(super) fn set(&mut self, at_ps: u64, value: u64) {
        while self.0.get(1).is_some_and(|(at, _)| at + QUEUE_PS < at_ps) {
            self.0.pop_front();
        }
        self.0.push_back((at_ps, value));
    }

    /// The newest value.
    pub(super) fn now(&self) -> u64 {
        self.0.back().map_or(0, |(_, value)| *value)
    }

    /// Values in effect at some time from `from_ps` on.
    fn since(&self, from_ps: u64) -> impl Iterator<Item = u64> + '_ {
        let old = self.0.iter().skip(1).take_while(|(at, _)| *at <= from_ps).count();
        self.0.iter().skip(old).map(|(_, value)| *value)
    }

    /// The least value since `from_ps`.
    pub(super) fn least(&self, from_ps: u64) -> u64 {
        self.since(from_ps).min().unwrap_or(0)
    }

    /// The greatest value since `from_ps`.
    pub(super) fn greatest(&self, from_ps: u64) -> u64 {
        self.since(from_ps).max().unwrap_or(0)
    }
}
