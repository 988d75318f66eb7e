// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events behind which the device is asked for the captured error before firmware is told. Of a
//! queue pair that stopped, the error is what firmware needs. Behind the peer's FIN the answer says
//! that all before it has been judged, placed and told.
use crate::admin::{AdminError, Asked};
use crate::backend::Backend;
use ferrowarp_abi::codec::{AdminCommand, CapturedError, DdpUntaggedHdr, Event};
use ferrowarp_abi::consts::{admin_opcode, admin_row, event_kind, wc_status};
use ferrowarp_firmware::port::{Captured, CapturedSegment, DeviceEvent, QpId};

/// An event whose row was asked for.
#[derive(Debug)]
pub(super) struct Caught {
    event: Event,
    asked: Asked,
}

impl Caught {
    /// Whether an event of this kind waits for the captured error.
    pub(super) fn is_for(kind: u8) -> bool {
        use event_kind::{PEER_FIN, PEER_TERMINATE, QP_ACCESS_ERROR, QP_FATAL, QP_REQUEST_ERROR};
        matches!(kind, PEER_FIN | PEER_TERMINATE | QP_ACCESS_ERROR | QP_FATAL | QP_REQUEST_ERROR)
    }

    /// Asks for the row.
    pub(super) fn new(backend: &dyn Backend, event: Event) -> Result<Self, AdminError> {
        let (opcode, row, index) = (admin_opcode::READ_ROW, admin_row::CAPTURED, event.number);
        let asked = Asked::new(backend, AdminCommand { opcode, row, index }, &[])?;
        Ok(Self { event, asked })
    }

    /// The queue pair that the event has stopped.
    pub(super) fn stopped(&self) -> Option<u16> {
        (self.event.kind != event_kind::PEER_FIN).then_some(self.event.number)
    }

    /// What firmware is told, and what behind that, if the answer has come.
    pub(super) fn poll(&mut self) -> Option<Result<(DeviceEvent, Option<DeviceEvent>), AdminError>> {
        let answered = self.asked.poll()?;
        Some(answered.map(|answered| told(self.event, &answered.row)))
    }
}

/// What an event and the captured row behind it are to firmware. An error that stands before the
/// peer's FIN is told before the FIN: the event of the error itself comes later, when both FINs may
/// have ended the connection.
fn told(event: Event, row: &[u8]) -> (DeviceEvent, Option<DeviceEvent>) {
    if event.kind != event_kind::PEER_FIN {
        return (stopped(event, row), None);
    }
    let fin = DeviceEvent::PeerFin(QpId(event.number));
    match CapturedError::parse(row).is_ok_and(|c| c.is_captured) {
        true => (stopped(event, row), Some(fin)),
        false => (fin, None),
    }
}

/// What stopped a queue pair.
fn stopped(event: Event, row: &[u8]) -> DeviceEvent {
    let qp = QpId(event.number);
    let octets = row.get(CapturedError::LEN..).unwrap_or_default();
    let is_terminate = event.kind == event_kind::PEER_TERMINATE;
    let head = |c: &CapturedError| octets.get(..usize::from(c.length)).unwrap_or(octets).to_vec();
    match CapturedError::parse(row).ok().filter(|c| c.is_captured) {
        Some(c) if c.is_terminate => {
            let body = head(&c).get(DdpUntaggedHdr::LEN..).unwrap_or_default().to_vec();
            DeviceEvent::Terminate(qp, body)
        }
        // an error of our own came first: of the Terminate there is the control field
        _ if is_terminate => DeviceEvent::Terminate(qp, event.info.to_be_bytes().to_vec()),
        Some(c) if matches!(c.status, wc_status::REM_OP_ERR | wc_status::REM_ACCESS_ERR) => {
            DeviceEvent::BadTerminate(qp, c.error)
        }
        Some(c) if c.status == wc_status::RETRY_EXC_ERR => DeviceEvent::Lost(qp),
        Some(c) => {
            let segment = c.has_segment.then(|| CapturedSegment { length: c.length, head: head(&c) });
            DeviceEvent::Fault(qp, Captured { error: c.error, segment })
        }
        // a row that was written anew meanwhile
        None => DeviceEvent::Fault(qp, Captured { error: event.error, segment: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::{stopped, told};
    use ferrowarp_abi::codec::{CapturedError, Event};
    use ferrowarp_abi::consts::{event_kind, wc_status};
    use ferrowarp_firmware::port::{Captured, CapturedSegment, DeviceEvent, QpId};

    const QP: QpId = QpId(5);

    /// The event and the row of an error, behind which 72 octets stand.
    fn case(kind: u8, row: CapturedError) -> DeviceEvent {
        let event = Event { kind, number: QP.0, error: 0x1100, info: 0x1100_C000, ..Default::default() };
        let octets: Vec<_> = (0..72).collect();
        stopped(event, &[&row.octets().unwrap()[..], &octets].concat())
    }

    #[test]
    fn an_error_before_the_peers_fin_is_told_before_the_fin() {
        let event = Event { kind: event_kind::PEER_FIN, number: QP.0, ..Default::default() };
        let row = |row: CapturedError| row.octets().unwrap();
        let none = row(CapturedError::default());
        assert_eq!(told(event, &none), (DeviceEvent::PeerFin(QP), None));
        let captured = CapturedError { is_captured: true, error: 0x1100, ..Default::default() };
        let fault = DeviceEvent::Fault(QP, Captured { error: 0x1100, segment: None });
        assert_eq!(told(event, &row(captured)), (fault, Some(DeviceEvent::PeerFin(QP))));
    }

    #[test]
    fn a_captured_row_says_who_is_to_be_told_what() {
        let row = CapturedError { is_captured: true, error: 0x1100, ..Default::default() };
        let kept = CapturedError { has_segment: true, length: 231, status: wc_status::LOC_ACCESS_ERR, ..row };
        let segment = |length, most| CapturedSegment { length, head: (0..most).collect() };
        let fault = |segment| DeviceEvent::Fault(QP, Captured { error: 0x1100, segment });
        assert_eq!(case(event_kind::QP_ACCESS_ERROR, kept), fault(Some(segment(231, 72))));
        let short = CapturedError { length: 13, ..kept };
        assert_eq!(case(event_kind::QP_FATAL, short), fault(Some(segment(13, 13))));
        assert_eq!(case(event_kind::QP_REQUEST_ERROR, row), fault(None));
        let none = CapturedError::default();
        assert_eq!(case(event_kind::QP_FATAL, none), fault(None));
        let lost = CapturedError { status: wc_status::RETRY_EXC_ERR, ..row };
        assert_eq!(case(event_kind::QP_FATAL, lost), DeviceEvent::Lost(QP));
        let bad = CapturedError { status: wc_status::REM_OP_ERR, ..kept };
        assert_eq!(case(event_kind::QP_FATAL, bad), DeviceEvent::BadTerminate(QP, 0x1100));
        let terminate = CapturedError { is_terminate: true, length: 42, ..bad };
        let body = DeviceEvent::Terminate(QP, (18..42).collect());
        assert_eq!(case(event_kind::QP_FATAL, terminate), body);
        assert_eq!(case(event_kind::PEER_TERMINATE, terminate), body);
        let control = DeviceEvent::Terminate(QP, vec![0x11, 0, 0xC0, 0]);
        assert_eq!(case(event_kind::PEER_TERMINATE, kept), control, "an error of ours came first");
    }
}
