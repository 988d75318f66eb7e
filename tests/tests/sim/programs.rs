// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs as a user runs them.
use ferrowarp_tests::built;
use rustix::process::{kill_process, Pid, Signal};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// For the model, which may have to be built first.
pub const BUILT: Duration = Duration::from_secs(900);
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A folder that is removed in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ferrowarp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn device(&self, name: &str) -> String {
        format!("vfio-user:{}", self.0.join(name).display())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A program that is killed if a test ends before it does.
pub struct Running(pub Option<Child>);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        Self(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
    }

    /// Waits for its end.
    pub fn output(mut self, most: Duration) -> Output {
        let mut child = self.0.take().unwrap();
        let end = Instant::now() + most;
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                child.kill().unwrap();
                panic!("it does not end: {:?}", child.wait_with_output().unwrap());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        child.wait_with_output().unwrap()
    }

    pub fn terminate(&self) {
        let pid = Pid::from_child(self.0.as_ref().unwrap());
        kill_process(pid, Signal::TERM).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

pub fn simulator(args: &[&str]) -> Command {
    let mut command = Command::new(built("ferrowarp-sim"));
    command.args(args);
    command
}

pub fn ping(device: &str, ip: u8, more: &[&str]) -> Running {
    on("ping", device, ip, more)
}

pub fn tour(device: &str, ip: u8, more: &[&str]) -> Running {
    on("tour", device, ip, more)
}

pub fn perf(device: &str, ip: u8, more: &[&str]) -> Running {
    on("perf", device, ip, more)
}

fn on(what: &str, device: &str, ip: u8, more: &[&str]) -> Running {
    let url = format!("{device};ip=10.0.0.{ip}/24");
    let mut command = Command::new(built("ferrowarp"));
    Running::start(command.args([what, "--json", "--device", &url, "--patience", "60"]).args(more))
}

pub fn await_file(path: &Path, program: &mut Running) {
    let end = Instant::now() + BUILT;
    while !path.exists() {
        let ended = program.0.as_mut().unwrap().try_wait().unwrap();
        assert!(ended.is_none() && Instant::now() < end, "no {}: {ended:?}", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The kernel gives TAP devices to this process: it is root.
pub fn has_taps() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.contains("\nUid:\t0\t0\t") && Path::new("/dev/net/tun").exists()
}

/// What ip(8) says.
pub fn ip(args: &[&str]) -> String {
    let output = Command::new("ip").args(args).output().unwrap();
    assert!(output.status.success(), "ip {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}
