//! Leaf cells: the only place where handwritten Verilog text is allowed (at most 80 emitted lines a cell).

mod konst;
mod ram;
mod reg;

pub use konst::Const;
pub use ram::Sdp;
pub use reg::{Flop, Reg};
