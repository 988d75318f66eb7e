// SPDX-License-Identifier: MIT OR Apache-2.0
//! What stands between the device's PCI Express edge and the host: a root complex, which serves
//! every TLP and judges it by the base specification without a line of what made it, and the PCI
//! Express block's configuration space. `sim/README.md` has the rules of use.
//!
//! `rules` says what a TLP must be for itself, `root` what it must be after what went before,
//! `bar_read` what a completion must be, `completer` how reads are answered, `agent` stands on
//! the ports, `straddle` is the form in which TLPs come at 128 bits. Sections named in the texts
//! are those of the PCI Express Base Specification, revision 2.1.

mod agent;
mod bar_read;
mod block;
mod bus_state;
mod completer;
mod config;
mod config_space;
mod link_pins;
mod root;
mod rules;
mod straddle;
mod tlp;

pub(crate) use agent::PcieAgent;
pub use agent::PciePorts;
pub use bus_state::BusState;
pub use completer::Misdeed;
pub use config::RcConfig;
pub(crate) use config::GRACE;
pub use config_space::{Bar, ConfigSpace, Identity, LinkShape, MsixPlace, Written, CONFIG_OCTETS};
pub use root::{BarAnswer, Flow, RootComplex};
pub use rules::{judge, Broken, Sent, Violation};
pub use straddle::{Straddle, Straddled};
pub(crate) use tlp::{is_last_completion, is_non_posted, lanes};
pub use tlp::{Completion, Request, Status};
