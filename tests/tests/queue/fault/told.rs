// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faults as their sources report them, and what the unit must tell of each.
use super::*;

/// A segment that a fault quotes; all zero if there is none.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) is_there: u64,
    pub(super) is_terminate: u64,
    pub(super) length: u64,
    /// The first octet; each further one is one more.
    pub(super) first: u8,
    /// How many words of octets follow the fault, 1 to 9.
    pub(super) words: usize,
}

impl Quote {
    pub(super) fn random(bench: &mut Bench) -> Self {
        let rng = bench.rng();
        match rng.random_range(0..3) {
            0 => Self::default(),
            n => Self {
                is_there: 1,
                is_terminate: n - 1,
                length: rng.random::<u16>().into(),
                first: rng.random(),
                words: rng.random_range(1..=MOST / 8),
            },
        }
    }

    /// What its source gives.
    pub(super) fn octets(&self) -> Vec<u8> {
        (0..8 * self.words as u8).map(|i| self.first.wrapping_add(i)).collect()
    }

    /// What is kept: zeros behind that.
    pub(super) fn kept(&self) -> Vec<u8> {
        let mut octets = self.octets();
        octets.resize(MOST, 0);
        octets
    }

    pub(super) fn record(&self) -> Record<Quoted> {
        let record = Record::new().with("is_there", self.is_there);
        record.with("is_terminate", self.is_terminate).with("length", self.length)
    }
}

/// What the read port says; then the segment's octets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Captured(pub(super) Record<CapturedError>, pub(super) Vec<u8>);

impl Captured {
    /// Nothing but errors that came after a row in error.
    pub(super) fn none(later: u64) -> Self {
        Self(Record::new().with("later", later), vec![0; MOST])
    }
}

/// A fault as its source reports it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Only of sources 0 and 1.
    pub(super) quote: Quote,
    pub(super) qp: u64,
    pub(super) error: u64,
    pub(super) status: u64,
    pub(super) is_local: u64,
    pub(super) index: u64,
    pub(super) has_wr: u64,
}

impl Fault {
    pub(super) fn random(bench: &mut Bench, qp: usize, source: usize) -> Self {
        let quote = if source < 2 { Quote::random(bench) } else { Quote::default() };
        let rng = bench.rng();
        let is_local = rng.random_range(0..2);
        Self {
            quote,
            qp: qp as u64,
            error: rng.random::<u16>().into(),
            status: rng.random_range(1..=10),
            is_local,
            index: rng.random::<u32>().into(),
            has_wr: is_local & rng.random_range(0..2),
        }
    }

    /// What a completion queue without room makes of a queue pair.
    pub(super) fn overrun(qp: usize) -> Self {
        let status = status::GENERAL_ERR;
        let quote = Quote::default();
        Self { quote, qp: qp as u64, error: 0, status, is_local: 0, index: 0, has_wr: 0 }
    }

    pub(super) fn item(&self, source: usize) -> Item {
        let Self { qp, error, status, is_local, index, has_wr, .. } = *self;
        let record = Record::<FaultRecord>::new().with("qp", qp).with("error", error).with("status", status);
        let item = record.with("is_local", is_local).with("index", index).with("has_wr", has_wr).item();
        match source {
            0 | 1 => self.quote.record().field(item, "quote"),
            _ => item,
        }
    }

    /// Zero of a fault that names no work request.
    pub(super) fn told_index(&self) -> u64 {
        self.index * self.has_wr
    }

    pub(super) fn completion(&self, cq: u64, is_recv: bool) -> Completion {
        Completion {
            cq,
            index: self.told_index(),
            qp: self.qp,
            status: self.status,
            error: self.error,
            is_recv: is_recv.into(),
            has_wr: self.has_wr,
            ..Completion::default()
        }
    }

    pub(super) fn event(&self) -> [u64; 4] {
        let kind = match (self.is_local, self.status) {
            (_, status::RETRY_EXC_ERR) => event::CONNECTION_LOST,
            (1, _) => event::QP_REQUEST_ERROR,
            (_, status::LOC_ACCESS_ERR) => event::QP_ACCESS_ERROR,
            _ => event::QP_FATAL,
        };
        [kind, self.qp, self.error, 0]
    }

    /// What the read port says of it.
    pub(super) fn captured(&self, later: u64) -> Captured {
        let Quote { is_there, is_terminate, length, .. } = self.quote;
        let Self { is_local, has_wr, status, error, .. } = *self;
        let record = Record::new()
            .with("is_captured", 1)
            .with("is_local", is_local)
            .with("has_wr", has_wr)
            .with("has_segment", is_there)
            .with("is_terminate", is_terminate)
            .with("status", status)
            .with("error", error)
            .with("later", later)
            .with("index", self.told_index())
            .with("length", length);
        Captured(record, self.quote.kept())
    }
}
