// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ethernet ports: where a simulated device meets a real peer, in wall time.
//!
//! An [`EthAddress`] says which port, [`EthAddress::open`] gives it as an [`EthPort`], and a
//! [`Bridge`] plays the MAC of a device between the port and the device's streams.

mod bridge;
mod dgram;
mod error;
mod impaired;
mod joined;
mod packet;
mod path;
mod port;
mod stream;
mod tap;
mod tick;

pub use bridge::{Bridge, BridgeConfig, BridgeError, BridgeStats};
pub use dgram::DgramPort;
pub use error::{EthError, MAX_FRAME};
pub use joined::{JoinedPort, Wire};
pub use packet::PacketPort;
pub(crate) use path::SocketFile;
use port::wait_for;
pub use port::{wait, Delivery, EthPort};
pub use stream::StreamPort;
pub use tap::TapPort;
pub use tick::{NoTick, Tick, WallTick};

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which port, as text: `qemu-dgram:LOCAL,REMOTE`, `qemu-stream:PATH` or `tap:NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EthAddress {
    /// Peer of QEMU's `-netdev dgram` on unix sockets, one datagram a frame.
    QemuDgram {
        /// Our socket: QEMU's `remote.path`.
        local: PathBuf,
        /// QEMU's socket: its `local.path`.
        remote: PathBuf,
    },
    /// Server for QEMU's `-netdev stream` on a unix socket.
    QemuStream {
        /// Our socket: QEMU's `addr.path`.
        path: PathBuf,
    },
    /// A TAP device of this machine's kernel.
    Tap {
        /// Its name.
        name: String,
    },
}

impl EthAddress {
    /// Opens the port: binds sockets, attaches to the TAP device.
    pub fn open(&self) -> Result<Box<dyn EthPort>, EthError> {
        Ok(match self {
            Self::QemuDgram { local, remote } => Box::new(DgramPort::bind(local, remote)?),
            Self::QemuStream { path } => Box::new(StreamPort::listen(path)?),
            Self::Tap { name } => Box::new(TapPort::open(name)?),
        })
    }
}

impl FromStr for EthAddress {
    type Err = EthError;

    fn from_str(text: &str) -> Result<Self, EthError> {
        let wrong = |why| EthError::Address { text: text.into(), why };
        let (kind, rest) = text.split_once(':').ok_or_else(|| wrong("it has no kind"))?;
        match kind {
            "qemu-dgram" => {
                let (local, remote) = rest.split_once(',').ok_or_else(|| wrong("it has only one socket"))?;
                if local.is_empty() || remote.is_empty() || remote.contains(',') {
                    return Err(wrong("it needs two sockets with a comma between them"));
                }
                if local == remote {
                    return Err(wrong("both sockets are the same"));
                }
                Ok(Self::QemuDgram { local: local.into(), remote: remote.into() })
            }
            "qemu-stream" if rest.is_empty() => Err(wrong("it has no socket")),
            "qemu-stream" => Ok(Self::QemuStream { path: rest.into() }),
            "tap" if !tap::is_name(rest) => {
                Err(wrong("a device's name has 1 to 15 octets and neither space nor slash"))
            }
            "tap" => Ok(Self::Tap { name: rest.into() }),
            _ => Err(wrong("there is no such kind")),
        }
    }
}

impl fmt::Display for EthAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QemuDgram { local, remote } => {
                write!(f, "qemu-dgram:{},{}", local.display(), remote.display())
            }
            Self::QemuStream { path } => write!(f, "qemu-stream:{}", path.display()),
            Self::Tap { name } => write!(f, "tap:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in ["qemu-dgram:/tmp/a,/tmp/b", "qemu-stream:/tmp/s", "tap:fw0"] {
            assert_eq!(text.parse::<EthAddress>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_addresses_are_told_with_their_text_and_the_forms_there_are() {
        let wrong = [
            ("", "no kind"),
            ("eth0", "no kind"),
            ("udp:1,2", "no such kind"),
            ("qemu-dgram:/tmp/a", "only one socket"),
            ("qemu-dgram:,/tmp/a", "two sockets"),
            ("qemu-dgram:/a,/b,/c", "two sockets"),
            ("qemu-dgram:/a,/a", "the same"),
            ("qemu-stream:", "no socket"),
            ("tap:", "1 to 15 octets"),
            ("tap:a name", "neither space"),
            ("tap:a23456789012345x", "1 to 15 octets"),
        ];
        for (text, why) in wrong {
            let told = text.parse::<EthAddress>().unwrap_err().to_string();
            assert!(told.contains(&format!("`{text}`")) && told.contains(why), "{told}");
            assert!(told.contains("qemu-dgram:LOCAL,REMOTE"), "{told}");
        }
    }
}
