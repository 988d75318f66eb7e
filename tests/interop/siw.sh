#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Stage 3 of `cargo xtask interop`: siw.ko twice, out of tree, for the kernel in ROOT: `stock.ko` as Linux has it, and
# `tuned.ko`, in which the constants that decide about MPA are module parameters:
#   mpa_crc_required, mpa_crc_strict, peer_to_peer, try_gso (bool), mpa_version (1 or 2)
#
# siw.sh ROOT OUT
set -euo pipefail
root=$(realpath "$1") out=$2
kernel=$(cat "$root/etc/ferrowarp-kernel")
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin

# The source and the headers must be of one version, or the module would not load.
version() { chroot "$root" dpkg-query -W -f '${Version}' "$1"; }
source=$(version linux-source-6.12) headers=$(version "linux-headers-$kernel")
[ "$source" = "$headers" ] || {
    echo "linux-source-6.12 is $source and the headers are $headers: the mirror is between two versions; try later"
    exit 1
}

echo "== siw of linux-source-6.12 $source"
work=/var/tmp/siw
rm -rf "$root$work"
mkdir -p "$root$work/stock" "$out"
tar -xJf "$root/usr/src/linux-source-6.12.tar.xz" -C "$root$work/stock" --strip-components=5 \
    linux-source-6.12/drivers/infiniband/sw/siw
cp -r "$root$work/stock" "$root$work/tuned"

# `const bool x;` becomes `bool x;` with a parameter, in its definition and in its declaration.
for name in mpa_crc_required mpa_crc_strict peer_to_peer try_gso; do
    sed -i "s/^const bool $name;/bool $name; module_param($name, bool, 0644);/" "$root$work/tuned/siw_main.c"
    sed -i "s/^extern const bool $name;/extern bool $name;/" "$root$work/tuned/siw.h"
done
sed -i 's/^u_char mpa_version = MPA_REVISION_2;/&\nmodule_param(mpa_version, byte, 0644);/' \
    "$root$work/tuned/siw_main.c"

for build in stock tuned; do
    echo "== $build"
    chroot "$root" make -s -C "/lib/modules/$kernel/build" "M=$work/$build" CONFIG_RDMA_SIW=m modules
    chroot "$root" strip --strip-debug "$work/$build/siw.ko"
    cp "$root$work/$build/siw.ko" "$out/$build.ko"
done
parameters=$(chroot "$root" modinfo -F parm "$work/tuned/siw.ko" | wc -l)
[ "$parameters" = 5 ] || { echo "tuned.ko has $parameters parameters, not 5: siw_main.c has changed"; exit 1; }
rm -rf "$root$work"
