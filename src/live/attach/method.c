// SPDX-License-Identifier: Apache-2.0
/* live/attach/method.c: how a capture would record a process. The order matters: reasons that rule out every method come
 * first. */
#include "live/attach/attach.h"

#include <stdio.h>
#include <sys/xattr.h>

/* A program that has more rights than its caller (set-user-ID) must not be inspected. */
static bool has_special_rights(int64_t pid)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%lld/exe", (long long)pid);
    if (stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID))) return true;
    return getxattr(path, "security.capability", NULL, 0) > 0;
}

void tfp_method_of(const char *run_folder, const tfp_proc_stat *stat, const tfp_proc_status *status,
                   unsigned frameworks, tfp_method *out)
{
    long long pid = stat->pid;
    *out = (tfp_method){ .code = NULL };
    if (stat->state == 'Z' || stat->state == 'X') {
        tfp_method_refuse(out, "zombie", "it has ended");
        return;
    }
    if (!status) {
        tfp_method_refuse(out, "gone", "no such process");
        return;
    }
    if (!tfp_method_is_ours(status) || has_special_rights(stat->pid)) {
        char user[64];
        tfp_user_name(status->uid[1], user, sizeof user);
        tfp_method_refuse(
            out, "other-user", "it belongs to %s%s", user,
            tfp_method_is_ours(status) ? ", and its program has rights of its own (set-id or capabilities)" : "");
    } else if (stat->state == 'T' || stat->state == 't') {
        if (status->tracer > 0)
            tfp_method_refuse(out, "traced", "process %lld traces it", (long long)status->tracer);
        else
            tfp_method_refuse(out, "stopped", "it is stopped, nothing can run in it; kill -CONT %lld lets it go on",
                              pid);
    } else if (tfp_agent_find(run_folder, stat->pid, stat->start_ticks, status->uid[1], &out->agent)) {
        out->code = "agent";
    } else if (status->tracer > 0) {
        tfp_method_refuse(out, "traced", "process %lld traces it", (long long)status->tracer);
    } else if (frameworks & ~(unsigned)TFP_FRAMEWORK_PYTHON) {
        if (!(frameworks & TFP_FRAMEWORK_PYTHON))
            tfp_method_refuse(out, "not-python", "no CPython is mapped in it");
        else if (tfp_attach_allowed(stat->pid, status, out))
            out->code = "attach";
    } else if (frameworks & TFP_FRAMEWORK_PYTHON) {
        tfp_method_refuse(out, "no-framework",
                          "it has loaded none of JAX, TensorFlow and torch; tfprof stacks %lld shows what it does",
                          pid);
    } else {
        tfp_method_refuse(out, "not-python", "it is no Python process");
    }
}
