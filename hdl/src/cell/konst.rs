// SPDX-License-Identifier: MIT OR Apache-2.0
//! A constant that a kernel can name.
use rust_hdl::prelude::*;

/// A constant of `N` bits for a kernel under `#[kernel]`; emitted as a `localparam`.
///
/// Panics at elaboration if `value` does not fit.
pub fn lit<const N: usize>(value: usize) -> Bits<N> {
    assert!(N >= 64 || (value as u64) >> N == 0, "constant {value} does not fit {N} bits");
    (value as u64).into()
}

/// Elaboration-time constant, emitted as a `localparam`.
///
/// Rust-HDL's own `Constant` has no `Default`, so a block that holds one cannot derive it; this
/// wrapper can.
#[derive(Clone, Debug)]
pub struct Const<T: Synth>(Constant<T>);

impl<T: Synth> Const<T> {
    /// A constant with value `v`.
    pub fn new(v: T) -> Self {
        Self(Constant::new(v))
    }

    /// The value, readable in a kernel.
    pub fn val(&self) -> T {
        self.0.val()
    }
}

impl<const N: usize> Const<Bits<N>> {
    /// A constant of `N` bits from a number; panics at elaboration if it does not fit.
    pub fn of(v: usize) -> Self {
        assert!(N >= 64 || (v as u64) >> N == 0, "constant {v} does not fit {N} bits");
        Self::new((v as u64).into())
    }
}

impl<T: Synth> Default for Const<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Synth> Logic for Const<T> {
    fn update(&mut self) {}
}

impl<T: Synth> Block for Const<T> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe)
    }
}
