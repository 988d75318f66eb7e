// SPDX-License-Identifier: MIT OR Apache-2.0
//! Doorbells.
use crate::table::{Field, Layout};

/// A doorbell.
pub const DOORBELL: Layout = Layout::new(
    "Doorbell",
    "Ferrowarp",
    "What a write to a doorbell says. Indices are absolute: they count slots for ever, modulo 2^32.",
    8,
    &[
        Field::new("kind", 0, 8, "One of `doorbell_kind`."),
        Field::new(
            "solicited_only",
            8,
            1,
            "Arming: only a solicited completion or an error makes the event.",
        ),
        Field::reserved("spare", 9, 7),
        Field::new(
            "number",
            16,
            16,
            "Queue pair or completion queue; 0 where the device has one of the kind.",
        ),
        Field::new("value", 32, 32, "Producer or consumer index by `kind`."),
    ],
);
