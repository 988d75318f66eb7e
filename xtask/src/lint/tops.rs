// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tops whose emitted Verilog is judged, and where their text is kept.
use crate::repo;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use std::path::PathBuf;

/// Tops whose text is judged, by the name under which it is kept: all of profile `tiny`, and the
/// device of `10g`, which has more queue pairs and a wider edge.
pub fn judged() -> Vec<(String, Top, Config)> {
    let tiny = Top::ALL.iter().map(|&top| (top.name().into(), top, Config::profile(Profile::Tiny)));
    let ten = (format!("{}_10g", Top::RnicW64.name()), Top::RnicW64, Config::profile(Profile::TenG));
    tiny.chain([ten]).collect()
}

/// Where the emitted text of a top or catalogue block is kept for the readers and for people.
pub fn kept(name: &str) -> PathBuf {
    repo::target("lint").join(format!("{name}.v"))
}
