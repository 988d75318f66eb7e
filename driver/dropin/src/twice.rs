// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the process has another library that wants to be the same as this one. Each copy of this
//! library would open the devices for itself, and the second open would be refused as busy.
use std::ffi::{c_int, c_void, CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Names of this library.
const NAMES: [&str; 5] =
    ["libferrowarp.so", "libibverbs.so.1", "librdmacm.so.1", "libmlx5.so.1", "libefa.so.1"];

/// Two libraries of one purpose.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is loaded beside {}; make the names of the library symbolic links in one folder, as `cargo xtask dropin` does, \
     and name that folder alone in LD_LIBRARY_PATH",
    .other.display(), .own.display()
)]
pub struct Twice {
    /// This one.
    own: PathBuf,
    /// The other one.
    other: PathBuf,
}

/// Looks at all objects of the process.
pub fn check() -> Result<(), Twice> {
    match own() {
        Some(own) => judge(own, loaded()),
        None => Ok(()),
    }
}

/// The file of this library.
fn own() -> Option<PathBuf> {
    // SAFETY: all zeros are a value of the struct.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let here: *const c_void = (check as fn() -> Result<(), Twice>) as *const c_void;
    // SAFETY: the address is of this library, and the struct is this function's.
    let found = unsafe { libc::dladdr(here, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: the linker's text, which ends and stays while the library is loaded.
    found.then(|| path(unsafe { CStr::from_ptr(info.dli_fname) }))
}

fn path(text: &CStr) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(text.to_bytes()))
}

/// Files of all objects of the process.
fn loaded() -> Vec<PathBuf> {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, all: *mut c_void) -> c_int {
        // SAFETY: the linker gives an object with a text that ends, and the pointer that was given
        // below.
        let (name, all) = unsafe { ((*info).dlpi_name, &mut *all.cast::<Vec<PathBuf>>()) };
        if !name.is_null() {
            // SAFETY: as above.
            all.push(path(unsafe { CStr::from_ptr(name) }));
        }
        0
    }
    let mut all: Vec<PathBuf> = vec![];
    // SAFETY: the function takes the vector, which stays here, and ends with this call.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut all).cast()) };
    all
}

/// Whether one of these files has a name of the library, and is another file.
fn judge(own: PathBuf, loaded: Vec<PathBuf>) -> Result<(), Twice> {
    let file = |path: &Path| std::fs::metadata(path).map(|file| (file.dev(), file.ino())).ok();
    let is_ours =
        |path: &PathBuf| path.file_name().is_some_and(|name| NAMES.iter().any(|ours| name == *ours));
    match loaded.into_iter().find(|path| is_ours(path) && file(path) != file(&own)) {
        Some(other) => Err(Twice { own, other }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_under_another_name_is_told_and_a_link_is_not() {
        let folder = std::env::temp_dir().join(format!("fw-twice-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let place = |name: &str| folder.join(name);
        let own = place("libferrowarp.so");
        std::fs::write(&own, "x").unwrap();
        std::fs::copy(&own, place("librdmacm.so.1")).unwrap();
        let _ = std::fs::remove_file(place("libibverbs.so.1"));
        std::os::unix::fs::symlink(&own, place("libibverbs.so.1")).unwrap();
        let good = vec![own.clone(), place("libibverbs.so.1"), place("libc.so.6")];
        assert_eq!(judge(own.clone(), good), Ok(()));
        let told = judge(own.clone(), vec![own, place("librdmacm.so.1")]).unwrap_err().to_string();
        assert!(
            told.contains("librdmacm.so.1 is loaded beside") && told.contains("symbolic links"),
            "{told}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_process_without_the_library_has_no_copy_of_it() {
        assert_eq!(check(), Ok(()));
        assert!(!loaded().is_empty() && own().is_some());
    }
}
