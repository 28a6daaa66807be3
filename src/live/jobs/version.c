// SPDX-License-Identifier: Apache-2.0
/* live/jobs/version.c: the version of a framework, by the name of the dist-info folder beside its package; none of the job's code
 * is run, and files are looked up below the process's own root. */
#include "live/jobs/names.h"

#include "base/place.h"
#include "live/proc/namespace.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#define ENTRIES_MOST 20000 /* most entries of the packages' folder that are read */

/* Where the package's name begins in the path of its library; NULL: it cannot be found. Outside site-packages (PYTHONPATH, pip install
 * --target) it is found by the names of the known frameworks. */
static const char *find_package(const char *library)
{
    static const char *const holders[] = { "/site-packages/", "/dist-packages/" };
    static const char *const packages[] = { "/torch/", "/jaxlib/", "/tensorflow/" };
    const char *found = NULL;
    for (size_t i = 0; i < 2; i++)
        if ((found = strstr(library, holders[i]))) return found + strlen(holders[i]);
    for (size_t i = 0; i < 3; i++)
        for (const char *at = library; (at = strstr(at, packages[i])); at++)
            if (at + 1 > found) found = at + 1;
    return found;
}

/* Splits the path of a library into the folder that holds the package and the package's name: ".../site-packages" and
 * "torch". */
static bool split(const char *library, char *folder, char *package, size_t room)
{
    const char *name = find_package(library);
    size_t size = name ? strcspn(name, "/") : 0;
    if (!size || (size_t)(name - library) >= room || size >= room || !name[size]) return false;
    memcpy(folder, library, (size_t)(name - library));
    folder[name - library - 1] = '\0';
    if (!*folder) memcpy(folder, "/", 2);
    memcpy(package, name, size);
    package[size] = '\0';
    return true;
}

/* The version in the name of a dist-info folder: "torch-2.13.0.dist-info" for torch, "tensorflow_cpu-2.21.0.dist-info"
 * for tensorflow. */
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
    char folder[512], package[512];
    *out = '\0';
    if (!split(library, folder, package, sizeof folder)) return false;
    int at = tfp_inside_open(pid, folder);
    DIR *d = at >= 0 ? tfp_folder_list(at) : NULL;
    bool exact = false;
    struct dirent *e;
    for (int i = 0; d && !exact && i < ENTRIES_MOST && (e = readdir(d)); i++)
        exact = version_in(e->d_name, package, out, room) && e->d_name[strlen(package)] == '-';
    if (d) closedir(d);
    if (at >= 0) close(at);
    return *out;
}
