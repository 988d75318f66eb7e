// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a completion queue is made.
use super::channel::CompletionChannel;

/// How a completion queue is made, with [`crate::Device::completion_queue_of`]. By default it has
/// room for the two queues of a queue pair of default size.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct CqOptions<'a> {
    /// Completions for which there is room at least.
    pub entries: u32,
    /// Where it is told of, if it is armed.
    pub channel: Option<&'a CompletionChannel>,
    /// A post whose completion might find no slot is refused. Without this it is up to the
    /// application: a queue that overruns stops its queue pairs, and the device tells
    /// [`PlatformEvent::CqOverrun`](crate::PlatformEvent::CqOverrun).
    pub is_counted: bool,
}

impl Default for CqOptions<'_> {
    fn default() -> Self {
        Self { entries: 256, channel: None, is_counted: true }
    }
}

impl<'a> CqOptions<'a> {
    /// Completions for which there is room at least.
    pub fn entries(self, entries: u32) -> Self {
        Self { entries, ..self }
    }

    /// Where the queue is told of, if it is armed.
    pub fn channel(self, channel: &'a CompletionChannel) -> Self {
        Self { channel: Some(channel), ..self }
    }

    /// Whether a post whose completion might find no slot is refused.
    pub fn is_counted(self, is_counted: bool) -> Self {
        Self { is_counted, ..self }
    }
}
