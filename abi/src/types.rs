// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers that must not be mixed up. Each is a newtype with `from_bits` and `to_bits`; arithmetic
//! exists only where it has one meaning.

/// A newtype over an unsigned integer with conversions; its documentation follows at each use.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub $raw);

        impl $name {
            /// From the number on the wire.
            pub const fn from_bits(bits: $raw) -> Self {
                Self(bits)
            }

            /// The number on the wire.
            pub const fn to_bits(self) -> $raw {
                self.0
            }
        }
    };
}

/// Order modulo 2^32: `a` comes before `b` if the way forward from `a` to `b` is shorter than 2^31.
macro_rules! modular {
    ($name:ident) => {
        impl $name {
            /// The number `n` steps further, modulo 2^32.
            pub const fn plus(self, n: u32) -> Self {
                Self(self.0.wrapping_add(n))
            }

            /// Steps forward from `earlier` to `self`, modulo 2^32.
            pub const fn since(self, earlier: Self) -> u32 {
                self.0.wrapping_sub(earlier.0)
            }

            /// Whether `self` comes before `other`, modulo 2^32. Two numbers exactly 2^31 apart
            /// come before each other in neither order.
            pub const fn is_before(self, other: Self) -> bool {
                let ahead = other.since(self);
                ahead != 0 && ahead < 1 << 31
            }
        }
    };
}

number! {
    /// TCP sequence number: of one octet of a stream (RFC 9293 section 3.4). Not ordered by `<`,
    /// only by [`SeqNum::is_before`].
    SeqNum(u32)
}
modular!(SeqNum);

number! {
    /// Message sequence number of an untagged queue (RFC 5041 section 4.3). Starts at
    /// [`Msn::FIRST`], wraps from 2^32-1 to 0.
    Msn(u32)
}
modular!(Msn);

impl Msn {
    /// Number of the first message of every queue, in each direction.
    pub const FIRST: Self = Self(1);
}

number! {
    /// Steering tag: names a tagged buffer to the peer (RFC 5041 section 4.2).
    STag(u32)
}

number! {
    /// Tagged offset: octet address within the buffer of an STag (RFC 5041 section 4.2).
    TaggedOffset(u64)
}

impl TaggedOffset {
    /// The offset `length` octets further, or `None` if that leaves 64 bits. A sum of exactly 2^64
    /// counts as a wrap (DDP-7.1-21).
    pub const fn checked_add(self, length: u32) -> Option<Self> {
        match self.0.checked_add(length as u64) {
            Some(sum) => Some(Self(sum)),
            None => None,
        }
    }
}

number! {
    /// Number of an untagged queue (RFC 5041 section 4.3); RDMAP uses 0, 1 and 2.
    QueueNumber(u32)
}

number! {
    /// Message offset: octets of an untagged message before this segment's payload (RFC 5041
    /// section 4.3).
    MessageOffset(u32)
}

number! {
    /// A number of octets.
    ByteCount(u32)
}

/// Station address of Ethernet, in the order of its octets on the wire.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MacAddr(pub [u8; 6]);

impl MacAddr {
    /// From the number whose low 48 bits are the address, first octet most significant.
    pub const fn from_bits(bits: u64) -> Self {
        let [_, _, a, b, c, d, e, f] = bits.to_be_bytes();
        Self([a, b, c, d, e, f])
    }

    /// The address as a number below 2^48, first octet most significant.
    pub const fn to_bits(self) -> u64 {
        let [a, b, c, d, e, f] = self.0;
        u64::from_be_bytes([0, 0, a, b, c, d, e, f])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_ordered_across_the_wrap() {
        let (old, new) = (SeqNum(0xFFFF_FFF0), SeqNum(0x10));
        assert!(old.is_before(new) && !new.is_before(old));
        assert_eq!(new.since(old), 0x20);
        assert_eq!(old.plus(0x20), new);
        assert!(!old.is_before(old));
        let (a, b) = (SeqNum(5), SeqNum(5 + (1 << 31)));
        assert!(!a.is_before(b) && !b.is_before(a));
    }

    /// The sequence of `ddp-mpa2-notes.md` section 5.
    #[test]
    fn message_numbers_wrap_to_zero() {
        let wrapped = [0, 1, 2, 3].map(|n| Msn(0xFFFF_FFFE).plus(n).to_bits());
        assert_eq!(wrapped, [0xFFFF_FFFE, 0xFFFF_FFFF, 0, 1]);
        assert_eq!(Msn::FIRST.to_bits(), 1);
    }

    /// The three cases of `ddp-mpa2-notes.md` section 5.
    #[test]
    fn a_tagged_offset_that_reaches_2_to_64_wraps() {
        let near_end = TaggedOffset(0xFFFF_FFFF_FFFF_FFF0);
        assert_eq!(near_end.checked_add(32), None);
        assert_eq!(near_end.checked_add(16), None);
        assert_eq!(near_end.checked_add(15), Some(TaggedOffset(u64::MAX)));
    }

    #[test]
    fn a_station_address_keeps_its_octets() {
        let mac = MacAddr([0x52, 0x54, 0, 0, 0, 1]);
        assert_eq!(mac.to_bits(), 0x5254_0000_0001);
        assert_eq!(MacAddr::from_bits(mac.to_bits()), mac);
    }
}
