// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regions and their domains on a device that a test plays.
use super::tests::scene;
use super::*;
use crate::backend::fake::Fake;
use crate::device::Device;
use crate::error::Error;
use crate::shared::Shared;
use ferrowarp_abi::codec::MrRow;
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use std::sync::Arc;

#[test]
fn segments_stay_in_their_region_and_domain() {
    let scene = scene();
    scene.connect();
    let outside = scene.region.segment(95, 6).unwrap_err();
    assert!(outside.to_string().contains("6 octets at 95 are not in the region, which has 100"), "{outside}");
    let other = scene.device.protection_domain().unwrap();
    let region = other.allocate(10, Access::ALL).unwrap();
    let posted = scene.qp.post_recv(1, &[region.segment(0, 10).unwrap()]);
    assert!(matches!(posted, Err(Error::Domain("a segment"))));
    // of another device the domain has the same number
    let shared = Arc::new(Shared::new(Fake::new()));
    let strange = Device::domain_of(&shared).unwrap();
    assert_eq!(strange.0.index, scene.pd.0.index);
    let region = strange.allocate(10, Access::ALL).unwrap();
    let posted = scene.qp.post_recv(1, &[region.segment(0, 10).unwrap()]);
    assert!(matches!(posted, Err(Error::Domain("a segment"))));
}

#[test]
fn a_completion_queue_of_another_device_serves_no_queue_pair() {
    let scene = scene();
    let fake = Fake::new();
    let strange = CompletionQueue::new(&Arc::new(Shared::new(fake.clone())), 4, None, true).unwrap();
    // the device would take the number for a queue of its own
    assert_eq!(strange.0.number.index, scene.cq.0.number.index);
    let written = scene.fake.told(admin_opcode::QP_WRITE).len();
    let options = QpOptions { sends: 2, receives: 2 };
    for queues in [[&strange, &scene.cq], [&scene.cq, &strange], [&strange; 2]] {
        let refused = scene.device.queue_pair(&scene.pd, queues, options).map(drop);
        assert!(matches!(refused, Err(Error::Domain("a completion queue"))), "{refused:?}");
    }
    assert_eq!(scene.fake.told(admin_opcode::QP_WRITE).len(), written);
    assert!(fake.told(admin_opcode::QP_WRITE).is_empty());
}

#[test]
fn segments_of_a_domain_that_is_gone_are_refused_by_the_next_one_of_its_number() {
    let scene = scene();
    let first = scene.device.protection_domain().unwrap();
    let number = first.0.index;
    let segment = first.allocate(10, Access::ALL).unwrap().segment(0, 10).unwrap();
    drop(first);
    let second = scene.device.protection_domain().unwrap();
    assert_eq!(second.0.index, number);
    let options = QpOptions { sends: 2, receives: 2 };
    let qp = scene.device.queue_pair(&second, [&scene.cq; 2], options).unwrap();
    assert!(matches!(qp.post_recv(1, &[segment]), Err(Error::Domain("a segment"))));
}

#[test]
fn regions_tell_the_device_where_they_are_and_go_again() {
    let scene = scene();
    let (head, row) = scene.fake.told(admin_opcode::MR_WRITE).pop().unwrap();
    let row = MrRow::parse(&row).unwrap();
    assert_eq!((row.length, row.to_base), (100, scene.region.to_base()));
    assert!(row.local_write && row.remote_read && row.remote_write && row.is_valid && !row.bound_to_qp);
    assert_eq!(scene.region.stag().0, u32::from(head.index) << 8 | u32::from(row.key));
    scene.region.memory().write(99, &[0xAB]).unwrap();
    assert_eq!(scene.fake.octets(row.base + 99, 1), [0xAB]);
    let mapped = scene.fake.mapped();
    drop(scene.region);
    assert_eq!(scene.fake.told(admin_opcode::MR_REVOKE)[0].0.index, head.index);
    assert_eq!(scene.fake.mapped(), mapped - 1);
}

#[test]
fn memory_of_what_the_device_does_not_give_up_stays() {
    let scene = scene();
    let before = scene.fake.mapped();
    for opcode in [admin_opcode::MR_REVOKE, admin_opcode::QP_WRITE, admin_opcode::CQ_WRITE] {
        scene.fake.state().refused.insert(opcode, admin_status::BAD_ROW);
    }
    drop(scene.region);
    assert_eq!(scene.fake.mapped(), before);
    drop((scene.qp, scene.cq));
    assert_eq!(scene.fake.mapped(), before, "rings");
    // a device that is gone reaches nothing
    let region = scene.pd.allocate(10, Access::ALL).unwrap();
    scene.fake.state().is_gone = true;
    drop(region);
    assert_eq!(scene.fake.mapped(), before);
}

#[test]
fn a_domain_lives_as_long_as_what_is_registered_in_it() {
    let scene = scene();
    let first = scene.device.protection_domain().unwrap();
    let number = first.0.index;
    let region = first.allocate(10, Access::ALL).unwrap();
    drop(first);
    let second = scene.device.protection_domain().unwrap();
    assert_ne!(second.0.index, number, "queue pairs of another domain would reach the region");
    drop(region);
    let third = scene.device.protection_domain().unwrap();
    assert_eq!(third.0.index, number);
    // a queue pair holds its domain, too
    drop(scene.qp);
    let qp = scene.device.queue_pair(&third, [&scene.cq; 2], QpOptions { sends: 1, receives: 1 }).unwrap();
    drop(third);
    assert_ne!(scene.device.protection_domain().unwrap().0.index, number);
    drop(qp);
    assert_eq!(scene.device.protection_domain().unwrap().0.index, number);
}
