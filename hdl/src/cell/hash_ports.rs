// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels and records of the hash table.
use rust_hdl::prelude::*;

/// What an update was answered with ([`AnswerSource::code`]).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Inserted or removed.
    Done = 0,
    /// Insert: the key is there already; nothing changed.
    Present = 1,
    /// Insert: both buckets of the key are full; nothing changed.
    Full = 2,
    /// Remove: no entry has the value; nothing changed.
    Absent = 3,
}

impl Answer {
    /// All answers, by code.
    pub const ALL: [Answer; 4] = [Answer::Done, Answer::Present, Answer::Full, Answer::Absent];
}

/// Asks for the value of a key.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "LookupSink"]
pub struct LookupSource<const KEY: usize> {
    /// The key.
    pub key: Signal<Out, Bits<KEY>>,
    /// A lookup is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Is asked for the value of a key.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "LookupSource"]
pub struct LookupSink<const KEY: usize> {
    /// The key.
    pub key: Signal<In, Bits<KEY>>,
    /// A lookup is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Gives the result of a lookup.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "FoundSink"]
pub struct FoundSource<const VALUE: usize> {
    /// The key is there.
    pub hit: Signal<Out, Bit>,
    /// Its value; 0 without `hit`.
    pub value: Signal<Out, Bits<VALUE>>,
    /// A result is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Takes the result of a lookup.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "FoundSource"]
pub struct FoundSink<const VALUE: usize> {
    /// The key is there.
    pub hit: Signal<In, Bit>,
    /// Its value; 0 without `hit`.
    pub value: Signal<In, Bits<VALUE>>,
    /// A result is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Inserts a key or removes a value's entries.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "UpdateSink"]
pub struct UpdateSource<const KEY: usize, const VALUE: usize> {
    /// The key; without meaning for a remove.
    pub key: Signal<Out, Bits<KEY>>,
    /// Its value, or the value whose entries are removed.
    pub value: Signal<Out, Bits<VALUE>>,
    /// 1 removes, 0 inserts.
    pub remove: Signal<Out, Bit>,
    /// An update is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Is told to insert a key or to remove a value's entries.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "UpdateSource"]
pub struct UpdateSink<const KEY: usize, const VALUE: usize> {
    /// The key; without meaning for a remove.
    pub key: Signal<In, Bits<KEY>>,
    /// Its value, or the value whose entries are removed.
    pub value: Signal<In, Bits<VALUE>>,
    /// 1 removes, 0 inserts.
    pub remove: Signal<In, Bit>,
    /// An update is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}

/// Answers an update.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "AnswerSink"]
pub struct AnswerSource {
    /// See [`Answer`].
    pub code: Signal<Out, Bits<2>>,
    /// An answer is offered.
    pub valid: Signal<Out, Bit>,
    /// It is taken.
    pub ready: Signal<In, Bit>,
}

/// Takes the answer to an update.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "AnswerSource"]
pub struct AnswerSink {
    /// See [`Answer`].
    pub code: Signal<In, Bits<2>>,
    /// An answer is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
}
