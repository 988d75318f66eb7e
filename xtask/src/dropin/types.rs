// SPDX-License-Identifier: MIT OR Apache-2.0
//! Types of rdma-core's headers, by bindgen: layouts with their assertions, and constants.
use crate::gen::rustfmt;
use crate::repo;
use crate::steps::Step;
use anyhow::{Context, Result};
use ferrowarp_hdl::emit::LICENSE_LINE;
use std::process::Command;

/// The committed file.
const FILE: &str = "driver/dropin/src/gen/mod.rs";
/// Behind the licence line.
const NOTICE: &str = "\
// Written by `cargo xtask dropin --types` from the headers of rdma-core 44. Do not edit.
// rdma-core is offered under the GPL version 2 or the OpenIB.org BSD licence; here the latter is chosen:
// Copyright (c) 2004, 2005 Topspin Communications, 2004, 2011-2012 Intel Corporation, 2005, 2006, 2007 Cisco Systems,
// 2005 PathScale, 2005 Voltaire, 2005 Mellanox Technologies; all rights reserved.
//! Types of `infiniband/verbs.h`, `rdma/rdma_cma.h`, `rdma/rdma_verbs.h` and `rdma/rsocket.h`.
";
const HEADERS: &str = "\
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <rdma/rsocket.h>
";
/// What is taken, and how.
const OPTIONS: [&str; 22] = [
    "--ignore-functions",
    "--use-core",
    "--no-doc-comments",
    "--no-prepend-enum-name",
    "--with-derive-default",
    "--no-derive-debug",
    "--rust-edition",
    "2021",
    "--rust-target",
    "1.82",
    "--allowlist-type",
    "ibv_.*|verbs_.*|rdma_.*",
    "--allowlist-var",
    "RDMA_.*|RAI_.*|IBV_.*",
    "--opaque-type",
    "ibv_flow_.*|ibv_sa_.*",
    "--blocklist-type",
    "_*pthread_.*",
    "--raw-line",
    "use libc::{pthread_cond_t, pthread_mutex_t};",
    "--formatter",
    "none",
];

/// Writes the file.
pub fn write(step: &Step) -> Result<()> {
    let header = repo::target("dropin-headers.h");
    repo::write(&header, HEADERS)?;
    let mut bindgen = Command::new("bindgen");
    let text = step
        .capture(bindgen.arg(&header).args(OPTIONS))
        .context("bindgen and rdma-core's headers are needed: `cargo install bindgen-cli@0.72.1`, Debian's libibverbs-dev, librdmacm-dev and libclang-dev")?;
    let text = rustfmt(&repo::root(), &format!("{LICENSE_LINE}\n{NOTICE}{text}"))?;
    repo::write(&repo::root().join(FILE), &text)?;
    step.line(&format!("wrote {FILE}"));
    Ok(())
}
