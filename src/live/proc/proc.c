// SPDX-License-Identifier: Apache-2.0
/* live/proc/proc.c: reading and parsing of /proc. Formats: proc(5). */
#include "live/proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

bool tfp_files_left(size_t count)
{
    int fds[16];
    size_t n = 0;
    if (count > sizeof fds / sizeof *fds) count = sizeof fds / sizeof *fds;
    while (n < count && (fds[n] = open("/", O_PATH | O_CLOEXEC)) >= 0) n++;
    bool enough = n == count;
    while (n) close(fds[--n]);
    return enough;
}

tfp_status tfp_need_files(size_t count, tfp_error *err)
{
    if (tfp_files_left(count)) return TFP_OK;
    return tfp_fail(err, TFP_LIMIT, "too few descriptors are left: it needs %zu (ulimit -n)", count);
}

static int open_file(int64_t pid, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%lld/%s", (long long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static long read_from_start(int fd, char *buf, size_t room)
{
    size_t size = 0;
    while (size + 1 < room) {
        ssize_t n = pread(fd, buf + size, room - 1 - size, (off_t)size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && !size) return -1;
        if (n <= 0) break;
        size += (size_t)n;
        if (size + 1 < room) break; /* the kernel returns such a text at once: a short read is the end */
    }
    buf[size] = '\0';
    return (long)size;
}

static void close_keeping_errno(int fd)
{
    int why = errno;
    close(fd);
    errno = why;
}

long tfp_proc_read(int64_t pid, const char *name, char *buf, size_t room)
{
    int fd = open_file(pid, name);
    if (fd < 0) return -1;
    long n = read_from_start(fd, buf, room);
    close_keeping_errno(fd);
    return n;
}

long tfp_proc_read_kept(int64_t pid, const char *name, int *fd, char *buf, size_t room)
{
    long n = -1;
    for (int tries = *fd >= 0 ? 2 : 1; n < 0 && tries; tries--) {
        if (*fd < 0) *fd = open_file(pid, name);
        if (*fd < 0) return -1;
        n = read_from_start(*fd, buf, room);
        if (n >= 0) break;
        close_keeping_errno(*fd);
        *fd = -1;
    }
    return n;
}

/* ---- numbers in texts ---- */

/* The next number after blanks; moves *at past it. False: there is none. */
static bool next_number(const char **at, const char *end, int64_t *out)
{
    const char *c = *at;
    while (c < end && (*c == ' ' || *c == '\t')) c++;
    bool negative = c < end && *c == '-';
    if (negative) c++;
    const char *digits = c;
    int64_t n = 0;
    for (; c < end && *c >= '0' && *c <= '9'; c++) n = tfp_add(tfp_mul(n, 10, NULL), *c - '0', NULL);
    *at = c;
    *out = negative ? -n : n;
    return c > digits;
}

/* The words of the line `name`, such as "VmRSS:"; empty when there is no such line. */
static tfp_str line_of(tfp_str text, const char *name)
{
    tfp_str begin = tfp_str_of(name);
    while (text.size) {
        tfp_str line = tfp_str_cut_line(&text);
        if (tfp_str_begins(line, begin)) return (tfp_str){ line.data + begin.size, line.size - begin.size };
    }
    return TFP_STR("");
}

/* The first numbers of a line such as "VmRSS:   12 kB"; returns how many there are, at most `count`. */
static size_t line_numbers(tfp_str text, const char *name, int64_t *out, size_t count)
{
    tfp_str line = line_of(text, name);
    const char *at = line.data, *end = line.data + line.size;
    size_t i = 0;
    for (int64_t n; i < count && next_number(&at, end, &n); i++) out[i] = n;
    return i;
}

/* ---- stat and status ---- */

/* The name in round brackets may contain anything, so fields are counted from the last closing bracket. */
bool tfp_proc_stat_parse(tfp_str text, tfp_proc_stat *out)
{
    const char *at = text.data, *end = text.data + text.size, *name_end = NULL;
    int64_t fields[25] = { 0 }; /* fields from number 4 on */
    *out = (tfp_proc_stat){ 0 };
    if (!next_number(&at, end, &out->pid)) return false;
    for (const char *c = at; c < end; c++)
        if (*c == ')') name_end = c;
    if (!name_end || end - name_end < 4 || name_end[1] != ' ') return false;
    out->state = name_end[2];
    at = name_end + 3;
    for (size_t i = 0; i < 22; i++)
        if (!next_number(&at, end, &fields[i])) return false;
    out->parent = fields[0];
    out->cpu_ticks = tfp_add(fields[10], fields[11], NULL);
    out->child_cpu_ticks = tfp_add(fields[12], fields[13], NULL);
    out->threads = fields[16];
    out->start_ticks = fields[18];
    out->memory_bytes = fields[19];
    out->resident_bytes = tfp_mul(fields[20], sysconf(_SC_PAGESIZE), NULL);
    out->major_faults = fields[8];
    for (size_t i = 22; i < 25 && next_number(&at, end, &fields[i]);) i++;
    out->code_start = fields[22];
    out->stack_start = fields[24];
    return true;
}

int64_t tfp_proc_cpu_ns(int64_t pid)
{
    /* the clock number that clock_getcpuclockid(3) would give; that function first asks the kernel whether the process
     * exists */
    clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | 2);
    struct timespec t;
    if (clock_gettime(clock, &t)) return -1;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool tfp_proc_stat_read(int64_t pid, tfp_proc_stat *out)
{
    char text[1024];
    long n = tfp_proc_read(pid, "stat", text, sizeof text);
    return n > 0 && tfp_proc_stat_parse((tfp_str){ text, (size_t)n }, out);
}

double tfp_proc_age(const tfp_proc_stat *stat)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9 - (double)stat->start_ticks / (double)sysconf(_SC_CLK_TCK);
}

