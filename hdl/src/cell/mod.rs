//! Leaf cells: the only place where handwritten Verilog text is allowed (at most 80 emitted lines a cell).

mod crc32c;
mod crc_words;
mod keep;
mod konst;
mod lutram;
mod parity;
mod ram;
mod reg;

pub use crc32c::{Crc32c, CRC_ITEM};
pub use crc_words::CrcWords;
pub use keep::KeepOctets;
pub use konst::Const;
pub use lutram::LutRam;
pub use parity::Parity32;
pub use ram::Sdp;
pub use reg::{Flop, Reg};

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "cell", width, emit };
    vec![
        unit("crc32c_w64", "crc32c", 64, || emit("crc32c_w64", Crc32c::<64, 4>::new)),
        unit("crc32c_w256", "crc32c", 256, || emit("crc32c_w256", Crc32c::<256, 6>::new)),
        unit("crc32c_w512", "crc32c", 512, || emit("crc32c_w512", Crc32c::<512, 7>::new)),
    ]
}
