// SPDX-License-Identifier: MIT OR Apache-2.0
//! Groups of layouts: what the generated files are cut by.
use crate::table::Layout;

/// The layouts of one protocol, or of one subject of the host interface.
#[derive(Copy, Clone, Debug)]
pub struct Protocol {
    /// Module of this crate that its tables stand in.
    pub room: &'static str,
    /// Name of its file there and in the generated folders.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// Its layouts, each with the path of its table inside the room.
    pub layouts: &'static [(&'static str, Layout)],
}

/// Makes a [`Protocol`] of the named tables of module `$module` of `crate::$room`.
macro_rules! protocol {
    ($room:ident::$module:ident, $title:literal, [$($table:ident),* $(,)?]) => {
        $crate::protocol::Protocol {
            room: stringify!($room),
            name: stringify!($module),
            title: $title,
            layouts: &[$((concat!(stringify!($module), "::", stringify!($table)), $module::$table)),*],
        }
    };
}
pub(crate) use protocol;
