// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application on another machine: an agent there does what a script says. Lines of JSON go both
//! ways over a stream of octets, which outlives agents.
use super::device::{Application, Heard, Octets, Offered, Order};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How long an agent may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks.
const LOOK: Duration = Duration::from_micros(200);

/// What an agent is asked. It answers each but the first with [`Said::Did`] or [`Said::Octets`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// The agent has this number, and what was asked before is not for it.
    Hello(u64),
    /// A connection does something.
    Order(usize, Order),
    /// The oldest request that no connection has is this one's.
    Take(usize),
    /// Octets of a region.
    Memory {
        /// Its name.
        region: String,
        /// First octet.
        at: usize,
        /// Octets.
        octets: usize,
    },
    /// The agent ends, and all that it has.
    End,
}

/// What an agent says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Said {
    /// The agent of this number is there, and what was said before was not its.
    Hello(u64),
    /// What was asked is done.
    Did(Result<(), String>),
    /// Octets of a region.
    Octets(Result<Octets, String>),
    /// A peer asks for a connection.
    Requested(Offered),
    /// The application of a connection is told something.
    Heard(usize, Heard),
}

/// Our end.
pub struct Agent {
    stream: UnixStream,
    /// What came and is no whole line yet.
    text: Vec<u8>,
    heard: BTreeMap<usize, VecDeque<Heard>>,
    requests: VecDeque<Offered>,
    /// Connections whose request was neither accepted nor rejected.
    taken: BTreeSet<usize>,
}

impl Agent {
    /// Waits for the agent of this number. The error says what is wrong with the stream, or that
    /// nobody is there.
    pub fn new(stream: UnixStream, number: u64) -> Result<Self, String> {
        stream.set_nonblocking(true).map_err(|why| why.to_string())?;
        let (heard, requests, taken) = Default::default();
        let mut agent = Self { stream, text: vec![], heard, requests, taken };
        let end = Instant::now() + PATIENCE;
        loop {
            match agent.next()? {
                Some(Ok(Said::Hello(said))) if said == number => break,
                Some(_) => {}
                None if Instant::now() > end => {
                    return Err(format!("no agent {number} within {PATIENCE:?}"));
                }
                None => std::thread::sleep(LOOK),
            }
        }
        agent.say(&Ask::Hello(number))?;
        Ok(agent)
    }

    /// Ends it.
    pub fn end(mut self) -> Result<(), String> {
        self.done(&Ask::End)
    }

    fn say(&mut self, ask: &Ask) -> Result<(), String> {
        let line = serde_json::to_string(ask).map_err(|why| why.to_string())? + "\n";
        let (mut rest, end) = (line.as_bytes(), Instant::now() + PATIENCE);
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(octets) => rest = &rest[octets..],
                Err(why) if why.kind() == ErrorKind::WouldBlock && Instant::now() < end => {
                    std::thread::sleep(LOOK);
                }
                Err(why) => return Err(format!("the agent takes nothing: {why}")),
            }
        }
        Ok(())
    }

    /// The next that it said, if there is a whole line: the inner error is a line that is none.
    fn next(&mut self) -> Result<Option<Result<Said, String>>, String> {
        loop {
            if let Some(end) = self.text.iter().position(|octet| *octet == b'\n') {
                let line: Vec<u8> = self.text.drain(..=end).collect();
                let wrong = |why| format!("`{}`: {why}", String::from_utf8_lossy(&line).trim_end());
                return Ok(Some(serde_json::from_slice(&line).map_err(wrong)));
            }
            let mut room = vec![0; 65_536];
            match self.stream.read(&mut room) {
                Ok(0) => return Err("the agent's stream is closed".into()),
                Ok(octets) => self.text.extend(&room[..octets]),
                Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(why) => return Err(format!("the agent's stream: {why}")),
            }
        }
    }

    /// Takes what it said; an answer is the result.
    fn take(&mut self) -> Result<Option<Said>, String> {
        while let Some(said) = self.next()? {
            match said? {
                Said::Requested(offered) => self.requests.push_back(offered),
                Said::Heard(number, heard) => self.heard.entry(number).or_default().push_back(heard),
                answer => return Ok(Some(answer)),
            }
        }
        Ok(None)
    }

    fn ask(&mut self, ask: &Ask) -> Result<Said, String> {
        self.say(ask)?;
        let end = Instant::now() + PATIENCE;
        loop {
            match self.take()? {
                Some(answer) => return Ok(answer),
                None if Instant::now() > end => {
                    return Err(format!("the agent does not answer {ask:?} within {PATIENCE:?}"));
                }
                None => std::thread::sleep(LOOK),
            }
        }
    }

    fn done(&mut self, ask: &Ask) -> Result<(), String> {
        match self.ask(ask)? {
            Said::Did(done) => done,
            other => Err(format!("the agent answers {other:?}")),
        }
    }
}

