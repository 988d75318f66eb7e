// SPDX-License-Identifier: MIT OR Apache-2.0
//! libfabric's programs on two simulated devices, by its provider `verbs`. libfabric looks for
//! devices by the host's interfaces, so the library of `interfaces.c` is preloaded.
use super::link::INTERFACES;
use super::pairs::{asked, PATIENCE};
use super::place::{Place, ADDRESSES};
use crate::steps::Step;
use anyhow::{ensure, Context, Result};
use std::net::TcpListener;
use std::path::Path;

/// What `fi_info` says of the device `fw0`.
const SAYS: [&str; 3] = ["domain: fw0", "type: FI_EP_MSG", "protocol: FI_PROTO_IWARP"];
/// Messages of each end, with their octets compared; 4,096 octets each.
const PINGPONG: &str = "fi_pingpong -p verbs -e msg -c -I 10 -S 4096";

/// Runs `fi_info` and `fi_pingpong`. The answer is how many there were.
pub fn run(step: &Step, library: &Path, folder: &Path) -> Result<usize> {
    let place = Place::new(library, folder, &ADDRESSES)?;
    let preloaded = |words: &str| format!("env LD_PRELOAD={INTERFACES} {words}");
    let info = "fi_info -p verbs";
    step.note(info);
    let said = place.start(0, &preloaded(info))?.done(PATIENCE)?;
    let missing: Vec<_> = SAYS.iter().filter(|text| !said.contains(**text)).collect();
    ensure!(missing.is_empty(), "`{info}` does not say {missing:?}:\n{said}");
    step.line(&format!("    {info}"));
    step.note(PINGPONG);
    // the programs agree on sizes by a connection of the host
    let free = TcpListener::bind("127.0.0.1:0").context("cannot take a port of the host")?;
    let port = free.local_addr()?.port();
    drop(free);
    let serves = place.start(0, &preloaded(&format!("{PINGPONG} -B {port}")))?;
    let client = preloaded(&format!("{PINGPONG} -P {port} 127.0.0.1"));
    let said = asked(|| place.start(1, &client))?;
    ensure!(said.contains("4k      10      =10"), "`{PINGPONG}` does not say that 10 messages came:\n{said}");
    serves.done(PATIENCE)?;
    step.line(&format!("    {PINGPONG}"));
    place.finish()?;
    Ok(2)
}
