// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets that faults quote, on the channels that carry them word by word.
use ferrowarp_sim::{Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use std::collections::VecDeque;

/// Octets of which a Terminate may quote some: nine words.
pub const MOST: usize = 72;

/// Offers octets, whole words of them, to such a channel.
pub fn give(bench: &mut Bench, channel: ChanSrcId, octets: &[u8]) {
    let words = octets.chunks_exact(8);
    let count = words.len();
    for (i, word) in words.enumerate() {
        let data = word.iter().rev().fold(0, |n, &o| n << 8 | u64::from(o));
        bench.put(channel, Item::new().with("data", data).with("last", u64::from(i + 1 == count)));
    }
}

/// What comes out of such a channel.
#[derive(Debug)]
pub struct Cited {
    /// The channel.
    pub words: ChanSinkId,
    open: Vec<u8>,
    whole: VecDeque<Vec<u8>>,
}

impl Cited {
    /// Takes the words of the channel `prefix`.
    pub fn new(bench: &mut Bench, prefix: &str, stall: Pattern) -> Self {
        Self { words: bench.channel_sink(prefix, stall), open: vec![], whole: VecDeque::new() }
    }

    /// Looks at what has come.
    ///
    /// # Errors
    /// More words than are ever quoted.
    pub fn pump(&mut self, bench: &mut Bench) -> Result<(), String> {
        for item in bench.taken(self.words) {
            let field = |name| item.u64(name).ok_or_else(|| format!("a word without {name}: {item}"));
            self.open.extend(field("data")?.to_le_bytes());
            if self.open.len() > MOST {
                return Err(format!("more than {MOST} octets without an end: {:x?}", self.open));
            }
            if field("last")? == 1 {
                self.whole.push_back(std::mem::take(&mut self.open));
            }
        }
        Ok(())
    }

    /// The octets of the oldest segment that came whole.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.whole.pop_front()
    }

    /// Forgets what came and was not taken.
    pub fn clear(&mut self) {
        self.open.clear();
        self.whole.clear();
    }

    /// Nothing came that was not taken.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty() && self.whole.is_empty()
    }
}
