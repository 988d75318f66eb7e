// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a layout is, and the checks that the compiler makes of every one.
//!
//! **The one convention of wire layouts.** `offset` counts bits from the most significant bit of
//! the first octet, as the figures of the RFCs do; a field's first bit is its most significant
//! (network order). So bit `o` of a layout is bit `7 - o % 8` of octet `o / 8`, and a field never
//! has another octet order.

mod check;
mod words;

pub use words::{is_reserved_word, is_verilog_word};

/// What software and hardware do with a field.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and written.
    Value,
    /// Reserved: ignored when read, zero when written; no member of a codec or record.
    Reserved,
    /// Reserved by its source, but kept as it came, because a CRC covers it or it is quoted to the
    /// peer.
    Kept,
}

/// Type of a field in the codecs of software. Hardware has `Bit` (one bit) and `Bits<width>`
/// throughout.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `bool` for one bit, else the smallest unsigned integer that holds the width.
    Uint,
    /// [`crate::types::MacAddr`].
    Mac,
    /// [`core::net::Ipv4Addr`].
    Ipv4,
    /// [`core::net::Ipv6Addr`].
    Ipv6,
    /// [`crate::types::SeqNum`].
    SeqNum,
    /// [`crate::types::STag`].
    STag,
    /// [`crate::types::TaggedOffset`].
    TaggedOffset,
    /// [`crate::types::QueueNumber`].
    QueueNumber,
    /// [`crate::types::Msn`].
    Msn,
    /// [`crate::types::MessageOffset`].
    MessageOffset,
    /// [`crate::types::ByteCount`].
    ByteCount,
}

impl Kind {
    /// The width in bits that the type has, or `None` if it takes any.
    pub const fn width(self) -> Option<usize> {
        match self {
            Kind::Uint => None,
            Kind::Mac => Some(48),
            Kind::Ipv6 => Some(128),
            Kind::TaggedOffset => Some(64),
            Kind::Ipv4
            | Kind::SeqNum
            | Kind::STag
            | Kind::QueueNumber
            | Kind::Msn
            | Kind::MessageOffset
            | Kind::ByteCount => Some(32),
        }
    }
}

/// One field of a [`Layout`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in codecs, records and Verilog: `snake_case`, no word of Rust or Verilog.
    pub name: &'static str,
    /// First bit; counted as the module's documentation says.
    pub offset: usize,
    /// Bits, 1 to 128.
    pub width: usize,
    /// What is done with it.
    pub access: Access,
    /// Type in software.
    pub kind: Kind,
    /// Value in the codec's `Default`.
    pub reset: u64,
    /// One sentence: what it means, its unit.
    pub doc: &'static str,
}

impl Field {
    /// An ordinary field: an unsigned number, zero by default.
    pub const fn new(name: &'static str, offset: usize, width: usize, doc: &'static str) -> Self {
        Field { name, offset, width, access: Access::Value, kind: Kind::Uint, reset: 0, doc }
    }

    /// Reserved bits that nobody looks at.
    pub const fn reserved(name: &'static str, offset: usize, width: usize) -> Self {
        let doc = "Reserved: sent as zero, not examined.";
        Field { name, offset, width, access: Access::Reserved, kind: Kind::Uint, reset: 0, doc }
    }

    /// The same field with a type of its own in software.
    pub const fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The same field with another default value.
    pub const fn reset(mut self, reset: u64) -> Self {
        self.reset = reset;
        self
    }

    /// The same field, reserved by its source but kept as it came.
    pub const fn kept(mut self) -> Self {
        self.access = Access::Kept;
        self
    }

    /// First bit after the field.
    pub const fn end(&self) -> usize {
        self.offset + self.width
    }
}

/// A sequence of fields that fills whole octets without gap or overlap.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Name of the type in codecs and records, `CamelCase`.
    pub name: &'static str,
    /// Document and section that define it.
    pub source: &'static str,
    /// What it is and where it stands.
    pub doc: &'static str,
    /// Size in octets.
    pub octets: usize,
    /// Fields in ascending offset; reserved bits are fields too.
    pub fields: &'static [Field],
}

impl Layout {
    /// A checked layout: an impossible table does not compile.
    ///
    /// ```
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 8, "Kind."), Field::new("length", 8, 8, "Octets.")];
    /// const GOOD: Layout = Layout::new("Good", "an example", "Two octets.", 2, FIELDS);
    /// # assert_eq!(GOOD.fields.len(), 2);
    /// ```
    /// Fields that overlap:
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 9, "Kind."), Field::new("length", 8, 8, "Octets.")];
    /// const BAD: Layout = Layout::new("Bad", "an example", "Two octets.", 2, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 2);
    /// ```
    /// Bits that belong to no field:
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 7, "Kind."), Field::new("length", 8, 8, "Octets.")];
    /// const BAD: Layout = Layout::new("Bad", "an example", "Two octets.", 2, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 2);
    /// ```
    /// Widths that sum to less or more than the size:
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 8, "Kind."), Field::new("length", 8, 8, "Octets.")];
    /// const BAD: Layout = Layout::new("Bad", "an example", "Three octets.", 3, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 2);
    /// ```
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 8, "Kind."), Field::new("length", 8, 9, "Octets.")];
    /// const BAD: Layout = Layout::new("Bad", "an example", "Two octets.", 2, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 2);
    /// ```
    /// Two fields of one name, and a name that Verilog keeps for itself:
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 8, "Kind."), Field::new("kind", 8, 8, "Octets.")];
    /// const BAD: Layout = Layout::new("Bad", "an example", "Two octets.", 2, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 2);
    /// ```
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("tagged", 0, 8, "Kind.")];
    /// const BAD: Layout = Layout::new("Bad", "an example", "One octet.", 1, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 1);
    /// ```
    /// A default that does not fit:
    /// ```compile_fail,E0080
    /// use ferrowarp_abi::table::{Field, Layout};
    /// const FIELDS: &[Field] = &[Field::new("kind", 0, 8, "Kind.").reset(256)];
    /// const BAD: Layout = Layout::new("Bad", "an example", "One octet.", 1, FIELDS);
    /// # assert_eq!(BAD.fields.len(), 1);
    /// ```
    pub const fn new(
        name: &'static str,
        source: &'static str,
        doc: &'static str,
        octets: usize,
        fields: &'static [Field],
    ) -> Self {
        let layout = Layout { name, source, doc, octets, fields };
        check::layout(&layout);
        layout
    }

    /// The same layout; does not compile unless it begins with exactly the fields of `head`
    /// (defaults and documentation may differ).
    pub const fn begins_with(self, head: &Layout) -> Self {
        check::begins_with(&self, head);
        self
    }

    /// Size in bits.
    pub const fn bits(&self) -> usize {
        8 * self.octets
    }

    /// The fields that codecs and records have: all but the reserved ones.
    pub fn members(&self) -> impl Iterator<Item = &'static Field> {
        self.fields.iter().filter(|f| f.access != Access::Reserved)
    }
}
