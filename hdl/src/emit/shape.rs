// SPDX-License-Identifier: MIT OR Apache-2.0
//! The type of a port: how many bits, which record, where each field stands.
use super::ports::{Direction, Port};
use rust_hdl::prelude::{Atom, AtomKind, Block, Probe, TypeDescriptor, TypeKind};

/// The type of a port. A port of plain bits has no fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Name of the type.
    pub(super) name: String,
    /// Bits.
    pub(super) width: usize,
    /// Fields of a record, the first one from bit 0 on.
    fields: Vec<(String, Shape)>,
}

impl Shape {
    pub(super) fn of(descriptor: &TypeDescriptor) -> Self {
        let fields: Vec<_> = match &descriptor.kind {
            TypeKind::Composite(fields) => {
                fields.iter().map(|field| (field.fieldname.clone(), Shape::of(&field.kind))).collect()
            }
            _ => vec![],
        };
        let width = match &descriptor.kind {
            TypeKind::Bits(width) | TypeKind::Signed(width) => *width,
            TypeKind::Enum(names) => names.len().next_power_of_two().ilog2().max(1) as usize,
            TypeKind::Composite(_) => fields.iter().map(|(_, field)| field.width).sum(),
        };
        Self { name: descriptor.name.clone(), width, fields }
    }

    /// The first bit of a field, and its type.
    pub(super) fn field(&self, name: &str) -> Option<(usize, &Shape)> {
        let place = self.fields.iter().position(|(field, _)| field == name)?;
        let before = self.fields[..place].iter().map(|(_, field)| field.width).sum();
        Some((before, &self.fields[place].1))
    }

    /// The type is a record.
    pub(super) fn is_record(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Names of the fields, for a message.
    pub(super) fn names(&self) -> String {
        self.fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// The ports of a block with Rust-HDL's names, and their types.
pub(super) fn ports<B: Block>(block: &B) -> Vec<(Port, Shape)> {
    let mut ports = Ports::default();
    block.accept("top", &mut ports);
    ports.found
}

#[derive(Default)]
struct Ports {
    depth: usize,
    namespace: Vec<String>,
    found: Vec<(Port, Shape)>,
}

impl Probe for Ports {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let direction = match signal.kind() {
            AtomKind::InputParameter => Direction::Input,
            AtomKind::OutputParameter | AtomKind::OutputPassthrough => Direction::Output,
            _ => return,
        };
        if self.depth == 1 {
            let path: Vec<_> = self.namespace.iter().map(String::as_str).chain([name]).collect();
            let port = Port { name: path.join("$"), width: signal.bits(), direction };
            self.found.push((port, Shape::of(&signal.descriptor())));
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
}
