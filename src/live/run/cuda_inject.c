// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_inject.c: the library that CUDA loads into each process of `tfprof run --cuda` (CUDA_INJECTION64_PATH). It contains
 * nothing of libtfprof. It asks the process's own CUPTI for activities and writes them to a file (cuda.h). Every error becomes a line in
 * the file N.why beside it; the job never sees an error and goes on. CUPTI's functions, kinds and layouts are those of its
 * documentation; only the fields that are read are declared here. */
#include "live/run/cuda_cupti.h"

#include "live/run/cuda.h"
#include "live/run/cuda_bounds.h"
#include "live/run/cuda_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 4 << 20,
    OUT_BYTES = 1 << 16,
    NAME_SLOTS = 1 << 16,
    NAME_MOST = 4096,
    CALLS = 2048,
    FLUSH_MS = 1000
};
enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2 };

/* ---- layouts ---- */

typedef struct memory_layout { /* 0: the record has no such field */
    uint8_t direction, from, to, bytes, start, end, device, context, stream, correlation;
} memory_layout;

/* Offsets of the fields of a record, valid from a version of CUPTI on. */
typedef struct layout {
    uint32_t from;
    struct {
        uint8_t registers, start, end, device, context, stream, grid, block, shared, correlation, name, graph_node;
    } kernel;
    memory_layout copy, set;
    struct {
        uint8_t id, start, end, process, thread, correlation;
    } call;
} layout;

/* Newest first. */
static const layout layouts[] = {
    { 18, /* CUDA 11.8; 12.9 and 13.0 have the same offsets */
      { .registers = 6,
        .start = 16,
        .end = 24,
        .device = 40,
        .context = 44,
        .stream = 48,
        .grid = 52,
        .block = 64,
        .shared = 76,
        .correlation = 92,
        .name = 104,
        .graph_node = 144 },
      { .direction = 4,
        .from = 5,
        .to = 6,
        .bytes = 8,
        .start = 16,
        .end = 24,
        .device = 32,
        .context = 36,
        .stream = 40,
        .correlation = 44 },
      { .bytes = 8, .start = 16, .end = 24, .device = 32, .context = 36, .stream = 40, .correlation = 44 },
      { .id = 4, .start = 8, .end = 16, .process = 24, .thread = 28, .correlation = 32 } },
};
enum { NEWEST_KNOWN = 139999 }; /* the newest known version, of CUDA 13 */

static uint32_t u32(const uint8_t *record, unsigned at)
{
    uint32_t n;
    memcpy(&n, record + at, sizeof n);
    return n;
}

static uint64_t u64(const uint8_t *record, unsigned at)
{
    uint64_t n;
    memcpy(&n, record + at, sizeof n);
    return n;
}

/* ---- the process's files ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const layout *fields;
static pid_t owner; /* the process that writes; a forked child inherits all this but must not write */
static bool writing;
static uint64_t written, most, lost;
static size_t held;
static _Alignas(8) uint8_t waiting[OUT_BYTES];

static struct {
    uint64_t hash;
    uint32_t id;
} names[NAME_SLOTS];
static uint32_t name_count, call_names[3][CALLS];

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text - 1, format, args);
    va_end(args);
    strcat(text, "\n");
    int fd = tfp_cuda_file(".why", O_WRONLY | O_CREAT | O_APPEND);
    if (fd < 0) return;
    (void)!write(fd, text, strlen(text));
    close(fd);
}

static void tell_error(const char *what, int error)
{
    const char *text = NULL;
    if (!tfp_cupti.error_text || tfp_cupti.error_text(error, &text)) text = NULL;
    tell("%s: error %d%s%s%s", what, error, text ? " " : "", text ? text : "",
         error == 39    ? ": another profiler uses CUPTI in this process"
         : error == 999 ? ": is there a driver?"
                        : "");
}

/* Writes the buffer to the file, which is opened for each write: a job may close descriptors that it does not know and
 * reuse their numbers. */
