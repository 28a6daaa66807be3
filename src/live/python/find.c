// SPDX-License-Identifier: Apache-2.0
/* live/python/find.c: finds the interpreter of a process: the mapped file that contains CPython, its version by the file's
 * name, and the addresses of its symbols; and says why a process may not be inspected. */
#include "live/proc/elf.h"
#include "live/proc/namespace.h"
#include "live/python/python.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- obstacles ---- */

void tfp_why_forbidden(int64_t pid, char *out, size_t room)
{
    tfp_proc_status status;
    char text[16] = "", user[64];
    FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (f) {
        if (!fgets(text, sizeof text, f)) *text = '\0';
        fclose(f);
    }
    if (tfp_proc_status_read(pid, &status) && geteuid() != 0 && status.uid[1] != (int64_t)geteuid()) {
        tfp_user_name(status.uid[1], user, sizeof user);
        snprintf(out, room, "it belongs to %s: needs that user, or root", user);
    } else if (*text > '0' && *text <= '9') {
        snprintf(out, room, "kernel.yama.ptrace_scope is %c: needs root (CAP_SYS_PTRACE)%s", *text,
                 *text == '1' ? ", or sysctl kernel.yama.ptrace_scope=0" : "");
    } else {
        snprintf(
            out, room,
            "needs CAP_SYS_PTRACE in its user and pid namespace: run as root of the machine, or give the container "
            "--cap-add SYS_PTRACE");
    }
}

bool tfp_python_read(const tfp_python *p, uint64_t address, void *out, size_t size)
{
    struct iovec to = { out, size },
                 from = { (void *)(uintptr_t)address, size }; /* NOLINT: an address of another process */
    return process_vm_readv((pid_t)p->pid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

/* ---- the mapped file ---- */

int tfp_python_minor(tfp_str name)
{
    static const char *const begins[] = { "libpython3.", "python3." };
    for (size_t i = 0; i < 2; i++) {
        size_t size = strlen(begins[i]), digits = 0;
        int minor = 0;
        if (name.size <= size || memcmp(name.data, begins[i], size) != 0) continue;
        for (; size < name.size && name.data[size] >= '0' && name.data[size] <= '9' && digits < 3; size++, digits++)
            minor = minor * 10 + (name.data[size] - '0');
        if (!digits) return 0;
        if (size == name.size || name.data[size] == '.' || name.data[size] == ' ') return minor;
        return name.data[size] == 'd' || name.data[size] == 't' ? -1 : 0;
    }
    return 0;
}

bool tfp_mapped_file_parse(const char *line, tfp_mapped_file *out)
{
    static const char gone[] = " (deleted)";
    unsigned long low, high, offset;
    int path_at = 0;
    if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &low, &high, &offset, &path_at) < 3 || !path_at || offset)
        return false;
    const char *path = line + path_at;
    size_t size = strcspn(path, "\n");
    if (*path != '/' || size >= sizeof out->path) return false;
    *out = (tfp_mapped_file){ .low = low, .high = high };
    memcpy(out->path, path, size);
    if (size > sizeof gone && memcmp(path + size - (sizeof gone - 1), gone, sizeof gone - 1) == 0) {
        out->deleted = true;
        out->path[size - (sizeof gone - 1)] = '\0';
    }
    out->name = strrchr(out->path, '/') + 1;
    return true;
}

int tfp_mapped_file_open(int64_t pid, const tfp_mapped_file *file)
{
    return file->deleted ? tfp_inside_mapped(pid, file->low, file->high) : tfp_inside_file(pid, file->path);
}

typedef struct python_file {
    tfp_mapped_file file;
    int minor;
    bool library;
} python_file;

/* Takes a line of maps that maps the beginning of a file with a name of CPython's. */
static bool take_line(const char *line, python_file *out)
{
    if (!tfp_mapped_file_parse(line, &out->file)) return false;
    out->minor = tfp_python_minor(tfp_str_of(out->file.name));
    out->library = *out->file.name == 'l';
    return out->minor != 0;
}

/* Finds the library of CPython, or else the program. */
static bool find_file(int64_t pid, python_file *out, int *why)
{
    char name[64], line[1024];
    python_file found;
    bool any = false;
    snprintf(name, sizeof name, "/proc/%lld/maps", (long long)pid);
    FILE *f = fopen(name, "re");
    *why = f ? 0 : errno;
    for (size_t left = TFP_MAPS_LINES; left && f && fgets(line, sizeof line, f); left--) {
        if (!take_line(line, &found) || (any && (out->library || !found.library))) continue;
        *out = found;
        out->file.name = NULL; /* it points into the other struct */
        any = true;
    }
    if (f && ferror(f)) *why = EACCES;
    if (f) fclose(f);
    return any;
}

