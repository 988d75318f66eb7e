// SPDX-License-Identifier: MIT OR Apache-2.0
//! The queue pair that a hostile peer has, its regions and receives, and the model of them.
use super::unit::Stream;
use crate::ddp_model::{Model, Pair, Receive, Scatter};
use crate::device::{Cq, Nic, Qp, RecvWork};
use crate::mr::Region;
use ferrowarp_abi::codec::{MrRow, QpRow, Sge};
use ferrowarp_abi::consts::{admin_opcode, qp_state};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::Bench;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Number of the queue pair, its protection domain, and those that are not its own.
pub const QP: u16 = 3;
const PD: u16 = 8;
const OTHER_PD: u16 = 9;
const OTHER_QP: u16 = 5;
/// Its completion queues, and log2 of their slots and of the slots of its work queues.
const CQS: [u16; 2] = [5, 6];
const LOG2: u8 = 6;
/// Index of its first region; octets of a region.
const FIRST: u32 = 30;
const OCTETS: u64 = 4_096;
/// Receives that are posted, and most octets of a scatter.
const RECEIVES: u32 = 12;
const LONGEST: u32 = 900;

/// What a region is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The peer may read and write it.
    Open,
    /// The peer may do either, and only this queue pair serves it: the peer may make it invalid.
    Bound,
    /// Receives alone.
    Receives,
    /// The peer may read it alone.
    ReadOnly,
    /// Of another protection domain, or of another queue pair.
    OtherDomain,
    OtherPair,
    /// Once valid, now not.
    Revoked,
}

/// All of them.
pub const KINDS: [Kind; 7] = [
    Kind::Open,
    Kind::Bound,
    Kind::Receives,
    Kind::ReadOnly,
    Kind::OtherDomain,
    Kind::OtherPair,
    Kind::Revoked,
];

/// A queue pair of a hostile peer.
pub struct Victim {
    qp: Qp,
    cqs: [Cq; 2],
    model: Model,
    /// By kind.
    regions: Vec<Region>,
    initial: Vec<u8>,
}

impl Victim {
    /// Regions, receives and a queue pair without a connection. Commands are not answered yet.
    pub fn new(nic: &mut Nic, bench: &mut Bench, rng: &mut ChaCha8Rng) -> Self {
        let initial: Vec<u8> = (0..OCTETS).map(|_| rng.random()).collect();
        let mut model = Model::default();
        let mut regions = vec![];
        for (index, kind) in (FIRST..).zip(KINDS) {
            let region = region(nic, bench, rng, kind);
            bench.host(nic.memory).write(region.base, &initial).expect("the region is mapped");
            nic.command(bench, admin_opcode::MR_WRITE, index as u16, &row(&region));
            if kind == Kind::Revoked {
                nic.command(bench, admin_opcode::MR_REVOKE, index as u16, &[]);
            } else {
                model.regions.0.insert(index, region);
            }
            regions.push(region);
        }
        let cqs = CQS.map(|number| Cq::new(nic, bench, number, LOG2));
        let qp = Qp::new(nic, bench, QP, PD, [&cqs[0], &cqs[1]], LOG2);
        model.pairs.insert(QP as u8, Pair::new(PD, CQS[1]));
        let mut victim = Self { qp, cqs, model, regions, initial };
        victim.receives(nic, bench, rng);
        victim
    }

    /// Posts the receives, one behind the other in the region for them.
    fn receives(&mut self, nic: &Nic, bench: &mut Bench, rng: &mut ChaCha8Rng) {
        let to_base = self.region(Kind::Receives).to_base;
        let key = self.stag(Kind::Receives);
        let mut at = 0;
        for index in 1..=RECEIVES {
            let mut scatters = vec![];
            for _ in 0..rng.random_range(0..=3) {
                let length = rng.random_range(0..=LONGEST);
                if at + length <= OCTETS as u32 {
                    scatters.push(Scatter { to: to_base + u64::from(at), length, key });
                    at += length;
                }
            }
            let sge =
                |s: &Scatter| Sge { to: TaggedOffset(s.to), length: ByteCount(s.length), key: STag(s.key) };
            let work = RecvWork { wr_id: index.into(), scatters: scatters.iter().map(sge).collect() };
            self.qp.post_recv(nic, bench, &work);
            self.pair().receives.push_back(Receive { index, scatters });
        }
    }

    /// The commands are answered: the device is told of the receives.
    pub fn rings(&self, nic: &Nic, bench: &mut Bench) {
        self.qp.ring(nic, bench, false, true);
    }

    fn pair(&mut self) -> &mut Pair {
        self.model.pairs.entry(QP as u8).or_default()
    }

    /// The region of a kind.
    pub fn region(&self, kind: Kind) -> &Region {
        &self.regions[kind as usize]
    }

    /// Its STag.
    pub fn stag(&self, kind: Kind) -> u32 {
        (FIRST + kind as u32) << 8 | u32::from(self.region(kind).key)
    }

    /// What must come of a stream.
    pub fn must(&mut self, stream: &Stream) {
        stream.units.iter().for_each(|unit| self.model.take(QP as u8, unit.verdict, &unit.ulpdu));
    }

