// SPDX-License-Identifier: MIT OR Apache-2.0
//! The case `tour`: the exchange of `demo --peer siw`.
use super::run::Run;
use crate::benchfile::Figures;
use crate::demo::siw;
use crate::repo;
use anyhow::{Context, Result};

/// The demo's exchange.
pub fn tour(run: &Run<'_>) -> Result<Figures> {
    let folder = repo::target("interop").join("tour");
    let (_, capture) = siw::exchange(&run.guests[0], &folder, siw::OCTETS, &[])?;
    std::fs::copy(capture, run.capture).context("the simulator's capture")?;
    Ok(Figures::new())
}
