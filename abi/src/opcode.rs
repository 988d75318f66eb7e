// SPDX-License-Identifier: MIT OR Apache-2.0
//! RDMAP's opcodes (RFC 5040 section 4.1, figure 4; section 4.2).

/// What an opcode implies about its message.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OpcodeInfo {
    /// The opcode.
    pub opcode: Opcode,
    /// Name in documents.
    pub name: &'static str,
    /// Name in generated constants.
    pub snake: &'static str,
    /// DDP model: tagged or untagged.
    pub tagged: bool,
    /// Untagged queue it goes to.
    pub queue: Option<u32>,
    /// Whether the Invalidate STag field names an STag; else it is zero and not examined.
    pub invalidates: bool,
    /// Whether the receiver's consumer asked to be woken by it.
    pub solicited: bool,
    /// Least octets of the RDMAP header after the DDP header.
    pub header_min: usize,
    /// Most octets of it.
    pub header_max: usize,
    /// Whether payload of the consumer follows.
    pub payload: bool,
}

/// Writes the enum and its table from one list.
macro_rules! opcodes {
    ($($number:literal $variant:ident $snake:ident $name:literal: tagged $tagged:literal, queue $queue:expr,
       invalidates $inv:literal, solicited $se:literal, header $min:literal..=$max:literal,
       payload $payload:literal;)*) => {
        /// Number of an RDMA message in the low four bits of RDMAP's control octet.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = $name] $variant = $number,)*
        }

        /// Every opcode; its place is its number.
        pub const OPCODES: [OpcodeInfo; 8] = [$(OpcodeInfo {
            opcode: Opcode::$variant,
            name: $name,
            snake: stringify!($snake),
            tagged: $tagged,
            queue: $queue,
            invalidates: $inv,
            solicited: $se,
            header_min: $min,
            header_max: $max,
            payload: $payload,
        },)*];
    };
}

opcodes! {
    0 RdmaWrite rdma_write "RDMA Write": tagged true, queue None,
        invalidates false, solicited false, header 0..=0, payload true;
    1 ReadRequest read_request "RDMA Read Request": tagged false, queue Some(1),
        invalidates false, solicited false, header 28..=28, payload false;
    2 ReadResponse read_response "RDMA Read Response": tagged true, queue None,
        invalidates false, solicited false, header 0..=0, payload true;
    3 Send send "Send": tagged false, queue Some(0),
        invalidates false, solicited false, header 0..=0, payload true;
    4 SendInvalidate send_invalidate "Send with Invalidate": tagged false, queue Some(0),
        invalidates true, solicited false, header 0..=0, payload true;
    5 SendSolicited send_solicited "Send with Solicited Event": tagged false, queue Some(0),
        invalidates false, solicited true, header 0..=0, payload true;
    6 SendSolicitedInvalidate send_solicited_invalidate "Send with Solicited Event and Invalidate":
        tagged false, queue Some(0), invalidates true, solicited true, header 0..=0, payload true;
    7 Terminate terminate "Terminate": tagged false, queue Some(2),
        invalidates false, solicited false, header 4..=52, payload false;
}

const _: () = {
    let mut i = 0;
    while i < OPCODES.len() {
        let info = &OPCODES[i];
        assert!(info.opcode as usize == i, "an opcode's place in the table is not its number");
        assert!(info.tagged != info.queue.is_some(), "an opcode is tagged or has a queue, not both");
        assert!(info.header_min <= info.header_max, "an opcode's header bounds are exchanged");
        i += 1;
    }
};

impl Opcode {
    /// The opcode of this number; `None` for the reserved 8 to 15 and for what has more than four
    /// bits.
    pub fn from_bits(bits: u8) -> Option<Self> {
        OPCODES.get(usize::from(bits)).map(|info| info.opcode)
    }

    /// The number on the wire.
    pub const fn to_bits(self) -> u8 {
        self as u8
    }

    /// What the opcode implies.
    pub const fn info(self) -> &'static OpcodeInfo {
        &OPCODES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_to_opcodes_and_back() {
        for bits in 0..=255 {
            let opcode = Opcode::from_bits(bits);
            assert_eq!(opcode.is_some(), bits < 8);
            assert!(opcode.is_none_or(|o| o.to_bits() == bits && o.info().opcode == o));
        }
    }

    /// Figure 4 of RFC 5040, row by row, as `rdmap-rfc5040-notes.md` section 2 gives it.
    #[test]
    fn the_table_is_that_of_the_rfc() {
        let rows = OPCODES.map(|o| (o.tagged, o.queue, o.invalidates, o.header_max, o.payload));
        let expected = [
            (true, None, false, 0, true),
            (false, Some(1), false, 28, false),
            (true, None, false, 0, true),
            (false, Some(0), false, 0, true),
            (false, Some(0), true, 0, true),
            (false, Some(0), false, 0, true),
            (false, Some(0), true, 0, true),
            (false, Some(2), false, 52, false),
        ];
        assert_eq!(rows, expected);
    }
}
