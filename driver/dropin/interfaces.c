// SPDX-License-Identifier: MIT OR Apache-2.0
// libferrowarp-interfaces.so, for LD_PRELOAD: hands getifaddrs and freeifaddrs to libferrowarp.so, which puts
// the addresses of the devices in front of the host's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <ifaddrs.h>

typedef int getter(struct ifaddrs **);
typedef void freer(struct ifaddrs *);

int ferrowarp_getifaddrs(getter *host, struct ifaddrs **to);
void ferrowarp_freeifaddrs(freer *host, struct ifaddrs *all);

int getifaddrs(struct ifaddrs **to) { return ferrowarp_getifaddrs((getter *)dlsym(RTLD_NEXT, "getifaddrs"), to); }

void freeifaddrs(struct ifaddrs *all) { ferrowarp_freeifaddrs((freer *)dlsym(RTLD_NEXT, "freeifaddrs"), all); }
