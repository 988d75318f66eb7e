#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Stage 2 of `cargo xtask interop`: QEMU, a compiler, the cloud kernel with its headers and source, and the tools of
# rdma-core, in the Debian system of the folder ROOT. Needs root. May be run again where it was interrupted. Its mount
# lives in a mount namespace of its own and is gone when this ends, however it ends.
#
# packages.sh ROOT
set -euo pipefail
root=$1
if [ "${2-}" != inside ]; then
    exec unshare --mount --propagation private "$0" "$root" inside
fi

say() { echo "== $*"; }
# INITRD=No: the kernel's package builds no initramfs of its own.
export DEBIAN_FRONTEND=noninteractive INITRD=No LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
in_root() { chroot "$root" "$@"; }
mount -t proc proc "$root/proc"

say "compiler, kernel, its headers and source, rdma-core"
in_root dpkg --configure -a
in_root apt-get -q update
in_root apt-get -q -y install gcc make linux-image-cloud-amd64 linux-headers-cloud-amd64 linux-source-6.12 \
    rdmacm-utils ibverbs-utils ibverbs-providers perftest qperf rdma-core iproute2 \
    busybox-static cpio kmod xz-utils zstd

# vfio-user needs QEMU 10.1, which the suite itself does not have.
suite=$(in_root sh -c '. /etc/os-release && echo "$VERSION_CODENAME"')
say "QEMU of $suite-backports"
in_root apt-get -q -y install -t "$suite-backports" qemu-system-x86

headers=$(basename "$(ls -d "$root"/usr/src/linux-headers-*-cloud-amd64)")
echo "${headers#linux-headers-}" >"$root/etc/ferrowarp-kernel"
in_root apt-get clean
rm -rf "$root"/var/lib/apt/lists/*
