// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps about TCP alone, the same before and behind the hand-over: a message of [`LENGTH`] octets
//! in either direction is a startup frame of firmware's half, or an FPDU of hardware's.
use super::half::Half;
use super::{Outcome, Run};
use crate::fw::mpa::Frame;
use crate::fw::wire::Seg;
use crate::mpa_model::fpdu;
use crate::script::parse::{Script, Step};
use crate::script::ulpdu::same;
use crate::script::value::Octets;
use std::time::{Duration, Instant};

/// Octets of a message.
pub const LENGTH: usize = 532;
/// Octets of a message that the application knows.
const PAYLOAD: usize = 508;
/// Between two questions whether a connection is over.
const ASKING: Duration = Duration::from_millis(20);

/// What the application's part of a message is.
fn payload() -> Vec<u8> {
    Octets::parse(&format!("pat:9:{PAYLOAD}"))
        .and_then(|octets| octets.of(&Default::default()))
        .expect("octets")
}

impl Run<'_> {
    pub(super) fn tcp(&mut self, verb: &str, step: &Step) -> Outcome {
        let half = self.half.ok_or("a script about TCP runs in one half")?;
        match verb {
            "receives" => self.receives(half, step),
            "sends" => self.sends(half, step),
            "delivered" => self.delivered(half),
            "gone" => self.gone(),
            _ => self.works(half),
        }
    }

    /// Does steps of a text.
    fn does(&mut self, text: &str) -> Outcome {
        let script = Script::parse("tcp", &format!("# steps\n{text}")).map_err(|why| why.why)?;
        script.steps.iter().try_for_each(|step| self.step(step))
    }

    /// TCP is open, and the peer has a message that was not sent yet.
    fn receives(&mut self, half: Half, step: &Step) -> Outcome {
        let offers = self.offered(step);
        let message = match half {
            Half::Firmware => {
                let listen = if self.listens { "" } else { "app listen" };
                self.does(&format!("{listen}\npeer syn {offers}"))?;
                Frame::request().enhanced(0x0004_0004).with(&payload()).octets()
            }
            Half::Hardware => {
                let region = self.region();
                let room = format!("app region {region} 4096\napp recv 1 {region} 0 {PAYLOAD}");
                self.does(&format!("peer offers {offers}\n{room}\nestablished responder\nwire acked"))?;
                let header = [&[0x41, 0x43][..], &[0; 11], &[1], &[0; 4]].concat();
                fpdu(&[header, payload()].concat(), 0, false, true)
            }
        };
        let first = self.wire.peer().snd_nxt;
        let flow = self.flow();
        (flow.message, flow.first) = (message, first);
        self.count();
        self.names.insert("$m".into(), self.names["peer.nxt"]);
        self.skip_log();
        Ok(())
    }

    /// TCP is open, the peer does not acknowledge any more, and the device has a message to send.
    fn sends(&mut self, half: Half, step: &Step) -> Outcome {
        let offers = self.offered(step);
        self.does(&format!("peer offers {offers}"))?;
        match half {
            Half::Firmware => {
                self.room(step)?;
                self.wire.peer().falls_silent = true;
                self.does(&format!("app connect data=pat:9:{PAYLOAD}\nwire open"))?;
            }
            Half::Hardware => {
                let region = self.region();
                let room = format!("app region {region} 4096\napp fill {region} 0 pat:9:{PAYLOAD}");
                self.does(&format!("{room}\nestablished initiator"))?;
                self.room(step)?;
                if step.field("win").is_some() {
                    let told = self.wire.peer().seg();
                    self.wire.put(&told)?;
                }
                // what acknowledges the peer's last octets comes before the message
                self.does("wire acked")?;
                self.skip_log();
                self.does("peer mute")?;
                self.does(&format!("app send 1 {region} 0 {PAYLOAD}"))?;
            }
        }
        self.count();
        self.names.insert("$d".into(), self.names["dev.nxt"]);
        Ok(())
    }

    /// The region of this connection's message.
    fn region(&self) -> String {
        format!("tcp{}", self.number)
    }

    /// The peer's room from its first segment on.
    fn room(&mut self, step: &Step) -> Outcome {
        if let Some(octets) = self.number_of(step, "win")? {
            self.wire.peer().room = octets as u16;
        }
        Ok(())
    }

    fn offered(&self, step: &Step) -> String {
        let field = |name: &str| step.field(name).map(|value| format!("{name}={value} ")).unwrap_or_default();
        field("mss") + &field("scale")
    }

    /// Steps look at what comes from now on.
    pub(super) fn skip_log(&mut self) {
        let looked = self.wire.peer().log.len();
        self.flow().looked = looked;
    }

    /// Octets of the message in their place, sent again or for the first time.
    pub(super) fn part(&mut self, step: &Step) -> Outcome {
        let [from, to] = [0, 1].map(|at| self.number_at(step, at));
        let (from, to) = (from? as usize, to? as usize);
        let flow = self.flow();
        let data = flow.message.get(from..to);
        let data = data.ok_or(format!("the message has no octets {from} to {to}"))?.to_vec();
        let seq = flow.first.wrapping_add(from as u32);
        let ack = self.number_of(step, "ack")?.map(|ack| self.irs().wrapping_add(ack as u32));
        let odd = self.odd(step)?;
        let peer = self.wire.peer();
        let seg = Seg { seq, data, odd, fin: step.has("fin"), ..peer.seg() };
        let seg = Seg { ack: Some(ack.unwrap_or(peer.rcv_nxt)), ..seg };
        let end = seq.wrapping_add(seg.len());
        if end.wrapping_sub(peer.snd_nxt) as i32 > 0 {
            peer.snd_nxt = end;
        }
        self.wire.put(&seg)
    }

    /// The message has come to the application.
    fn delivered(&mut self, half: Half) -> Outcome {
        match half {
            Half::Firmware => self.does(&format!("app requested data=pat:9:{PAYLOAD}")),
            Half::Hardware => {
                self.does(&format!("app done 1 Success octets={PAYLOAD}"))?;
                let seen = self.app.memory(&self.region(), 0, PAYLOAD)?;
                same("the message", &payload(), &seen)
            }
        }
    }

    /// The connection is over: what comes for it is answered by a RST.
    fn gone(&mut self) -> Outcome {
        let patience = self.wire.patience();
        let end = Instant::now() + patience;
        while Instant::now() < end {
            if self.wire.peer().rst {
                return Ok(());
            }
            let ack = self.wire.peer().seg();
            self.wire.put(&ack)?;
            self.wait(ASKING)?;
        }
        Err(format!("nothing answers an ACK by a RST within {patience:?}"))
    }

    /// The connection goes on: the message comes through.
    fn works(&mut self, half: Half) -> Outcome {
        if !self.flow().message.is_empty() {
            self.does(&format!("peer part 0 {LENGTH}"))?;
            return self.delivered(half);
        }
        self.does("peer answers")?;
        match half {
            Half::Firmware => {
                self.does(&format!("wire request data=pat:9:{PAYLOAD}\npeer reply\napp connected"))
            }
            Half::Hardware => {
                self.does(&format!("wire message send msn=1 data=pat:9:{PAYLOAD}\napp done 1 Success"))
            }
        }
    }
}
