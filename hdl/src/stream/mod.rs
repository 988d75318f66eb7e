//! Streams: the one way in which two stages meet (architecture.md section 5).

mod beat;
#[allow(missing_docs)] // the derive makes undocumented `join` and `link` methods
mod bundle;
mod skid;

pub use beat::{bytes_width, Beat};
pub use bundle::{StreamSink, StreamSource};
pub use skid::Skid;