static void write_out(void)
{
    int fd = held && writing ? tfp_cuda_file(".cuda", O_WRONLY | O_APPEND) : -1;
    for (size_t at = 0; at < held && writing;) {
        ssize_t n = fd < 0 ? -1 : write(fd, waiting + at, held - at);
        if (n < 0 && fd >= 0 && errno == EINTR) continue;
        if (n <= 0) {
            tell("what is recorded cannot be written: %s", strerror(errno));
            writing = false;
        } else {
            at += (size_t)n;
        }
    }
    if (fd >= 0) close(fd);
    held = 0;
}

/* Adds a record to the buffer. size must be a multiple of 8 and smaller than OUT_BYTES. */
static void put(const void *record, size_t size)
{
    if (!writing) return;
    if (written + size > most) {
        write_out();
        tell("the limit of %llu bytes (--max-bytes, or the system's for a file) is reached: what ran later is left out",
             (unsigned long long)most);
        writing = false;
        return;
    }
    if (held + size > OUT_BYTES) write_out();
    memcpy(waiting + held, record, size);
    held += size;
    written += size;
}

/* The id of a name. The name is written when it is new; when the table is full, names get new ids. */
static uint32_t name_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t length = 0;
    if (!text) return 0;
    for (; length < NAME_MOST && text[length]; length++) hash = (hash ^ (uint8_t)text[length]) * 0x100000001b3u;
    size_t slot = (hash ^ hash >> 32) % NAME_SLOTS;
    for (int turn = 0; turn < 16 && names[slot].id; turn++, slot = (slot + 1) % NAME_SLOTS)
        if (names[slot].hash == hash) return names[slot].id;
    _Alignas(8) uint8_t bytes[sizeof(tfp_cuda_name) + NAME_MOST + 8] = { 0 };
    tfp_cuda_name head = { TFP_CUDA_NAME, (uint32_t)(sizeof head + (length + 7) / 8 * 8), ++name_count,
                           (uint32_t)length };
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, text, length);
    put(bytes, head.size);
    names[slot].hash = hash;
    names[slot].id = head.id;
    return head.id;
}

/* ---- records ---- */

static void put_kernel(const uint8_t *r)
{
    tfp_cuda_kernel k = { .kind = TFP_CUDA_KERNEL, .size = sizeof k };
    const char *name;
    memcpy(&name, r + fields->kernel.name, sizeof name);
    k.start = u64(r, fields->kernel.start);
    k.end = u64(r, fields->kernel.end);
    k.graph_node = u64(r, fields->kernel.graph_node);
    k.device = u32(r, fields->kernel.device);
    k.context = u32(r, fields->kernel.context);
    k.stream = u32(r, fields->kernel.stream);
    k.correlation = u32(r, fields->kernel.correlation);
    for (unsigned i = 0; i < 3; i++) {
        k.grid[i] = u32(r, fields->kernel.grid + 4 * i);
        k.block[i] = u32(r, fields->kernel.block + 4 * i);
    }
    uint16_t registers;
    memcpy(&registers, r + fields->kernel.registers, sizeof registers);
    k.registers = registers;
    k.static_bytes = u32(r, fields->kernel.shared);
    k.dynamic_bytes = u32(r, fields->kernel.shared + 4u);
    k.name = name_of(name);
    put(&k, sizeof k);
}

/* Writes a copy or a memset; a memset has no direction, source and target. */
static void put_memory(const uint8_t *r, uint32_t kind, const memory_layout *f)
{
    tfp_cuda_copy c = { .kind = kind, .size = sizeof c };
    c.start = u64(r, f->start);
    c.end = u64(r, f->end);
    c.bytes = u64(r, f->bytes);
    c.device = u32(r, f->device);
    c.context = u32(r, f->context);
    c.stream = u32(r, f->stream);
    c.correlation = u32(r, f->correlation);
    c.direction = f->direction ? r[f->direction] : 0;
    c.from = f->from ? r[f->from] : 0;
    c.to = f->to ? r[f->to] : 0;
    put(&c, sizeof c);
}

