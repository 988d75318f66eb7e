// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects that a program of C holds by pointers. A pointer is looked up before it is used, so an
//! object that was destroyed is EINVAL. Only the data path goes by the pointer itself, as
//! rdma-core does.
use crate::errno::Errno;
use parking_lot::Mutex;
use std::any::Any;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

/// All objects of the process, by the address that the program has.
static LIVE: Mutex<BTreeMap<usize, Arc<dyn Any + Send + Sync>>> = Mutex::new(BTreeMap::new());

/// The part of an object that the program sees and writes.
#[repr(transparent)]
pub struct Shown<T>(UnsafeCell<T>);

// SAFETY: the octets are reached by raw pointers alone, by the program under the rules of
// libibverbs, and by this library where these rules let a library.
unsafe impl<T> Send for Shown<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shown<T> {}

impl<T> Shown<T> {
    /// With these octets.
    pub fn new(shown: T) -> Self {
        Self(UnsafeCell::new(shown))
    }

    /// Where they are.
    #[inline(always)]
    pub fn at(&self) -> *mut T {
        self.0.get()
    }
}

impl<T> fmt::Debug for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.get().fmt(f)
    }
}

/// How many others need an object, which is then not destroyed.
#[derive(Debug, Default)]
pub struct Users(AtomicU32);

/// An object that a program holds.
///
/// # Safety
/// The struct is `repr(C)`, and has a `C` at octet [`Object::AT`], inside of a [`Shown`].
pub unsafe trait Object: Any + Send + Sync {
    /// What the program sees.
    type C;
    /// Where in the object.
    const AT: usize;

    /// Its users.
    fn users(&self) -> &Users;

    /// The program's pointer.
    fn pointer(self: &Arc<Self>) -> *mut Self::C
    where
        Self: Sized,
    {
        Arc::as_ptr(self).wrapping_byte_add(Self::AT).cast_mut().cast()
    }
}

/// Keeps an object until [`take`]. The answer is the program's pointer.
pub fn keep<T: Object>(object: Arc<T>) -> *mut T::C {
    let pointer = object.pointer();
    LIVE.lock().insert(pointer.addr(), object);
    pointer
}

/// The object of a pointer. EINVAL: there is none, or one of another kind.
pub fn find<T: Object>(pointer: *const T::C) -> Result<Arc<T>, Errno> {
    let found = LIVE.lock().get(&pointer.addr()).cloned();
    found.and_then(|found| found.downcast().ok()).ok_or(Errno::INVALID)
}

/// The same, which the program holds no more. EBUSY: others need it.
pub fn take<T: Object>(pointer: *const T::C) -> Result<Arc<T>, Errno> {
    let mut live = LIVE.lock();
    let found = live.get(&pointer.addr()).cloned();
    let found: Arc<T> = found.and_then(|found| found.downcast().ok()).ok_or(Errno::INVALID)?;
    match found.users().0.load(Ordering::Relaxed) {
        0 => {
            live.remove(&pointer.addr());
            Ok(found)
        }
        _ => Err(Errno::BUSY),
    }
}

/// Whether an object of any kind is there.
#[cfg(test)]
pub fn is_live(address: usize) -> bool {
    LIVE.lock().contains_key(&address)
}

/// The object behind a pointer of the data path, without a look.
///
/// # Safety
/// The pointer is one of [`keep`] for a `T`, and nobody takes the object meanwhile.
#[inline(always)]
pub unsafe fn trust<'a, T: Object>(pointer: *mut T::C) -> &'a T {
    // SAFETY: the pointer was made from the whole object, `AT` octets behind its beginning.
    unsafe { &*pointer.wrapping_byte_sub(T::AT).cast::<T>() }
}

/// An object that another one needs.
#[derive(Debug)]
pub struct Use<T: Object>(Arc<T>);

impl<T: Object> Use<T> {
    /// Needs `object` until it is dropped.
    pub fn of(object: &Arc<T>) -> Self {
        object.users().0.fetch_add(1, Ordering::Relaxed);
        Self(object.clone())
    }

    /// The object.
    pub fn object(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T: Object> Deref for Use<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Object> Drop for Use<T> {
    fn drop(&mut self) {
        self.0.users().0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[repr(C)]
    struct Thing {
        shown: Shown<[u32; 4]>,
        users: Users,
    }

    // SAFETY: `repr(C)`, and the third number is inside of `shown`.
    unsafe impl Object for Thing {
        type C = u32;
        const AT: usize = offset_of!(Thing, shown) + 8;

        fn users(&self) -> &Users {
            &self.users
        }
    }

    #[repr(C)]
    struct Other(Shown<u32>, Users);

    // SAFETY: `repr(C)`, and the number is first.
    unsafe impl Object for Other {
        type C = u32;
        const AT: usize = 0;

        fn users(&self) -> &Users {
            &self.1
        }
    }

    #[test]
    fn an_object_is_found_until_it_is_taken_and_a_used_one_is_not_taken() {
        let pointer = keep(Arc::new(Thing { shown: Shown::new([1, 2, 3, 4]), users: Users::default() }));
        let thing = find::<Thing>(pointer).unwrap();
        // SAFETY: the object is there, and nobody writes it.
        assert_eq!(unsafe { *pointer }, 3);
        // SAFETY: the pointer is of `keep`.
        assert_eq!(unsafe { trust::<Thing>(pointer) }.shown.at(), thing.shown.at());
        assert_eq!(find::<Other>(pointer).err(), Some(Errno::INVALID), "of another kind");
        let used = Use::of(&thing);
        assert_eq!(take::<Thing>(pointer).err(), Some(Errno::BUSY));
        drop(used);
        assert!(take::<Thing>(pointer).is_ok());
        assert_eq!(take::<Thing>(pointer).err(), Some(Errno::INVALID), "destroyed twice");
        assert_eq!(find::<Thing>(std::ptr::null()).err(), Some(Errno::INVALID));
    }
}
