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

enum { DISPLACED_MOST = 8 };

/* The files that may be a process's interpreter, the likeliest first. */
typedef struct python_files {
    python_file of[1 + DISPLACED_MOST];
    size_t count;
    bool named; /* the first one has a name of CPython's */
} python_files;

int tfp_python_extension_minor(tfp_str name)
{
    static const char mark[] = ".cpython-3";
    const char *at = name.size ? memmem(name.data, name.size, mark, sizeof mark - 1) : NULL;
    const char *end = name.data + name.size;
    if (!at || !tfp_str_ends(name, TFP_STR(".so"))) return 0;
    int minor = 0;
    for (at += sizeof mark - 1; at < end && *at >= '0' && *at <= '9' && minor < 1000; at++)
        minor = minor * 10 + (*at - '0');
    return at < end && (*at == '-' || *at == '.') ? minor : -1;
}

/* Whether a program that replaces files may have given this one another name before it was deleted: .nfs0123, .python3.11.old, python~. */
static bool is_displaced(const char *name) { return *name == '.' || name[strlen(name) - 1] == '~'; }

/* Takes a mapped file, if it may be the interpreter. An interpreter that was displaced is any file with such a name, or the program. */
static void take_file(python_files *all, const tfp_mapped_file *file, const char *program)
{
    int minor = tfp_python_minor(tfp_str_of(file->name));
    bool is_program = strcmp(file->path, program) == 0;
    python_file found = { .file = *file, .minor = minor, .library = minor ? *file->name == 'l' : !is_program };
    found.file.name = NULL; /* it points into the other struct */
    if (minor && all->named) {
        if (found.library && !all->of[0].library) all->of[0] = found;
    } else if (minor || ((is_program || is_displaced(file->name)) && all->count < DISPLACED_MOST)) {
        size_t at = minor ? 0 : is_program ? all->named : all->count;
        memmove(all->of + at + 1, all->of + at, (all->count - at) * sizeof *all->of);
        all->of[at] = found;
        all->count++;
        all->named |= minor != 0;
    }
}

/* Lists the library of CPython, or else the program, and files that may be one of them under another name. */
static void find_files(int64_t pid, python_files *out, int *why)
{
    char name[64], line[1024], program[600];
    tfp_mapped_file file;
    int minor = 0; /* of modules written in C, whose names tell it */
    *out = (python_files){ .count = 0 };
    snprintf(name, sizeof name, "/proc/%lld/exe", (long long)pid);
    ssize_t size = readlink(name, program, sizeof program - 1);
    program[size > 0 ? size : 0] = '\0';
    char *gone = strstr(program, " (deleted)");
    if (gone) *gone = '\0';
    snprintf(name, sizeof name, "/proc/%lld/maps", (long long)pid);
    FILE *f = fopen(name, "re");
    *why = f ? 0 : errno;
    for (size_t left = TFP_MAPS_LINES; left && f && fgets(line, sizeof line, f); left--) {
        if (!tfp_mapped_file_parse(line, &file)) continue;
        take_file(out, &file, program);
        if (!minor) minor = tfp_python_extension_minor(tfp_str_of(file.name));
    }
    if (f && ferror(f)) *why = EACCES;
    if (f) fclose(f);
    if (!minor) out->count = out->named; /* no other file can be CPython */
    for (size_t i = out->named; i < out->count; i++) out->of[i].minor = minor;
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

/* What a search found: the interpreter's file, or else the likeliest file and what it lacks. */
typedef struct finding {
    python_file file;
    bool any;          /* `file` is set */
    const char *lacks; /* a literal */
    int fault;         /* why maps could not be read; 0: it could */
} finding;

/* Finds the interpreter's file and all of these symbols in it. */
static bool search(int64_t pid, const char *const *names, uint64_t *values, size_t count, finding *out)
{
    python_files all;
    find_files(pid, &all, &out->fault);
    out->any = all.count > 0;
    for (size_t i = 0; i < all.count; i++) {
        const char *lacks = NULL;
        size_t found = 0;
        bool ok = all.of[i].minor >= 0 && locate(pid, &all.of[i], names, values, count, &lacks);
        while (ok && found < count && values[found]) found++;
        if (i == 0 || found == count) out->file = all.of[i], out->lacks = lacks;
        if (found == count) return true;
    }
    return false;
}

bool tfp_python_functions(int64_t pid, const char *const *names, uint64_t *values, size_t count)
{
    finding f;
    return search(pid, names, values, count, &f);
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
    static const char *const names[] = { "_PyRuntime", "PyCode_Type", "PyUnicode_Type" };
    finding f;
    char why[300];
    uint64_t head, values[3], told[3] = { 0 }; /* told: cookie, version, whether free-threaded */
    *out = (tfp_python){ .pid = pid, .inside = !tfp_same_namespace(pid, "pid") };
    *refusal = (tfp_method){ .code = NULL };
    bool found = search(pid, names, values, 3, &f);
    if (!f.any) {
        if (f.fault == ENOENT || f.fault == ESRCH) {
            tfp_method_refuse(refusal, "gone", "no such process");
        } else if (f.fault) {
            tfp_why_forbidden(pid, why, sizeof why);
            tfp_method_refuse(refusal, "no-permission", "%s", why);
        } else {
            tfp_method_refuse(refusal, "not-python", "no CPython 3 is mapped in it");
        }
        return false;
    }
    if (f.file.minor < 0) {
        tfp_method_refuse(refusal, "unsupported-python", "%s is a debug or free-threaded build", f.file.file.path);
        return false;
    }
    out->layout = tfp_python_layout_of(f.file.minor);
    if (!out->layout) {
        tfp_method_refuse(refusal, "unsupported-python", "it runs CPython 3.%d: 3.8 to 3.14 are known", f.file.minor);
        return false;
    }
    if (!found) {
        tfp_method_refuse(refusal, "not-python", "%s %s", f.file.file.path, f.lacks);
        return false;
    }
    out->runtime = values[0];
    out->code_type = values[1];
    out->text_type = values[2];
    if (!tfp_python_read(out, out->runtime + (uint64_t)out->layout->runtime_head, &head, sizeof head) ||
        !tfp_python_read(out, out->runtime, told, sizeof told)) {
        bool gone = errno == ESRCH;
        tfp_why_forbidden(pid, why, sizeof why);
        tfp_method_refuse(refusal, gone ? "gone" : "no-permission", "%s", gone ? "it has ended" : why);
        return false;
    }
    if (!tfp_python_is_final(f.file.minor, told)) {
        tfp_method_refuse(refusal, "unsupported-python", "%s is a free-threaded build, or a preview of 3.%d",
                          f.file.file.path, f.file.minor);
        return false;
    }
    return true;
}
