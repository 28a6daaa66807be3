// SPDX-License-Identifier: Apache-2.0
/* live/stacks/unwind.c: libdw's functions looked up by name; their C types are those of elfutils/libdwfl.h, which it keeps. Files are
 * opened as the process sees them (/proc/PID/root), and no debug files are looked for: that could ask a server. */
#include "live/stacks/unwind.h"

#include "live/proc/elf.h"
#include "live/proc/namespace.h"

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NAME_MOST 2048     /* bytes of a symbol's name that are made readable */
#define AGAIN_NS 500000000 /* between two looks at what is mapped */
#define STACK_MOST (16u << 20)
#define READS 64                /* words that are remembered, to find the places of return addresses */
#define SYMBOLS_MOST (3u << 20) /* of a file */

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;

typedef struct dwfl_callbacks { /* Dwfl_Callbacks */
    int (*find_elf)(Dwfl_Module *, void **, const char *, uint64_t, char **, void **);
    int (*find_debuginfo)(Dwfl_Module *, void **, const char *, uint64_t, const char *, const char *, uint32_t,
                          char **);
    int (*section_address)(Dwfl_Module *, void **, const char *, uint64_t, const char *, uint32_t, const void *,
                           uint64_t *);
    char **debuginfo_path;
} dwfl_callbacks;

typedef struct dwfl_thread_callbacks { /* Dwfl_Thread_Callbacks */
    pid_t (*next_thread)(Dwfl *, void *, void **);
    bool (*get_thread)(Dwfl *, pid_t, void *, void **);
    bool (*memory_read)(Dwfl *, uint64_t, uint64_t *, void *);
    bool (*set_initial_registers)(Dwfl_Thread *, void *);
    void (*detach)(Dwfl *, void *);
    void (*thread_detach)(Dwfl_Thread *, void *);
} dwfl_thread_callbacks;

typedef struct dwfl_api {
    Dwfl *(*begin)(const dwfl_callbacks *);
    void (*end)(Dwfl *);
    void (*report_begin)(Dwfl *);
    int (*linux_proc_report)(Dwfl *, pid_t);
    int (*report_end)(Dwfl *, int (*)(Dwfl_Module *, void *, const char *, uint64_t, void *), void *);
    ptrdiff_t (*getmodules)(Dwfl *, int (*)(Dwfl_Module *, void **, const char *, uint64_t, void *), void *, ptrdiff_t);
    int (*linux_proc_find_elf)(Dwfl_Module *, void **, const char *, uint64_t, char **, void **);
    bool (*attach_state)(Dwfl *, void *, pid_t, const dwfl_thread_callbacks *, void *);
    bool (*thread_state_registers)(Dwfl_Thread *, int, unsigned, const uint64_t *);
    int (*getthread_frames)(Dwfl *, pid_t, int (*)(Dwfl_Frame *, void *), void *);
    bool (*frame_pc)(Dwfl_Frame *, uint64_t *, bool *);
    Dwfl_Module *(*addrmodule)(Dwfl *, uint64_t);
    const char *(*module_info)(Dwfl_Module *, void ***, uint64_t *, uint64_t *, uint64_t *, uint64_t *, const char **,
                               const char **);
    int (*module_getsymtab)(Dwfl_Module *);
    const char *(*module_getsym_info)(Dwfl_Module *, int, Elf64_Sym *, uint64_t *, uint32_t *, void **, uint64_t *);
} dwfl_api;

static const char *const names[] = {
    "dwfl_begin",
    "dwfl_end",
    "dwfl_report_begin",
    "dwfl_linux_proc_report",
    "dwfl_report_end",
    "dwfl_getmodules",
    "dwfl_linux_proc_find_elf",
    "dwfl_attach_state",
    "dwfl_thread_state_registers",
    "dwfl_getthread_frames",
    "dwfl_frame_pc",
    "dwfl_addrmodule",
    "dwfl_module_info",
    "dwfl_module_getsymtab",
    "dwfl_module_getsym_info",
};

_Static_assert(sizeof(dwfl_api) == sizeof names, "one function a name, nothing between");

typedef struct symbol {
    uint64_t low, end;
    const char *name; /* libdw's */
    bool is_global;
} symbol;

typedef struct module { /* the symbols of a file, by address */
    const Dwfl_Module *of;
    symbol *symbols;
    size_t count;
} module;

