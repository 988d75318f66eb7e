// SPDX-License-Identifier: MIT OR Apache-2.0
//! A guest: Linux with siw in QEMU, without KVM, so that it is the same everywhere.
use super::agent;
use super::bus;
use super::cause::{Cause, Repeat};
use super::channel::{Channel, Job, Output};
use super::prepare::Image;
use super::wire::{Plugged, Wire};
use crate::simulator::Simulator;
use anyhow::{bail, Context, Result};
use ferrowarp_sim::eth::EthAddress;
use std::fs::File;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a guest may take until its first process runs; usual are 10 s, on a machine that is
/// busy with much else more.
const BOOT: Duration = Duration::from_secs(240);
/// How often QEMU is asked whether it lives while it boots.
const ASK: Duration = Duration::from_millis(100);
/// Memory in MiB, and of a guest that has an RNIC: rings, buffers, page tables of its IOMMU.
const MEMORY: &str = "192";
const MEMORY_WITH_RNIC: &str = "384";
/// The lab's number of this machine, where it has one.
const HOST: u8 = 200;
/// Lines of the console that an error shows.
const CONSOLE_LINES: usize = 25;

/// Which siw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Siw {
    /// As Linux has it: no CRC asked for, client-server mode, MPA Rev 2.
    Stock,
    /// The build whose constants are parameters, with these: `mpa_crc_required=1,peer_to_peer=1`.
    Tuned(&'static str),
}

impl Siw {
    /// CRCs on both ways, as the guest that begins asks for them; an RTR before the first Send (RFC
    /// 6581 section 5.2).
    pub const CRC_AND_RTR: Self = Self::Tuned("mpa_crc_required=1,peer_to_peer=1");

    /// A name for files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Tuned(_) => "tuned",
        }
    }
}

/// What is booted.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Which siw.
    pub siw: Siw,
    /// How its Ethernet leaves QEMU.
    pub wire: Wire,
    /// 1 to 254: the last octet of its addresses.
    pub number: u8,
    /// It has the agent of the cases `scripts`, and a port to it.
    pub has_agent: bool,
}

/// A QEMU that runs; dropping it ends it for good.
#[derive(Debug)]
struct Qemu(Child);

