// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posted writes become memory write requests.
use super::align::WriteAlign;
use super::cut::TlpCut;
use super::head::TlpHead;
use super::pack::TlpPack;
use super::ports::PcieConfig;
use super::swap::DwSwap;
use super::write_split::WriteSplit;
use crate::emit::{Part, Table};

/// Each command and its frame leave as MWr TLPs, cut at multiples of Max_Payload_Size of address.
/// `D` = `2 * W`.
///
/// **Contract.** Commands and frames pair in order; a frame has exactly the octets of its command
/// and no `err`. Writes and their TLPs keep their order. `taken` counts commands taken, modulo
/// 2^16; `tx_ends` stands beside a TLP that is the last one of its write.
///
/// **Timing.** Four cycles from a command and the first beat of its frame to the TLP's first beat;
/// a beat a cycle, none lost between TLPs.
pub fn tx_write<const W: usize, const K: usize, const D: usize>() -> Table {
    let parts = vec![
        Part::new("split", WriteSplit::default),
        Part::new("cut", TlpCut::new),
        Part::new("heads", || TlpHead::new(true)),
        Part::new("align", WriteAlign::<W, K>::default),
        Part::new("swap", DwSwap::<W>::new),
        Part::new("pack", TlpPack::<W, K, D>::new),
    ];
    Table::new(parts)
        .input::<PcieConfig>("cfg")
        .joins(&[
            ("cfg.mps", "cut.size"),
            ("cfg.id", "heads.id"),
            ("split.cut", "cut.rx"),
            ("split.off", "align.off"),
            ("cut.tx", "heads.rx"),
            ("heads.tx", "pack.head"),
            ("align.tx_data", "swap.x"),
            ("swap.y", "pack.rx_data"),
            ("align.tx_bytes", "pack.rx_bytes"),
            ("align.tx_last", "pack.rx_last"),
            ("align.tx_err", "pack.rx_err"),
            ("align.tx_valid", "pack.rx_valid"),
            ("pack.rx_ready", "align.tx_ready"),
        ])
        .exports(&[
            ("split.wr_cmd", "wr_cmd"),
            ("align.rx", "wr"),
            ("pack.tx", "tx"),
            ("split.taken", "taken"),
        ])
}
