// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hostile software does with a queue pair of its own, and with the admin port.
use crate::device::{Cq, Nic, Qp, RecvWork, SendWork, TO_BASE};
use ferrowarp_abi::codec::{Doorbell, MrRow, QpRow, SendWqe, Sge};
use ferrowarp_abi::consts::{admin_opcode, doorbell_kind, qp_state};
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::Bench;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Its queue pair, protection domain and completion queues; log2 of the slots of all its queues.
pub const QP: u16 = 3;
const PD: u16 = 8;
const CQS: [u16; 2] = [5, 6];
const LOG2: u8 = 5;
/// Index, key and octets of its region.
const REGION: u16 = 30;
const KEY: u8 = 0x77;
const OCTETS: u64 = 8_192;
/// Numbers that nobody uses: of queue pairs, completion queues, regions.
const NOBODY: [std::ops::Range<u16>; 3] = [6..9, 20..26, 60..70];
/// A protection domain that nobody has.
const NO_PD: u16 = 0xF00;

/// What an attacker has in its hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Its work queues, with doorbells as they must be.
    Requests,
    /// Doorbells of any value beside.
    Doorbells,
    /// Admin commands beside.
    Commands,
}

impl Means {
    /// All of them, each with what those before have.
    pub const ALL: [Self; 3] = [Self::Requests, Self::Doorbells, Self::Commands];
}

/// An end of the attacker's connection.
pub struct Attacker {
    qp: Qp,
    cqs: [Cq; 2],
    base: u64,
    /// A region of others on this device.
    foreign: STag,
}

impl Attacker {
    /// A queue pair without a connection, with a region of its own. Commands are not answered yet.
    pub fn new(nic: &mut Nic, bench: &mut Bench, foreign: STag) -> Self {
        let base = nic.map(bench, OCTETS, 8, true);
        let row = MrRow {
            base,
            length: OCTETS,
            to_base: TaggedOffset(TO_BASE),
            pd: PD,
            local_write: true,
            remote_read: true,
            remote_write: true,
            is_valid: true,
            key: KEY,
            ..Default::default()
        };
        nic.command(bench, admin_opcode::MR_WRITE, REGION, &row.octets().expect("fields fit"));
        let cqs = CQS.map(|number| Cq::new(nic, bench, number, LOG2));
        let mut qp = Qp::new(nic, bench, QP, PD, [&cqs[0], &cqs[1]], LOG2);
        let stag = STag(u32::from(REGION) << 8 | u32::from(KEY));
        let sge = Sge { to: TaggedOffset(TO_BASE), length: ByteCount(2_000), key: stag };
        for wr_id in 0..8 {
            qp.post_recv(nic, bench, &RecvWork { wr_id, scatters: vec![sge] });
        }
        Self { qp, cqs, base, foreign }
    }

    /// The commands are answered: the device is told of the receives.
    pub fn rings(&self, nic: &Nic, bench: &mut Bench) {
        self.qp.ring(nic, bench, false, true);
    }

    /// One deed.
    pub fn acts(&mut self, nic: &mut Nic, bench: &mut Bench, rng: &mut ChaCha8Rng, means: Means) {
        let upto = match means {
            Means::Requests => 6,
            Means::Doorbells => 9,
            Means::Commands => 12,
        };
        match rng.random_range(0..upto) {
            0..=4 => {
                let octets = self.request(rng);
                self.qp.post_octets(nic, bench, 0, &octets);
                self.qp.ring(nic, bench, true, false);
            }
            5 => {
                let scatters = (0..rng.random_range(0..=3)).map(|_| self.sge(rng)).collect();
                self.qp.post_recv(nic, bench, &RecvWork { wr_id: 0, scatters });
                self.qp.ring(nic, bench, false, true);
            }
            6..=8 => nic.ring(bench, doorbell(rng)),
            _ => command(nic, bench, rng),
        }
    }

    /// The octets of a request: one that could be, with bits overridden, or any.
    fn request(&self, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let gathers: Vec<_> = (0..rng.random_range(0..=4)).map(|_| self.sge(rng)).collect();
        let opcode = match rng.random_range(0..8) {
            0 => rng.random(),
            1..=2 => 0,
            n => [1, 3, 4, 5, 6][n - 3],
        };
        let head = SendWqe {
            opcode,
            is_signaled: rng.random(),
            is_fenced: rng.random_ratio(1, 8),
            remote_stag: self.stag(rng),
            remote_to: TaggedOffset(TO_BASE + rng.random_range(0..OCTETS)),
            ..Default::default()
        };
        let mut octets = SendWork { wr_id: 0, head, gathers, inline: None }.slot();
        match rng.random_range(0..6) {
            0 => rng.fill_bytes(&mut octets),
            1..=2 => {
                let at = rng.random_range(0..octets.len());
                octets[at] ^= 1 << rng.random_range(0..8);
            }
            _ => {}
        }
        octets
    }

