// SPDX-License-Identifier: Apache-2.0
/* options/regex_loaded.c: regex.h inside a Python extension, instead of regex.cc.
 *
 * TensorFlow exposes its own RE2, of another version with the same C++ names, to the whole process. An extension that
 * is linked to RE2 in the ordinary way calls TensorFlow's RE2 and crashes. So regex.cc and RE2 are in a shared object
 * beside the extension, which is loaded in a way that makes it find its own libraries first. */
#include "options/regex.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "_regex.so"

/* Sanitizers replace functions process-wide, which RTLD_DEEPBIND would undo. */
#if defined(__SANITIZE_ADDRESS__)
#define LOADED (RTLD_NOW | RTLD_LOCAL)
#else
#define LOADED (RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)
#endif

static struct {
    tfp_regex *(*new)(tfp_str pattern, char *why, size_t why_size);
    bool (*full_match)(const tfp_regex *r, tfp_str text);
    bool (*find)(const tfp_regex *r, tfp_str text, size_t from, tfp_str *found, int groups);
    int (*groups)(const tfp_regex *r);
    unsigned (*failures)(const tfp_regex *r);
    void (*free)(tfp_regex *r);
} loaded; /* set once, before anything is matched */

static char fault[256]; /* why loading failed; set together with `loaded` */

/* Opens the shared object in the directory of the file that contains this function. */
static void *open_beside(void)
{
    char path[4096];
    Dl_info self;
    if (!dladdr(fault, &self) || !self.dli_fname) return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash - self.dli_fname) + 1 : 0;
    int size = snprintf(path, sizeof path, "%.*s" FILE_NAME, folder, self.dli_fname);
    return size > 0 && (size_t)size < sizeof path ? dlopen(path, LOADED) : NULL;
}

static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); /* ISO C has no cast from an object pointer to a function pointer */
    return found != NULL;
}

static void load(void)
{
    void *library = open_beside();
    bool ok = library && find(library, "tfp_regex_new", &loaded.new) &&
              find(library, "tfp_regex_full_match", &loaded.full_match) &&
              find(library, "tfp_regex_find", &loaded.find) && find(library, "tfp_regex_groups", &loaded.groups) &&
              find(library, "tfp_regex_failures", &loaded.failures) && find(library, "tfp_regex_free", &loaded.free);
    if (ok) return;
    const char *why = dlerror();
    loaded.new = NULL;
    snprintf(fault, sizeof fault, "the package's %s cannot be loaded: %s", FILE_NAME, why ? why : "unknown error");
}

tfp_regex *tfp_regex_new(tfp_str pattern, char *why, size_t why_size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (loaded.new) return loaded.new(pattern, why, why_size);
    snprintf(why, why_size, "%s", fault);
    return NULL;
}

bool tfp_regex_full_match(const tfp_regex *r, tfp_str text) { return loaded.full_match(r, text); }
bool tfp_regex_find(const tfp_regex *r, tfp_str text, size_t from, tfp_str *found, int groups)
{
    return loaded.find(r, text, from, found, groups);
}
int tfp_regex_groups(const tfp_regex *r) { return loaded.groups(r); }
unsigned tfp_regex_failures(const tfp_regex *r) { return loaded.failures(r); }
void tfp_regex_free(tfp_regex *r) { loaded.free(r); }
