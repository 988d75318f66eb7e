// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps about segments: how octets are cut and kept, and segments by hand.
use super::{flags_of, Outcome, Run};
use crate::fw::bench::DUT_MAC;
use crate::fw::peer::MAC;
use crate::fw::wire::{Odd, Seg};
use crate::script::parse::Step;
use crate::script::table::time;
use crate::script::ulpdu::same;
use crate::script::value::{Sum, Want};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{Icmpv4Packet, IpAddress, IpProtocol, IpRepr};
use std::time::Duration;

impl Run<'_> {
    /// Octets of the peer, cut, kept, lost or repeated as a step says.
    pub(super) fn carry(&mut self, octets: &[u8], step: &Step) -> Outcome {
        self.flow().waiting.extend(octets);
        if step.has("more") {
            return Ok(());
        }
        let octets = std::mem::take(&mut self.flow().waiting);
        let sizes = step.field("pieces").unwrap_or_default();
        let sizes: Vec<usize> = sizes
            .split(',')
            .filter(|size| !size.is_empty())
            .map(|size| Sum::parse(size)?.of(&self.names).map(|size| size as usize))
            .collect::<Result<_, _>>()?;
        let times = self.number_of(step, "times")?.unwrap_or(1);
        let (mut rest, mut segs) = (&octets[..], vec![]);
        for size in sizes {
            let (piece, behind) = rest.split_at(size.min(rest.len()));
            segs.push(self.wire.peer().data(piece));
            rest = behind;
        }
        // no more than a frame holds in one segment
        segs.extend(rest.chunks(1_460).map(|piece| self.wire.peer().data(piece)));
        if step.has("lost") {
            return Ok(());
        }
        if let Some(name) = step.field("hold") {
            self.flow().held.insert(name.into(), segs);
            return Ok(());
        }
        (0..times).flat_map(|_| segs.iter()).try_for_each(|seg| self.wire.put(seg))
    }

    /// A segment of the peer by hand. Its numbers count from those of the SYNs; without them they
    /// are the next ones.
    pub(super) fn segment(&mut self, step: &Step) -> Outcome {
        let flags = step.words[0].clone();
        if let Some(flag) = flags.chars().find(|flag| !"SFRA.".contains(*flag)) {
            return Err(format!("`{flag}` is no flag: S, F, R, A, or . for none"));
        }
        let [seq, ack, win, mss, scale] =
            ["seq", "ack", "win", "mss", "scale"].map(|name| self.number_of(step, name));
        let data = self.octets_of(step, "data")?.unwrap_or_default();
        let (irs, odd) = (self.irs(), self.odd(step)?);
        let peer = self.wire.peer();
        let (seq, ack) =
            (seq?.map(|seq| peer.iss.wrapping_add(seq as u32)), ack?.map(|ack| irs.wrapping_add(ack as u32)));
        let has = |flag| flags.contains(flag);
        let seg = Seg {
            seq: seq.unwrap_or(peer.snd_nxt),
            ack: has('A').then(|| ack.unwrap_or(peer.rcv_nxt)),
            window: win?.unwrap_or(60_000) as u16,
            syn: has('S'),
            fin: has('F'),
            rst: has('R'),
            mss: mss?.map(|mss| mss as u16),
            scale: scale?.map(|scale| scale as u8),
            data,
            odd,
            ..peer.seg()
        };
        if seg.seq == peer.snd_nxt && !seg.rst {
            peer.snd_nxt = peer.snd_nxt.wrapping_add(seg.len());
        }
        self.wire.put(&seg)
    }

    /// A router says that the last segment with octets was too big for a link (RFC 1191).
    pub(super) fn too_big(&mut self, mtu: u16) -> Outcome {
        let found = self.wire.peer().log.iter().rev().find(|seg| !seg.data.is_empty()).cloned();
        let last = found.ok_or("the device has sent no octets yet")?;
        let quoted = last.frame(DUT_MAC, MAC);
        let mut body = vec![3, 4, 0, 0, 0, 0];
        body.extend(mtu.to_be_bytes());
        body.extend(&quoted[14..14 + 28]);
        Icmpv4Packet::new_unchecked(&mut body).fill_checksum();
        let (router, device) = (IpAddress::v4(10, 9, 0, 77), last.from.ip().into());
        let ip = IpRepr::new(router, device, IpProtocol::Icmp, body.len(), 64);
        let mut packet = vec![0; ip.header_len()];
        ip.emit(&mut packet[..], &ChecksumCapabilities::default());
        packet.extend(body);
        self.wire.packet(&packet)
    }

    /// What is odd in a header.
    pub(super) fn odd(&self, step: &Step) -> Outcome<Odd> {
        Ok(Odd {
            options: self.octets_of(step, "opt")?.unwrap_or_default(),
            urgent: self.number_of(step, "urg")?.map(|urgent| urgent as u16),
            reserved: self.number_of(step, "rsvd")?.unwrap_or(0) as u8,
            bad_sum: step.has("bad-sum"),
        })
    }

    /// How long a step waits.
    pub(super) fn within(&self, step: &Step) -> Outcome<Duration> {
        step.field("within").map_or(Ok(self.wire.patience()), |text| time(text).map(Duration::from_millis))
    }

    /// Number of the device's SYN.
    pub(super) fn irs(&mut self) -> u32 {
        self.wire.peer().log.iter().find(|seg| seg.syn).map_or(0, |seg| seg.seq)
    }

    /// A segment of the device is as a step says: the next that has these flags, or with `next` the
    /// next of all.
    pub(super) fn segment_seen(&mut self, step: &Step) -> Outcome {
        let mut why = String::from("no segment came");
        let within = self.within(step)?;
        self.until_within(within, "a segment", |run| {
            let from = run.flow().looked;
            let seen: Vec<Seg> = run.wire.peer().log[from..].to_vec();
            for seg in seen {
                run.flow().looked += 1;
                match run.fits(&seg, step) {
                    Ok(()) => return Ok(Some(())),
                    Err(other) => why = format!("{other}; it is {}", told(&seg)),
                }
                if step.has("next") {
                    return Err(why.clone());
                }
            }
            Ok(None)
        })
        .map_err(|late| format!("{late}; the last that did not fit: {why}"))
    }

    /// For some time no segment of the device is as a step says.
    pub(super) fn segment_missed(&mut self, step: &Step) -> Outcome {
        self.wait(Duration::from_millis(time(&step.words[1])?))?;
        let from = self.flow().looked;
        let seen: Vec<Seg> = self.wire.peer().log[from..].to_vec();
        for seg in seen {
            if self.fits(&seg, step).is_ok() {
                return Err(format!("it came: {}", told(&seg)));
            }
        }
        Ok(())
    }

    /// Whether a segment is as a step says. Names are bound by a segment that fits, and by no
    /// other.
    fn fits(&mut self, seg: &Seg, step: &Step) -> Outcome {
        let names = self.names.clone();
        self.judge_segment(seg, step).inspect_err(|_| self.names = names)
    }

    fn judge_segment(&mut self, seg: &Seg, step: &Step) -> Outcome {
        let flags = flags_of(seg);
        if step.words[0] != "*" && flags != step.words[0] {
            return Err(format!("flags are {flags}, not {}", step.words[0]));
        }
        let (irs, iss) = (self.irs(), self.wire.peer().iss);
        let ack = seg.ack.map(|ack| u64::from(ack.wrapping_sub(iss)));
        for (word, is_there) in [("no-mss", seg.mss.is_some()), ("no-scale", seg.scale.is_some())] {
            if step.has(word) && is_there {
                return Err(format!("the option of `{word}` is there"));
            }
        }
        if step.has("df") && !seg.is_whole {
            return Err("DF is not set".into());
        }
        let numbers = [
            ("seq", Some(u64::from(seg.seq.wrapping_sub(irs)))),
            ("ack", ack),
            ("win", Some(u64::from(seg.window))),
            ("mss", seg.mss.map(u64::from)),
            ("scale", seg.scale.map(u64::from)),
            ("octets", Some(seg.data.len() as u64)),
        ];
        for (name, seen) in numbers {
            let Some(wanted) = step.field(name) else { continue };
            let seen = seen.ok_or_else(|| format!("there is no `{name}`"))?;
            Want::parse(wanted)?.check(name, seen, &mut self.names)?;
        }
        match self.octets_of(step, "data")? {
            Some(wanted) => same("data", &wanted, &seg.data),
            None => Ok(()),
        }
    }
}

/// A segment in few words.
fn told(seg: &Seg) -> String {
    let (flags, octets) = (flags_of(seg), seg.data.len());
    format!("{flags} seq {:#x} ack {:#x?} window {} with {octets} octets", seg.seq, seg.ack, seg.window)
}