/* Keeps all calls of the runtime API. Each of them calls the driver, so of the driver API only calls that start work
 * are kept. */
static bool is_kept(uint32_t domain, const char *name)
{
    static const char *const begins[] = { "cuLaunch", "cuGraphLaunch", "cuMemcpy", "cuMemset" };
    if (domain == DOMAIN_RUNTIME) return true;
    for (size_t i = 0; name && i < sizeof begins / sizeof *begins; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

#define UNWANTED UINT32_MAX

static uint32_t name_of_call(uint32_t domain, uint32_t id)
{
    char number[40];
    const char *name = NULL;
    if (id < CALLS && call_names[domain][id]) return call_names[domain][id];
    if (!tfp_cupti.callback_name || tfp_cupti.callback_name(domain, id, &name)) name = NULL;
    bool kept = is_kept(domain, name);
    if (!name) {
        snprintf(number, sizeof number, "call %u of the runtime", id);
        name = number;
    }
    uint32_t known = kept ? name_of(name) : UNWANTED;
    if (id < CALLS) call_names[domain][id] = known;
    return known;
}

static void put_call(const uint8_t *r, uint32_t domain)
{
    tfp_cuda_call c = { .kind = domain == DOMAIN_RUNTIME ? TFP_CUDA_RUNTIME : TFP_CUDA_DRIVER, .size = sizeof c };
    c.name = name_of_call(domain, u32(r, fields->call.id));
    if (c.name == UNWANTED) return;
    c.start = u64(r, fields->call.start);
    c.end = u64(r, fields->call.end);
    c.pid = u32(r, fields->call.process);
    c.tid = u32(r, fields->call.thread);
    c.correlation = u32(r, fields->call.correlation);
    put(&c, sizeof c);
}

static tfp_cuda_bounds bounds;

static void put_record(const uint8_t *r)
{
    atomic_fetch_add_explicit(&bounds.counted, 1, memory_order_relaxed);
    switch (u32(r, 0)) {
    case KIND_KERNEL: put_kernel(r); break;
    case KIND_MEMCPY: put_memory(r, TFP_CUDA_COPY, &fields->copy); break;
    case KIND_MEMSET: put_memory(r, TFP_CUDA_SET, &fields->set); break;
    case KIND_RUNTIME: put_call(r, DOMAIN_RUNTIME); break;
    case KIND_DRIVER: put_call(r, DOMAIN_DRIVER); break;
    default: break;
    }
}

/* ---- what CUPTI calls ---- */

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
    void *memory = NULL;
    *records = 0;
    *size = posix_memalign(&memory, 8, BUFFER_BYTES) ? 0 : BUFFER_BYTES;
    *buffer = *size ? memory : NULL;
}

/* Called on any thread of CUPTI or the job, so errno is saved for the job. */
static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    int before = errno;
    uint8_t *record = NULL;
    size_t dropped = 0;
    (void)size;
    if (getpid() == owner) {
        pthread_mutex_lock(&lock);
        while (writing && valid && tfp_cupti.next(buffer, valid, &record) == 0 && record) put_record(record);
        if (tfp_cupti.dropped && tfp_cupti.dropped(context, stream, &dropped) == 0) lost += dropped;
        write_out();
        pthread_mutex_unlock(&lock);
    }
    free(buffer);
    errno = before;
}

static void finish(void)
{
    if (getpid() != owner) return;
    tfp_cuda_bounds_end();
    tfp_cupti.flush_all(1);
    uint64_t limited = atomic_load(&bounds.limited);
    if (limited)
        tell("more than %llu activities a second (--max-rate): in %llu seconds only a part of them is recorded",
             (unsigned long long)bounds.rate, (unsigned long long)limited);
    if (atomic_load(&bounds.left)) tell("%s", tfp_cuda_left);
    pthread_mutex_lock(&lock);
    tfp_cuda_lost l = { TFP_CUDA_LOST, sizeof l, lost };
    if (lost) put(&l, sizeof l);
    write_out();
    writing = false;
    pthread_mutex_unlock(&lock);
}

