// SPDX-License-Identifier: Apache-2.0
/* server/http/mhd.c: finds libmicrohttpd's functions in the system's library, or in the program itself (Meson's option `bundled`). */
#include "mhd.h"

#include <string.h>

#ifdef TFP_BUNDLED

bool mhd_load(mhd *m, char *why, size_t room)
{
    (void)why;
    (void)room;
#define MHD_ADDRESS(name) .name = name,
    *m = (mhd){ MHD_FUNCTIONS(MHD_ADDRESS) };
#undef MHD_ADDRESS
    return true;
}

void mhd_unload(mhd *m) { memset(m, 0, sizeof *m); }

#else
#include <dlfcn.h>
#include <stdio.h>

#define LIBRARY "libmicrohttpd.so.12"

bool mhd_load(mhd *m, char *why, size_t room)
{
    memset(m, 0, sizeof *m);
    m->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!m->library) {
        snprintf(why, room, "serve needs %s, which is not here (Debian: apt install libmicrohttpd12)", LIBRARY);
        return false;
    }
    /* a pointer to a function is read as what dlsym gives: an object pointer of the same size */
#define MHD_LOOK_UP(name)                                                                                              \
    *(void **)&m->name = dlsym(m->library, #name);                                                                     \
    if (!m->name) {                                                                                                    \
        snprintf(why, room, "serve needs a newer %s: it has no %s", LIBRARY, #name);                                   \
        mhd_unload(m);                                                                                                 \
        return false;                                                                                                  \
    }
    MHD_FUNCTIONS(MHD_LOOK_UP)
#undef MHD_LOOK_UP
    return true;
}

void mhd_unload(mhd *m)
{
    if (m->library) dlclose(m->library);
    m->library = NULL;
}
#endif
