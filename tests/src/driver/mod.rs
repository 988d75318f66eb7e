// SPDX-License-Identifier: MIT OR Apache-2.0
//! The real driver on a simulated device whose Ethernet ends in test code: [`lab`] joins both with
//! a scripted TCP peer, [`backend`] stands between driver and device and can hold commands back,
//! skip time, and count what is mapped. [`pair`] is two devices, [`talk`] an established connection
//! with the peer, [`segments`] what the peer may say there. [`mesh`] connects any number of
//! devices, [`load`] keeps two of them at work, [`ect`] makes a device's frames ones that a switch
//! may mark.
pub mod backend;
pub mod ect;
pub mod lab;
pub mod load;
pub mod mesh;
pub mod pair;
pub mod place;
pub mod segments;
pub mod talk;
