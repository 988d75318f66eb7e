// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mutants: small changes of the emitted Verilog, all compiled into one model and chosen at run
//! time.
//!
//! Each changed place becomes `(top.mutant == id ? changed : original)`; the input `mutant` of the
//! top is seen from every module by its hierarchical name, and 0 chooses none. A module that stands
//! for several instances is changed in all of them at once.

mod sites;
pub(crate) mod text;

use ferrowarp_hdl::emit::{Direction, Emitted, Port};
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The variable that makes [`crate::model()`] build a mutated top.
pub const VARIABLE: &str = "FERROWARP_MUTATE";

/// The variable that names the file of a mutated model which is built already; a process then
/// emits nothing.
pub const MODEL: &str = "FERROWARP_MUTATED";

/// The input of a mutated top that chooses a mutant.
pub const MUTANT: &str = "mutant";

/// Which mutants are built into which top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Name of the top.
    pub top: String,
    /// Which places are drawn.
    pub seed: u64,
    /// What is drawn, share by share.
    pub shares: Vec<Share>,
}

/// A part of the top and how many of its places are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// How many; fewer if there are not so many.
    pub count: usize,
    /// Only what stands below these instances, joined by `+`: beginnings of names of instances of
    /// the top, `sq.ddp_tx` for an instance in an instance. Empty for the whole top.
    pub only: String,
}

/// One mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Value of `mutant` that chooses it, from 1.
    pub id: u32,
    /// Index of the share that it was drawn for.
    pub share: usize,
    /// Module that it stands in.
    pub module: String,
    /// Line of the emitted Verilog, from 1.
    pub line: usize,
    /// What was emitted.
    pub before: String,
    /// What stands there instead.
    pub after: String,
    /// The line of `before`, without indentation.
    pub from: String,
    /// The same line with `after`.
    pub to: String,
    /// How many lines of the module read `from` up to this one.
    pub nth: usize,
}

/// A design with its mutants.
#[derive(Clone, Debug)]
pub struct Mutated {
    /// The text and ports with the input `mutant`.
    pub emitted: Emitted,
    /// The mutants by id.
    pub sites: Vec<Site>,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares: Vec<_> = self.shares.iter().map(|s| format!("{}:{}", s.count, s.only)).collect();
        write!(f, "{}:{}:{}", self.top, self.seed, shares.join(","))
    }
}

impl FromStr for Plan {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is no plan of mutants; write TOP:SEED:COUNT:INSTANCES, INSTANCES may be empty, \
                 and more shares as ,COUNT:INSTANCES"
            )
        };
        let parts: Vec<&str> = text.splitn(3, ':').collect();
        let [top, seed, shares] = parts[..] else { return Err(wrong()) };
        let share = |text: &str| {
            let (count, only) = text.split_once(':')?;
            let only = (!only.contains(':')).then_some(only)?;
            Some(Share { count: count.parse().ok()?, only: only.into() })
        };
        let shares = shares.split(',').map(share).collect::<Option<Vec<_>>>();
        let (Ok(seed), Some(shares)) = (seed.parse(), shares) else { return Err(wrong()) };
        Ok(Self { top: top.into(), seed, shares })
    }
}

impl Plan {
    /// The plan in [`VARIABLE`], if it is set.
    pub fn from_environment() -> Result<Option<Self>, String> {
        match std::env::var(VARIABLE) {
            Ok(text) => text.parse().map(Some).map_err(|why| format!("{VARIABLE}: {why}")),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(why) => Err(format!("{VARIABLE}: {why}")),
        }
    }

    /// Builds the mutants into `emitted`, whose top this plan is for.
    pub fn apply(&self, emitted: &Emitted) -> Mutated {
        let verilog = &emitted.verilog;
        let survey = sites::survey(verilog);
        let mut chosen: Vec<(usize, sites::Place<'_>)> = vec![];
        for (share, Share { count, only }) in self.shares.iter().enumerate() {
            let inside = reachable(&emitted.top, &survey.instances, only);
            let mut places = survey.places.clone();
            places.retain(|p| only.is_empty() || inside.contains(p.module));
            // Each share has a generator of its own: none depends on the counts of the others.
            places.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
            let before = chosen.len();
            for place in places {
                let apart = |(_, c): &(usize, sites::Place<'_>)| {
                    c.span.end <= place.span.start || place.span.end <= c.span.start
                };
                if chosen.len() - before < *count && chosen.iter().all(apart) {
                    chosen.push((share, place));
                }
            }
        }
        chosen.sort_by_key(|(_, p)| p.span.start);
        let mut text = String::with_capacity(verilog.len() + 64 * chosen.len());
        let mut sites = vec![];
        let mut from = 0;
        for (id, (share, place)) in (1..).zip(&chosen) {
            text += &verilog[from..place.span.start];
            let before = &verilog[place.span.clone()];
            text += &format!("({}.mutant == 32'd{id} ? {} : {before})", emitted.top, place.after);
            sites.push(site(verilog, id, *share, place));
            from = place.span.end;
        }
        text += &verilog[from..];
        Mutated { emitted: with_input(emitted, &text), sites }
    }
}

/// What is told of a place.
fn site(verilog: &str, id: u32, share: usize, place: &sites::Place<'_>) -> Site {
    let (head, tail) = (&verilog[..place.span.start], &verilog[place.span.end..]);
    let start = head.rfind('\n').map_or(0, |at| at + 1);
    let end = place.span.end + tail.find('\n').unwrap_or(tail.len());
    let from = verilog[start..end].trim();
    let to = format!("{}{}{}", &head[start..], place.after, &verilog[place.span.end..end]);
    let module = format!("module {}(", place.module);
    let above = head.rfind(&module).map_or("", |at| &head[at..start]);
    Site {
        id,
        share,
        module: place.module.into(),
        line: 1 + head.matches('\n').count(),
        before: verilog[place.span.clone()].into(),
        after: place.after.clone(),
        from: from.into(),
        to: to.trim().into(),
        nth: 1 + above.lines().filter(|line| line.trim() == from).count(),
    }
}

/// Modules below the instances of `top` that `only` names, see [`Share::only`]. Equal modules are
/// emitted once, under the name of one of their instances, so names of modules do not tell where
/// they are used.
fn reachable<'a>(top: &str, instances: &[sites::Instance<'a>], only: &str) -> BTreeSet<&'a str> {
    let mut open: Vec<&'a str> = only.split('+').flat_map(|path| named(top, instances, path)).collect();
    let mut found = BTreeSet::new();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(instances.iter().filter(|i| i.parent == module).map(|i| i.kind));
        }
    }
    found
}

