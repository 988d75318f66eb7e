// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of the connection to a vfio-user client is a promise: the device accesses the client's
//! memory no more.
mod raw;
mod stub;

use std::io::{ErrorKind, Read, Write};
use std::time::Duration;
use stub::Served;

#[test]
fn the_end_of_the_connection_comes_behind_the_last_access() {
    let served = Served::new("ends");
    served.told.lock().unwrap().accesses = true;
    let mut stream = served.agreed();
    // a message that cannot be ends the session
    stream.write_all(&[0xff; 16]).unwrap();
    served.resets(1);
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let read = stream.read(&mut [0; 1]).map_err(|why| why.kind());
    let write = stream.write(&[0; 1]).map_err(|why| why.kind());
    served.told.lock().unwrap().accesses = false;
    assert_eq!(
        read,
        Err(ErrorKind::WouldBlock),
        "the connection ends though an access of the device goes on"
    );
    assert_eq!(write, Err(ErrorKind::BrokenPipe), "the session has ended, and takes nothing more");
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(stream.read(&mut [0; 1]).map_err(|why| why.kind()), Ok(0));
}