static int64_t kilobytes(tfp_str text, const char *name)
{
    int64_t n;
    return line_numbers(text, name, &n, 1) ? tfp_mul(n, 1024, NULL) : -1;
}

/* The last of a line's numbers: there is one for each pid namespace, outermost first. */
static int64_t last_number(tfp_str text, const char *name)
{
    int64_t n[32]; /* the kernel nests at most this many pid namespaces */
    size_t count = line_numbers(text, name, n, sizeof n / sizeof *n);
    return count ? n[count - 1] : -1;
}

void tfp_proc_status_parse(tfp_str text, tfp_proc_status *out)
{
    for (size_t i = 0; i < 4; i++) out->uid[i] = out->gid[i] = -1;
    line_numbers(text, "Uid:", out->uid, 4);
    line_numbers(text, "Gid:", out->gid, 4);
    out->anonymous_bytes = kilobytes(text, "RssAnon:");
    out->file_bytes = kilobytes(text, "RssFile:");
    out->shared_bytes = kilobytes(text, "RssShmem:");
    if (!line_numbers(text, "TracerPid:", &out->tracer, 1)) out->tracer = -1;
    if (!line_numbers(text, "Seccomp:", &out->seccomp, 1)) out->seccomp = 0;
    if (!line_numbers(text, "Seccomp_filters:", &out->seccomp_filters, 1)) out->seccomp_filters = 0;
    out->inner_pid = last_number(text, "NSpid:");
    /* x86_Thread_features_locked names the features that can no longer be switched on or off */
    out->shadow_stack = tfp_str_has(line_of(text, "x86_Thread_features:"), TFP_STR("shstk"));
}

bool tfp_proc_status_read(int64_t pid, tfp_proc_status *out)
{
    char text[4096];
    long n = tfp_proc_read(pid, "status", text, sizeof text);
    if (n > 0) tfp_proc_status_parse((tfp_str){ text, (size_t)n }, out);
    return n > 0;
}