    /// Completions and regions are those of the model; the completions.
    pub fn judge(&mut self, nic: &Nic, bench: &mut Bench) -> Result<u64, String> {
        let [sends, receives] =
            self.cqs.each_mut().map(|cq| std::iter::from_fn(|| cq.poll(nic, bench)).collect::<Vec<_>>());
        if let Some(cqe) = sends.first() {
            return Err(format!("I2: nothing was posted, and completed: {cqe:?}"));
        }
        let mut must = self.model.completions.iter();
        let mut faults = self.model.faults.iter();
        let count = receives.len() as u64;
        for cqe in &receives {
            let is_so = match cqe.status {
                0 => must.next().is_some_and(|m| {
                    let invalidated = cqe.has_invalidate.then_some(cqe.invalidated_stag.0);
                    let got = (cqe.wr_id, cqe.byte_len.0, cqe.opcode, cqe.is_solicited, invalidated);
                    got == (m.index.into(), m.byte_len, m.opcode, m.is_solicited, m.invalidated)
                }),
                _ => faults.next().is_some_and(|f| {
                    let index = cqe.has_wr.then_some(cqe.wr_id);
                    (cqe.status, cqe.error, index) == (f.status, f.error, f.index.map(u64::from))
                }),
            };
            if !is_so {
                let Model { completions, faults, .. } = &self.model;
                return Err(format!("I2: {cqe:?}; the model has {completions:?} and {faults:x?}"));
            }
        }
        if let Some(missing) = must.next() {
            return Err(format!("I2: {missing:?} is missing behind {count} completions"));
        }
        if let Some(missing) = faults.next() {
            return Err(format!("I2: {missing:x?} is not told"));
        }
        self.compare(nic, bench)?;
        Ok(count)
    }

    /// The regions are as they must be, octet by octet.
    fn compare(&self, nic: &Nic, bench: &mut Bench) -> Result<(), String> {
        for (kind, region) in KINDS.iter().zip(&self.regions) {
            let got = bench.host(nic.memory).read(region.base, OCTETS).map_err(|e| e.to_string())?;
            let must = |at: usize| {
                let written = self.model.memory.get(&(region.base + at as u64));
                written.copied().unwrap_or(self.initial[at])
            };
            if let Some(at) = (0..got.len()).find(|&at| got[at] != must(at)) {
                let (is, must) = (got[at], must(at));
                return Err(format!("I1: octet {at} of the region {kind:?} is {is:#04x}, not {must:#04x}"));
            }
        }
        Ok(())
    }

    /// All is taken out.
    pub fn leaves(&self, nic: &mut Nic, bench: &mut Bench) -> Result<(), String> {
        let reset = QpRow { state: qp_state::RESET, ..Default::default() };
        let reset = reset.octets().map_err(|e| e.to_string())?;
        nic.command(bench, admin_opcode::CONN_REMOVE, QP, &[]);
        nic.command(bench, admin_opcode::QP_WRITE, QP, &reset);
        (FIRST..).zip(KINDS).for_each(|(index, _)| {
            nic.command(bench, admin_opcode::MR_REVOKE, index as u16, &[]);
        });
        self.cqs.iter().for_each(|cq| cq.withdraw(nic, bench));
        Ok(())
    }

    /// With the answers the memory is taken away: no access may come any more.
    pub fn gone(&self, nic: &Nic, bench: &mut Bench) -> Result<(), String> {
        self.compare(nic, bench)?;
        self.qp.unmap(nic, bench);
        self.cqs.iter().for_each(|cq| cq.unmap(nic, bench));
        let host = bench.host(nic.memory);
        self.regions.iter().try_for_each(|region| host.unmap(region.base)).map_err(|e| e.to_string())
    }
}

/// A region of a kind in fresh memory.
fn region(nic: &mut Nic, bench: &mut Bench, rng: &mut ChaCha8Rng, kind: Kind) -> Region {
    let base = nic.map(bench, OCTETS, rng.random_range(0..64), true);
    // some are at the end of all offsets
    let to_base = match rng.random_range(0..4) {
        0 => u64::MAX - OCTETS,
        1 => 0,
        _ => rng.random_range(0..u64::MAX - OCTETS),
    };
    let is_open = !matches!(kind, Kind::Receives | Kind::ReadOnly);
    Region {
        base,
        length: OCTETS,
        to_base,
        pd: if kind == Kind::OtherDomain { OTHER_PD } else { PD },
        local_write: kind == Kind::Receives,
        remote_read: is_open || kind == Kind::ReadOnly,
        remote_write: is_open,
        only: match kind {
            Kind::Bound => Some(QP),
            Kind::OtherPair => Some(OTHER_QP),
            _ => None,
        },
        is_valid: true,
        key: rng.random(),
    }
}

/// Its row.
fn row(region: &Region) -> Vec<u8> {
    let row = MrRow {
        base: region.base,
        length: region.length,
        to_base: TaggedOffset(region.to_base),
        pd: region.pd,
        local_write: region.local_write,
        remote_read: region.remote_read,
        remote_write: region.remote_write,
        bound_to_qp: region.only.is_some(),
        is_valid: true,
        key: region.key,
        qp: region.only.unwrap_or(0),
    };
    row.octets().expect("fields fit").to_vec()
}