struct tfp_unwind {
    int64_t pid;
    void *library, *cxx;
    dwfl_api api;
    char *(*demangle)(const char *, char *, size_t *, int *);
    Dwfl *dwfl;
    int64_t mapped_ns; /* when the list of mapped files was made */
    uint64_t budget;   /* bytes that libdw may hold of files that it is still given */
    size_t refused;    /* files that would take more */
    TFP_VEC(module) modules;
    tfp_buf text; /* of the last name */
    /* while a stack is walked */
    const tfp_native_state *state;
    tfp_native_frame *out;
    size_t count, room;
    uint64_t reads[READS][2];
    size_t read_count;
    char window[512]; /* of memory beyond the copy */
    uint64_t window_at;
};

/* ---- files ---- */

/* A descriptor of a mapped file; libdw closes it. libdw holds what the file's tables claim to have, so they are looked at before. */
static int find_elf(Dwfl_Module *m, void **data, const char *name, uint64_t base, char **file, void **elf)
{
    tfp_unwind *u = *data;
    if (!u) return -1;
    if (*name != '/') return u->api.linux_proc_find_elf(m, data, name, base, file, elf); /* [vdso] */
    int fd = tfp_inside_file(u->pid, name);
    if (fd < 0) return -1;
    bool modest = tfp_elf_is_modest(fd, &u->budget);
    u->refused += !modest;
    *file = modest ? strdup(name) : NULL;
    if (*file) return fd;
    close(fd);
    return -1;
}

static int find_no_debuginfo(Dwfl_Module *m, void **data, const char *name, uint64_t base, const char *file,
                             const char *link, uint32_t crc, char **out)
{
    (void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)out;
    return -1;
}

static int give_owner(Dwfl_Module *m, void **data, const char *name, uint64_t start, void *u)
{
    (void)m, (void)name, (void)start;
    *data = u;
    return 0; /* DWARF_CB_OK */
}

static void forget_symbols(tfp_unwind *u)
{
    for (size_t i = 0; i < u->modules.size; i++) free(u->modules.at[i].symbols);
    u->modules.size = 0;
}

static bool read_mapped(tfp_unwind *u)
{
    forget_symbols(u);
    u->mapped_ns = tfp_now_ns();
    u->api.report_begin(u->dwfl);
    bool ok = u->api.linux_proc_report(u->dwfl, (pid_t)u->pid) == 0;
    ok = u->api.report_end(u->dwfl, NULL, NULL) == 0 && ok;
    u->api.getmodules(u->dwfl, give_owner, u, 0);
    return ok;
}

/* The file of an address; one that was mapped since is found, too. */
static Dwfl_Module *module_of(tfp_unwind *u, uint64_t pc)
{
    Dwfl_Module *m = u->api.addrmodule(u->dwfl, pc);
    if (m || tfp_now_ns() - u->mapped_ns < AGAIN_NS) return m;
    return read_mapped(u) ? u->api.addrmodule(u->dwfl, pc) : NULL;
}

/* ---- walking ---- */

static bool get_thread(Dwfl *d, pid_t tid, void *u, void **thread)
{
    (void)d, (void)tid;
    *thread = u;
    return true;
}

static pid_t next_thread(Dwfl *d, void *u, void **thread)
{
    (void)d, (void)u, (void)thread;
    return 0;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
    const tfp_unwind *u = arg;
    const uint64_t *r = u->state->registers;
    if (!u->state->only_sp_and_pc) return u->api.thread_state_registers(thread, 0, TFP_DWARF_REGISTERS, r);
    return u->api.thread_state_registers(thread, TFP_DWARF_SP, 1, &r[TFP_DWARF_SP]) &&
           u->api.thread_state_registers(thread, TFP_DWARF_PC, 1, &r[TFP_DWARF_PC]);
}

static bool read_beyond(tfp_unwind *u, uint64_t address, uint64_t *out)
{
    uint64_t low = address & ~(uint64_t)(sizeof u->window - 1);
    if (address + sizeof *out > low + sizeof u->window) return false; /* not aligned: no word of a stack */
    if (u->window_at != low) {
        struct iovec to = { u->window, sizeof u->window };
        struct iovec from = { (void *)(uintptr_t)low, sizeof u->window }; /* NOLINT: of another process */
        u->window_at = 0;
        if (process_vm_readv((pid_t)u->pid, &to, 1, &from, 1, 0) != (ssize_t)sizeof u->window) return false;
        u->window_at = low;
    }
    memcpy(out, u->window + (address - low), sizeof *out);
    return true;
}

