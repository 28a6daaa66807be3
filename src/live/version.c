// SPDX-License-Identifier: Apache-2.0
/* live/version.c: the version of a framework, by the name of the dist-info folder beside its package; none of the job's code
 * is run, and its files are seen through its own root. */
#include "live/names.h"

#include <dirent.h>
#include <stdio.h>

/* The folder that holds the package of a library, and the package: ".../site-packages" and "torch". */
static bool split(const char *library, char *folder, char *package, size_t room)
{
    static const char *const holders[] = { "/site-packages/", "/dist-packages/" };
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(library, holders[i]);
        if (!at) continue;
        const char *name = at + strlen(holders[i]);
        size_t size = strcspn(name, "/");
        if ((size_t)(name - library) >= room || size >= room || !name[size]) return false;
        memcpy(folder, library, (size_t)(name - library));
        folder[name - library - 1] = '\0';
        memcpy(package, name, size);
        package[size] = '\0';
        return true;
    }
    return false;
}

/* "torch-2.13.0.dist-info" of torch, "tensorflow_cpu-2.21.0.dist-info" of tensorflow: the version stands between. */
static bool version_in(const char *entry, const char *package, char *out, size_t room)
{
    static const char end[] = ".dist-info";
    size_t size = strlen(package), whole = strlen(entry);
    if (strncmp(entry, package, size) != 0 || (entry[size] != '-' && entry[size] != '_')) return false;
    const char *dash = strchr(entry + size, '-');
    if (!dash || whole < sizeof end || strcmp(entry + whole - (sizeof end - 1), end) != 0) return false;
    size_t count = (size_t)(entry + whole - (sizeof end - 1) - dash - 1);
    if (dash + 1 + count < dash + 2 || count >= room || dash[1] < '0' || dash[1] > '9') return false;
    memcpy(out, dash + 1, count);
    out[count] = '\0';
    return true;
}

bool tfp_live_version(int64_t pid, const char *library, char *out, size_t room)
{
    char folder[512], package[512], path[640];
    *out = '\0';
    if (!split(library, folder, package, sizeof folder)) return false;
    snprintf(path, sizeof path, "/proc/%lld/root%s", (long long)pid, folder);
    DIR *d = opendir(path);
    bool exact = false;
    for (struct dirent *e; d && !exact && (e = readdir(d));)
        exact = version_in(e->d_name, package, out, room) && e->d_name[strlen(package)] == '-';
    if (d) closedir(d);
    return *out;
}