/* ---- the start ---- */

static uint64_t start_ticks(void)
{
    char text[1024] = "";
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static bool open_file(uint32_t version)
{
    struct timespec now;
    const char *job = getenv("TFPROF_JOB"), *rank = getenv("RANK");
    tfp_cuda_head h = { .magic = TFP_CUDA_MAGIC, .version = TFP_CUDA_VERSION, .cupti_version = version, .rank = -1 };
    h.pid = (uint32_t)owner;
    h.start_ticks = start_ticks();
    if (rank && *rank >= '0' && *rank <= '9') h.rank = (int32_t)strtol(rank, NULL, 10);
    if (job && *job && strlen(job) < sizeof h.job)
        strcpy(h.job, job);
    else
        snprintf(h.job, sizeof h.job, "%d@%llu", (int)owner, (unsigned long long)h.start_ticks);
    int e = tfp_cupti.timestamp(&h.cupti_ns);
    clock_gettime(CLOCK_REALTIME, &now);
    h.unix_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (e) return tell_error("cuptiGetTimestamp", e), false;
    int fd = tfp_cuda_file(".cuda", O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0) return tell("what is recorded cannot be written: %s", strerror(errno)), false;
    close(fd);
    writing = true;
    put(&h, sizeof h);
    write_out();
    return writing;
}

static void begin(void)
{
    const char *limit = getenv(TFP_CUDA_MOST);
    uint32_t version = 0;
    int e, enabled = 0;
    struct rlimit file_size; /* writing beyond this limit would send a signal to the job */
    most = limit ? strtoull(limit, NULL, 10) : UINT64_MAX;
    if (getrlimit(RLIMIT_FSIZE, &file_size) == 0 && file_size.rlim_cur < most) most = file_size.rlim_cur;
    char why[200];
    if (tfp_cuda_other_collector()) {
        tell("%s", tfp_cuda_left);
        return;
    }
    if (!tfp_cupti_load(why, sizeof why)) {
        tell("%s", why);
        return;
    }
    if ((e = tfp_cupti.version(&version))) {
        tell_error("cuptiGetVersion", e);
        return;
    }
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts && !fields; i++)
        if (version >= layouts[i].from) fields = &layouts[i];
    if (!fields) {
        tell("CUPTI %u is older than that of CUDA 11.8", version);
        return;
    }
    if (version > NEWEST_KNOWN)
        tell("CUPTI %u is newer than those that tfprof knows: taken as that of CUDA 13", version);
    if ((e = tfp_cupti.register_callbacks(request, complete))) {
        tell_error("cuptiActivityRegisterCallbacks", e);
        return;
    }
    if (!open_file(version)) return;
    for (size_t i = 0; i < TFP_CUDA_KINDS; i++) {
        e = tfp_cupti.enable(tfp_cuda_kinds[i]);
        if (!e) enabled++;
        if (e && (i == 0 || enabled)) { /* if the first kind fails all do, and one line is enough */
            char what[40];
            snprintf(what, sizeof what, "cuptiActivityEnable(%u)", tfp_cuda_kinds[i]);
            tell_error(what, e);
        }
        if (e && i == 0 && (e == 39 || e == 999)) break;
    }
    if (!enabled) {
        writing = false;
        return;
    }
    if (tfp_cupti.flush_period) tfp_cupti.flush_period(FLUSH_MS);
    tfp_cuda_bounds_read(&bounds, getenv(TFP_CUDA_BOUNDS));
    if (tfp_cupti.disable) tfp_cuda_bounds_start(&bounds);
    atexit(finish);
}

/* CUDA calls this in cuInit. It returns 1 (loaded) even when something failed. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    const char *told = getenv(TFP_CUDA_FOLDER);
    int before = errno;
    if (told && !owner) {
        owner = getpid();
        if (tfp_cuda_files_begin(told, owner)) begin();
    }
    errno = before;
    return 1;
}
