// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a case is, and what a case runs with.
use super::guest::{Guest, Siw};
use super::wire::Wire;
use crate::benchfile::Figures;
use crate::steps::Step;
use anyhow::Result;
use ferrowarp_sim::pcap::tshark::Summary;
use std::path::Path;

/// One case. Cases of one [`Siw`] and [`Wire`] share a boot and run in the order of the table; a
/// case leaves the guests as it found them, with no job running.
pub struct Case {
    /// Name for `--only`, and of its capture.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub about: &'static str,
    /// Which siw its guests have.
    pub siw: Siw,
    /// How the Ethernet of its guests leaves QEMU.
    pub wire: Wire,
    /// How many guests it needs.
    pub guests: u8,
    /// Does it; writes the capture of all that passed the wire.
    pub body: fn(&Run<'_>) -> Result<Figures>,
    /// Looks whether the capture, which has no fault, shows what must have happened. Nobody judges
    /// a case without it: its peers do wrong on purpose.
    pub check: Option<fn(&Summary) -> Result<()>>,
    /// Too long for each run: it runs with `FERROWARP_FULL=1`, or if `--only` has its whole name.
    pub full: bool,
}

/// What a case runs with.
pub struct Run<'a> {
    /// Its guests, numbered from 1: at least as many as it asked for.
    pub guests: &'a [Guest],
    /// Where its capture goes.
    pub capture: &'a Path,
    /// Where it tells how it goes on.
    pub step: &'a Step,
}
