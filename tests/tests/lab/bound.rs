// SPDX-License-Identifier: MIT OR Apache-2.0
//! A region that is bound to a queue pair is bound to that queue pair's stream and domain (RFC 5040
//! section 8.1.1, RFC 5041 section 8.3.1): the next stream of the same number does not reach the
//! region.
use ferrowarp::{Access, ProtectionDomain};
use ferrowarp_tests::driver::lab::Lab;
use ferrowarp_tests::driver::segments::{read_request, tagged, TAGGED};
use ferrowarp_tests::driver::talk::{options, Talk, CLIENT};
use ferrowarp_tests::fw::mpa::Frame;

/// A buffer of the peer.
const SINK: (u32, u64) = (0x0BAD_CAFE, 0x7_0000_0100);
/// Octets of the region.
const OCTETS: usize = 64;

/// A connection to `port` in this domain, whose peer closes when the device does.
fn talk(lab: &mut Lab, port: u16, pd: &ProtectionDomain) -> Talk {
    lab.pd = pd.clone();
    let (talk, _) = Talk::initiate(lab, port, options(), &Frame::reply().enhanced(CLIENT));
    lab.closes = true;
    talk
}

/// What the present peer says is answered by this Terminate.
fn refused(lab: &mut Lab, says: &[u8], error: [u8; 2]) {
    lab.ulpdu(says);
    lab.until("a FIN", |lab| lab.peer.fin);
    let terminate = lab.ulpdus(true).pop().expect("a Terminate");
    assert_eq!((terminate[1], &terminate[18..20]), (0x47, &error[..]), "{terminate:02x?}");
}

#[test]
fn a_bound_region_does_not_outlive_its_stream() {
    let mut lab = Lab::new("bound");
    let domains = [(); 2].map(|()| lab.device.protection_domain().expect("a domain"));
    let mut port = 22_000;
    // the next stream of the number belongs to another domain, and to the same
    for next in [1, 0] {
        let mut again = |lab: &mut Lab, pd: usize| {
            port += 1;
            talk(lab, port, &domains[pd])
        };
        let first = again(&mut lab, 0);
        let number = first.qp().number();
        let region = domains[0].allocate_for(first.qp(), OCTETS, Access::ALL).expect("a region");
        let (stag, to) = (region.stag().0, region.to_base().0);
        let copy = || region.memory().copy(0, 8).expect("octets");
        lab.ulpdu(&tagged(TAGGED, 0x40, stag, to, &[1; 8]));
        lab.until("what the peer of the region's stream writes", |_| copy() == [1; 8]);
        drop(first);
        lab.until("the number", |lab| lab.queue_pair().1.number() == number);

        let writes = again(&mut lab, next);
        assert_eq!(writes.qp().number(), number);
        refused(&mut lab, &tagged(TAGGED, 0x40, stag, to, &[2; 8]), [0x11, 0x02]);
        drop(writes);
        lab.until("the number", |lab| lab.queue_pair().1.number() == number);
        let reads = again(&mut lab, next);
        assert_eq!(reads.qp().number(), number);
        refused(&mut lab, &read_request(1, SINK, 8, (stag, to)), [0x01, 0x03]);
        drop(reads);
        lab.until("the number", |lab| lab.queue_pair().1.number() == number);
        assert_eq!(copy(), [1; 8]);
    }
}

#[test]
fn a_region_is_bound_to_a_queue_pair_of_its_domain() {
    let lab = Lab::new("bound-domain");
    let (_cq, qp) = lab.queue_pair();
    let other = lab.device.protection_domain().expect("a domain");
    let refused = other.allocate_for(&qp, OCTETS, Access::ALL).map(|region| region.stag());
    assert!(matches!(refused, Err(ferrowarp::Error::Domain(_))), "{refused:?}");
    lab.pd.allocate_for(&qp, OCTETS, Access::ALL).expect("a region");
}