/* Opens the interpreter's file; -1: *method says why not. */
static int open_python(int64_t pid, const python_file *file, const char **why)
{
    char path[64];
    int fd = tfp_mapped_file_open(pid, &file->file);
    if (fd < 0 && file->file.deleted && !file->library) {
        snprintf(path, sizeof path, "/proc/%lld/exe", (long long)pid); /* it is running, so it is a plain file */
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    *why = file->file.deleted ? "was replaced since it started: only root can still read it"
           : errno == EINVAL  ? "is no plain file any more"
                              : "cannot be opened";
    return fd;
}

/* Addresses of symbols of the interpreter's file in the process, 0 for those not found. False: the file cannot be used, *method
 * says why. */
static bool locate(int64_t pid, const python_file *file, const char *const *names, uint64_t *values, size_t count,
                   const char **why)
{
    tfp_elf_facts facts;
    int fd = open_python(pid, file, why);
    if (fd < 0) return false;
    bool ok = tfp_elf_symbols(fd, names, values, count, &facts);
    close(fd);
    *why = facts.too_big ? TFP_ELF_NOT_SMALL : "has no symbols of CPython for x86-64";
    for (size_t i = 0; i < count && ok; i++) values[i] += values[i] && facts.moves ? file->file.low : 0;
    return ok;
}

static bool find_symbols(tfp_python *p, const python_file *file, const char **why)
{
    static const char *const names[] = { "_PyRuntime", "PyCode_Type", "PyUnicode_Type" };
    uint64_t *const to[] = { &p->runtime, &p->code_type, &p->text_type };
    uint64_t values[3];
    if (!locate(p->pid, file, names, values, 3, why)) return false;
    for (size_t i = 0; i < 3; i++) *to[i] = values[i];
    return values[0] && values[1] && values[2];
}

bool tfp_python_functions(int64_t pid, const char *const *names, uint64_t *values, size_t count)
{
    python_file file;
    const char *why;
    int fault;
    if (!find_file(pid, &file, &fault) || !locate(pid, &file, names, values, count, &why)) return false;
    for (size_t i = 0; i < count; i++)
        if (!values[i]) return false;
    return true;
}

bool tfp_python_is_single(const tfp_python *p)
{
    uint64_t first, second;
    return tfp_python_read(p, p->runtime + (uint64_t)p->layout->runtime_head, &first, sizeof first) &&
           tfp_python_read(p, first + (uint64_t)p->layout->interp_next, &second, sizeof second) && !second;
}

bool tfp_python_is_final(int minor, const uint64_t told[3])
{
    static const char cookie[8] = { 'x', 'd', 'e', 'b', 'u', 'g', 'p', 'y' };
    enum { FINAL = 0xf }; /* PY_VERSION_HEX: 0x030e00f0 is 3.14.0 */
    if (minor < 13) return true;
    return memcmp(&told[0], cookie, sizeof cookie) == 0 && told[1] >> 16 == (3U << 8 | (unsigned)minor) &&
           (told[1] >> 4 & 15) == FINAL && !told[2];
}

bool tfp_python_open(int64_t pid, tfp_python *out, tfp_method *refusal)
{
    python_file file;
    const char *lacks;
    char why[300];
    int fault;
    uint64_t head, told[3] = { 0 }; /* cookie, version, whether free-threaded */
    *out = (tfp_python){ .pid = pid, .inside = !tfp_same_namespace(pid, "pid") };
    *refusal = (tfp_method){ .code = NULL };
    if (!find_file(pid, &file, &fault)) {
        if (fault == ENOENT || fault == ESRCH) {
            tfp_method_refuse(refusal, "gone", "no such process");
        } else if (fault) {
            tfp_why_forbidden(pid, why, sizeof why);
            tfp_method_refuse(refusal, "no-permission", "%s", why);
        } else {
            tfp_method_refuse(refusal, "not-python", "no CPython 3 is mapped in it");
        }
        return false;
    }
    if (file.minor < 0) {
        tfp_method_refuse(refusal, "unsupported-python", "%s is a debug or free-threaded build", file.file.path);
        return false;
    }
    out->layout = tfp_python_layout_of(file.minor);
    if (!out->layout) {
        tfp_method_refuse(refusal, "unsupported-python", "it runs CPython 3.%d: 3.8 to 3.14 are known", file.minor);
        return false;
    }
    if (!find_symbols(out, &file, &lacks)) {
        tfp_method_refuse(refusal, "not-python", "%s %s", file.file.path, lacks);
        return false;
    }
    if (!tfp_python_read(out, out->runtime + (uint64_t)out->layout->runtime_head, &head, sizeof head) ||
        !tfp_python_read(out, out->runtime, told, sizeof told)) {
        bool gone = errno == ESRCH;
        tfp_why_forbidden(pid, why, sizeof why);
        tfp_method_refuse(refusal, gone ? "gone" : "no-permission", "%s", gone ? "it has ended" : why);
        return false;
    }
    if (!tfp_python_is_final(file.minor, told)) {
        tfp_method_refuse(refusal, "unsupported-python", "%s is a free-threaded build, or a preview of 3.%d",
                          file.file.path, file.minor);
        return false;
    }
    return true;
}
