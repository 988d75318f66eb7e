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

/// Which mutants are built into which top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Name of the top.
    pub top: String,
    /// Which places are drawn.
    pub seed: u64,
    /// How many; fewer if there are not so many.
    pub count: usize,
    /// Only what stands in instances of the top whose name starts with this.
    pub only: String,
}

/// One mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Value of `mutant` that chooses it, from 1.
    pub id: u32,
    /// Module that it stands in.
    pub module: String,
    /// Line of the emitted Verilog, from 1.
    pub line: usize,
    /// What was emitted.
    pub before: String,
    /// What stands there instead.
    pub after: String,
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
        write!(f, "{}:{}:{}:{}", self.top, self.seed, self.count, self.only)
    }
}

impl FromStr for Plan {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is no plan of mutants; write TOP:SEED:COUNT:MODULES, MODULES may be empty");
        let parts: Vec<&str> = text.split(':').collect();
        let [top, seed, count, only] = parts[..] else { return Err(wrong()) };
        let (Ok(seed), Ok(count)) = (seed.parse(), count.parse()) else { return Err(wrong()) };
        Ok(Self { top: top.into(), seed, count, only: only.into() })
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
        let sites::Survey { mut places, instances } = sites::survey(verilog);
        let inside = reachable(&emitted.top, &instances, &self.only);
        places.retain(|p| self.only.is_empty() || inside.contains(p.module));
        places.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        let mut chosen: Vec<sites::Place<'_>> = vec![];
        for place in places {
            let apart =
                |c: &sites::Place<'_>| c.span.end <= place.span.start || place.span.end <= c.span.start;
            if chosen.len() < self.count && chosen.iter().all(apart) {
                chosen.push(place);
            }
        }
        chosen.sort_by_key(|p| p.span.start);
        let mut text = String::with_capacity(verilog.len() + 64 * chosen.len());
        let mut sites = vec![];
        let (mut from, mut line) = (0, 1);
        for (id, place) in (1..).zip(&chosen) {
            let unchanged = &verilog[from..place.span.start];
            let before = &verilog[place.span.clone()];
            line += unchanged.matches('\n').count();
            let after = &place.after;
            text += &format!("{unchanged}({}.mutant == 32'd{id} ? {after} : {before})", emitted.top);
            sites.push(Site {
                id,
                module: place.module.into(),
                line,
                before: before.into(),
                after: after.clone(),
            });
            line += before.matches('\n').count();
            from = place.span.end;
        }
        text += &verilog[from..];
        Mutated { emitted: with_input(emitted, &text), sites }
    }
}

/// Modules below the instances of `top` whose name starts with `only`. Equal modules are emitted
/// once, under the name of one of their instances, so names of modules do not tell where they are
/// used.
fn reachable<'a>(top: &str, instances: &[sites::Instance<'a>], only: &str) -> BTreeSet<&'a str> {
    let named = |i: &&sites::Instance<'_>| {
        let name = i.name.strip_prefix("cell_").unwrap_or(i.name);
        i.parent == top && name.starts_with(only)
    };
    let mut open: Vec<&'a str> = instances.iter().filter(named).map(|i| i.kind).collect();
    let mut found = BTreeSet::new();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(instances.iter().filter(|i| i.parent == module).map(|i| i.kind));
        }
    }
    found
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
        assert_eq!((written.seed, written.count, written.only.as_str()), (7, 50, "mpa"));
        for wrong in ["", "bench_w64", "a:b:c:d", "a:1:2"] {
            assert!(wrong.parse::<Plan>().unwrap_err().contains("TOP:SEED:COUNT:MODULES"), "{wrong}");
        }
    }

    #[test]
    fn a_shared_module_is_found_below_every_instance_that_uses_it() {
        let i = |parent, kind, name| sites::Instance { parent, kind, name };
        let all = [
            i("t", "t_a", "cell_fifo"),
            i("t_a", "t_b_reg", "r"),
            i("t", "t_b", "cut"),
            i("t_b", "t_b_reg", "r"),
        ];
        assert_eq!(reachable("t", &all, "fifo"), BTreeSet::from(["t_a", "t_b_reg"]));
        assert_eq!(reachable("t", &all, "cut"), BTreeSet::from(["t_b", "t_b_reg"]));
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
        }
        let skid = plan("bench_w64:1:100000:skid").apply(&emitted);
        let all = plan("bench_w64:1:100000:").apply(&emitted);
        assert!(!skid.sites.is_empty() && skid.sites.len() < all.sites.len());
        assert!(plan("bench_w64:1:9:none").apply(&emitted).sites.is_empty());
    }
}
