// SPDX-License-Identifier: Apache-2.0
/* live/jobs/names.c: names of a job's first process, and how a capture would record it. Each needs several files, so they
 * are read again only when it is the process's turn. The version of a mapped library does not change. */
#include "live/jobs/names.h"

#include <sys/stat.h>

int64_t tfp_run_changed_ns(const char *run_folder)
{
    struct stat st;
    if (!*run_folder || stat(run_folder, &st)) return -1;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static void read_container(const tfp_live_process *p, char out[16])
{
    char cgroup[4096];
    long n = tfp_proc_read(p->stat.pid, "cgroup", cgroup, sizeof cgroup);
    tfp_proc_container((tfp_str){ cgroup, n > 0 ? (size_t)n : 0 }, out);
}

static void read_method(const char *run_folder, int64_t run_changed_ns, const tfp_live_process *p, tfp_live_names *n)
{
    tfp_method method;
    tfp_method_of(run_folder, &p->stat, p->status_told ? &p->status : NULL, p->maps.frameworks, &method);
    n->capture = method.code;
    n->state = p->stat.state;
    n->uid = p->status.uid[1];
    n->tracer = p->status.tracer;
    n->run_changed_ns = run_changed_ns;
    n->frameworks = p->maps.frameworks;
}

/* Only stopped, traced and ended processes differ in how they can be captured. */
static bool same_state(char a, char b)
{
    static const char telling[] = "TtZX";
    return a == b || (!strchr(telling, a) && !strchr(telling, b));
}

static bool same_method(const tfp_live_names *n, const tfp_live_process *p, int64_t run_changed_ns)
{
    return same_state(n->state, p->stat.state) && n->uid == p->status.uid[1] && n->tracer == p->status.tracer &&
           n->run_changed_ns == run_changed_ns && n->frameworks == p->maps.frameworks;
}

bool tfp_live_names_read(const char *run_folder, int64_t run_changed_ns, tfp_live_process *p)
{
    tfp_live_names *n = p->names;
    bool all = p->turn || !n;
    if (!n && !(n = p->names = calloc(1, sizeof *n))) return false;
    if (!*n->version && *p->maps.library) tfp_live_version(p->stat.pid, p->maps.library, n->version, sizeof n->version);
    if (all) {
        *n->user = '\0';
        if (p->status_told) tfp_user_name(p->status.uid[0], n->user, sizeof n->user);
        read_container(p, n->container);
        tfp_proc_command(p->stat.pid, n->command, sizeof n->command);
        tfp_proc_program(p->stat.pid, n->program, sizeof n->program);
    }
    if (all || !same_method(n, p, run_changed_ns)) read_method(run_folder, run_changed_ns, p, n);
    return true;
}