impl Drop for Qemu {
    fn drop(&mut self) {
        // it may have ended by itself, which is as well
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A guest that runs; dropping it ends it, which loses nothing.
#[derive(Debug)]
pub struct Guest {
    _qemu: Qemu,
    wire: Plugged,
    channel: Channel,
    agent: Option<UnixStream>,
    kind: Kind,
    folder: PathBuf,
    repeats: Mutex<Vec<Repeat>>,
    /// How long it took to boot.
    pub booted: Duration,
}

impl Guest {
    /// Boots a guest whose sockets and console are in `folder`, and waits until it takes commands.
    /// The folder's path is short, as sockets' are.
    pub fn boot(image: &Image, kind: Kind, folder: &Path) -> Result<Self> {
        let start = Instant::now();
        let control = folder.join(format!("control{}", kind.number));
        let listener = listener(&control)?;
        listener.set_nonblocking(true)?;
        // QEMU connects to both at once
        let beside = kind.has_agent.then(|| listener_of_agent(folder, kind)).transpose()?;
        let wire = Plugged::new(kind.wire, folder, kind.number)?;
        let mut image = image.clone();
        let device = wire.simulator().map(|_| bus::programs());
        let agent = kind.has_agent.then(agent::path);
        let programs: Vec<_> = device.into_iter().flatten().chain(agent).collect();
        if !programs.is_empty() {
            let with_programs = folder.join(format!("initramfs{}", kind.number));
            bus::with_programs(&image.initramfs, &programs, &with_programs)?;
            image.initramfs = with_programs;
        }
        let mut command = command(&image, kind, &wire, folder, &control);
        let messages = File::create(folder.join(format!("qemu{}.log", kind.number)))?;
        command.stdin(Stdio::null()).stdout(messages.try_clone()?).stderr(messages);
        let mut qemu = Qemu(command.spawn().context("QEMU does not start")?);
        // QEMU connects before the guest runs
        let socket = loop {
            match listener.accept() {
                Ok((socket, _)) => break socket,
                Err(e) if e.kind() != std::io::ErrorKind::WouldBlock => return Err(e.into()),
                Err(_) => {}
            }
            let ended = qemu.0.try_wait()?;
            if ended.is_some() || start.elapsed() > BOOT {
                bail!(
                    "QEMU does not begin ({ended:?}):\n{}",
                    tail(&folder.join(format!("qemu{}.log", kind.number)))
                );
            }
            std::thread::sleep(ASK);
        };
        socket.set_nonblocking(false)?;
        let channel = Channel::new(socket)?;
        let agent = beside.map(|listener| listener.accept()).transpose()?.map(|(socket, _)| socket);
        let mut guest = Self {
            _qemu: qemu,
            wire,
            channel,
            agent,
            kind,
            folder: folder.into(),
            repeats: Mutex::default(),
            booted: Duration::ZERO,
        };
        match guest.channel.wait_up(BOOT) {
            Ok(true) => {}
            Ok(false) => bail!("the guest is not up after {BOOT:?}; its console:\n{}", guest.console()),
            Err(e) => {
                let said = tail(&folder.join(format!("qemu{}.log", kind.number)));
                return Err(e.context(format!("QEMU says:\n{said}\nits console:\n{}", guest.console())));
            }
        }
        guest.booted = start.elapsed();
        // the lines of init that say what is missing
        let link = guest.run("rdma link show siw0/1", Duration::from_secs(30))?;
        if link.code != 0 {
            bail!("the guest has no siw0: {}; its console:\n{}", link.stderr.trim(), guest.console());
        }
        Ok(guest)
    }

    /// Notes that something is done again with this guest.
    pub fn repeated(&self, cause: Cause, what: String) {
        self.repeats.lock().unwrap_or_else(PoisonError::into_inner).push(Repeat { cause, what });
    }

    /// What was done again since this was asked last.
    pub fn take_repeats(&self) -> Vec<Repeat> {
        std::mem::take(&mut *self.repeats.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs a shell command to its end; after `timeout` it is killed.
    pub fn run(&self, command: &str, timeout: Duration) -> Result<Output> {
        self.channel.run(command, timeout)
    }

    /// Starts a shell command, such as a server.
    pub fn spawn(&self, command: &str) -> Result<Job> {
        self.channel.spawn(command)
    }

    /// Waits until something in the guest listens on a TCP port of IPv4 or IPv6: siw listens by a
    /// socket of the kernel.
    pub fn wait_listening(&self, port: u16, timeout: Duration) -> Result<()> {
        // state 0A of /proc/net/tcp is LISTEN
        let look = format!(
            "until grep -qiE ':{port:04x} [0-9a-f:]* 0a ' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done"
        );
        let output = self.run(&look, timeout)?;
        output.ok(&format!("wait for a listener on port {port}")).map(drop)
    }

    /// Our end of its Ethernet: open it and be the peer. The peer may change while the guest runs.
    pub fn net(&self) -> EthAddress {
        self.wire.address()
    }

    /// Runs `body` while this machine has an IPv4 address of the lab's network on the guest's wire.
    pub fn beside_host<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.wire.with_host(ipv4(HOST), body)
    }

    /// Our end of the port to agents in it, one after the other.
    pub fn agent(&self) -> Result<UnixStream> {
        let socket = self.agent.as_ref().context("the guest has no port to an agent")?;
        Ok(socket.try_clone()?)
    }

    /// The simulator whose RNIC it has.
    pub fn simulator(&self) -> Result<&Simulator> {
        self.wire.simulator().context("the guest has no RNIC: its case is of another wire")
    }

    /// Its IPv4 address.
    pub fn ipv4(&self) -> Ipv4Addr {
        ipv4(self.kind.number)
    }

    /// Its Ethernet address.
    pub fn mac(&self) -> [u8; 6] {
        mac(self.kind.number)
    }

    /// Its IPv6 address.
    pub fn ipv6(&self) -> Ipv6Addr {
        ipv6(self.kind.number)
    }

    /// Its kernel has met a fault of its own.
    pub fn has_failed(&self) -> bool {
        let console = self.folder.join(format!("console{}", self.kind.number));
        let text = std::fs::read(console).unwrap_or_default();
        String::from_utf8_lossy(&text).contains("Oops: ")
    }

    /// The end of what it wrote on its console, and of what QEMU said.
    pub fn console(&self) -> String {
        let own = |name: &str| tail(&self.folder.join(name));
        let number = self.kind.number;
        format!("{}\nQEMU: {}", own(&format!("console{number}")), own(&format!("qemu{number}.log")))
    }
}

/// Waits for QEMU at this path.
fn listener(path: &Path) -> Result<UnixListener> {
    UnixListener::bind(path).with_context(|| format!("cannot make the socket {}", path.display()))
}

fn agent_socket(folder: &Path, kind: Kind) -> PathBuf {
    folder.join(format!("agent{}", kind.number))
}

fn listener_of_agent(folder: &Path, kind: Kind) -> Result<UnixListener> {
    listener(&agent_socket(folder, kind))
}

/// IPv4 address of a number in the lab's network, 10.66.0.0/24.
pub fn ipv4(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 66, 0, number)
}

/// IPv6 address of a number in the lab's network, fd66::/64.
pub fn ipv6(number: u8) -> Ipv6Addr {
    Ipv6Addr::new(0xfd66, 0, 0, 0, 0, 0, 0, u16::from(number))
}

/// Ethernet address of a number: locally administered.
pub fn mac(number: u8) -> [u8; 6] {
    [0x52, 0x54, 0, 0x66, 0, number]
}

/// QEMU as it is started: by the loader of the Debian system that holds it, as this machine's
/// libraries are older.
fn command(image: &Image, kind: Kind, wire: &Plugged, folder: &Path, control: &Path) -> Command {
    let in_root = |path: &str| image.root.join(path);
    let mut command = Command::new(in_root("usr/lib64/ld-linux-x86-64.so.2"));
    command.arg("--library-path").arg(in_root("usr/lib/x86_64-linux-gnu"));
    command.arg(in_root("usr/bin/qemu-system-x86_64"));
    for data in ["usr/share/qemu", "usr/share/seabios"] {
        command.arg("-L").arg(in_root(data));
    }
    command.args(["-accel", "tcg", "-cpu", "max"]);
    let mut machine = "q35".to_string();
    match wire.simulator() {
        None => drop(command.args(["-m", MEMORY])),
        Some(simulator) => {
            // the simulator maps the guest's memory: it must be a file that both have
            machine.push_str(",memory-backend=memory");
            command.args(["-m", MEMORY_WITH_RNIC, "-object"]);
            command.arg(format!("memory-backend-memfd,id=memory,size={MEMORY_WITH_RNIC}M,share=on"));
            command.args(bus::qemu_arguments(simulator));
        }
    }
    command.args(["-machine", &machine]);
    command.args(["-nodefaults", "-display", "none", "-no-reboot"]);
    command.arg("-kernel").arg(&image.kernel).arg("-initrd").arg(&image.initramfs);
    let (siw, set) = match kind.siw {
        Siw::Stock => ("stock", ""),
        Siw::Tuned(set) => ("tuned", set),
    };
    let (ipv4, ipv6) = (ipv4(kind.number), ipv6(kind.number));
    let iommu = wire.simulator().map_or("", |_| " intel_iommu=on no_timer_check");
    command.arg("-append").arg(format!(
        "console=ttyS0 quiet panic=-1 siw={siw} siw_set={set} addr={ipv4}/24 addr6={ipv6}/64{iommu}"
    ));
    command.arg("-serial").arg(format!("file:{}", folder.join(format!("console{}", kind.number)).display()));
    command.arg("-netdev").arg(wire.netdev());
    let mac = mac(kind.number).map(|octet| format!("{octet:02x}")).join(":");
    command.arg("-device").arg(format!("virtio-net-pci,netdev=net,mac={mac},romfile="));
    command.arg("-chardev").arg(format!("socket,id=control,path={}", control.display()));
    command.args(["-device", "virtio-serial-pci"]);
    command.args(["-device", "virtserialport,chardev=control,name=ferrowarp"]);
    if kind.has_agent {
        let agent = agent_socket(folder, kind);
        command.arg("-chardev").arg(format!("socket,id=agent,path={}", agent.display()));
        command.args(["-device", "virtserialport,chardev=agent,name=ferrowarp-agent"]);
    }
    command
}

/// The last lines of a file.
fn tail(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(CONSOLE_LINES)..].join("\n")
}
