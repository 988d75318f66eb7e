// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands at a port of a switch.
use crate::eth::EthError;
use crate::link::{Link, LinkConfig, Side};
use std::os::fd::BorrowedFd;

/// A whole frame at a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortFrame {
    /// Picoseconds of simulated time. For a frame that the switch takes: when the last octet of its
    /// FCS has arrived. For a frame that the switch gives: when its preamble begins to arrive at
    /// the far end of the cable.
    pub at_ps: u64,
    /// Octets without FCS.
    pub data: Vec<u8>,
    /// Its FCS is bad.
    pub is_bad: bool,
}

/// The far end of a port's cable: a simulated device, or a program outside.
pub trait SwitchPort: Send {
    /// Rate and delay of the cable. The clock does not matter.
    fn line(&self) -> LinkConfig;

    /// Takes the next frame that the far end sent. A frame of simulated time has arrived by
    /// `until_ps`, and frames come in order of time. A frame of wall time arrives at `until_ps` or
    /// later.
    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError>;

    /// Gives a frame to the far end. Two calls need not be in order of time.
    fn give(&mut self, frame: PortFrame) -> Result<(), EthError>;

    /// When the next frame that was given leaves this process, in picoseconds; none if no frame
    /// does.
    fn due_ps(&self) -> Option<u64> {
        None
    }

    /// Becomes readable when a frame of wall time has come; none for a simulated device.
    fn poll_fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Frames that were given and that nobody took.
    fn untaken(&self) -> u64 {
        0
    }
}

/// The device stands at [`Side::A`]. No hook of the link sees a frame of the switch.
impl SwitchPort for Link {
    fn line(&self) -> LinkConfig {
        self.config()
    }

    fn take(&mut self, until_ps: u64) -> Result<Option<PortFrame>, EthError> {
        let taken = self.arrived(Side::B, until_ps);
        Ok(taken.map(|(at_ps, data, is_bad)| PortFrame { at_ps, data, is_bad }))
    }

    fn give(&mut self, PortFrame { at_ps, data, is_bad }: PortFrame) -> Result<(), EthError> {
        self.deliver(Side::B, at_ps, &data, is_bad);
        Ok(())
    }
}
