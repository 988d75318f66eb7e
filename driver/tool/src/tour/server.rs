// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server: lends a region, and another that is taken away.
use super::end::End;
use super::error::TourError;
use super::pattern::{differs, pattern, ONCE, READ, WRITTEN};
use super::shown::{CLIENT, MESSAGE, MOST_OCTETS, SERVER};
use crate::error::ToolError;
use crate::ping::Advert;
use ferrowarp::{AcceptOptions, Access, Device, Listener, MemoryRegion, Remote};
use std::time::Duration;

/// Octets of the region that is invalidated.
const ONCE_OCTETS: usize = 64;

/// Octets of the region that a client asks for.
fn asked(private_data: &[u8]) -> Result<usize, TourError> {
    let number = private_data.strip_prefix(CLIENT).and_then(|rest| <[u8; 4]>::try_from(rest).ok());
    let octets = number.ok_or_else(|| TourError::Stranger(private_data.to_vec()))?;
    let octets = u32::from_be_bytes(octets) as usize;
    if octets == 0 || octets > MOST_OCTETS {
        return Err(TourError::Size(octets));
    }
    Ok(octets)
}

/// Takes the next client of a listener around; returns the octets of its region. The connection's
/// end is the device's refusal, after which the region that was invalidated has to be as it was.
pub fn guide(device: &Device, listener: &Listener, patience: Duration) -> Result<usize, ToolError> {
    let request = listener.next(patience)?;
    let octets = match asked(request.private_data()) {
        Ok(octets) => octets,
        Err(why) => {
            request.reject(SERVER.to_vec())?;
            return Err(why.into());
        }
    };
    let mut end = End::new(device, patience)?;
    let whole = end.pd.allocate(octets, Access::ALL)?;
    let once = end.pd.allocate_for(&end.qp, ONCE_OCTETS, Access::ALL)?;
    once.memory().write(0, &pattern(ONCE, ONCE_OCTETS))?;
    let options = AcceptOptions::default().private_data(SERVER.to_vec()).patience(patience);
    // the client measures the echo, which may come with the connection
    device.hush();
    let connection = request.accept(&end.qp, options)?;
    let qp = connection.queue_pair();

    let message = end.message(MESSAGE)?;
    end.send(qp, &message.octets, None)?;
    end.send(qp, &[advert(&whole), advert(&once)].concat(), None)?;

    end.message(1)?;
    let at = differs(WRITTEN, &whole.memory().copy(0, octets)?).map_or(u32::MAX, |at| at as u32);
    whole.memory().write(0, &pattern(READ, octets))?;
    end.send(qp, &at.to_be_bytes(), None)?;

    end.message(1)?;
    // the client, which has asked for a pause, measures what comes next
    device.hush();
    end.send(qp, &[0], None)?;
    let invalidated = end.message(1)?.invalidated.map_or(0, |stag| stag.0);
    // the client measures what comes next, the refusal of this end among it
    device.hush();
    end.send(qp, &invalidated.to_be_bytes(), None)?;
    end.ended(connection)?;
    untouched(&once.memory().copy(0, ONCE_OCTETS)?)?;
    Ok(octets)
}

/// The octets of the region that was invalidated are what they were: nothing of the refused Write
/// is there.
fn untouched(octets: &[u8]) -> Result<(), TourError> {
    let what = "the invalidated region after the refused Write";
    differs(ONCE, octets).map_or(Ok(()), |at| Err(TourError::Differs { what, at }))
}

/// What names a region to the peer.
pub(super) fn advert(region: &MemoryRegion) -> [u8; crate::ping::ADVERT_OCTETS] {
    let remote = Remote { stag: region.stag(), to: region.to_base() };
    Advert { remote, size: region.memory().len() as u32 }.octets()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_and_sizes_are_refused() {
        assert_eq!(asked(&[CLIENT, &[0, 1, 0, 0]].concat()), Ok(1 << 16));
        assert_eq!(asked(&[CLIENT, &[0; 4]].concat()), Err(TourError::Size(0)));
        assert_eq!(asked(&[CLIENT, &[0xff; 4]].concat()), Err(TourError::Size(0xffff_ffff)));
        for other in [&b""[..], CLIENT, b"rping"] {
            assert_eq!(asked(other), Err(TourError::Stranger(other.to_vec())));
        }
    }

    #[test]
    fn an_octet_of_the_refused_write_is_found_wherever_it_is() {
        let mut region = pattern(ONCE, ONCE_OCTETS);
        assert_eq!(untouched(&region), Ok(()));
        // the client writes what it has read
        for (at, octet) in pattern(READ, ONCE_OCTETS).into_iter().enumerate() {
            let was = std::mem::replace(&mut region[at], octet);
            assert!(matches!(untouched(&region), Err(TourError::Differs { at: found, .. }) if found == at));
            region[at] = was;
        }
    }
}
