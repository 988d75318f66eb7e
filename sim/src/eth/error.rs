// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong at an Ethernet port.
use std::io;
use std::path::PathBuf;

/// Longest frame, in octets, that any port takes or gives: QEMU's own limit is higher, no Ethernet
/// MTU here is.
pub const MAX_FRAME: usize = 16_384;

/// Why a port was not opened, or stopped working.
#[derive(Debug, thiserror::Error)]
pub enum EthError {
    /// The text is no address.
    #[error(
        "`{text}` is no Ethernet port: {why}; write qemu-dgram:LOCAL,REMOTE, qemu-stream:PATH or tap:NAME"
    )]
    Address {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The text is no wire.
    #[error(
        "`{text}` is no wire: {why}; write for example loss=0.01,delay=50,reorder=0.001,duplicate=0.001,corrupt=0.001,seed=7"
    )]
    Wire {
        /// What was given.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The kernel's address of a unix socket has room for so many octets only.
    #[error(
        "the socket's path {path} has {octets} octets; at most {most} fit: use a shorter folder, one in /tmp"
    )]
    LongPath {
        /// The path.
        path: PathBuf,
        /// Its octets.
        octets: usize,
        /// How many fit.
        most: usize,
    },
    /// Somebody listens there.
    #[error("{0} is in use by a process that is running; end it or choose another path")]
    InUse(PathBuf),
    /// A file that is no socket stands there; it is not ours to remove.
    #[error("{0} exists and is no socket; remove it or choose another path")]
    NotASocket(PathBuf),
    /// The socket cannot be made.
    #[error(
        "the socket {path} cannot be made: {source}; make its folder, or choose one that you may write in"
    )]
    Bind {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The kernel gives no TAP device.
    #[error(
        "TAP device {name}: {step}: {source}; it needs root, or a device that was made for you: \
         `ip tuntap add dev {name} mode tap user $USER && ip link set {name} up`, and /dev/net/tun"
    )]
    Tap {
        /// Name of the device.
        name: String,
        /// What was tried.
        step: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The kernel knows no such Ethernet.
    #[error("there is no Ethernet interface `{0}`; `ip link` lists the interfaces of this machine")]
    NoInterface(String),
    /// The interface is too narrow.
    #[error("interface {name} has an MTU of {mtu} octets; the carrier needs {least}: `ip link set {name} mtu {least}`")]
    Mtu {
        /// Name of the interface.
        name: String,
        /// Its MTU in octets.
        mtu: u64,
        /// The least one.
        least: u64,
    },
    /// The kernel gives no packet socket.
    #[error(
        "interface {name}: {step}: {source}; a packet socket needs root or the capability CAP_NET_RAW: \
         `sudo setcap cap_net_raw+ep` and the path of this program"
    )]
    Packet {
        /// Name of the interface.
        name: String,
        /// What was tried.
        step: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// No Ethernet frame.
    #[error("a frame of {octets} octets; a port takes 14 to {MAX_FRAME}")]
    Length {
        /// Its octets.
        octets: usize,
    },
    /// The port stopped working.
    #[error("{port}: {step}: {source}")]
    Io {
        /// Which port.
        port: String,
        /// What was tried.
        step: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}
