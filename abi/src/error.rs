// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every error that a Terminate can carry (RFC 5040 section 4.8, RFC 5041 section 7.2, RFC 5044
//! section 8, RFC 6581 section 8), in one table.

/// When the Terminate quotes the offending DDP header (flags M and D).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum QuoteDdp {
    /// Never: M = D = 0.
    Never,
    /// Always: M = D = 1.
    Always,
    /// M = D = 1 if a whole header of known format was received, else 0.
    IfKnown,
}

/// What is fixed about an error.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ErrorInfo {
    /// The error.
    pub error: TermError,
    /// Name in generated constants.
    pub snake: &'static str,
    /// Layer: 0 RDMAP, 1 DDP, 2 MPA.
    pub layer: u8,
    /// Error type.
    pub etype: u8,
    /// Error code.
    pub code: u8,
    /// Document and section that assign the number.
    pub source: &'static str,
    /// When it is raised.
    pub doc: &'static str,
    /// Flags M and D of the Terminate that we send.
    pub ddp: QuoteDdp,
    /// Whether R is set, and the Read Request header quoted, if a whole Read Request caused the
    /// error.
    pub read_request: bool,
}

/// Writes the enum and its table from one list.
macro_rules! errors {
    ($($layer:literal/$etype:literal $source:literal quotes $ddp:ident, read request $read:literal {
        $($code:literal $variant:ident $snake:ident $doc:literal;)*
    })*) => {
        /// An error of RDMAP, DDP or MPA as a Terminate names it.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
        pub enum TermError {
            $($(#[doc = $doc] $variant,)*)*
        }

        /// Every error, in ascending layer, type and code.
        pub const ERRORS: &[ErrorInfo] = &[$($(ErrorInfo {
            error: TermError::$variant,
            snake: stringify!($snake),
            layer: $layer,
            etype: $etype,
            code: $code,
            source: $source,
            doc: $doc,
            ddp: QuoteDdp::$ddp,
            read_request: $read,
        },)*)*];
    };
}

errors! {
    0/0 "RFC 5040 section 4.8" quotes Never, read request false {
        0x00 RdmapLocalCatastrophic rdmap_local_catastrophic
            "RDMAP: a local fault ends the stream; the type has no codes, we send 0.";
    }
    0/1 "RFC 5040 section 4.8" quotes Always, read request true {
        0x00 RdmapInvalidStag rdmap_invalid_stag
            "RDMAP: a Read Request names an STag that is not valid.";
        0x01 RdmapBaseBounds rdmap_base_bounds
            "RDMAP: a Read Request reaches outside its source buffer.";
        0x02 RdmapAccessRights rdmap_access_rights
            "RDMAP: a Read Request's source buffer does not allow remote reads.";
        0x03 RdmapStagNotOnStream rdmap_stag_not_on_stream
            "RDMAP: a Read Request's source STag belongs to another stream or protection domain.";
        0x04 RdmapToWrap rdmap_to_wrap
            "RDMAP: a Read Request's source offset plus size leaves 64 bits.";
        0x09 RdmapProtectionCannotInvalidate rdmap_protection_cannot_invalidate
            "RDMAP: the STag of a Send with Invalidate may not be invalidated (the one we send).";
        0xFF RdmapProtectionUnspecified rdmap_protection_unspecified
            "RDMAP: a remote protection error without a code of its own.";
    }
    0/2 "RFC 5040 section 4.8" quotes IfKnown, read request true {
        0x05 RdmapInvalidVersion rdmap_invalid_version
            "RDMAP: the version is not that of the stream.";
        0x06 RdmapUnexpectedOpcode rdmap_unexpected_opcode
            "RDMAP: the opcode is reserved or does not go with T and QN.";
        0x07 RdmapCatastrophicStream rdmap_catastrophic_stream
            "RDMAP: a fault confined to this stream.";
        0x08 RdmapCatastrophicGlobal rdmap_catastrophic_global
            "RDMAP: a fault of the whole device.";
        0x09 RdmapOperationCannotInvalidate rdmap_operation_cannot_invalidate
            "RDMAP: the STag of a Send with Invalidate cannot be invalidated (received from others).";
        0xFF RdmapOperationUnspecified rdmap_operation_unspecified
            "RDMAP: a remote operation error without a code of its own.";
    }
    1/0 "RFC 5041 section 7.2" quotes IfKnown, read request false {
        0x00 DdpLocalCatastrophic ddp_local_catastrophic
            "DDP: a local fault ends the stream.";
    }
    1/1 "RFC 5041 section 7.2" quotes Always, read request false {
        0x00 DdpInvalidStag ddp_invalid_stag
            "DDP: a tagged segment's STag is unknown, revoked, or does not allow remote writes.";
        0x01 DdpBaseBounds ddp_base_bounds
            "DDP: a tagged segment reaches outside its buffer.";
        0x02 DdpStagNotOnStream ddp_stag_not_on_stream
            "DDP: a tagged segment's STag belongs to another stream or protection domain.";
        0x03 DdpToWrap ddp_to_wrap
            "DDP: a tagged segment's offset plus length leaves 64 bits.";
        0x04 DdpTaggedVersion ddp_tagged_version
            "DDP: a tagged segment's version is not 1.";
    }
    1/2 "RFC 5041 section 7.2" quotes Always, read request false {
        0x01 DdpInvalidQn ddp_invalid_qn
            "DDP: no untagged queue has this number.";
        0x02 DdpNoBuffer ddp_no_buffer
            "DDP: the MSN lies beyond the posted buffers.";
        0x03 DdpMsnRange ddp_msn_range
            "DDP: the MSN is of a completed message or can never be assigned.";
        0x04 DdpInvalidMo ddp_invalid_mo
            "DDP: the message offset lies outside the buffer.";
        0x05 DdpTooLong ddp_too_long
            "DDP: the message is longer than its buffer.";
        0x06 DdpUntaggedVersion ddp_untagged_version
            "DDP: an untagged segment's version is not 1.";
    }
    2/0 "RFC 5044 section 8" quotes Never, read request false {
        0x01 MpaConnectionLost mpa_connection_lost
            "MPA: TCP closed or was lost; local only, no Terminate can be sent.";
        0x02 MpaCrc mpa_crc
            "MPA: an FPDU's CRC is wrong.";
        0x03 MpaMarker mpa_marker
            "MPA: a marker disagrees with the FPDU's length.";
        0x04 MpaInvalidStartup mpa_invalid_startup
            "MPA: a Request or Reply frame is not valid; local only, TCP is closed.";
    }
    2/0 "RFC 6581 section 8" quotes Never, read request false {
        0x05 MpaLocalCatastrophic mpa_local_catastrophic
            "MPA: a local fault, also an FPDU longer than we can hold.";
        0x06 MpaInsufficientIrd mpa_insufficient_ird
            "MPA: the peer needs more inbound Reads than we can hold.";
        0x07 MpaNoRtrOption mpa_no_rtr_option
            "MPA: no ready-to-receive option in common.";
    }
}

/// Layer, type and code as the first 16 bits of the Terminate header.
const fn key(info: &ErrorInfo) -> u16 {
    (info.layer as u16) << 12 | (info.etype as u16) << 8 | info.code as u16
}

const _: () = {
    let mut i = 1;
    while i < ERRORS.len() {
        assert!(key(&ERRORS[i - 1]) < key(&ERRORS[i]), "errors are not unique or not in ascending order");
        i += 1;
    }
    let mut i = 0;
    while i < ERRORS.len() {
        assert!(ERRORS[i].layer < 16 && ERRORS[i].etype < 16, "layer and type have four bits");
        assert!(ERRORS[i].error as usize == i, "an error's place in the table is not its enum's");
        i += 1;
    }
};

impl TermError {
    /// The error of these numbers; `None` if no document assigns them. Every code of layer 0 type 0
    /// is [`TermError::RdmapLocalCatastrophic`].
    pub fn from_codes(layer: u8, etype: u8, code: u8) -> Option<Self> {
        let catastrophic = layer == 0 && etype == 0;
        let same = |e: &&ErrorInfo| e.layer == layer && e.etype == etype && (e.code == code || catastrophic);
        ERRORS.iter().find(same).map(|e| e.error)
    }

    /// What is fixed about the error.
    pub fn info(self) -> &'static ErrorInfo {
        &ERRORS[self as usize]
    }

    /// Layer (4 bits), type (4 bits) and code (8 bits): the first 16 bits of the Terminate header.
    pub fn to_bits(self) -> u16 {
        key(self.info())
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    /// The tables of `rdmap-rfc5040-notes.md` section 3 and `ddp-mpa2-notes.md` section 2, written
    /// out.
    #[test]
    fn the_table_is_complete() {
        let classes: [(u16, &[u16]); 7] = [
            (0x0000, &[0]),
            (0x0100, &[0, 1, 2, 3, 4, 9, 0xFF]),
            (0x0200, &[5, 6, 7, 8, 9, 0xFF]),
            (0x1000, &[0]),
            (0x1100, &[0, 1, 2, 3, 4]),
            (0x1200, &[1, 2, 3, 4, 5, 6]),
            (0x2000, &[1, 2, 3, 4, 5, 6, 7]),
        ];
        let expected: Vec<u16> =
            classes.iter().flat_map(|(class, codes)| codes.iter().map(move |c| class | c)).collect();
        let have: Vec<u16> = ERRORS.iter().map(key).collect();
        assert_eq!(have, expected);
    }

    #[test]
    fn numbers_lead_to_errors_and_back() {
        let mut found = 0;
        for bits in 0..=u16::MAX {
            let [head, code] = bits.to_be_bytes();
            let error = TermError::from_codes(head >> 4, head & 15, code);
            let known = error.is_some_and(|e| e.to_bits() == bits);
            assert_eq!(known, ERRORS.iter().any(|e| key(e) == bits));
            found += usize::from(known);
        }
        assert_eq!(found, ERRORS.len());
        assert_eq!(TermError::from_codes(0, 0, 0x55), Some(TermError::RdmapLocalCatastrophic));
        assert_eq!(TermError::from_codes(1, 3, 0), None);
    }
}