/// Modules of the instances that a path names. The emitter writes `cell_` or `part_` before a name.
fn named<'a>(top: &str, instances: &[sites::Instance<'a>], path: &str) -> Vec<&'a str> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let name = |name: &'a str| ["cell_", "part_"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(name);
    let here = instances.iter().filter(|i| i.parent == top && name(i.name).starts_with(first));
    let here = here.map(|i| i.kind);
    match rest {
        Some(rest) => here.flat_map(|kind| named(kind, instances, rest)).collect(),
        None => here.collect(),
    }
}

/// `verilog` with the 32-bit input `mutant` added to the top.
fn with_input(emitted: &Emitted, verilog: &str) -> Emitted {
    let head = format!("module {}(", emitted.top);
    let mut text = String::with_capacity(verilog.len() + 64);
    for line in verilog.lines() {
        match line.strip_prefix(&head) {
            Some(ports) => text += &format!("{head}mutant,{ports}\n    input wire  [31:0] mutant;\n"),
            None => text += &format!("{line}\n"),
        }
    }
    let mut ports = vec![Port { name: "mutant".into(), width: 32, direction: Direction::Input }];
    ports.extend(emitted.ports.iter().cloned());
    Emitted { verilog: text, ports, ..emitted.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::config::{Config, Profile};
    use ferrowarp_hdl::top::Top;

    fn plan(text: &str) -> Plan {
        text.parse().unwrap()
    }

    #[test]
    fn a_plan_is_read_as_it_is_written() {
        let written = plan("bench_w64:7:50:mpa");
        assert_eq!(written.to_string(), "bench_w64:7:50:mpa");
        let share = |count, only: &str| Share { count, only: only.into() };
        assert_eq!((written.seed, written.shares), (7, vec![share(50, "mpa")]));
        let two = plan("q:7:5:rq+cq,8:fault.a");
        assert_eq!(two.to_string(), "q:7:5:rq+cq,8:fault.a");
        assert_eq!(two.shares, [share(5, "rq+cq"), share(8, "fault.a")]);
        for wrong in ["", "bench_w64", "a:b:c:d", "a:1:2", "a:1:2:b,c", "a:1:2:b:c"] {
            assert!(wrong.parse::<Plan>().unwrap_err().contains("TOP:SEED:COUNT:INSTANCES"), "{wrong}");
        }
    }

    #[test]
    fn a_shared_module_is_found_below_every_instance_that_uses_it() {
        let i = |parent, kind, name| sites::Instance { parent, kind, name };
        let all = [
            i("t", "t_a", "cell_fifo"),
            i("t_a", "t_b_reg", "r"),
            i("t", "t_b", "cut"),
            i("t_b", "t_b_reg", "part_r"),
        ];
        assert_eq!(reachable("t", &all, "fifo"), BTreeSet::from(["t_a", "t_b_reg"]));
        assert_eq!(reachable("t", &all, "cut"), BTreeSet::from(["t_b", "t_b_reg"]));
        assert_eq!(reachable("t", &all, "cut.r"), BTreeSet::from(["t_b_reg"]));
        assert_eq!(reachable("t", &all, "none+fifo"), BTreeSet::from(["t_a", "t_b_reg"]));
        assert!(reachable("t", &all, "reg").is_empty());
    }

    #[test]
    fn equal_seeds_draw_equal_mutants_and_modules_restrict_them() {
        let emitted = Top::BenchW64.emit(&Config::profile(Profile::Tiny)).unwrap();
        let some = plan("bench_w64:1:40:").apply(&emitted);
        assert_eq!(some.sites, plan("bench_w64:1:40:").apply(&emitted).sites);
        assert_ne!(some.sites, plan("bench_w64:2:40:").apply(&emitted).sites);
        assert_eq!(some.sites.iter().map(|s| s.id).collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
        for site in &some.sites {
            let line = emitted.verilog.lines().nth(site.line - 1).unwrap();
            assert!(line.contains(&site.before) && site.before != site.after, "{site:?}: {line}");
            assert!(line.trim() == site.from && site.from != site.to && site.nth > 0, "{site:?}: {line}");
        }
        let skid = plan("bench_w64:1:100000:skid").apply(&emitted);
        let all = plan("bench_w64:1:100000:").apply(&emitted);
        assert!(!skid.sites.is_empty() && skid.sites.len() < all.sites.len());
        assert!(plan("bench_w64:1:9:none").apply(&emitted).sites.is_empty());
        let shares = |text| plan(text).apply(&emitted).sites.into_iter().map(|s| (s.share, s.line, s.after));
        let first: Vec<_> = shares("bench_w64:1:5:skid").collect();
        let second: Vec<_> = shares("bench_w64:1:5:skid,4:crc").filter(|(share, ..)| *share == 0).collect();
        assert_eq!(first, second, "a share is drawn alike beside another");
    }
}
