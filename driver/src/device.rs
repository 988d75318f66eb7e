// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device: what all objects made from it share.
use crate::backend::{Backend, Capabilities};
use crate::cm::{Cm, Listener, Startup};
use crate::error::Error;
use crate::figures::Figures;
use crate::inspect::Inspect;
use crate::number::Number;
use crate::objects::Stops;
use crate::platform::{PlatformEvent, PlatformEvents};
use crate::rings::log2_of;
use crate::shared::Shared;
use crate::url::{DeviceUrl, NetUrl};
use crate::verbs::{CompletionChannel, CompletionQueue, CqOptions, ProtectionDomain, QpOptions, QueuePair};
use ferrowarp_abi::consts::{csr, csr_mask};
use ferrowarp_firmware::cm::audit::Audit as FirmwareAudit;
use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long the connection manager reads no register of its own accord while something is measured:
/// a device that is gone is told within a second.
const QUIET: Duration = Duration::from_millis(900);

/// What is in use of a device at a moment, so that tests and tools see that nothing stays behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audit {
    /// Protection domains.
    pub domains: usize,
    /// Completion queues.
    pub completion_queues: usize,
    /// Queue pairs.
    pub queue_pairs: usize,
    /// Memory regions.
    pub regions: usize,
    /// Connections that the connection manager tells somebody of.
    pub connections: usize,
    /// Commands of the connection manager that the hardware has not answered, and FINs whose end it
    /// waits for.
    pub commands: usize,
    /// What firmware holds.
    pub firmware: FirmwareAudit,
}

/// State of the Ethernet link, as the MAC tells the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkState {
    /// The MAC has a link.
    Up,
    /// Frames that leave are lost. Connections stay, and TCP sends again until its retry limit.
    Down,
}

/// An open device with its connection manager.
#[derive(Debug, Clone)]
pub struct Device {
    shared: Arc<Shared>,
    cm: Arc<Cm>,
    /// What it was opened with.
    net: Arc<NetUrl>,
}

impl Device {
    /// Opens the device that a URL names; `README.md` of this folder has the forms.
    pub fn open(url: &str) -> Result<Self, Error> {
        match DeviceUrl::from_str(url)? {
            #[cfg(feature = "sim")]
            DeviceUrl::Sim(sim) => {
                let backend = crate::backend::PciBackend::sim(&sim)?;
                Self::new(Arc::new(backend), &sim.net)
            }
            DeviceUrl::VfioUser(url) => {
                Self::new(Arc::new(crate::backend::PciBackend::vfio_user_of(&url)?), &url.net)
            }
            DeviceUrl::Vfio(url) => {
                let backend = crate::backend::PciBackend::vfio(&url, &crate::sysfs::Roots::default())?;
                Self::new(Arc::new(backend), &url.net)
            }
            #[cfg(not(feature = "sim"))]
            DeviceUrl::Sim(_) => Err(crate::url::UrlError::NotBuilt("sim").into()),
        }
    }

    /// A device behind any backend, with these addresses.
    pub fn new(backend: Arc<dyn Backend>, net: &NetUrl) -> Result<Self, Error> {
        let shared = Arc::new(Shared::new(backend));
        let cm = Arc::new(Cm::start(&shared, net)?);
        let stops: Arc<dyn Stops> = cm.clone();
        shared.stopped_by(Arc::downgrade(&stops));
        Ok(Self { shared, cm, net: Arc::new(net.clone()) })
    }

    /// A protection domain.
    pub fn protection_domain(&self) -> Result<ProtectionDomain, Error> {
        Self::domain_of(&self.shared)
    }

    /// What its objects share.
    #[cfg(test)]
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn net(&self) -> &NetUrl {
        &self.net
    }

    pub(crate) fn cm(&self) -> &Arc<Cm> {
        &self.cm
    }

    /// A protection domain of a device that may have no connection manager.
    pub(crate) fn domain_of(shared: &Arc<Shared>) -> Result<ProtectionDomain, Error> {
        Ok(ProtectionDomain::new(Number::new(shared, |shared| &shared.domains)?))
    }

