// SPDX-License-Identifier: MIT OR Apache-2.0
//! An end of a link without a device: software gives and takes whole frames, at the link's rate and
//! delay.
use super::{Captured, Fate, Link, LinkFault, Shared, Side, PREAMBLE};

impl Link {
    /// Sends a frame from an end on which no device stands, at `at_ps` of simulated time; it leaves
    /// when those before it have left. The error is that of a frame shorter than an Ethernet's.
    pub fn send(&self, from: Side, at_ps: u64, frame: &[u8]) -> Result<(), LinkFault> {
        self.lock().beat(from, at_ps, frame, Some(false))
    }

    /// The same with a bad FCS.
    pub fn send_bad(&self, from: Side, at_ps: u64, frame: &[u8]) -> Result<(), LinkFault> {
        self.lock().beat(from, at_ps, frame, Some(true))
    }

    /// Takes the next frame that has arrived by `at_ps` at an end on which no device stands: its
    /// octets, none if its FCS was bad.
    pub fn receive(&self, to: Side, at_ps: u64) -> Option<Option<Vec<u8>>> {
        let (_, data, is_bad) = self.arrived(to, at_ps)?;
        Some((!is_bad).then_some(data))
    }

    /// The same with the time at which its last octet arrived, and whether its FCS was bad.
    pub(super) fn arrived(&self, to: Side, at_ps: u64) -> Option<(u64, Vec<u8>, bool)> {
        let mut shared = self.lock();
        let Shared { cables, carrier, .. } = &mut *shared;
        cables[to.other() as usize].arrived(at_ps, carrier)
    }

    /// Sends a frame from an end on which no device stands, so that its preamble begins to arrive
    /// at `at_ps`. The sender keeps rate and gap; the receiver keeps frames apart that would
    /// overlap. No hook sees the frame.
    pub(super) fn deliver(&self, from: Side, at_ps: u64, frame: &[u8], is_bad: bool) {
        let mut shared = self.lock();
        let start_ps = at_ps.saturating_sub(shared.config.delay_ns * 1_000);
        let cable = &mut shared.cables[from as usize];
        cable.open(start_ps, false);
        cable.push(frame);
        cable.close(start_ps, start_ps, is_bad, Fate::Deliver);
        let left_ps = start_ps + shared.config.wire_ps(PREAMBLE + frame.len() as u64);
        if let Some(captured) = &mut shared.captured {
            let (data, note) = (frame.to_vec(), is_bad.then(|| "bad FCS".to_string()));
            captured.push(Captured { from, began_ps: start_ps, at_ps: left_ps, data, note });
        }
    }

    /// Frames that an end has sent or been given to send, and that have not arrived whole.
    pub fn under_way(&self, from: Side) -> usize {
        self.lock().cables[from as usize].under_way()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Fate, LinkConfig};

    /// 10 Gbit/s: 0.8 ns an octet.
    const CONFIG: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };

    #[test]
    fn frames_leave_one_behind_the_other_and_arrive_whole() {
        let link = Link::new(CONFIG);
        let frames = [vec![1; 60], vec![2; 1514]];
        for frame in &frames {
            link.send(Side::B, 1_000, frame).unwrap();
        }
        // preamble, frame and FCS behind the delay; the second one behind the first one's gap
        let first = 1_000 + 500_000 + 800 * (8 + 60 + 4);
        let second = first + 800 * (12 + 8 + 1514 + 4);
        assert_eq!(link.receive(Side::A, first - 1), None);
        assert_eq!(link.receive(Side::A, first), Some(Some(frames[0].clone())));
        assert_eq!((link.under_way(Side::B), link.under_way(Side::A)), (1, 0));
        assert_eq!(link.receive(Side::A, second - 1), None);
        assert_eq!(link.receive(Side::A, second), Some(Some(frames[1].clone())));
        assert_eq!(link.under_way(Side::B), 0);
    }

    #[test]
    fn a_bad_fcs_arrives_without_octets_and_a_runt_is_told() {
        let link = Link::new(CONFIG);
        link.set_hook(|_| Fate::Corrupt(3));
        link.send(Side::A, 0, &[7; 60]).unwrap();
        assert_eq!(link.receive(Side::B, 10_000_000), Some(None));
        let link = Link::new(CONFIG);
        link.send_bad(Side::A, 0, &[7; 60]).unwrap();
        assert_eq!(link.receive(Side::B, 10_000_000), Some(None));
        assert_eq!(link.send(Side::A, 0, &[7; 59]), Err(LinkFault::Runt { octets: 59 }));
    }
}
