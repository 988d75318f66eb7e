// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device's own events for an event loop.
use crate::device::Device;
use crate::error::Error;
use crate::platform::PlatformEvent;
use crate::signal::Signal;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// The events of a device as a file descriptor ([`AsFd`]), which is readable while
/// [`DeviceEvents::try_next`] has something to say: `async_fd` of rdma-core.
#[derive(Debug, Clone)]
pub struct DeviceEvents {
    device: Device,
    signal: Arc<Signal>,
}

impl DeviceEvents {
    /// The oldest event that was not taken, as [`Device::next_event`] gives it. The error is why
    /// the device has stopped, `IBV_EVENT_DEVICE_FATAL` of rdma-core: no event comes behind that,
    /// and the descriptor stays readable.
    pub fn try_next(&self) -> Result<Option<PlatformEvent>, Error> {
        self.device.platform().try_next(&self.signal, || self.device.stopped())
    }
}

impl AsFd for DeviceEvents {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}

impl Device {
    /// Its own events as a descriptor. All of these handles, and [`Device::next_event`], take from
    /// the same events. The error is [`Error::Descriptor`].
    pub fn events(&self) -> Result<DeviceEvents, Error> {
        Ok(DeviceEvents { device: self.clone(), signal: self.platform().signal()? })
    }
}
