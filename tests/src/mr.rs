// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory region table on a bench, and what it must answer.
use crate::record::Record;
use ferrowarp_hdl::gen::MrRow;
use ferrowarp_hdl::record::{MrAsk, MrSay, MrWrite};
use ferrowarp_sim::{Bench, ChanSinkId, ChanSrcId, Item, Pattern};
use std::collections::BTreeMap;

/// Regions of the bench top.
pub const REGIONS: u32 = 256;

/// A memory region.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Region {
    /// IOVA of the first octet.
    pub base: u64,
    /// Octets.
    pub length: u64,
    /// Tagged offset of the first octet.
    pub to_base: u64,
    /// Protection domain.
    pub pd: u16,
    /// Receives may write it.
    pub local_write: bool,
    /// The peer may read it.
    pub remote_read: bool,
    /// The peer may write it.
    pub remote_write: bool,
    /// Only this queue pair of the domain may use it.
    pub only: Option<u16>,
    /// It exists.
    pub is_valid: bool,
    /// Low octet of its STag.
    pub key: u8,
}

impl Region {
    /// A region that the peer may write, first tagged offset 0.
    pub fn writable(base: u64, length: u64, pd: u16, key: u8) -> Self {
        Self { base, length, pd, key, remote_write: true, is_valid: true, ..Self::default() }
    }

    /// The row as its record's bits.
    pub fn octets(&self) -> Vec<u8> {
        Record::<MrRow>::new()
            .with("base", self.base)
            .with("length", self.length)
            .with("to_base", self.to_base)
            .with("pd", self.pd)
            .with("local_write", self.local_write)
            .with("remote_read", self.remote_read)
            .with("remote_write", self.remote_write)
            .with("bound_to_qp", self.only.is_some())
            .with("is_valid", self.is_valid)
            .with("key", self.key)
            .with("qp", self.only.unwrap_or(0))
            .octets()
    }
}

/// What is asked.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Ask {
    /// Region and key.
    pub stag: u32,
    /// Tagged offset of the first octet.
    pub addr: u64,
    /// Octets.
    pub length: u32,
    /// Queue pair.
    pub qp: u8,
    /// Protection domain.
    pub pd: u16,
    /// Needs.
    pub remote_write: bool,
    /// Needs.
    pub remote_read: bool,
    /// Needs.
    pub local_write: bool,
}

impl Ask {
    /// A write by the peer.
    pub fn write(stag: u32, to: u64, length: u32, qp: u8, pd: u16) -> Self {
        Self { stag, addr: to, length, qp, pd, remote_write: true, ..Self::default() }
    }

    fn octets(&self) -> Vec<u8> {
        Record::<MrAsk>::new()
            .with("stag", self.stag)
            .with("addr", self.addr)
            .with("length", self.length)
            .with("qp", self.qp)
            .with("pd", self.pd)
            .with("remote_write", self.remote_write)
            .with("remote_read", self.remote_read)
            .with("local_write", self.local_write)
            .octets()
    }
}

/// The answer: an error, or the IOVA (0 where the length is 0: nobody may look).
pub type Say = Result<u64, Error>;

/// Why a check fails.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Error {
    /// No such region, or another key.
    Stag,
    /// Another protection domain or queue pair.
    Stream,
    /// A right is missing.
    Access,
    /// The range reaches 2^64.
    Wrap,
    /// The range is not inside the region.
    Bounds,
}

/// Errors by number.
const ERRORS: [Error; 5] = [Error::Stag, Error::Stream, Error::Access, Error::Wrap, Error::Bounds];

/// The regions as the table must know them.
#[derive(Clone, Debug, Default)]
pub struct Model(pub BTreeMap<u32, Region>);

impl Model {
    /// What must be answered; sums are those of 128 bits.
    pub fn say(&self, ask: &Ask) -> Say {
        let (index, key) = (ask.stag >> 8, ask.stag as u8);
        let region =
            self.0.get(&index).filter(|r| index != 0 && r.is_valid && r.key == key).ok_or(Error::Stag)?;
        if region.pd != ask.pd || region.only.is_some_and(|qp| qp != u16::from(ask.qp)) {
            return Err(Error::Stream);
        }
        let granted = (region.remote_write || !ask.remote_write)
            && (region.remote_read || !ask.remote_read)
            && (region.local_write || !ask.local_write);
        if !granted {
            return Err(Error::Access);
        }
        if ask.length == 0 {
            return Ok(0);
        }
        let (from, to) = (u128::from(ask.addr), u128::from(ask.addr) + u128::from(ask.length));
        if to >= 1 << 64 {
            return Err(Error::Wrap);
        }
        let first = u128::from(region.to_base);
        if from < first || to > first + u128::from(region.length) {
            return Err(Error::Bounds);
        }
        Ok(region.base.wrapping_add((from - first) as u64))
    }
}

impl Model {
    /// A peer's Send names this STag: it becomes invalid if it is bound to that peer's queue pair.
    pub fn invalidate(&mut self, stag: u32, qp: u8) -> bool {
        let named = |r: &&mut Region| r.is_valid && r.key == stag as u8 && r.only == Some(qp.into());
        let index = stag >> 8;
        let region = self.0.get_mut(&index).filter(|_| index != 0).filter(named);
        region.map(|r| r.is_valid = false).is_some()
    }
}

