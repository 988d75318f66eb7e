// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a connection begins: a queue pair is bound, and firmware is asked for a connection.
use super::{Connecting, Connection};
use crate::backend::Closing;
use crate::cm::greeting::{Initiator, Startup};
use crate::cm::greetings::Then as Greeted;
use crate::cm::hears::{Hears, Made};
use crate::cm::options::{AcceptOptions, ConnectOptions};
use crate::cm::pump::Pump;
use crate::cm::watch::Watch;
use crate::cm::Cm;
use crate::error::Error;
use crate::signal::Signal;
use crate::verbs::QueuePair;
use ferrowarp_firmware::cm::api::{ConnId, Connect, Then};
use ferrowarp_firmware::port::QpId;
use std::net::SocketAddr;
use std::sync::Arc;

impl Connection {
    /// Begins a connection.
    pub(crate) fn connect(
        cm: &Arc<Cm>,
        qp: &QueuePair,
        remote: SocketAddr,
        options: ConnectOptions,
    ) -> Result<Connecting, Error> {
        let (address, local_port) = cm.defaults.local_end(options.local, remote);
        let has = cm.shared.backend.capabilities();
        let qp_id = QpId(qp.number());
        let connect = |then| Connect { remote, address, local_port, then };
        let Startup::Delayed(greeting) = options.startup_by(&cm.defaults) else {
            let how = options.initiate(&cm.defaults, &has, qp_id)?;
            let connect = connect(Then::Initiate(how));
            return Self::begin(cm, qp, remote, vec![], move |pump| pump.connect(connect));
        };
        let then = match greeting.initiator() {
            Initiator::Connect => Greeted::Initiate(options.initiate(&cm.defaults, &has, qp_id)?),
            Initiator::Listen => {
                Greeted::Accept(AcceptOptions::from(options).accept(&cm.defaults, &has, qp_id)?)
            }
        };
        let connect = connect(Then::Stream);
        Self::begin(cm, qp, remote, vec![], move |pump| {
            let (id, local) = pump.connect(connect)?;
            pump.greetings.insert(id, greeting, then);
            Ok((id, local))
        })
    }

    /// Binds the queue pair and does a call of firmware's that begins a connection, whose end here
    /// the call tells. `greeting` is the peer's line, if the peer has greeted.
    pub(super) fn begin(
        cm: &Arc<Cm>,
        qp: &QueuePair,
        remote: SocketAddr,
        greeting: Vec<u8>,
        call: impl FnOnce(&mut Pump) -> Result<(ConnId, SocketAddr), Error> + Send + 'static,
    ) -> Result<Connecting, Error> {
        if !Arc::ptr_eq(&qp.0.number.shared, &cm.shared) {
            return Err(Error::Domain("the queue pair"));
        }
        let signal = Arc::new(Signal::new()?);
        let watch = Arc::new(Watch::raising(&signal));
        qp.0.bind()?;
        let hears = Hears { watch: watch.clone(), qp: qp.0.clone(), greeting };
        let begun = cm.call(move |pump| {
            let (id, local) = call(pump)?;
            pump.connections.insert(id, hears);
            Ok((id, local))
        });
        let (id, local) = begun.and_then(|begun| begun).inspect_err(|_| qp.0.unbind())?;
        let qp = QueuePair::connected(&qp.0);
        Ok(Connecting::new(Self {
            cm: cm.clone(),
            id,
            watch,
            signal,
            local,
            remote,
            made: Made::default(),
            qp,
            end: Closing::default(),
        }))
    }
}
