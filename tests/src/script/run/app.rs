// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps of the application.
use super::{Outcome, Run};
use crate::script::device::{
    self, Depth, Done, Heard, How, Offered, Order, Place, Post, Region, Verb, Wanted,
};
use crate::script::parse::Step;
use crate::script::table::time;
use crate::script::ulpdu::same;
use crate::script::value::{Octets, Want};
use crate::script::verbs::DOMAIN;
use std::time::Duration;

impl Run<'_> {
    pub(super) fn application(&mut self, verb: &str, step: &Step) -> Outcome {
        match verb {
            "requested" | "connected" => self.told_depths(verb, step),
            "refused" | "failed" | "ended" => self.told_text(verb, step),
            "done" => self.done(step),
            "terminated" => self.terminated(step),
            "peer-finished" => self.hears("the application is told that the peer has finished", |heard| {
                (*heard == Heard::PeerFinished).then_some(())
            }),
            "idle" => {
                self.wait(Duration::from_millis(time(&step.words[0])?))?;
                let done = self.flow().heard.iter().find(|heard| matches!(heard, Heard::Done(_)));
                done.map_or(Ok(()), |done| Err(format!("there is a completion: {done:?}")))
            }
            "memory" => {
                let at = self.number_at(step, 1)? as usize;
                let wanted = Octets::parse(&step.words[2])?.of(&self.names)?;
                let seen = self.app.memory(&step.words[0], at, wanted.len())?;
                same(&format!("memory of `{}` from {at} on", step.words[0]), &wanted, &seen)
            }
            _ => {
                let order = self.order(verb, step)?;
                self.listens |= order == Order::Listen;
                self.app.order(self.number, order)?;
                self.listen()
            }
        }
    }

    fn order(&mut self, verb: &str, step: &Step) -> Outcome<Order> {
        let word = |at: usize| step.words.get(at).cloned().unwrap_or_default();
        let pd = step.field("pd").unwrap_or(DOMAIN).to_string();
        Ok(match verb {
            "qp" => Order::QueuePair { pd, cq: self.number_of(step, "cq")?.unwrap_or(64) as u32 },
            "listen" => Order::Listen,
            "connect" => Order::Connect { port: self.wire.peer().ours.port(), wanted: self.wanted(step)? },
            "accept" => Order::Accept(self.wanted(step)?),
            "reject" => Order::Reject(self.octets_of(step, "data")?.unwrap_or_default()),
            "region" => Order::Region(Region {
                name: word(0),
                octets: self.number_at(step, 1)? as usize,
                rights: step.field("rights").unwrap_or("lrw").into(),
                pd,
                bound: step.has("bound"),
                within: step
                    .field("in")
                    .map(String::from)
                    .zip(Some(self.number_of(step, "at")?.unwrap_or(0) as usize)),
            }),
            "drop" => Order::Drop(word(0)),
            "fill" => {
                let data = Octets::parse(&step.words[2])?.of(&self.names)?;
                let at = self.number_at(step, 1)? as usize;
                Order::Fill {
                    place: Place { region: word(0), at, octets: data.len() },
                    data: device::Octets(data),
                }
            }
            "recv" => Order::Recv { id: self.number_at(step, 0)?, place: self.place(step)? },
            "send" => self.post(Verb::Send, step)?,
            "write" => self.post(Verb::Write, step)?,
            "read" => self.post(Verb::Read, step)?,
            "close" => Order::Close,
            "rests" | "wakes" => Order::Rest(verb == "rests"),
            "forget" => Order::Forget,
            "finish" => Order::Finish,
            _ => Order::Abort,
        })
    }

    fn post(&self, verb: Verb, step: &Step) -> Outcome<Order> {
        let [stag, to] = ["stag", "to"].map(|name| self.number_of(step, name));
        let (id, place, how) = (self.number_at(step, 0)?, self.place(step)?, self.how(step)?);
        let (stag, to) = (stag?.unwrap_or(0) as u32, to?.unwrap_or(0));
        Ok(Order::Post(Post { verb, id, place, stag, to, how }))
    }

    fn wanted(&self, step: &Step) -> Outcome<Wanted> {
        let depth = |name: &str| -> Outcome<Option<Depth>> {
            let Some(text) = step.field(name) else { return Ok(None) };
            let (kind, count): (fn(u16) -> Depth, _) = match text.strip_prefix("untold:") {
                Some(count) => (Depth::Untold, count),
                None => (Depth::Told, text),
            };
            count.parse().map(|count| Some(kind(count))).map_err(|_| {
                format!("`{name}={text}` is no depth: `{name}=4`, or `{name}=untold:4` for one that the peer is not told")
            })
        };
        Ok(Wanted {
            ird: depth("ird")?,
            ord: depth("ord")?,
            data: self.octets_of(step, "data")?.unwrap_or_default(),
            markers: step.has("markers"),
            peer_to_peer: step.has("peer-to-peer"),
            strict: step.has("strict"),
            early: step.has("early"),
            rtr: step.field("rtr").map(String::from),
        })
    }

    /// Region, first octet and octets behind the id.
    fn place(&self, step: &Step) -> Outcome<Option<Place>> {
        if step.words.len() < 4 {
            return Ok(None);
        }
        let (at, octets) = (self.number_at(step, 2)? as usize, self.number_at(step, 3)? as usize);
        Ok(Some(Place { region: step.words[1].clone(), at, octets }))
    }

    fn how(&self, step: &Step) -> Outcome<How> {
        Ok(How {
            fenced: step.has("fenced"),
            unsignaled: step.has("unsignaled"),
            solicited: step.has("solicited"),
            inv: self.number_of(step, "inv")?.map(|stag| stag as u32),
        })
    }

    /// Waits for the first that fits.
    fn hears<T>(&mut self, what: &str, fits: impl Fn(&Heard) -> Option<T>) -> Outcome<T> {
        self.until(what, |run| {
            let flow = run.flow();
            let found = flow.heard.iter().position(|heard| fits(heard).is_some());
            Ok(found.and_then(|at| flow.heard.remove(at)).and_then(|heard| fits(&heard)))
        })
    }

    fn told_depths(&mut self, verb: &str, step: &Step) -> Outcome {
        let what = format!("the application is told: {verb}");
        let offered = self.hears(&what, |heard| match (heard, verb) {
            (Heard::Requested(offered), "requested") | (Heard::Connected(offered), "connected") => {
                Some(offered.clone())
            }
            _ => None,
        })?;
        self.judge_offered(&offered, step)
    }

    /// What the peer's startup frame said is as a step says.
    fn judge_offered(&mut self, offered: &Offered, step: &Step) -> Outcome {
        for (name, seen) in [("ird", offered.ird), ("ord", offered.ord)] {
            if let Some(wanted) = step.field(name) {
                Want::parse(wanted)?.check(name, u64::from(seen), &mut self.names)?;
            }
        }
        match self.octets_of(step, "data")? {
            Some(wanted) => same("private data", &wanted, &offered.data),
            None => Ok(()),
        }
    }

    fn told_text(&mut self, verb: &str, step: &Step) -> Outcome {
        let wanted = step.words[0].trim_matches('"').to_string();
        let what = format!("the application is told: {verb} {wanted}");
        let (seen, offered) = self.hears(&what, |heard| match (heard, verb) {
            (Heard::Refused(why, offered), "refused") => Some((why.clone(), offered.clone())),
            (Heard::Ended(why), "ended") | (Heard::Failed(why), "failed") => Some((why.clone(), None)),
            _ => None,
        })?;
        let is_told = match self.app.tells("words") {
            true => seen.contains(&wanted),
            // only an orderly end is told apart
            false => wanted != "Ok" || seen == "Ok",
        };
        if !is_told {
            return Err(format!("the application is told `{seen}`, which has no `{wanted}`"));
        }
        match (step.fields.is_empty(), offered) {
            (true, _) => Ok(()),
            (_, Some(offered)) => self.judge_offered(&offered, step),
            (_, None) => Err(format!("`{seen}` is no Reject, so it has no depths and no private data")),
        }
    }

    fn done(&mut self, step: &Step) -> Outcome {
        // completions of two queues may have no order
        let only = match (self.app.tells("order"), Want::parse(&step.words[0])?) {
            (false, Want::Is(sum)) => sum.of(&self.names).ok(),
            _ => None,
        };
        let done = self.hears("a completion", |heard| match heard {
            Heard::Done(done) if only.is_none_or(|id| id == done.id) => Some(done.clone()),
            _ => None,
        })?;
        let Done { id, status, op, octets, inv, solicited, error } = &done;
        let judge = |run: &mut Self| -> Outcome {
            Want::parse(&step.words[0])?.check("id", *id, &mut run.names)?;
            for (name, wanted, seen) in
                [("status", Some(step.words[1].as_str()), status), ("op", step.field("op"), op)]
            {
                if let Some(wanted) = wanted.filter(|wanted| *wanted != "*" && wanted != seen) {
                    return Err(format!("{name} is {seen}, not {wanted}"));
                }
            }
            let numbers = [
                ("octets", u64::from(*octets)),
                ("inv", u64::from(*inv)),
                ("solicited", u64::from(*solicited)),
                ("error", u64::from(*error)),
            ];
            for (name, seen) in numbers {
                if let Some(wanted) = step.field(name) {
                    Want::parse(wanted)?.check(name, seen, &mut run.names)?;
                }
            }
            Ok(())
        };
        judge(self).map_err(|why| format!("{why} in {done:?}"))
    }

    fn terminated(&mut self, step: &Step) -> Outcome {
        let seen = self.hears("the peer's Terminate", |heard| match heard {
            Heard::Terminated(numbers) => Some(*numbers),
            _ => None,
        })?;
        for (name, seen) in ["layer", "etype", "code"].into_iter().zip(seen) {
            if let Some(wanted) = step.field(name) {
                Want::parse(wanted)?.check(name, u64::from(seen), &mut self.names)?;
            }
        }
        Ok(())
    }
}