    /// A completion queue with room for `entries` completions at least.
    pub fn completion_queue(&self, entries: u32) -> Result<CompletionQueue, Error> {
        self.completion_queue_of(CqOptions { entries, ..Default::default() })
    }

    /// A channel for completion queues of any device. The error is [`Error::Descriptor`].
    pub fn completion_channel(&self) -> Result<CompletionChannel, Error> {
        CompletionChannel::new()
    }

    /// A completion queue as [`Device::completion_queue`] makes it, that can be armed for a
    /// channel.
    pub fn completion_queue_in(
        &self,
        entries: u32,
        channel: &CompletionChannel,
    ) -> Result<CompletionQueue, Error> {
        self.completion_queue_of(CqOptions { entries, channel: Some(channel), ..Default::default() })
    }

    /// A completion queue with all that can be chosen. It has a slot more for the fault of each
    /// queue pair, as far as the device can have that many slots.
    pub fn completion_queue_of(&self, options: CqOptions<'_>) -> Result<CompletionQueue, Error> {
        let CqOptions { entries, channel, is_counted } = options;
        let Capabilities { cq_log2, queue_pairs, .. } = self.shared.backend.capabilities();
        let most = 1_u32 << cq_log2;
        log2_of(entries, most)?;
        let log2 = log2_of(most.min(entries + u32::from(queue_pairs)), most)?;
        CompletionQueue::new(&self.shared, log2, channel.map(|channel| &channel.0), is_counted)
    }

    /// A queue pair that completes sends in `cqs[0]` and receives in `cqs[1]`; both may be the
    /// same.
    pub fn queue_pair(
        &self,
        pd: &ProtectionDomain,
        cqs: [&CompletionQueue; 2],
        options: QpOptions,
    ) -> Result<QueuePair, Error> {
        if !Arc::ptr_eq(&pd.0.shared, &self.shared) {
            return Err(Error::Domain("the protection domain"));
        }
        let logs = QueuePair::logs(options, self.shared.backend.capabilities().work_requests())?;
        QueuePair::new(pd, cqs, logs, options)
    }

