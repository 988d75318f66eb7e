// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps that run side by side: each says what it waits for and what it uses.
use super::{timed, Row, Step, Steps};
use anyhow::{anyhow, Result};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Steps at a time. Most steps use two cores themselves for a while; a third step would only slow
/// the others down.
const AT_ONCE: usize = 2;

/// What a step uses that no other step may use at the same time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Uses {
    /// Nothing that another step could miss.
    Nothing,
    /// Cargo's build folder: two Cargos there wait for each other's lock.
    Cargo,
    /// The machine: the step measures time, or its peers give up when they are kept waiting.
    Machine,
}

/// A step of a graph.
#[derive(Copy, Clone)]
pub struct Node<'a, C> {
    /// Its name, for people and for the `after` of others.
    pub name: &'a str,
    /// Steps that end before this one begins, well or not: a failed step keeps no other from saying
    /// what it has to say. Names of steps that are not run are passed over.
    pub after: &'a [&'a str],
    /// What it has for itself meanwhile.
    pub uses: Uses,
    /// What it does with the context of all steps.
    pub body: fn(&Step, &C) -> Result<()>,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Ended,
}

/// Which step may begin next.
struct Plan<'a> {
    steps: Vec<(&'a str, &'a [&'a str], Uses)>,
    states: Vec<State>,
}

impl<'a> Plan<'a> {
    fn new<C>(nodes: &'a [Node<'a, C>]) -> Self {
        let steps: Vec<_> = nodes.iter().map(|n| (n.name, n.after, n.uses)).collect();
        let states = vec![State::Waiting; steps.len()];
        Self { steps, states }
    }

    /// The first step, in the order given, that waits for nothing more and whose needs are free.
    fn next(&self) -> Option<usize> {
        let running: Vec<_> = self.in_state(State::Running).map(|i| self.steps[i].2).collect();
        let is_free = |uses| match uses {
            _ if running.len() >= AT_ONCE || running.contains(&Uses::Machine) => false,
            Uses::Machine => running.is_empty(),
            Uses::Cargo => !running.contains(&Uses::Cargo),
            Uses::Nothing => true,
        };
        let has_ended = |name: &&str| {
            let place = self.steps.iter().position(|(other, ..)| other == name);
            place.is_none_or(|i| self.states[i] == State::Ended)
        };
        self.in_state(State::Waiting).find(|&i| {
            let (_, after, uses) = self.steps[i];
            is_free(uses) && after.iter().all(has_ended)
        })
    }

    fn in_state(&self, state: State) -> impl Iterator<Item = usize> + '_ {
        (0..self.steps.len()).filter(move |&i| self.states[i] == state)
    }
}

impl Steps {
    /// Runs `nodes`, some side by side, and keeps their rows in the order given. A step that panics
    /// has failed.
    pub fn run_graph<C: Sync>(&mut self, nodes: &[Node<'_, C>], context: &C) {
        let (plan, changed) = (Mutex::new(Plan::new(nodes)), Condvar::new());
        let rows = Mutex::new(Vec::new());
        let board = &self.board;
        let work = || {
            while let Some(i) = take(&plan, &changed) {
                let Node { name, body, .. } = nodes[i];
                let caught = |step: &Step| {
                    let ended = catch_unwind(AssertUnwindSafe(|| body(step, context)));
                    ended.unwrap_or_else(|_| Err(anyhow!("it panicked, see above")))
                };
                let (row, _) = timed(board, name, caught);
                locked(&rows).push((i, row));
                locked(&plan).states[i] = State::Ended;
                changed.notify_all();
            }
        };
        std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
        let mut rows: Vec<(usize, Row)> = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.sort_by_key(|(i, _)| *i);
        self.done.extend(rows.into_iter().map(|(_, row)| row));
    }
}

/// Waits for a step that may begin, and marks it; none when there is nothing more to wait for.
fn take(plan: &Mutex<Plan<'_>>, changed: &Condvar) -> Option<usize> {
    let mut plan = locked(plan);
    loop {
        if let Some(i) = plan.next() {
            plan.states[i] = State::Running;
            return Some(i);
        }
        plan.in_state(State::Running).next()?;
        plan = changed.wait(plan).unwrap_or_else(PoisonError::into_inner);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // no step panics while it holds one of them
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn node<'a>(name: &'a str, after: &'a [&'a str], uses: Uses) -> Node<'a, Mutex<Vec<u8>>> {
        Node { name, after, uses, body: |_, _| Ok(()) }
    }

    fn began(plan: &mut Plan<'_>) -> Vec<&'static str> {
        const NAMES: [&str; 6] = ["models", "clippy", "build", "lint", "tests", "interop"];
        let mut names = vec![];
        while let Some(i) = plan.next() {
            plan.states[i] = State::Running;
            names.push(NAMES[i]);
        }
        names
    }

    #[test]
    fn a_step_begins_when_what_it_waits_for_has_ended_and_what_it_uses_is_free() {
        let nodes = [
            node("models", &["not chosen"], Uses::Nothing),
            node("clippy", &[], Uses::Cargo),
            node("build", &[], Uses::Cargo),
            node("lint", &[], Uses::Nothing),
            node("tests", &["models", "build"], Uses::Cargo),
            node("interop", &["tests"], Uses::Machine),
        ];
        let mut plan = Plan::new(&nodes);
        assert_eq!(began(&mut plan), ["models", "clippy"]);
        plan.states[0] = State::Ended;
        assert_eq!(began(&mut plan), ["lint"], "Cargo is at work");
        plan.states[1] = State::Ended;
        assert_eq!(began(&mut plan), ["build"]);
        plan.states[2] = State::Ended;
        assert_eq!(began(&mut plan), ["tests"]);
        plan.states[4] = State::Ended;
        assert_eq!(began(&mut plan), [""; 0], "interop has the machine for itself");
        plan.states[3] = State::Ended;
        assert_eq!(began(&mut plan), ["interop"]);
    }

    #[test]
    fn nothing_begins_beside_a_step_that_has_the_machine() {
        let nodes = [node("models", &[], Uses::Machine), node("clippy", &[], Uses::Nothing)];
        assert_eq!(began(&mut Plan::new(&nodes)), ["models"]);
    }

    #[test]
    fn a_failure_and_a_panic_stop_no_other_step() {
        let mut nodes = [
            node("fails", &[], Uses::Cargo),
            node("panics", &[], Uses::Cargo),
            node("waits", &["fails", "panics"], Uses::Nothing),
        ];
        nodes[0].body = |_, _| bail!("broken");
        nodes[1].body = |_, _| panic!("as a defect does");
        nodes[2].body = |_, seen| {
            locked(seen).push(3);
            Ok(())
        };
        let (mut steps, seen) = (Steps::new(true), Mutex::default());
        steps.run_graph(&nodes, &seen);
        assert_eq!(*locked(&seen), [3]);
        let told = steps.finish().unwrap_err().to_string();
        assert_eq!(told, "failed: fails (broken), panics (it panicked, see above)");
    }
}
