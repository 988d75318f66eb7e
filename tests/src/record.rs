// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of the hardware by the names of their fields.
//!
//! Names, widths and order come from Rust-HDL's own description of a record. The first field is in
//! the lowest bits of a port. A field of a field has a path: `sge0.length`.
use ferrowarp_sim::Item;
use rust_hdl::prelude::{Synth, TypeDescriptor, TypeKind};
use std::any::{type_name, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

/// What a field may be set to: a number or a flag.
pub trait Value {
    /// The bits of the field.
    fn bits(self) -> u128;
}

macro_rules! values {
    ($($kind:ty),*) => {
        $(impl Value for $kind {
            fn bits(self) -> u128 {
                u128::try_from(self).expect("a field is never negative")
            }
        })*
    };
}
values!(bool, u8, u16, u32, u64, u128, usize, i32);

/// Where the fields of a record are.
struct Layout {
    /// By path: lowest bit and width.
    fields: BTreeMap<String, (usize, usize)>,
    /// Paths in their order.
    order: Vec<String>,
    bits: usize,
}

impl Layout {
    fn of<T: Synth + 'static>() -> Rc<Self> {
        thread_local! {
            static KNOWN: RefCell<HashMap<TypeId, Rc<Layout>>> = RefCell::default();
        }
        let make = || {
            let mut layout = Self { fields: BTreeMap::new(), order: vec![], bits: 0 };
            layout.add("", &T::descriptor());
            assert_eq!(layout.bits, T::BITS, "{} is described whole", type_name::<T>());
            Rc::new(layout)
        };
        KNOWN.with_borrow_mut(|known| known.entry(TypeId::of::<T>()).or_insert_with(make).clone())
    }

    fn add(&mut self, path: &str, kind: &TypeDescriptor) {
        let width = match &kind.kind {
            TypeKind::Composite(fields) => {
                for field in fields {
                    let dot = if path.is_empty() { "" } else { "." };
                    self.add(&format!("{path}{dot}{}", field.fieldname), &field.kind);
                }
                return;
            }
            TypeKind::Bits(bits) | TypeKind::Signed(bits) => *bits,
            TypeKind::Enum(names) => names.len().next_power_of_two().trailing_zeros() as usize,
        };
        self.fields.insert(path.into(), (self.bits, width));
        self.order.push(path.into());
        self.bits += width;
    }

    /// Names and widths, for a person.
    fn told(&self) -> String {
        let one = |path: &String| format!("{path}: {}", self.fields[path].1);
        self.order.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// A record of type `T` of `ferrowarp-hdl`, as a port has it. A field that nobody sets is 0.
pub struct Record<T> {
    octets: Vec<u8>,
    of: PhantomData<T>,
}

impl<T: Synth + 'static> Record<T> {
    /// All fields are 0.
    #[expect(clippy::new_without_default, reason = "`Record::<T>::new()` names the record")]
    pub fn new() -> Self {
        Self { octets: vec![0; T::BITS.div_ceil(8)], of: PhantomData }
    }

    /// From little-endian octets. Octets that are not there are 0.
    ///
    /// # Panics
    /// If there are more octets than the record has.
    pub fn of(octets: &[u8]) -> Self {
        let mut record = Self::new();
        let most = record.octets.len();
        assert!(octets.len() <= most, "{} octets of {}, which has {most}", octets.len(), type_name::<T>());
        record.octets[..octets.len()].copy_from_slice(octets);
        record
    }

    /// The record in the field `item` of a channel's item; all 0 if there is none.
    pub fn of_item(item: &Item) -> Self {
        Self::of_field(item, "item")
    }

    /// The record in a field of a channel's item; all 0 if there is none.
    pub fn of_field(item: &Item, field: &str) -> Self {
        Self::of(item.bytes(field).unwrap_or_default())
    }

    /// Sets a field.
    ///
    /// # Panics
    /// If the record has no field of this name, or the value does not fit.
    pub fn with(mut self, field: &str, value: impl Value) -> Self {
        let (low, width) = Self::place(field);
        let value = value.bits();
        assert!(
            width >= 128 || value >> width == 0,
            "{}: {value:#x} does not fit the {width} bits of `{field}`; there are {}",
            type_name::<T>(),
            Layout::of::<T>().told()
        );
        for i in 0..width {
            let (octet, bit) = ((low + i) / 8, (low + i) % 8);
            let is_set = i < 128 && value >> i & 1 == 1;
            self.octets[octet] = self.octets[octet] & !(1 << bit) | u8::from(is_set) << bit;
        }
        self
    }

    /// A field.
    ///
    /// # Panics
    /// If the record has no field of this name, or its value has more than 64 bits.
    pub fn get(&self, field: &str) -> u64 {
        let wide = self.wide(field);
        u64::try_from(wide).unwrap_or_else(|_| panic!("`{field}` has more than 64 bits: {wide:#x}"))
    }

    /// A field of up to 128 bits.
    ///
    /// # Panics
    /// If the record has no field of this name, or the field has more bits.
    pub fn wide(&self, field: &str) -> u128 {
        let (low, width) = Self::place(field);
        assert!(width <= 128, "`{field}` has {width} bits");
        let bit = |i: usize| u128::from(self.octets[(low + i) / 8] >> ((low + i) % 8) & 1);
        (0..width).fold(0, |value, i| value | bit(i) << i)
    }

    /// Whether a field is not 0.
    ///
    /// # Panics
    /// As [`Record::wide`].
    pub fn is(&self, field: &str) -> bool {
        self.wide(field) != 0
    }

    /// The octets, little-endian.
    pub fn octets(&self) -> Vec<u8> {
        self.octets.clone()
    }

    /// A channel's item whose one field, `item`, is the record.
    pub fn item(&self) -> Item {
        self.field(Item::new(), "item")
    }

    /// The item with the record in one more field.
    pub fn field(&self, item: Item, field: &str) -> Item {
        item.with_bytes(field, &self.octets)
    }

    fn place(field: &str) -> (usize, usize) {
        let layout = Layout::of::<T>();
        let found = layout.fields.get(field).copied();
        found.unwrap_or_else(|| panic!("{} has no `{field}`; there are {}", type_name::<T>(), layout.told()))
    }
}

impl<T> Clone for Record<T> {
    fn clone(&self) -> Self {
        Self { octets: self.octets.clone(), of: PhantomData }
    }
}

impl<T> PartialEq for Record<T> {
    fn eq(&self, other: &Self) -> bool {
        self.octets == other.octets
    }
}

impl<T> Eq for Record<T> {}

impl<T: Synth + 'static> fmt::Debug for Record<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct(type_name::<T>().rsplit("::").next().unwrap_or_default());
        for path in &Layout::of::<T>().order {
            told.field(path, &format_args!("{:#x}", self.wide(path)));
        }
        told.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp_hdl::record::{Fault, Rqe};

    #[test]
    fn fields_stand_in_their_order_from_the_lowest_bit_on() {
        let fault = Record::<Fault>::new().with("qp", 3).with("error", 0x1234).with("is_local", true);
        assert_eq!(fault.octets(), [3, 0x34, 0x12, 0, 1, 0, 0, 0, 0]);
        assert_eq!((fault.get("error"), fault.is("is_local"), fault.is("has_wr")), (0x1234, true, false));
    }

    #[test]
    fn a_field_of_a_field_has_a_path_and_what_was_set_is_set_again() {
        let rqe = Record::<Rqe>::new().with("num_sge", 3).with("sge1.length", u32::MAX).with("num_sge", 1);
        assert_eq!((rqe.get("num_sge"), rqe.get("sge1.length"), rqe.get("sge2.length")), (1, 0xffff_ffff, 0));
    }

    #[test]
    #[should_panic(expected = "has no `pq`; there are qp: 8, error: 16,")]
    fn a_name_that_is_not_there_is_refused_with_the_names_that_are() {
        let _fault = Record::<Fault>::new().with("pq", 3);
    }

    #[test]
    #[should_panic(expected = "0x100 does not fit the 8 bits of `qp`; there are qp: 8,")]
    fn a_value_that_does_not_fit_is_refused() {
        let _fault = Record::<Fault>::new().with("qp", 0x100);
    }
}