    fn sge(&self, rng: &mut ChaCha8Rng) -> Sge {
        let length = match rng.random_range(0..12) {
            0 => rng.random(),
            1 => 0,
            _ => rng.random_range(1..1_500),
        };
        let to = match rng.random_range(0..12) {
            0 => rng.random(),
            _ => TO_BASE + rng.random_range(0..OCTETS),
        };
        Sge { to: TaggedOffset(to), length: ByteCount(length), key: self.stag(rng) }
    }

    /// Its own STag most often, else one of others or of nobody.
    fn stag(&self, rng: &mut ChaCha8Rng) -> STag {
        match rng.random_range(0..10) {
            0 => self.foreign,
            1 => STag(rng.random()),
            _ => STag(u32::from(REGION) << 8 | u32::from(KEY)),
        }
    }

    /// All is taken out.
    pub fn leaves(&self, nic: &mut Nic, bench: &mut Bench) -> Result<(), String> {
        let reset = QpRow { state: qp_state::RESET, ..Default::default() };
        let reset = reset.octets().map_err(|e| e.to_string())?;
        nic.command(bench, admin_opcode::CONN_REMOVE, QP, &[]);
        nic.command(bench, admin_opcode::QP_WRITE, QP, &reset);
        nic.command(bench, admin_opcode::MR_REVOKE, REGION, &[]);
        self.cqs.iter().for_each(|cq| cq.withdraw(nic, bench));
        Ok(())
    }

    /// With the answers the memory is taken away: no access may come any more.
    pub fn gone(&self, nic: &Nic, bench: &mut Bench) -> Result<(), String> {
        self.qp.unmap(nic, bench);
        self.cqs.iter().for_each(|cq| cq.unmap(nic, bench));
        bench.host(nic.memory).unmap(self.base).map_err(|e| e.to_string())
    }
}

/// A doorbell of its own queues or of nobody's, with any value.
fn doorbell(rng: &mut ChaCha8Rng) -> Doorbell {
    let kind = rng.random_range(0..8);
    let is_cq = matches!(kind, doorbell_kind::CQ_CONSUMER | doorbell_kind::CQ_ARM);
    let own = if is_cq { CQS[rng.random_range(0..2)] } else { QP };
    let nobody = NOBODY[usize::from(is_cq)].clone();
    let number = match rng.random_range(0..4) {
        0 => rng.random_range(nobody),
        1 => rng.random_range(100..=u16::MAX),
        _ => own,
    };
    let value = match rng.random_range(0..3) {
        0 => rng.random(),
        _ => rng.random_range(0..100),
    };
    Doorbell { kind, solicited_only: rng.random(), number, value }
}

/// A command for what nobody uses, or one that is none.
fn command(nic: &mut Nic, bench: &mut Bench, rng: &mut ChaCha8Rng) {
    let [qps, cqs, regions] = NOBODY.map(|range| rng.random_range(range));
    let mut row = vec![0; rng.random_range(0..200)];
    rng.fill_bytes(&mut row);
    match rng.random_range(0..6) {
        0 => {
            let row = MrRow {
                base: rng.random(),
                length: rng.random(),
                to_base: TaggedOffset(rng.random()),
                pd: NO_PD | rng.random_range(0..16),
                local_write: rng.random(),
                remote_read: rng.random(),
                remote_write: rng.random(),
                bound_to_qp: rng.random(),
                is_valid: rng.random(),
                key: rng.random(),
                qp: rng.random(),
            };
            nic.command(bench, admin_opcode::MR_WRITE, regions, &row.octets().expect("fields fit"));
        }
        1 => nic.command(bench, admin_opcode::MR_REVOKE, regions, &row),
        2 => nic.command(bench, admin_opcode::CONN_REMOVE, qps, &row),
        3 => nic.ask(bench, rng.random(), rng.random()),
        4 => nic.command(bench, admin_opcode::CQ_WRITE, cqs, &row),
        // an opcode that is none, whatever follows
        _ => nic.command(bench, rng.random_range(0x80..=0xFF), rng.random(), &row),
    }
}
