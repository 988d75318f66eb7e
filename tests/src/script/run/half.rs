// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where TCP of a connection is: a script about TCP runs in each half.

/// Which half of the device has the connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Half {
    /// TCP of the connection manager: until MPA's startup is over.
    Firmware,
    /// TCP of the pipeline.
    Hardware,
}

impl Half {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Firmware, Self::Hardware];

    /// As tests name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Firmware => "firmware",
            Self::Hardware => "hardware",
        }
    }
}
