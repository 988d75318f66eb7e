// SPDX-License-Identifier: MIT OR Apache-2.0
//! Carrier: TLPs in Ethernet frames between a device without PCI Express and its host
//! (docs/carrier.md). The module `carrier` of the crate reads and judges whole frames.
use crate::table::{Field, Kind, Layout};

/// Octets of the longest frame, without FCS.
pub const FRAME_MAX: usize = 1514;

/// Octets of the shortest frame, without FCS: zeros pad shorter ones.
pub const FRAME_MIN: usize = 60;

/// Octets at which a sender closes a data frame, although more TLPs are there.
pub const FRAME_FULL: usize = 1400;

/// Dwords of the longest TLP that a frame holds: a frame has room for one record and this TLP.
pub const TLP_DWORDS_MAX: usize = 370;

/// Dwords of the shortest TLP.
pub const TLP_DWORDS_MIN: usize = 3;

/// Data frames that a sender keeps unacknowledged at most.
pub const WINDOW: u16 = 32;

/// Non-posted requests that the host keeps under way at most.
pub const NON_POSTED: usize = 8;

/// MAC address of a device by default: locally administered.
pub const DEVICE_ADDRESS: [u8; 6] = [0x02, 0x46, 0x57, 0, 0, 1];

/// Head of every frame of the carrier.
pub const HEADER: Layout = Layout::new(
    "CarrierHdr",
    "Ferrowarp",
    "Head of every frame of the carrier: the Ethernet header and ten octets. `records` records follow, then \
     padding to 60 octets.",
    24,
    &[
        Field::new("destination", 0, 48, "MAC address of the receiver; never a group.").kind(Kind::Mac),
        Field::new("source", 48, 48, "MAC address of the sender.").kind(Kind::Mac),
        Field::new("ether_type", 96, 16, "`carrier_frame::ETHER_TYPE`.").reset(0x88B5),
        Field::new("version", 112, 4, "`carrier_frame::VERSION`.").reset(1),
        Field::new("ask", 116, 1, "An ack that wants an answer (host): the device answers by an ack."),
        Field::new("ready", 117, 1, "The device runs in this epoch (device): always in its frames."),
        Field::new("np_ok", 118, 1, "The device takes non-posted requests (device)."),
        Field::new("nak", 119, 1, "`acknowledged` is missing, later frames came: send again from there."),
        Field::new("kind", 120, 8, "What the frame is, one of `carrier_kind`."),
        Field::new("epoch", 128, 16, "Epoch, drawn by the host for each hello."),
        Field::new("sequence_number", 144, 16, "Data: number of the frame, from 0 in each epoch. Else 0."),
        Field::new(
            "acknowledged",
            160,
            16,
            "Number of the next data frame that the sender of this one expects.",
        ),
        Field::new("records", 176, 16, "Data: records that follow, 1 or more. Else 0."),
    ],
);

/// Head of a record.
pub const RECORD: Layout = Layout::new(
    "CarrierRecord",
    "Ferrowarp",
    "Head of a record of a data frame. Behind the head of a TLP its dwords follow, least significant octet first, \
     padded with zeros to a multiple of 8 octets.",
    8,
    &[
        Field::new("kind", 0, 8, "What the record is, one of `carrier_record`."),
        Field::new("bar_hit", 8, 8, "TLP to the device: bit 0 BAR0, bit 1 BAR2, bit 2 BAR4. Else 0."),
        Field::new("dwords", 16, 16, "TLP: its dwords, 3 to 370. Else 0."),
        Field::new("value", 32, 32, "Config: bits of `CarrierConfig`. Else 0."),
    ],
);

/// Value of a record of kind `config`.
pub const CONFIG: Layout = Layout::new(
    "CarrierConfig",
    "Ferrowarp",
    "Value of a config record: what the PCI Express block would tell of the function's configuration space. The bits \
     are those of the port `pcie_cfg` of the device.",
    4,
    &[
        Field::reserved("spare", 0, 6),
        Field::new("endless", 6, 1, "Completion Timeout Disable."),
        Field::new("masked", 7, 1, "MSI-X Function Mask."),
        Field::new("msix", 8, 1, "MSI-X Enable."),
        Field::new("master", 9, 1, "Bus Master Enable."),
        Field::new("mrrs", 10, 3, "Max_Read_Request_Size: 128 octets times two to this."),
        Field::new("mps", 13, 3, "Max_Payload_Size: 128 octets times two to this, at most 3."),
        Field::new("id", 16, 16, "Requester ID: bus, device, function."),
    ],
);