static bool read_memory(Dwfl *d, uint64_t address, uint64_t *out, void *arg)
{
    tfp_unwind *u = arg;
    uint64_t low = u->state->registers[TFP_DWARF_SP];
    (void)d;
    if (address >= low && u->state->stack_size >= sizeof *out && address - low <= u->state->stack_size - sizeof *out)
        memcpy(out, u->state->stack + (address - low), sizeof *out);
    else if (!read_beyond(u, address, out))
        return false;
    u->reads[u->read_count % READS][0] = address;
    u->reads[u->read_count++ % READS][1] = *out;
    return true;
}

/* Where this return address was read, among the last words. */
static uint64_t slot_of(const tfp_unwind *u, uint64_t pc)
{
    for (size_t i = u->read_count, n = 0; i-- > 0 && n < READS; n++)
        if (u->reads[i % READS][1] == pc) return u->reads[i % READS][0];
    return 0;
}

static int take_frame(Dwfl_Frame *frame, void *arg)
{
    tfp_unwind *u = arg;
    uint64_t pc;
    bool exact;
    if (u->count >= u->room || !u->api.frame_pc(frame, &pc, &exact)) return 1; /* DWARF_CB_ABORT */
    if (!pc) return 0;
    u->out[u->count] = (tfp_native_frame){ exact ? pc : pc - 1, u->count ? slot_of(u, pc) : 0 };
    u->count++;
    return 0;
}

size_t tfp_unwind_stack(tfp_unwind *u, const tfp_native_state *s, tfp_native_frame *out, size_t room, bool *whole)
{
    u->state = s;
    u->out = out;
    u->room = room;
    u->count = u->read_count = 0;
    u->window_at = 0;
    module_of(u, s->registers[TFP_DWARF_PC]); /* a file that is new is taken first */
    *whole = u->api.getthread_frames(u->dwfl, (pid_t)u->pid, take_frame, u) == 0;
    uint64_t sp = s->registers[TFP_DWARF_SP];
    if (u->count > 1 && !*whole && out[u->count - 1].pc - sp < STACK_MOST)
        u->count--; /* no code, but a word of the stack: a table was wrong */
    return u->count;
}

/* ---- names ---- */

static int by_address(const void *a, const void *b)
{
    const symbol *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->is_global != y->is_global) return x->is_global ? 1 : -1; /* the last one of an address is taken */
    size_t m = strlen(x->name), n = strlen(y->name);
    return m != n ? (m > n ? -1 : 1) : -strcmp(x->name, y->name);
}

