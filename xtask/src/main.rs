//! The one entry for people and CI.
fn main() {}