impl Application for Agent {
    fn order(&mut self, number: usize, order: Order) -> Result<(), String> {
        if matches!(order, Order::Accept(_) | Order::Reject(_) | Order::Abort | Order::Forget) {
            self.taken.remove(&number);
        }
        self.done(&Ask::Order(number, order))
    }

    fn hear(&mut self, number: usize) -> Result<Option<Heard>, String> {
        if let Some(stray) = self.take()? {
            return Err(format!("the agent answers {stray:?}, and nothing was asked"));
        }
        if !self.taken.contains(&number) {
            if let Some(offered) = self.requests.pop_front() {
                self.done(&Ask::Take(number))?;
                self.taken.insert(number);
                self.heard.entry(number).or_default().push_back(Heard::Requested(offered));
            }
        }
        Ok(self.heard.get_mut(&number).and_then(VecDeque::pop_front))
    }

    fn memory(&mut self, region: &str, at: usize, octets: usize) -> Result<Vec<u8>, String> {
        match self.ask(&Ask::Memory { region: region.into(), at, octets })? {
            Said::Octets(octets) => octets.map(|octets| octets.0),
            other => Err(format!("the agent answers {other:?}")),
        }
    }

    fn tells(&self, what: &str) -> bool {
        // rdma_cm and verbs have no such calls and events, and words of their own
        !matches!(what, "failed" | "peer-finished" | "terminated" | "words" | "order")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};

    /// An agent that has said this; the other end.
    fn said(lines: &[Said]) -> (Agent, BufReader<UnixStream>) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"half a line of another\n").unwrap();
        for said in [&[Said::Hello(3)], lines].concat() {
            theirs.write_all((serde_json::to_string(&said).unwrap() + "\n").as_bytes()).unwrap();
        }
        (Agent::new(ours, 3).unwrap(), BufReader::new(theirs))
    }

    fn asked(theirs: &mut BufReader<UnixStream>) -> Ask {
        let mut line = String::new();
        theirs.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn what_an_agent_says_between_answers_is_heard_later() {
        let offered = Offered { data: vec![1], ird: 2, ord: 3 };
        let (mut agent, mut theirs) = said(&[
            Said::Heard(1, Heard::PeerFinished),
            Said::Did(Ok(())),
            Said::Requested(offered.clone()),
            Said::Octets(Ok(Octets(vec![7]))),
            Said::Did(Ok(())),
            Said::Did(Err("no".into())),
        ]);
        assert_eq!(asked(&mut theirs), Ask::Hello(3));
        agent.order(0, Order::Listen).unwrap();
        assert_eq!(asked(&mut theirs), Ask::Order(0, Order::Listen));
        assert_eq!(agent.memory("r", 0, 1), Ok(vec![7]));
        drop(asked(&mut theirs));
        assert_eq!(agent.done(&Ask::Take(2)), Ok(()));
        assert_eq!(asked(&mut theirs), Ask::Take(2));
        assert_eq!(agent.order(0, Order::Close), Err("no".into()));
        assert_eq!(agent.requests, [offered]);
        assert_eq!(agent.heard[&1], [Heard::PeerFinished]);
    }
}
