// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp-sim` as a process of ours: devices behind vfio-user sockets.
use crate::programs::Programs;
use crate::steps::Step;
use crate::{child, repo};
use anyhow::{bail, ensure, Context, Result};
use ferrowarp_hdl::top::Top;
use ferrowarp_tests::built::SELECTION;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long it may take until all sockets are there, the model being built.
const START: Duration = Duration::from_secs(60);
/// How long it may take to end in order.
const END: Duration = Duration::from_secs(20);
/// How often it is looked at while something is awaited.
const ASK: Duration = Duration::from_millis(20);

/// A device that it serves.
#[derive(Debug)]
pub struct Device {
    /// Its vfio-user socket, as programs see the path.
    pub socket: PathBuf,
    /// Its Ethernet port, as `--eth` takes it.
    pub eth: String,
    /// Where its frames are recorded.
    pub capture: PathBuf,
}

/// A simulator that runs; dropping it ends it at once.
#[derive(Debug)]
pub struct Simulator {
    child: Mutex<Option<Child>>,
    devices: Vec<Device>,
    /// The devices' sockets, as we see the paths.
    sockets: Vec<PathBuf>,
    log: PathBuf,
}

impl Simulator {
    /// Starts the one that Cargo built, as [`Simulator::of`] does.
    pub fn start(devices: Vec<Device>, more: &[&str], log: &Path) -> Result<Self> {
        Self::of(&Programs::built(), devices, more, log)
    }

    /// Starts it and waits until every device can be opened. What it says goes to the file `log`.
    pub fn of(programs: &Programs, devices: Vec<Device>, more: &[&str], log: &Path) -> Result<Self> {
        let mut command = programs.command("ferrowarp-sim");
        for device in &devices {
            command.arg("--device").arg(format!("vfio-user:{}", device.socket.display()));
            command.args(["--eth", &device.eth]).arg("--pcap").arg(&device.capture);
        }
        command.arg("--json").args(more);
        let messages = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(messages);
        let child = command.spawn().with_context(|| format!("cannot start {}", child::shown(&command)))?;
        let sockets = devices.iter().map(|device| programs.outside(&device.socket)).collect();
        let simulator = Self { child: Mutex::new(Some(child)), devices, sockets, log: log.into() };
        let start = Instant::now();
        while !simulator.sockets.iter().all(|socket| socket.exists()) {
            let mut child = simulator.child.lock().unwrap_or_else(PoisonError::into_inner);
            let ended = child.as_mut().map(Child::try_wait).transpose()?.flatten();
            ensure!(
                ended.is_none() && start.elapsed() < START,
                "no device is served ({ended:?}):\n{}",
                simulator.said()
            );
            drop(child);
            std::thread::sleep(ASK);
        }
        Ok(simulator)
    }

    /// What it has said so far beside its statistics.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// What it serves.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Ends it as a user does, by a signal; the captures are whole then. Returns its statistics.
    pub fn finish(&self) -> Result<serde_json::Value> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take();
        let child = child.as_mut().context("the simulator has been ended before")?;
        let pid = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).context("ferrowarp-sim")?;
        let start = Instant::now();
        while child.try_wait()?.is_none() {
            if start.elapsed() > END {
                child.kill()?;
                child.wait()?;
                bail!("ferrowarp-sim did not end within {END:?} of SIGINT");
            }
            std::thread::sleep(ASK);
        }
        let mut text = String::new();
        if let Some(stdout) = &mut child.stdout {
            stdout.read_to_string(&mut text)?;
        }
        for socket in &self.sockets {
            ensure!(!socket.exists(), "ferrowarp-sim left {} behind", socket.display());
        }
        let told: serde_json::Value = serde_json::from_str(&text)
            .with_context(|| format!("ferrowarp-sim's statistics are no JSON: {text}"))?;
        ensure!(told["ok"] == true, "ferrowarp-sim: {told}");
        Ok(told)
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // it may have ended by itself, which is as well
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// Builds it and the tool `ferrowarp`.
pub fn programs(step: &Step) -> Result<()> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repo::root()).arg("build");
    cargo.args(SELECTION).args(["--bin", "ferrowarp-sim", "--bin", "ferrowarp"]);
    child::capture_with(&mut cargo, |line| step.note(line)).map(drop)
}

/// Builds both, and the model that a simulated device is.
pub fn prepare(step: &Step) -> Result<()> {
    programs(step)?;
    step.note("Rust-HDL to Verilog, Verilator, C++: a few minutes if it is not there yet");
    let config = ferrowarp_tests::device::config();
    ferrowarp_sim::model(Top::RnicW64, &config).context("model of the device")?;
    Ok(())
}

/// Builds the model that writes waveforms: the simulator has no time for this behind a socket that
/// somebody waits for.
pub fn prepare_traced(step: &Step) -> Result<()> {
    step.note("the model that writes waveforms: half a minute if it is not there yet");
    let config = ferrowarp_tests::device::config();
    ferrowarp_sim::traced_model(Top::RnicW64, &config).context("traced model of the device")?;
    Ok(())
}
