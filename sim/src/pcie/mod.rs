//! What stands between the edge and the host: the PCI Express block's configuration space.

mod config_space;

pub use config_space::{Bar, ConfigSpace, Identity, LinkShape, MsixPlace, Written, CONFIG_OCTETS};
