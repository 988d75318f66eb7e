// SPDX-License-Identifier: MIT OR Apache-2.0
//! A beat of a device on its way to the wire: MAC, hook, capture.
use super::{Captured, Fate, LinkFault, Sent, Shared, Side, MIN_FRAME};

impl Shared {
    /// The device at `from` handed a beat over.
    pub(super) fn beat(
        &mut self,
        from: Side,
        now: u64,
        octets: &[u8],
        end: Option<bool>,
    ) -> Result<(), LinkFault> {
        let (mac, cable) = (&mut self.macs[from as usize], &mut self.cables[from as usize]);
        if !mac.sending() {
            cable.open(mac.begin(now), self.hook.is_some());
        }
        mac.take(octets.len() as u64);
        cable.push(octets);
        let Some(err) = end else { return Ok(()) };
        let (start, length) = mac.end();
        // a frame that began before there was a hook may be arriving already
        let hook = self.hook.as_mut().filter(|_| cable.judged());
        let (index, data) = cable.whole();
        let fate = hook.map_or(Fate::Deliver, |hook| hook(&Sent { from, index, at_ps: now, data }));
        if let Some(captured) = &mut self.captured {
            let note = note(&fate, err, self.carrier.holds(start, now));
            captured.push(Captured { from, began_ps: start, at_ps: now, data: data.to_vec(), note });
        }
        cable.close(start, now, err, fate);
        if length < MIN_FRAME {
            return Err(LinkFault::Runt { octets: length });
        }
        Ok(())
    }
}

/// The comment of a frame in a capture. `held`: the link was up while the frame left.
fn note(fate: &Fate, err: bool, held: bool) -> Option<String> {
    let fate = match fate {
        Fate::Deliver => None,
        Fate::Drop => Some("dropped on the link".into()),
        Fate::Corrupt(bit) => Some(format!("bit {bit} inverted on the link: bad FCS")),
        Fate::Replace(_) => Some("octets changed on the link: FCS good".into()),
        Fate::Duplicate => Some("delivered twice by the link".into()),
        Fate::Delay(ns) => Some(format!("held back {ns} ns by the link")),
    };
    let err = err.then(|| "sent with a bad FCS".to_string());
    let down = (!held).then(|| "lost: the link was down".to_string());
    let notes: Vec<_> = [err, fate, down].into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}
