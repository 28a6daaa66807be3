// SPDX-License-Identifier: Apache-2.0
/* live/attach/find.c: what must be known about a process before it is stopped, and reasons not to stop it. */
#include "live/attach/attach.h"
#include "live/attach/cpu.h"
#include "live/proc/elf.h"
#include "live/proc/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- reasons not to stop it ---- */

/* Whether the process has a seccomp filter of its own. Such a filter may kill the process for a system call that we make it do; a
 * container's filter allows these calls for every program. A filter is the container's if we run under the same one, or if the
 * container's first process has no further one. If that first process has a single filter, that one is the container's. */
static bool has_own_filter(int64_t pid, const tfp_proc_status *status)
{
    tfp_proc_status other;
    if (!status->seccomp) return false;
    int64_t like = tfp_same_namespace(pid, "pid") ? getpid() : tfp_inside_first(pid);
    if (status->seccomp != 2 || like < 0 || !tfp_proc_status_read(like, &other) || other.seccomp != 2) return true;
    return other.seccomp_filters != status->seccomp_filters || (like == pid && status->seccomp_filters != 1);
}

/* Whether the agent's files would be in a folder that we cannot see. */
static bool is_out_of_reach(int64_t pid, const tfp_proc_status *status)
{
    const char *name;
    if (!tfp_is_inside(pid)) return false;
    int fd = tfp_inside_folder(pid, status->uid[1], &name);
    if (fd >= 0) close(fd);
    return fd < 0 || status->inner_pid < 0;
}

bool tfp_attach_allowed(int64_t pid, const tfp_proc_status *status, tfp_method *refusal)
{
    char path[64], why[300];
    if (!tfp_cpu_home_code.size) {
        tfp_method_refuse(refusal, "other-machine",
                          "attach works on x86-64 only: start such jobs as tfprof run -- COMMAND");
        return false;
    }
    snprintf(path, sizeof path, "/proc/%lld/mem", (long long)pid);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        bool gone = errno == ENOENT || errno == ESRCH;
        tfp_why_forbidden(pid, why, sizeof why);
        tfp_method_refuse(refusal, gone ? "gone" : "no-permission", "%s", gone ? "no such process" : why);
        return false;
    }
    close(fd);
    if (has_own_filter(pid, status))
        tfp_method_refuse(refusal, "unsafe",
                          "a seccomp filter of its own may kill it: start such jobs as tfprof run -- COMMAND");
    else if (status->shadow_stack)
        tfp_method_refuse(refusal, "unsafe", "it has a shadow stack: start such jobs as tfprof run -- COMMAND");
    /* in that user namespace root has another number, so the agent could not check who connects */
    else if (geteuid() == 0 && !tfp_same_namespace(pid, "user"))
        tfp_method_refuse(refusal, "no-permission",
                          "it is in another user namespace: run tfprof as its user, or in its container");
    else if (is_out_of_reach(pid, status))
        tfp_method_refuse(
            refusal, "no-permission",
            "it is in a container without a folder for files (/tmp, /dev/shm, /var/tmp) that can be reached from here");
    else
        return true;
    return false;
}

/* ---- libc ---- */

static bool is_libc(const char *name)
{
    return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-2.", 7) == 0 || strncmp(name, "ld-musl-", 8) == 0;
}

static bool find_libc(tfp_attach *a)
{
    static const char *const names[] = { "mmap", "munmap" };
    uint64_t values[2], home = 0;
    char path[64], line[1024];
    tfp_mapped_file file = { .low = 0 };
    tfp_elf_facts facts, of_code;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%lld/maps", (long long)a->pid);
    FILE *f = fopen(path, "re");
    for (size_t left = TFP_MAPS_LINES; left && f && !found && fgets(line, sizeof line, f); left--)
        found = tfp_mapped_file_parse(line, &file) && is_libc(file.name);
    if (f) fclose(f);
    if (!found) return false;
    int fd = tfp_mapped_file_open(a->pid, &file);
    if (fd < 0) return false;
    if (tfp_elf_symbols(fd, names, values, 2, &facts) && values[0] && values[1])
        home = tfp_elf_code(fd, tfp_cpu_home_code, &of_code);
    close(fd);
    if (!home) return false;
    uint64_t low = facts.moves ? file.low : 0;
    a->map = low + values[0];
    a->unmap = low + values[1];
    a->home = low + home;
    return true;
}

/* ---- the whole ---- */

static bool find_python(tfp_attach *a, tfp_method *refusal)
{
    static const char *const names[] = { "PyRun_SimpleString", "Py_AddPendingCall" };
    uint64_t values[2];
    tfp_python p;
    if (!tfp_python_open(a->pid, &p, refusal)) return false;
    if (!tfp_python_functions(a->pid, names, values, 2)) {
        tfp_method_refuse(refusal, "not-python",
                          "its CPython shows no symbols: start such jobs as tfprof run -- COMMAND");
        return false;
    }
    if (!tfp_python_is_single(&p)) {
        tfp_method_refuse(refusal, "unsafe", "it has subinterpreters: start such jobs as tfprof run -- COMMAND");
        return false;
    }
    a->run = values[0];
    a->add = values[1];
    a->mutex = p.layout->pending_mutex ? p.runtime + (uint64_t)p.layout->pending_mutex : 0;
    return true;
}

static bool note_program(tfp_attach *a, tfp_method *refusal)
{
    char path[64];
    tfp_proc_stat stat_;
    struct stat st;
    snprintf(path, sizeof path, "/proc/%lld/exe", (long long)a->pid);
    if (!tfp_proc_stat_read(a->pid, &stat_) || stat_.start_ticks != a->start_ticks || stat(path, &st)) {
        tfp_method_refuse(refusal, "gone", "it has ended");
        return false;
    }
    a->code_start = stat_.code_start;
    a->stack_start = stat_.stack_start;
    a->device = st.st_dev;
    a->file = st.st_ino;
    if (a->code_start && a->stack_start) return true;
    tfp_method_refuse(refusal, "no-permission", "the kernel does not tell where its stack is");
    return false;
}

bool tfp_attach_find(int64_t pid, int64_t start_ticks, tfp_attach *a, tfp_method *refusal)
{
    char path[64];
    tfp_proc_status status;
    *a = (tfp_attach){ .pid = pid, .start_ticks = start_ticks, .memory = -1, .inside = -1 };
    if (!tfp_proc_status_read(pid, &status)) {
        tfp_method_refuse(refusal, "gone", "no such process");
        return false;
    }
    if (!tfp_attach_allowed(pid, &status, refusal) || !note_program(a, refusal) || !find_python(a, refusal))
        return false;
    if (!find_libc(a)) {
        tfp_method_refuse(refusal, "unsafe", "its libc was not found: start such jobs as tfprof run -- COMMAND");
        return false;
    }
    a->inner_pid = pid;
    if (tfp_is_inside(pid)) {
        a->inside = tfp_inside_folder(pid, status.uid[1], &a->inside_name);
        a->inner_pid = status.inner_pid;
        if (a->inside < 0) {
            tfp_method_refuse(refusal, "gone", "it has ended");
            return false;
        }
    }
    snprintf(path, sizeof path, "/proc/%lld/mem", (long long)pid);
    a->memory = open(path, O_RDWR | O_CLOEXEC);
    if (a->memory >= 0) return true;
    tfp_method_refuse(refusal, "no-permission", "its memory cannot be opened: %s", strerror(errno));
    return false;
}
