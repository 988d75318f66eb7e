// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks that wait for something of the driver: what async functions stand on, whatever runs them.
use crate::error::Error;
use parking_lot::Mutex;
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Duration;

/// Tasks that want to look again when something changes.
#[derive(Debug, Default)]
pub(crate) struct Wakers(Mutex<Vec<Waker>>);

impl Wakers {
    fn keep(&self, waker: &Waker) {
        let mut wakers = self.0.lock();
        if !wakers.iter().any(|other| other.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    /// Something has changed.
    pub(crate) fn wake(&self) {
        let wakers = std::mem::take(&mut *self.0.lock());
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits until `found` finds something. It is asked after each change, and the task is kept
    /// before it is asked, so that no change is missed.
    pub(crate) async fn until<R>(
        &self,
        most: Duration,
        what: &'static str,
        mut found: impl FnMut() -> Result<Option<R>, Error>,
    ) -> Result<R, Error> {
        let ready = poll_fn(|context| {
            self.keep(context.waker());
            match found() {
                Ok(Some(result)) => Poll::Ready(Ok(result)),
                Ok(None) => Poll::Pending,
                Err(why) => Poll::Ready(Err(why)),
            }
        });
        tokio::time::timeout(most, ready).await.unwrap_or(Err(Error::TimedOut { what, waited: most }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::Arc;

    #[tokio::test]
    async fn a_task_sees_a_change_and_gives_up_in_time() {
        let wakers = Arc::new(Wakers::default());
        let count = Arc::new(AtomicU32::new(0));
        let (theirs, counted) = (wakers.clone(), count.clone());
        let other = std::thread::spawn(move || {
            for _ in 0..3 {
                counted.fetch_add(1, Ordering::SeqCst);
                theirs.wake();
            }
        });
        let three = || Ok((count.load(Ordering::SeqCst) == 3).then_some(7));
        assert_eq!(wakers.until(Duration::from_secs(30), "three", three).await.unwrap(), 7);
        other.join().unwrap();
        let never = wakers.until(Duration::from_millis(20), "four", || Ok(None::<()>)).await;
        assert!(matches!(never, Err(Error::TimedOut { what: "four", .. })));
        let failed = wakers.until(Duration::from_secs(30), "x", || Err::<Option<()>, _>(Error::Closed)).await;
        assert!(matches!(failed, Err(Error::Closed)));
    }
}