static void read_symbols(const tfp_unwind *u, Dwfl_Module *of, module *m)
{
    int count = u->api.module_getsymtab(of);
    m->symbols = count > 0 && (unsigned)count < SYMBOLS_MOST ? malloc((size_t)count * sizeof *m->symbols) : NULL;
    for (int i = 0; m->symbols && i < count; i++) {
        Elf64_Sym s;
        uint64_t address = 0;
        const char *name = u->api.module_getsym_info(of, i, &s, &address, NULL, NULL, NULL);
        int type = ELF64_ST_TYPE(s.st_info);
        if (!name || !*name || !address || s.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        m->symbols[m->count++] = (symbol){ address, address + s.st_size, name, ELF64_ST_BIND(s.st_info) != STB_LOCAL };
    }
    if (m->count) qsort(m->symbols, m->count, sizeof *m->symbols, by_address);
}

static const module *symbols_of(tfp_unwind *u, Dwfl_Module *of)
{
    for (size_t i = 0; i < u->modules.size; i++)
        if (u->modules.at[i].of == of) return &u->modules.at[i];
    module m = { .of = of };
    read_symbols(u, of, &m);
    if (tfp_push(&u->modules, m)) return &u->modules.at[u->modules.size - 1];
    free(m.symbols);
    return NULL;
}

/* The symbol that holds an address. One without a size (assembler) holds all up to the next. */
static const symbol *symbol_at(const module *m, uint64_t pc)
{
    size_t low = 0, high = m->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (m->symbols[mid].low <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low, tries = 0; i-- > 0 && tries < 16; tries++) {
        const symbol *s = &m->symbols[i];
        if (pc < s->end || (s->end == s->low && !tries)) return s;
    }
    return NULL;
}

static void put_name(tfp_unwind *u, const char *name)
{
    int status = -1;
    char *plain = u->demangle && strncmp(name, "_Z", 2) == 0 && strlen(name) <= NAME_MOST
                      ? u->demangle(name, NULL, NULL, &status)
                      : NULL;
    u->text.size = 0;
    tfp_buf_str(&u->text, tfp_str_of(plain && status == 0 ? plain : name));
    free(plain);
}

void tfp_unwind_name(tfp_unwind *u, uint64_t pc, tfp_str *file, tfp_str *function)
{
    uint64_t start = 0;
    *file = *function = TFP_STR("[unknown]");
    Dwfl_Module *of = module_of(u, pc);
    const char *path = of ? u->api.module_info(of, NULL, &start, NULL, NULL, NULL, NULL, NULL) : NULL;
    const module *m = path ? symbols_of(u, of) : NULL;
    if (!m) return;
    const char *base = strrchr(path, '/');
    *file = tfp_str_of(base ? base + 1 : path);
    if (strncmp(path, "[vdso", 5) == 0) *file = TFP_STR("[vdso]"); /* with its process */
    const symbol *s = symbol_at(m, pc);
    if (s) {
        put_name(u, s->name);
    } else {
        u->text.size = 0;
        tfp_buf_printf(&u->text, "0x%llx", (unsigned long long)(pc - start));
    }
    if (!u->text.failed) *function = (tfp_str){ u->text.data, u->text.size };
}

size_t tfp_unwind_ranges(tfp_unwind *u, uint64_t pc, const char *prefix, uint64_t (*out)[2], size_t room)
{
    Dwfl_Module *of = module_of(u, pc);
    const module *m = of ? symbols_of(u, of) : NULL;
    size_t count = 0, size = strlen(prefix);
    for (size_t i = 0; m && i < m->count && count < room; i++) {
        if (strncmp(m->symbols[i].name, prefix, size) != 0) continue;
        out[count][0] = m->symbols[i].low;
        out[count++][1] = m->symbols[i].end;
    }
    return count;
}

size_t tfp_unwind_refused(const tfp_unwind *u) { return u->refused; }

/* ---- beginning and end ---- */

#ifdef TFP_STATIC
#define WITHOUT "needs libdw.so.1, which the static program cannot load: use that of the Python package"
#else
#define WITHOUT "needs libdw.so.1 of elfutils, which is not there (Debian: apt-get install libdw1)"
#endif

static bool load(tfp_unwind *u, char *why, size_t room)
{
    u->library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!u->library) {
        snprintf(why, room, WITHOUT);
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(u->library, names[i]);
        memcpy((char *)&u->api + i * sizeof at, &at, sizeof at); /* ISO C knows no cast to a function */
        if (at) continue;
        snprintf(why, room, "libdw.so.1 has no %s: it is too old", names[i]);
        return false;
    }
    u->cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *at = u->cxx ? dlsym(u->cxx, "__cxa_demangle") : NULL;
    memcpy(&u->demangle, &at, sizeof at);
    return true;
}

tfp_unwind *tfp_unwind_new(int64_t pid, char *why, size_t room)
{
    static const dwfl_callbacks files = { find_elf, find_no_debuginfo, NULL, NULL };
    static const dwfl_thread_callbacks threads = { next_thread, get_thread, read_memory, set_registers, NULL, NULL };
    tfp_unwind *u = calloc(1, sizeof *u);
    if (!u) {
        snprintf(why, room, "out of memory");
        return NULL;
    }
    u->pid = pid;
    u->budget = TFP_ELF_BUDGET;
    if (!load(u, why, room)) goto fail;
    snprintf(why, room, "libdw does not take the files that it has mapped");
    u->dwfl = u->api.begin(&files);
    if (u->dwfl && read_mapped(u) && u->api.attach_state(u->dwfl, NULL, (pid_t)pid, &threads, u)) return u;
fail:
    tfp_unwind_free(u);
    return NULL;
}

void tfp_unwind_free(tfp_unwind *u)
{
    if (!u) return;
    forget_symbols(u);
    tfp_vec_free(&u->modules);
    if (u->dwfl) u->api.end(u->dwfl);
    if (u->cxx) dlclose(u->cxx);
    if (u->library) dlclose(u->library);
    tfp_buf_free(&u->text);
    free(u);
}
