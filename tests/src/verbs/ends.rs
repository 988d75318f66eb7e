// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends of objects: with the answer their memory is taken away from the device, and what they held
//! stays as it is.
use super::estate::Estate;
use super::ledger::Fate;
use super::op::QPS;
use super::walk::Verbs;
use crate::device::Nic;
use ferrowarp_abi::codec::QpRow;
use ferrowarp_abi::consts::{admin_opcode, qp_state};
use ferrowarp_sim::{Pair, Side};

impl Verbs {
    pub(super) fn destroy_cq(&mut self, pair: &mut Pair, at: usize, slot: usize) -> Result<(), String> {
        let Estate { cqs, nic, .. } = &mut self.hosts[at];
        let Some(cq) = &cqs[slot] else { return Ok(()) };
        cq.withdraw(nic, pair.side(Side::BOTH[at]));
        self.commanded(pair)?;
        if let Some(cq) = self.hosts[at].cqs[slot].take() {
            cq.unmap(&self.hosts[at].nic, pair.side(Side::BOTH[at]));
        }
        Ok(())
    }

    pub(super) fn revoke(&mut self, pair: &mut Pair, at: usize, slot: usize) -> Result<(), String> {
        let Estate { regions, nic, ends, .. } = &mut self.hosts[at];
        let Some(region) = &regions[slot] else { return Ok(()) };
        let id = region.id;
        region.revoke(nic, pair.side(Side::BOTH[at]));
        for end in ends.iter_mut().flatten() {
            end.is_open |= end.receives.iter().any(|r| r.place.is_some_and(|(_, region, _)| region == id));
        }
        for (connection, end) in self.connections.iter_mut().zip(ends) {
            let Some(connection) = connection else { continue };
            let was_clean = connection.fate == Fate::Clean;
            connection.loses(at, id);
            if end.as_ref().is_some_and(|end| end.is_connected && end.is_open) {
                connection.fate = Fate::Open;
            }
            self.tally.revoked_in_use += u32::from(was_clean && connection.fate == Fate::Open);
        }
        self.commanded(pair)?;
        let host = &mut self.hosts[at];
        let Some(region) = host.regions[slot].take() else { return Ok(()) };
        let bench = pair.side(Side::BOTH[at]);
        region.check(&host.nic, bench, ["A", "B"][at])?;
        region.unmap(&host.nic, bench);
        Ok(())
    }

    pub(super) fn destroy_qp(
        &mut self,
        pair: &mut Pair,
        at: usize,
        slot: usize,
        removes_first: bool,
    ) -> Result<(), String> {
        let Estate { nic, ends, .. } = &mut self.hosts[at];
        let Some(end) = &ends[slot] else { return Ok(()) };
        let is_connected = end.is_connected;
        let row = QpRow { state: qp_state::RESET, ..Default::default() };
        let row = row.octets().map_err(|e| e.to_string())?;
        let bench = pair.side(Side::BOTH[at]);
        let remove = |nic: &mut Nic, bench: &mut _| {
            nic.command(bench, admin_opcode::CONN_REMOVE, QPS[slot], &[]);
        };
        if is_connected && removes_first {
            remove(nic, bench);
        }
        nic.command(bench, admin_opcode::QP_WRITE, QPS[slot], &row);
        if is_connected && !removes_first {
            remove(nic, bench);
        }
        let connection = self.connections[slot].as_mut().filter(|_| is_connected);
        let id = connection.map(|connection| {
            let is_amid = connection.fate == Fate::Clean && !connection.is_settled();
            self.tally.ended_in_use += u32::from(is_amid);
            connection.fate = Fate::Open;
            connection.id
        });
        self.commanded(pair)?;
        let host = &mut self.hosts[at];
        let bench = pair.side(Side::BOTH[at]);
        if let Some(end) = host.ends[slot].take() {
            end.qp.unmap(&host.nic, bench);
        }
        for region in host.regions.iter_mut().flatten() {
            region.freeze(&host.nic, bench, |of| Some(of) == id)?;
        }
        if let Some(connection) = self.connections[slot].as_mut().filter(|_| is_connected) {
            connection.ends[at] = false;
            if connection.ends == [false; 2] {
                self.connections[slot] = None;
            }
        }
        Ok(())
    }
}