    /// What it says of itself. Nothing can be changed by that.
    pub fn inspect(&self) -> Inspect<'_> {
        Inspect::new(&*self.shared.backend)
    }

    /// Offers its figures to other programs on a unix socket at this path, until what is returned
    /// is dropped; [`crate::figures`] has the protocol. The socket is for this user alone. In the
    /// place of a socket on which nobody answers any more comes the new one.
    ///
    /// Errors: [`crate::FiguresError::InUse`] if a program answers there,
    /// [`crate::FiguresError::NoSocket`] if something else has that name,
    /// [`crate::FiguresError::Socket`] and [`Error::Thread`] of the system.
    pub fn serve_figures(&self, path: impl AsRef<Path>) -> Result<Figures, Error> {
        Figures::serve(&self.shared, path.as_ref())
    }

    /// What it has: rdma-core's `query_device`.
    pub fn capabilities(&self) -> Capabilities {
        self.shared.backend.capabilities()
    }

    /// State of the Ethernet link now. The error is that of the register access; a device without
    /// registers is [`crate::backend::BackendError::NoRegisters`].
    pub fn link(&self) -> Result<LinkState, Error> {
        let register = self.shared.backend.register(csr::ETH_LINK)?;
        Ok(if register & csr_mask::ETH_LINK_IS_UP == 0 { LinkState::Down } else { LinkState::Up })
    }

    /// Where the device's own events are.
    pub(crate) fn platform(&self) -> &PlatformEvents {
        &self.shared.events
    }

    /// Why the device does nothing any more.
    pub(crate) fn stopped(&self) -> Error {
        self.cm.stopped()
    }

    /// The oldest event of the device's own that was not taken. The newest 64 wait, so the last
    /// state of the link is among them. An event is told once, whichever handle of the device takes
    /// it. The first event of a device is the state that the link had when the device was opened.
    pub fn next_event(&self) -> Option<PlatformEvent> {
        self.platform().take()
    }

    /// As [`Device::next_event`], which is waited for. The error is [`Error::TimedOut`], or why the
    /// device has stopped.
    pub fn wait_event(&self, most: Duration) -> Result<PlatformEvent, Error> {
        self.platform().wait(most)?.ok_or_else(|| self.stopped())
    }

    /// As [`Device::wait_event`], for a task.
    #[cfg(feature = "tokio")]
    pub async fn wait_event_async(&self, most: Duration) -> Result<PlatformEvent, Error> {
        self.platform().wait_async(most, || self.stopped()).await
    }

    /// What is in use now.
    pub fn audit(&self) -> Result<Audit, Error> {
        let (connections, commands, firmware) = self.cm.audit()?;
        let Shared { domains, cqs, qps, stags, .. } = &*self.shared;
        Ok(Audit {
            domains: domains.used(),
            completion_queues: cqs.used(),
            queue_pairs: qps.used(),
            regions: stags.used(),
            connections,
            commands,
            firmware,
        })
    }

    /// Looks at the device. For 900 ms from then on the connection manager looks neither at the
    /// device nor at the device's ticks. Each read of a register takes time of a simulated device,
    /// and would be measured with the operation of that moment.
    pub fn hush(&self) {
        if let Err(why) = self.shared.backend.look() {
            tracing::debug!(%why, "the connection manager will tell that the device is gone");
        }
        let mut quiet = self.shared.quiet.lock();
        *quiet = Some(Instant::now() + QUIET);
    }

    /// Time by the device's own clock since power-up, in nanoseconds: of a simulated device it is
    /// simulated time. It is that of the call's first access, for the end of what is measured.
    /// `None` of one that shows no registers.
    pub fn clock_ns(&self) -> Option<f64> {
        let [first, _] = self.shared.cycles()?;
        Some(first as f64 / self.cycles_in_ns()?)
    }

    /// The same of the call's last access, for the beginning of what is measured.
    pub fn clock_begin_ns(&self) -> Option<f64> {
        let each = self.cycles_in_ns()?;
        let [_, last] = self.shared.cycles()?;
        Some(last as f64 / each)
    }

    /// The same of the moment when the connection manager took the event that stopped a queue pair.
    /// The device is asked only then what stopped the queue pair.
    pub fn stopped_ns<S>(&self, qp: &QueuePair<S>) -> Option<f64> {
        Some(qp.0.stopped_at()? as f64 / self.cycles_in_ns()?)
    }

    /// Cycles of its clock in a nanosecond.
    fn cycles_in_ns(&self) -> Option<f64> {
        let khz = self.shared.backend.register(csr::CLOCK_KHZ).ok().filter(|&khz| khz > 0)?;
        Some(f64::from(khz) / 1e6)
    }

    /// Listens on a TCP port, for up to `backlog` connections that nobody has taken. Port 0 is a
    /// free one, which [`Listener::local_addr`] tells. The address is the one of `local=` in the
    /// device's URL, without that all that the device has.
    pub fn listen(&self, port: u16, backlog: usize) -> Result<Listener, Error> {
        self.cm.listen(port, backlog)
    }

    /// The same at one address of the device; an address of all zeros is all that the device has.
    pub fn listen_on(&self, local: SocketAddr, backlog: usize) -> Result<Listener, Error> {
        let address = Some(local.ip()).filter(|ip| !ip.is_unspecified());
        Listener::new(&self.cm, address, local.port(), backlog, self.cm.startup())
    }

    /// The address of servers that `local=` in the device's URL names, without that all zeros.
    pub fn serves_at(&self, port: u16) -> SocketAddr {
        (self.cm.serves_at(), port).into()
    }

    /// As [`Device::listen_on`], with another start of MPA than the device's URL says.
    pub fn listen_with(
        &self,
        local: SocketAddr,
        backlog: usize,
        startup: Startup,
    ) -> Result<Listener, Error> {
        let address = Some(local.ip()).filter(|ip| !ip.is_unspecified());
        Listener::new(&self.cm, address, local.port(), backlog, startup)
    }
}
