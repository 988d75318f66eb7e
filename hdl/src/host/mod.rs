//! The host's side: admin port, DMA ports, doorbells, rings in host memory.

mod admin;
mod admin_plan;
mod admin_rows;
mod admin_take;

pub use admin::Admin;
pub use admin_plan::{step, AdminPlan};
pub use admin_rows::AdminRows;
pub use admin_take::AdminTake;

use crate::emit::{emit, Unit};

/// Blocks of this stage that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    vec![Unit {
        name: "host_admin_w64",
        cell: "host_admin",
        stage: "host",
        width: 64,
        emit: || emit("host_admin_w64", Admin::<4, 4, 6, 9>::new),
    }]
}