/// Writer and revoker of a table.
#[derive(Copy, Clone, Debug)]
pub struct Rows {
    pub(crate) write: ChanSrcId,
    revoke: ChanSrcId,
}

impl Rows {
    /// Attaches to the table of this name and waits for its scrub.
    pub fn new(bench: &mut Bench, name: &str) -> Result<Self, String> {
        let mut source = |port: &str| bench.channel_source(&format!("{name}_{port}"), Pattern::None);
        let rows = Self { write: source("mrw"), revoke: source("revoke") };
        bench.run_until(1_000, |b| b.get(&format!("{name}_scrubbed")) == 1)?;
        Ok(rows)
    }

    /// Offers a row.
    pub(crate) fn offer(&self, bench: &mut Bench, index: u32, region: &Region) {
        // the index is in the lowest 16 bits
        let octets = [&(index as u16).to_le_bytes()[..], &region.octets()].concat();
        bench.put(self.write, Record::<MrWrite>::of(&octets).item());
    }

    /// Writes a row and waits until it is taken.
    pub fn write(&self, bench: &mut Bench, index: u32, region: &Region) -> Result<(), String> {
        self.offer(bench, index, region);
        bench.run_until(100, |b| b.put_all(self.write)).map(drop)
    }

    /// Revokes a region and waits until that is taken.
    pub fn revoke(&self, bench: &mut Bench, index: u32) -> Result<(), String> {
        bench.put(self.revoke, Item::new().with("item", index.into()));
        bench.run_until(100, |b| b.put_all(self.revoke)).map(drop)
    }
}

/// Who invalidates for peers.
#[derive(Copy, Clone, Debug)]
pub struct Peers {
    invalidate: ChanSrcId,
    /// Answers.
    pub answers: ChanSinkId,
}

impl Peers {
    /// Attaches to the table of this name.
    pub fn new(bench: &mut Bench, name: &str, idle: Pattern, stall: Pattern) -> Self {
        let invalidate = bench.channel_source(&format!("{name}_inv"), idle);
        Self { invalidate, answers: bench.channel_sink(&format!("{name}_invd"), stall) }
    }

    /// The peer of `qp` invalidates.
    pub fn ask(&self, bench: &mut Bench, stag: u32, qp: u8) {
        bench.put(self.invalidate, Item::new().with("stag", stag.into()).with("qp", qp.into()));
        bench.expect_items(self.answers, 1);
    }

    /// As `ask`; the answer.
    pub fn invalidate(&self, bench: &mut Bench, stag: u32, qp: u8) -> Result<bool, String> {
        self.ask(bench, stag, qp);
        bench.run_until(200, |b| b.waiting_items(self.answers) == 1)?;
        Ok(bench.taken(self.answers)[0].u64("ok") == Some(1))
    }
}

/// The table's ports.
#[derive(Copy, Clone, Debug)]
pub struct Table {
    /// Writer and revoker.
    pub rows: Rows,
    /// Checks of the two clients.
    pub asks: [ChanSrcId; 2],
    /// Their answers.
    pub says: [ChanSinkId; 2],
}

impl Table {
    /// Attaches to the ports and waits for the scrub.
    pub fn new(bench: &mut Bench, idle: Pattern, stall: Pattern) -> Result<Self, String> {
        bench.set("mr_inv_valid", 0);
        let asks = ["mr_c0_ask", "mr_c1_ask"].map(|p| bench.channel_source(p, idle));
        let says = ["mr_c0_say", "mr_c1_say"].map(|p| bench.channel_sink(p, stall));
        Ok(Self { rows: Rows::new(bench, "mr")?, asks, says })
    }

    /// Queues a check.
    pub fn ask(&self, bench: &mut Bench, client: usize, ask: &Ask) {
        bench.put(self.asks[client], Item::new().with_bytes("item", &ask.octets()));
        bench.expect_items(self.says[client], 1);
    }

    /// The answers of a client to these checks, which were queued.
    pub fn said(&self, bench: &mut Bench, client: usize, asks: &[Ask]) -> Result<Vec<Say>, String> {
        let cycles = 200 + 60 * asks.len() as u64;
        bench.run_until(cycles, |b| b.waiting_items(self.says[client]) >= asks.len())?;
        let items = bench.taken(self.says[client]);
        if items.len() != asks.len() {
            return Err(format!("client {client} asked {} and got {} answers", asks.len(), items.len()));
        }
        asks.iter().zip(&items).map(|(ask, item)| read(ask, item)).collect()
    }

    /// Asks one after the other as client 0 and returns the answers.
    pub fn answers(&self, bench: &mut Bench, asks: &[Ask]) -> Result<Vec<Say>, String> {
        asks.iter().for_each(|ask| self.ask(bench, 0, ask));
        self.said(bench, 0, asks)
    }
}

fn read(ask: &Ask, item: &Item) -> Result<Say, String> {
    let say = Record::<MrSay>::of_item(item);
    match (say.is("ok"), say.get("error") as usize) {
        (true, 0) => Ok(Ok(if ask.length == 0 { 0 } else { say.get("iova") })),
        (false, n) if (1..=ERRORS.len()).contains(&n) => Ok(Err(ERRORS[n - 1])),
        _ => Err(format!("{say:?} is no answer to {ask:?}")),
    }
}
