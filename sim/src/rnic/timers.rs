// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which queue pairs may have a timer running: those whose connection is in the hardware.
use ferrowarp_abi::codec::AdminCommand;
use ferrowarp_abi::consts::{admin_opcode, csr};
use std::collections::BTreeSet;

/// The connections, as heard at the admin window.
#[derive(Debug, Default)]
pub(super) struct Timers {
    connections: BTreeSet<u16>,
    /// The head of the command that stands in the window: a host writes it dword by dword.
    head: [u8; AdminCommand::LEN],
}

impl Timers {
    /// Octets are written to BAR0.
    pub(super) fn hear(&mut self, offset: u64, octets: &[u8]) {
        if offset == u64::from(csr::RESTART) {
            self.reset();
        }
        let at = offset.checked_sub(csr::ADMIN_COMMAND.into()).and_then(|at| usize::try_from(at).ok());
        if let Some(rest) = at.and_then(|at| self.head.get_mut(at..)) {
            rest.iter_mut().zip(octets).for_each(|(kept, &octet)| *kept = octet);
        }
        if offset == u64::from(csr::ADMIN_GO) {
            self.given();
        }
    }

    /// The command is given. One that is refused counts as well, so that no timer is forgotten.
    fn given(&mut self) {
        match AdminCommand::parse(&self.head) {
            Ok(AdminCommand { opcode: admin_opcode::CONN_INSERT, index, .. }) => {
                self.connections.insert(index);
            }
            Ok(AdminCommand { opcode: admin_opcode::CONN_REMOVE, index, .. }) => {
                self.connections.remove(&index);
            }
            _ => {}
        }
    }

    /// No connection outlives a reset.
    pub(super) fn reset(&mut self) {
        self.connections.clear();
    }

    /// None is running.
    pub(super) fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_come_and_go_by_their_commands() {
        let mut timers = Timers::default();
        let command = |opcode, index| AdminCommand { opcode, index, ..Default::default() }.octets().unwrap();
        let [insert, remove] = [admin_opcode::CONN_INSERT, admin_opcode::CONN_REMOVE].map(|o| command(o, 3));
        // dword by dword, as a driver writes it
        let give = |timers: &mut Timers, octets: &[u8]| {
            for (n, dword) in octets.chunks(4).enumerate() {
                timers.hear(u64::from(csr::ADMIN_COMMAND) + 4 * n as u64, dword);
            }
            timers.hear(csr::ADMIN_GO.into(), &8_u32.to_le_bytes());
        };
        timers.hear(csr::ADMIN_COMMAND.into(), &insert);
        assert!(timers.is_empty(), "it is not given yet");
        give(&mut timers, &insert);
        assert!(!timers.is_empty());
        give(&mut timers, &command(admin_opcode::CONN_REMOVE, 4));
        assert!(!timers.is_empty());
        give(&mut timers, &remove);
        assert!(timers.is_empty());
        give(&mut timers, &insert);
        timers.hear(csr::RESTART.into(), &[1, 0, 0, 0]);
        assert!(timers.is_empty());
    }
}
