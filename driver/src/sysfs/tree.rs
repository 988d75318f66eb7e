// SPDX-License-Identifier: MIT OR Apache-2.0
//! A tree of files that looks like the parts of `/sys` and `/dev` which are read here.
use super::Roots;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The tree; it goes with the value.
pub struct Tree(TempDir);

/// A function in it.
pub struct Made<'a> {
    tree: &'a Tree,
    path: PathBuf,
}

impl Default for Tree {
    /// Without functions.
    fn default() -> Self {
        let tree = Self(TempDir::new().unwrap());
        fs::create_dir_all(tree.roots().sysfs.join("bus/pci/devices")).unwrap();
        fs::create_dir_all(&tree.roots().dev).unwrap();
        tree
    }
}

impl Tree {
    /// Where it begins.
    pub fn roots(&self) -> Roots {
        Roots { sysfs: self.0.path().join("sys"), dev: self.0.path().join("dev") }
    }

    /// Adds a function with these identifications.
    pub fn function(&self, address: &str, [vendor, device]: [u16; 2]) -> Made<'_> {
        let path = self.roots().sysfs.join("bus/pci/devices").join(address);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("vendor"), format!("{vendor:#06x}\n")).unwrap();
        fs::write(path.join("device"), format!("{device:#06x}\n")).unwrap();
        Made { tree: self, path }
    }

    /// A file below `/dev`.
    pub fn node(&self, name: &str) -> PathBuf {
        let file = self.roots().dev.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, []).unwrap();
        file
    }

    /// Addresses that an IOMMU group reserves, as sysfs writes them.
    pub fn reserved(&self, group: u32, text: &str) {
        fs::write(self.group(group).join("reserved_regions"), text).unwrap();
    }

    fn group(&self, group: u32) -> PathBuf {
        let folder = self.roots().sysfs.join(format!("kernel/iommu_groups/{group}"));
        fs::create_dir_all(folder.join("devices")).unwrap();
        folder
    }
}

impl Made<'_> {
    /// Folder of the function.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is in this IOMMU group.
    pub fn group(self, group: u32) -> Self {
        let folder = self.tree.group(group);
        symlink(&folder, self.path.join("iommu_group")).unwrap();
        symlink(&self.path, folder.join("devices").join(self.path.file_name().unwrap())).unwrap();
        self
    }

    /// Is bound to this driver.
    pub fn driver(self, name: &str) -> Self {
        symlink(self.tree.roots().sysfs.join("bus/pci/drivers").join(name), self.path.join("driver"))
            .unwrap();
        self
    }

    /// Has this character device for VFIO.
    pub fn cdev(self, name: &str) -> Self {
        fs::create_dir_all(self.path.join("vfio-dev").join(name)).unwrap();
        self
    }

    /// Has this configuration space.
    pub fn config(self, octets: &[u8]) -> Self {
        fs::write(self.path.join("config"), octets).unwrap();
        self
    }
}