bool tfp_proc_io_parse(tfp_str text, int64_t *read_bytes, int64_t *write_bytes)
{
    return line_numbers(text, "read_bytes:", read_bytes, 1) && line_numbers(text, "write_bytes:", write_bytes, 1);
}

/* ---- maps ---- */

/* Libraries, by the beginnings of their file names. For those without a version ".so" follows at once. */
static const struct {
    const char *begin;
    bool ends; /* .so must follow */
    tfp_framework framework;
    int place; /* index in tfp_proc_maps.library */
} libraries[] = { { "libjax_common.so", false, TFP_FRAMEWORK_JAX, 0 },
                  { "xla_extension", true, TFP_FRAMEWORK_JAX, 0 },
                  { "libtensorflow_cc.so", false, TFP_FRAMEWORK_TENSORFLOW, 1 },
                  { "libtensorflow_framework.so", false, TFP_FRAMEWORK_TENSORFLOW, 1 },
                  { "_pywrap_tensorflow_internal.so", true, TFP_FRAMEWORK_TENSORFLOW, 1 },
                  { "libtorch_cpu.so", false, TFP_FRAMEWORK_TORCH, 2 },
                  { "libtorch_python.so", false, TFP_FRAMEWORK_TORCH, 2 },
                  { "libcudart.so", false, TFP_FRAMEWORK_CUDA, 3 },
                  { "libcuda.so", false, TFP_FRAMEWORK_CUDA, 3 } };

static bool is_python(tfp_str name)
{
    bool program = tfp_str_begins(name, TFP_STR("python"));
    /* a module written in C: the interpreter's own file may have been renamed since */
    if (tfp_str_ends(name, TFP_STR(".so")) && tfp_str_has(name, TFP_STR(".cpython-3"))) return true;
    return tfp_str_begins(name, TFP_STR("libpython")) ||
           (program && (name.size == 6 || name.data[6] == '2' || name.data[6] == '3'));
}

void tfp_proc_maps_line(tfp_str line, tfp_proc_maps *out)
{
    const char *path = line.size ? memchr(line.data, '/', line.size) : NULL;
    if (!path) return;
    tfp_str whole = { path, (size_t)(line.data + line.size - path) }, name = whole;
    const char *slash = memrchr(whole.data, '/', whole.size);
    name = (tfp_str){ slash + 1, (size_t)(whole.data + whole.size - slash) - 1 };
    if (tfp_str_ends(name, TFP_STR(" (deleted)"))) name.size -= strlen(" (deleted)");
    if (is_python(name)) out->frameworks |= TFP_FRAMEWORK_PYTHON;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (!tfp_str_begins(name, tfp_str_of(libraries[i].begin))) continue;
        if (libraries[i].ends && !tfp_str_ends(name, TFP_STR(".so"))) continue;
        char *to = out->library[libraries[i].place];
        out->frameworks |= libraries[i].framework;
        if (*to || whole.size >= sizeof out->library[0]) return;
        memcpy(to, whole.data, whole.size);
        to[whole.size] = '\0';
        return;
    }
}

bool tfp_proc_maps_read(int64_t pid, tfp_proc_maps *out)
{
    enum { MOST = 16 << 20 }; /* bytes: 65,530 lines, the kernel's default limit, of 250 bytes */
    char buf[16384];
    size_t kept = 0, all = 0;
    int fd = open_file(pid, "maps");
    *out = (tfp_proc_maps){ .unreadable = fd < 0 && (errno == EACCES || errno == EPERM) };
    if (fd < 0) return false;
    while (all < MOST) {
        ssize_t n = read(fd, buf + kept, sizeof buf - kept);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) out->unreadable = errno == EACCES || errno == EPERM;
        if (n <= 0) break;
        all += (size_t)n;
        char *line = buf, *end = buf + kept + n;
        for (char *next; (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1)
            tfp_proc_maps_line((tfp_str){ line, (size_t)(next - line) }, out);
        kept = (size_t)(end - line);
        if (kept == sizeof buf) kept = 0; /* a path that does not fit is none of ours */
        memmove(buf, line, kept);
    }
    close(fd);
    return !out->unreadable;
}

