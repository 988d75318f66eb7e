// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads that meet without devices.
use super::*;
use crate::rnic::clock::Shared;
use crate::rnic::common::Fabric;
use crate::rnic::line;
use ferrowarp_hdl::config::{Config, Profile};
use std::sync::mpsc::channel;
use std::sync::Arc;

/// Longest wait for what must come at once.
const SOON: Duration = Duration::from_secs(10);

fn meeting(members: usize, waits: [Duration; 2]) -> (Arc<Meeting>, Arc<Shared>) {
    let shared = Shared::new().unwrap();
    let fabric = Fabric::new(&line(&Config::profile(Profile::TenG)), None, None).unwrap();
    let conductor = Conductor::new(fabric, waits, 156_250, shared.clone());
    (Arc::new(Meeting::new(members, conductor)), shared)
}

fn run(until: u64) -> Turn {
    Turn::Run { until, rested: None }
}

/// A thread that is let on before the others have come would be in another block.
#[test]
fn nobody_goes_on_before_all_have_come() {
    let (meeting, _shared) = meeting(3, [Duration::ZERO; 2]);
    let (done, ended) = channel();
    let threads: Vec<_> = (0..3)
        .map(|n| {
            let (meeting, done) = (meeting.clone(), done.clone());
            std::thread::spawn(move || {
                let mut vote = Vote::default();
                for block in 1..=200 {
                    assert_eq!(meeting.meet(vote), run(76 * block));
                    vote.cycle = 76 * block;
                    done.send((block, n)).unwrap();
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let blocks: Vec<_> = ended.try_iter().map(|(block, _)| block).collect();
    assert_eq!(blocks.len(), 600);
    // who is ahead is at most one block ahead
    assert!(blocks.windows(2).all(|two| two[0] <= two[1] + 1), "{blocks:?}");
}

#[test]
fn one_that_leaves_is_not_waited_for_and_the_last_one_ends_the_time() {
    let (meeting, shared) = meeting(2, [Duration::ZERO; 2]);
    let (done, ended) = channel();
    let other = meeting.clone();
    std::thread::spawn(move || done.send(other.meet(Vote::default())));
    meeting.leave();
    assert_eq!(ended.recv_timeout(SOON), Ok(run(76)));
    meeting.leave();
    let told = shared.run_until(0).unwrap_err().to_string();
    assert!(told.contains("all devices were closed"), "{told}");
}

#[test]
fn one_that_fails_ends_the_others_with_its_reason() {
    let (meeting, shared) = meeting(3, [Duration::ZERO; 2]);
    let (done, ended) = channel();
    let other = meeting.clone();
    let waits = move || {
        done.send(other.meet(Vote::default())).unwrap();
        done.send(other.meet(Vote::default())).unwrap();
    };
    std::thread::spawn(waits);
    meeting.fail("a frame of 59 octets");
    assert_eq!([ended.recv_timeout(SOON), ended.recv_timeout(SOON)], [Ok(Turn::End); 2]);
    let told = shared.run_until(0).unwrap_err().to_string();
    assert!(told.contains("a frame of 59 octets"), "{told}");
}
