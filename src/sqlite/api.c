// SPDX-License-Identifier: Apache-2.0
/* sqlite/api.c: finds SQLite and its functions: in the system's library, or in the program (Meson's option `bundled`). */
#include "sqlite/api.h"

#ifdef TFP_BUNDLED

static const sql_api loaded = {
#define SQL_ADDRESS(name) .name = sqlite3_##name,
    SQL_FUNCTIONS(SQL_ADDRESS)
#undef SQL_ADDRESS
};

tfp_status sql_api_load(const sql_api **out, tfp_error *err)
{
    (void)err;
    *out = &loaded;
    return TFP_OK;
}

#else
#include <dlfcn.h>
#include <pthread.h>

/* Its own symbols take precedence (RTLD_DEEPBIND), except with sanitizers, which replace functions of the whole
 * process. It keeps some memory forever, so it is never unloaded (RTLD_NODELETE). */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif
#ifdef SANITIZED
#define LOADED (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
#else
#define LOADED (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | RTLD_DEEPBIND)
#endif

#define FILE_NAME "libsqlite3.so.0"

static const char *const names[] = {
#define SQL_NAME(name) "sqlite3_" #name,
    SQL_FUNCTIONS(SQL_NAME)
#undef SQL_NAME
};

_Static_assert(sizeof(sql_api) == sizeof names, "one function a name, nothing between");

static sql_api loaded; /* set once, under the lock; no later than the first session */
static bool is_loaded;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static tfp_status load(tfp_error *err)
{
    void *library = dlopen(FILE_NAME, LOADED);
    if (!library) {
        const char *why = dlerror();
        /* "...: Cannot allocate memory", or "cannot create shared object descriptor" */
        if (why && (strstr(why, "memory") || strstr(why, "cannot create"))) return tfp_nomem(err);
        return tfp_fail(err, TFP_NOTFOUND, "queries need SQLite, which is not there: %s", why ? why : FILE_NAME);
    }
    sql_api found;
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !missing; i++) {
        void *at = dlsym(library, names[i]);
        memcpy((char *)&found + i * sizeof at, &at, sizeof at); /* ISO C has no cast to a function pointer */
        if (!at) missing = names[i];
    }
    dlclose(library);
    if (missing) return tfp_fail(err, TFP_NOTFOUND, FILE_NAME " has no %s: it is too old", missing);
    loaded = found;
    is_loaded = true;
    return TFP_OK;
}

tfp_status sql_api_load(const sql_api **out, tfp_error *err)
{
    pthread_mutex_lock(&lock);
    tfp_status s = is_loaded ? TFP_OK : load(err);
    pthread_mutex_unlock(&lock);
    *out = &loaded;
    return s;
}
#endif

const sql_api *sql_api_loaded(void) { return &loaded; }