/* ---- names ---- */

void tfp_proc_container(tfp_str cgroup, char out[16])
{
    *out = '\0';
    for (size_t i = 0, run = 0; i <= cgroup.size; i++) { /* 64 hex digits, as every container runtime names them */
        char c = i < cgroup.size ? cgroup.data[i] : '\n';
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (hex) {
            run++;
            continue;
        }
        if (run == 64) {
            memcpy(out, cgroup.data + i - 64, 12);
            out[12] = '\0';
        }
        run = 0;
    }
}

size_t tfp_proc_command(int64_t pid, char *out, size_t room)
{
    long n = tfp_proc_read(pid, "cmdline", out, room);
    size_t size = n > 0 ? (size_t)n : 0;
    while (size && out[size - 1] == '\0') size--;
    for (size_t i = 0; i < size; i++)
        if (out[i] == '\0') out[i] = ' ';
    out[size] = '\0';
    return size;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool tfp_proc_setting(int64_t pid, const char *name, char *out, size_t room)
{
    enum { MOST = 1 << 17 }; /* most bytes of an environment that are read */
    char *text = malloc(MOST);
    long n = text ? tfp_proc_read(pid, "environ", text, MOST) : 0;
    size_t size = strlen(name), fits = 0;
    for (const char *at = text; n > 0 && at < text + n; at += strlen(at) + 1) {
        if (strncmp(at, name, size) != 0 || at[size] != '=') continue;
        fits = strlen(at + size + 1);
        if (fits >= room) fits = 0;
        memcpy(out, at + size + 1, fits);
        break;
    }
    out[fits] = '\0';
    free(text);
    return fits > 0;
}

/* The first word of an interpreter's command that is no option names the script; `-m x` names a module, `-c` nothing. */
void tfp_proc_program_of(tfp_str words, char *out, size_t room)
{
    const char *end = words.data + words.size, *found = words.data;
    if (!words.size) {
        *out = '\0';
        return;
    }
    if (is_python(tfp_str_of(file_name(found)))) {
        for (const char *at = found + strlen(found) + 1; at < end; at += strlen(at) + 1) {
            if (strcmp(at, "-c") == 0) break;
            bool takes_word = strcmp(at, "-m") == 0 || strcmp(at, "-W") == 0 || strcmp(at, "-X") == 0;
            if (takes_word) {
                const char *word = at + strlen(at) + 1;
                if (word >= end) break;
                if (at[1] == 'm') {
                    found = word;
                    break;
                }
                at = word;
                continue;
            }
            if (*at == '-') continue;
            found = at;
            break;
        }
    }
    const char *last = file_name(found);
    snprintf(out, room, "%s", *last ? last : found); /* `python folder/` runs what is in the folder */
}

void tfp_proc_program(int64_t pid, char *out, size_t room)
{
    char words[4096];
    long n = tfp_proc_read(pid, "cmdline", words, sizeof words);
    tfp_proc_program_of((tfp_str){ words, n > 0 ? (size_t)n : 0 }, out, room);
}

bool tfp_framework_names(unsigned frameworks, char text[TFP_FRAMEWORK_ROOM])
{
    static const struct {
        unsigned bit;
        const char *name;
    } all[] = { { TFP_FRAMEWORK_CUDA, "cuda" },
                { TFP_FRAMEWORK_JAX, "jax" },
                { TFP_FRAMEWORK_TENSORFLOW, "tensorflow" },
                { TFP_FRAMEWORK_TORCH, "torch" } };
    *text = '\0';
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!(frameworks & all[i].bit)) continue;
        if (*text) strcat(text, "|");
        strcat(text, all[i].name);
    }
    return *text;
}
