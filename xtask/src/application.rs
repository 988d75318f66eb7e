// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp tour` as a process of ours: an application at a simulated device.
use crate::child;
use crate::programs::Programs;
use anyhow::{ensure, Context, Result};
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};

/// An application; dropping it ends it.
pub struct Application(Option<Child>);

impl Application {
    /// `net` is what its URL has behind the path.
    pub fn start(
        programs: &Programs,
        socket: &Path,
        net: &str,
        arguments: &[impl AsRef<OsStr>],
    ) -> Result<Self> {
        let url = format!("vfio-user:{};{net}", socket.display());
        let mut command = programs.command("ferrowarp");
        command.args(["tour", "--device", &url]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().with_context(|| format!("cannot start {}", child::shown(&command)))?;
        Ok(Self(Some(child)))
    }

    /// Waits until a server says on standard error that it listens. Lines before that one are
    /// warnings, which are passed on.
    pub fn listens(&mut self) -> Result<()> {
        let pipe = self.0.as_mut().and_then(|child| child.stderr.as_mut()).context("the application runs")?;
        let mut line = vec![];
        while !line.starts_with(b"listening") || !line.ends_with(b"\n") {
            if line.ends_with(b"\n") {
                complain!("{}", String::from_utf8_lossy(&line).trim_end());
                line.clear();
            }
            let mut octet = [0];
            pipe.read_exact(&mut octet).context("the server ends before it listens")?;
            line.extend(octet);
        }
        Ok(())
    }

    /// Its end: what it printed; the error is what it complained of.
    pub fn said(mut self) -> Result<String> {
        let output = self.0.take().context("the application runs")?.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`ferrowarp tour`: {said}{complaint}");
        Ok(said)
    }
}

impl Drop for Application {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // it may have ended by itself, which is as well
            drop(child.kill());
            drop(child.wait());
        }
    }
}
