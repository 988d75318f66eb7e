// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a stage keeps of the row that comes by on the admin port's bus.
use crate::gen::{ConnRow, UnpackConnRow};
use crate::prelude::*;
use ferrowarp_abi::host::conn_row::CONN;

/// Words of the longest row.
const WORDS: usize = 18;

/// Bits of each word of a connection row that hold these fields; octet 0 of a word is its bits 7:0.
pub(super) fn holding(fields: &[&str]) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    for name in fields {
        let field = CONN.fields.iter().find(|f| f.name == *name);
        let field = field.unwrap_or_else(|| panic!("a connection row has no field `{name}`"));
        for bit in field.offset..field.offset + field.width {
            let (octet, in_octet) = (bit / 8, 7 - bit % 8);
            words[octet / 8] |= 1 << (octet % 8 * 8 + in_octet);
        }
    }
    words
}

/// Keeps the bits of a row's words that it was made for; all others are zero and cost nothing. A
/// row that is side by side in one place only, and shown to all stages from there, is a thousand
/// long wires: the bus is 70, and each stage has its own fields beside it.
#[block(clock)]
pub struct RowTap {
    /// A word comes by.
    pub write: Signal<In, Bit>,
    /// Its number; the row ends at 17, what lies beyond is not heard.
    pub at: Signal<In, Bits<5>>,
    /// The word, octet 0 in bits 7:0.
    pub word: Signal<In, Bits<64>>,
    /// The words that came last, word 0 in bits 63:0.
    pub octets: Signal<Out, Bits<1152>>,
    kept: [Flop<Bits<64>>; WORDS],
    mask: [Const<Bits<64>>; WORDS],
    offset: [Const<Bits<11>>; WORDS],
    piece: Signal<Local, Bits<64>>,
    all: Signal<Local, Bits<1152>>,
}

impl RowTap {
    /// A tap for these bits of each word.
    pub fn new(bits: [u64; WORDS]) -> Self {
        Self {
            mask: bits.map(|word| Const::of(word as usize)),
            offset: std::array::from_fn(|i| Const::of(64 * i)),
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for RowTap {
    fn update(&mut self) {
        self.all.next = 0.into();
        for i in 0..18 {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].d.next = self.kept[i].q.val();
            if self.write.val() && (self.at.val() == i.to_bits()) {
                self.kept[i].d.next = self.word.val();
            }
            self.piece.next = self.kept[i].q.val() & self.mask[i].val();
            self.all.next = self.all.val() | (bit_cast::<1152, 64>(self.piece.val()) << self.offset[i].val());
        }
        self.octets.next = self.all.val();
    }
}

/// A connection's row as one stage needs it, beside that stage; fields that it has no use for are
/// zero. A word is there two cycles after it came by; the first step of a command is offered no
/// earlier than two after its row's last word.
#[block(clock)]
pub struct ConnTap {
    /// Synchronous reset: no word is on its way; the row means nothing before its words came.
    pub reset: Signal<In, Bit>,
    /// As [`RowTap`].
    pub write: Signal<In, Bit>,
    /// As [`RowTap`].
    pub at: Signal<In, Bits<5>>,
    /// As [`RowTap`].
    pub word: Signal<In, Bits<64>>,
    /// The row.
    pub row: Signal<Out, ConnRow>,
    comes: Reg<Bit>,
    number: Flop<Bits<5>>,
    octets: Flop<Bits<64>>,
    tap: RowTap,
    unpack: UnpackConnRow,
}

impl ConnTap {
    /// What TCP receive needs: the 4-tuple, the VLAN, and what its segments are judged by.
    pub fn net_rx() -> Self {
        Self::of(&[
            "vlan_tci",
            "has_vlan",
            "is_ipv6",
            "local_ip",
            "remote_ip",
            "local_port",
            "remote_port",
            "snd_scale",
            "rcv_nxt",
            "snd_una",
            "snd_nxt",
            "snd_wnd",
            "snd_wl1",
            "snd_wl2",
        ])
    }

    /// What TCP transmit needs: its headers, and where the stream is.
    pub fn tcp_tx() -> Self {
        Self::of(&[
            "destination_mac",
            "source_mac",
            "vlan_tci",
            "has_vlan",
            "is_ipv6",
            "gate_open",
            "ack_now",
            "tx_markers",
            "tx_crc",
            "timestamps",
            "local_ip",
            "remote_ip",
            "local_port",
            "remote_port",
            "ttl",
            "traffic_class",
            "rcv_scale",
            "retry_limit",
            "emss",
            "rtt",
            "rcv_nxt",
            "snd_una",
            "snd_nxt",
            "snd_wnd",
            "tx_seq_start",
            "flow_label",
            "keepalive",
        ])
    }

    fn of(fields: &[&str]) -> Self {
        Self { tap: RowTap::new(holding(fields)), ..Default::default() }
    }
}

#[kernel]
impl Logic for ConnTap {
    fn update(&mut self) {
        regs!(comes);
        flops!(number, octets);
        clocked!(tap);
        self.comes.d.next = self.write.val();
        self.number.d.next = self.at.val();
        self.octets.d.next = self.word.val();
        self.tap.write.next = self.comes.q.val();
        self.tap.at.next = self.number.q.val();
        self.tap.word.next = self.octets.q.val();
        self.unpack.octets.next = self.tap.octets.val();
        self.row.next = self.unpack.record.val();
    }
}

#[cfg(test)]
mod tests {
    use super::holding;

    #[test]
    fn fields_lie_where_the_table_says() {
        // IPv6's flag is the second highest bit of octet 14, EMSS is octets 58 and 59
        let words = holding(&["is_ipv6", "emss"]);
        assert_eq!((words[1], words[7]), (0x40 << 48, 0xFFFF << 16));
        assert_eq!(words.iter().filter(|&&w| w != 0).count(), 2);
    }

    #[test]
    #[should_panic(expected = "no field `mss`")]
    fn a_field_that_is_not_there_is_told() {
        holding(&["mss"]);
    }
}
