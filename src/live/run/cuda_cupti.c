// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_cupti.c: finds the CUPTI that fits the CUDA of this process. Part of the library of cuda_inject.c. */
#include "live/run/cuda_cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

tfp_cupti_functions tfp_cupti;

static const char *const sonames[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8", "libcupti.so" };
enum { SONAMES = sizeof sonames / sizeof *sonames };

enum { PATH_ROOM = 4000 };

/* Looks for CUPTI beside the CUDA libraries that the process has loaded, as NVIDIA's wheels and its toolkit install it. The
 * loader's lock is held here, so the path is kept and the library is loaded later. */
static int beside(struct dl_phdr_info *info, size_t size, void *found)
{
    static const char *const wheels[] = { "cu13/lib/libcupti.so.13", "cuda_cupti/lib/libcupti.so.12",
                                          "cuda_cupti/lib/libcupti.so.11.8" };
    const char *name = info->dlpi_name, *wheel = strstr(name, "/site-packages/nvidia/"), *end = strrchr(name, '/');
    char *path = found;
    (void)size;
    if (!wheel) wheel = strstr(name, "/dist-packages/nvidia/");
    for (size_t i = 0; wheel && i < sizeof wheels / sizeof *wheels; i++) {
        snprintf(path, PATH_ROOM, "%.*s/%s", (int)(strchr(wheel + 1, '/') + 7 - name), name, wheels[i]);
        if (access(path, R_OK) == 0) return 1;
    }
    if (!wheel && end && strncmp(end, "/libcudart.so", 13) == 0) {
        snprintf(path, PATH_ROOM, "%.*s/../extras/CUPTI/lib64/libcupti.so", (int)(end - name), name);
        if (access(path, R_OK) == 0) return 1;
    }
    *path = '\0';
    return 0;
}

static void *find_cupti(void)
{
    void *found = NULL;
    char path[PATH_ROOM] = "";
    for (int i = 0; i < SONAMES && !found; i++) found = dlopen(sonames[i], RTLD_NOW | RTLD_NOLOAD);
    if (!found && dl_iterate_phdr(beside, path)) found = dlopen(path, RTLD_NOW);
    for (int i = 0; i < SONAMES && !found; i++) found = dlopen(sonames[i], RTLD_NOW);
    return found ? found : dlopen("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", RTLD_NOW);
}

bool tfp_cupti_load(char *why, size_t room)
{
    void *library = find_cupti();
    const struct {
        const char *name;
        void *place;
        bool needed;
    } functions[] = { { "cuptiActivityRegisterCallbacks", &tfp_cupti.register_callbacks, true },
                      { "cuptiActivityEnable", &tfp_cupti.enable, true },
                      { "cuptiActivityGetNextRecord", &tfp_cupti.next, true },
                      { "cuptiActivityFlushAll", &tfp_cupti.flush_all, true },
                      { "cuptiGetTimestamp", &tfp_cupti.timestamp, true },
                      { "cuptiGetVersion", &tfp_cupti.version, true },
                      { "cuptiActivityDisable", &tfp_cupti.disable, false },
                      { "cuptiActivityFlushPeriod", &tfp_cupti.flush_period, false },
                      { "cuptiActivityGetNumDroppedRecords", &tfp_cupti.dropped, false },
                      { "cuptiGetCallbackName", &tfp_cupti.callback_name, false },
                      { "cuptiGetResultString", &tfp_cupti.error_text, false } };
    if (!library)
        snprintf(why, room, "no libcupti was found: not loaded, not beside CUDA's libraries, not in LD_LIBRARY_PATH");
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *at = dlsym(library, functions[i].name);
        if (!at && functions[i].needed) {
            snprintf(why, room, "libcupti lacks %s", functions[i].name);
            return false;
        }
        memcpy(functions[i].place, &at, sizeof at);
    }
    return library != NULL;
}
