// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the files that runs left to what was hit in the modules of the device.
use super::suite::Run;
use super::tally::Tally;
use super::text::{hash, modules, Module};
use crate::repo;
use anyhow::{Context, Result};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::coverage::{parsed, Point, HITS, POINTS, VARIABLE};
use ferrowarp_sim::{emitted, model};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The device whose modules are judged.
pub struct Device {
    /// Hash of its text.
    pub hash: String,
    /// Its modules by name.
    pub modules: BTreeMap<String, Module>,
    /// Its model that counts.
    model: Counted,
}

/// A model that counts: what its counters stand for.
struct Counted {
    points: Vec<Point>,
    modules: BTreeMap<String, Module>,
    /// Hash of the whole text.
    hash: String,
}

/// What was hit.
pub struct Gathered {
    /// By the device itself.
    pub device: Tally,
    /// By the device and by modules of other tops whose text is the same.
    pub joined: Tally,
    /// Files of hits that belong to a model of the device, and to one of another text.
    pub files: (usize, usize),
    /// Files whose model is gone.
    pub stale: usize,
}

impl Device {
    /// The device as its tests configure it, with its model, which is built if it is not there.
    pub fn new() -> Result<Self> {
        let config = ferrowarp_tests::device::config();
        let text = emitted(Top::DeviceW64, &config)?.verilog;
        // what `model` builds follows this variable; nothing is run here
        std::env::set_var(VARIABLE, repo::target("coverage"));
        let library = model(Top::DeviceW64, &config).context("model of the device")?;
        Ok(Self {
            hash: hash(&text),
            modules: modules(&text),
            model: Counted::read(&library.file().with_extension(""))?
                .with_context(|| format!("{} has no points", repo::shown(library.file())))?,
        })
    }

    /// Joins the hits of runs.
    pub fn gather(&self, runs: &[(Run, PathBuf)]) -> Result<Gathered> {
        let wanted: BTreeSet<&str> = self.modules.values().map(|module| module.hash.as_str()).collect();
        let mut all =
            Gathered { device: Tally::default(), joined: Tally::default(), files: (0, 0), stale: 0 };
        // what there is, of which nothing is hit yet
        for tally in [&mut all.device, &mut all.joined] {
            tally.add(&self.model.points, &self.model.modules, &[], &wanted);
        }
        for (stem, files) in by_model(runs)? {
            let Some(model) = Counted::read(&ferrowarp_sim::paths::models().join(&stem))? else {
                all.stale += files.len();
                continue;
            };
            let mut hits: Vec<u8> = vec![];
            for file in &files {
                let own =
                    std::fs::read(file).with_context(|| format!("cannot read {}", repo::shown(file)))?;
                hits.resize(hits.len().max(own.len()), 0);
                hits.iter_mut().zip(own).for_each(|(hit, own)| *hit |= own);
            }
            all.joined.add(&model.points, &model.modules, &hits, &wanted);
            if model.hash == self.hash {
                all.device.add(&model.points, &model.modules, &hits, &wanted);
                all.files.0 += files.len();
            } else {
                all.files.1 += files.len();
            }
        }
        Ok(all)
    }
}

impl Counted {
    /// The model whose files have this path but for their extension; none if it is gone.
    fn read(stem: &Path) -> Result<Option<Self>> {
        let file = |extension: &str| PathBuf::from(format!("{}.{extension}", stem.display()));
        let (Ok(list), Ok(text)) =
            (std::fs::read_to_string(file(POINTS)), std::fs::read_to_string(file("v")))
        else {
            return Ok(None);
        };
        let path = file(POINTS);
        let points = parsed(&list).map_err(|line| {
            anyhow::anyhow!("{}:{line} is not understood; remove the model", repo::shown(&path))
        })?;
        Ok(Some(Self { points, modules: modules(&text), hash: hash(&text) }))
    }
}

/// Files of hits by the stem of their model: `<stem>.<process>.hits`.
fn by_model(runs: &[(Run, PathBuf)]) -> Result<BTreeMap<String, Vec<PathBuf>>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for (_, own) in runs {
        let entries = std::fs::read_dir(own).with_context(|| format!("cannot list {}", repo::shown(own)))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let stem = name.strip_suffix(&format!(".{HITS}")).and_then(|rest| rest.rsplit_once('.'));
            if let Some((stem, _)) = stem {
                found.entry(stem.into()).or_default().push(path);
            }
        }
    }
    Ok(found)
}
