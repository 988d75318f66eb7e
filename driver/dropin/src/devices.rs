// SPDX-License-Identifier: MIT OR Apache-2.0
//! The devices of this process. They are listed without being opened. The first use opens one, all
//! contexts share it, and the last context closes it.
use crate::config::{devices, told, Named};
use crate::errno::Errno;
use crate::gen::*;
use crate::live::Shown;
use crate::mailbox::{Mailbox, Member};
use crate::said::{begin, complain};
use crate::twice;
use ferrowarp::url::NetUrl;
use ferrowarp::{Device, DeviceEvents, DeviceInfo};
use parking_lot::Mutex;
use std::ffi::c_char;
use std::sync::{Arc, OnceLock, Weak};

/// A device that is listed.
#[derive(Debug)]
pub struct Entry {
    shown: Shown<ibv_device>,
    /// As the user has named it.
    pub named: Named,
    opened: Mutex<Weak<Opened>>,
}

/// A device that is open.
#[derive(Debug)]
pub struct Opened {
    /// The driver's.
    pub device: Device,
    /// What it is and has, as it was at the open.
    pub info: DeviceInfo,
    /// Its own events.
    pub events: DeviceEvents,
    /// Of its contexts.
    mailboxes: Mutex<Vec<Weak<Mailbox>>>,
}

/// All devices that there are. What is wrong with their list is told once.
pub fn all() -> &'static [Entry] {
    static ALL: OnceLock<Vec<Entry>> = OnceLock::new();
    ALL.get_or_init(|| {
        begin();
        if let Err(why) = twice::check() {
            complain(&why);
            return vec![];
        }
        let (text, of) = told();
        let listed = devices(&text).unwrap_or_else(|why| {
            complain(&format!("{of}: {why}"));
            vec![]
        });
        listed.into_iter().map(Entry::new).collect()
    })
}

/// The device of a program's pointer.
pub fn entry(pointer: *const ibv_device) -> Result<&'static Entry, Errno> {
    all().iter().find(|entry| entry.shown.at().cast_const() == pointer).ok_or(Errno::INVALID)
}

/// Puts a text with its end into an array of C. Octets that do not fit are left out.
pub fn put_text(text: &str, into: &mut [c_char]) {
    let most = into.len().saturating_sub(1);
    into.fill(0);
    into.iter_mut().zip(text.bytes().take(most)).for_each(|(place, octet)| *place = octet as c_char);
}

impl Entry {
    fn new(named: Named) -> Self {
        let mut device = ibv_device {
            node_type: IBV_NODE_RNIC,
            transport_type: IBV_TRANSPORT_IWARP,
            ..Default::default()
        };
        put_text(&named.name, &mut device.name);
        put_text(&named.name, &mut device.dev_name);
        put_text(&format!("/sys/class/infiniband_verbs/{}", named.name), &mut device.dev_path);
        put_text(&format!("/sys/class/infiniband/{}", named.name), &mut device.ibdev_path);
        Self { shown: Shown::new(device), named, opened: Mutex::default() }
    }

    /// The program's pointer, which stays valid.
    pub fn pointer(&self) -> *mut ibv_device {
        self.shown.at()
    }

    /// Where it stands in the network.
    pub fn net(&self) -> &NetUrl {
        self.named.net()
    }

    /// Its GUID, as `DeviceInfo::guid` has it of an open device.
    pub fn guid(&self) -> [u8; 8] {
        let [a, b, c, d, e, f] = self.net().mac.0;
        [a ^ 2, b, c, 0xFF, 0xFE, d, e, f]
    }

    /// Opens the device, unless it is open.
    pub fn open(&self) -> Result<Arc<Opened>, Errno> {
        let mut opened = self.opened.lock();
        if let Some(opened) = opened.upgrade() {
            return Ok(opened);
        }
        let device = Device::open(&self.named.url).inspect_err(|why| {
            complain(&format!("{}: {why}", self.named.name));
        })?;
        let new = Arc::new(Opened::new(device)?);
        *opened = Arc::downgrade(&new);
        Ok(new)
    }

    /// Takes a device of a test for an open one, as long as the answer lives.
    #[cfg(test)]
    pub fn adopt(&self, device: Device) -> Arc<Opened> {
        let new = Arc::new(Opened::new(device).unwrap());
        *self.opened.lock() = Arc::downgrade(&new);
        new
    }
}

impl Opened {
    fn new(device: Device) -> Result<Self, Errno> {
        let (info, events) = (device.info()?, device.events()?);
        Ok(Self { device, info, events, mailboxes: Mutex::default() })
    }

    /// A context's events come here.
    pub fn subscribe(&self, mailbox: &Arc<Mailbox>) {
        let mut mailboxes = self.mailboxes.lock();
        mailboxes.retain(|mailbox| mailbox.strong_count() > 0);
        mailboxes.push(Arc::downgrade(mailbox));
    }

    /// The program's pointer to an object of any context.
    pub fn member(&self, member: Member) -> Option<usize> {
        self.mailboxes.lock().iter().filter_map(Weak::upgrade).find_map(|mailbox| mailbox.pointer(member))
    }

    /// Takes what the device has told into the mailboxes. The answer is whether more may come.
    pub fn collect(&self) -> bool {
        // the order of events is kept by the lock
        let mailboxes = self.mailboxes.lock();
        let each = |of: &dyn Fn(&Mailbox)| mailboxes.iter().filter_map(Weak::upgrade).for_each(|m| of(&m));
        loop {
            match self.events.try_next() {
                Ok(Some(event)) => each(&|mailbox| mailbox.tell(&event)),
                Ok(None) => return true,
                Err(_) => {
                    each(&Mailbox::ended);
                    return false;
                }
            }
        }
    }
}
