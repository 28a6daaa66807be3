// SPDX-License-Identifier: Apache-2.0
/* live/stacks/unwind.c: calls libdw through functions that are looked up by name; their C types are those of elfutils/libdwfl.h, a
 * stable interface. Files are opened as the process sees them (/proc/PID/root) and read here (image.h); libdw gets images in memory.
 * Debug files are not looked for, because that could ask a server. */
#include "live/stacks/unwind.h"

#include "live/proc/namespace.h"
#include "live/stacks/image.h"

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define NAME_MOST 2048     /* longest name of a symbol that is demangled */
#define AGAIN_NS 500000000 /* between two readings of the list of mappings */
#define STACK_MOST (16u << 20)
#define READS 64 /* how many of the last words read are remembered, to find where return addresses are stored */

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;
typedef struct Elf Elf;

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
    bool (*attach_state)(Dwfl *, void *, pid_t, const dwfl_thread_callbacks *, void *);
    bool (*thread_state_registers)(Dwfl_Thread *, int, unsigned, const uint64_t *);
    int (*getthread_frames)(Dwfl *, pid_t, int (*)(Dwfl_Frame *, void *), void *);
    bool (*frame_pc)(Dwfl_Frame *, uint64_t *, bool *);
    Dwfl_Module *(*addrmodule)(Dwfl *, uint64_t);
    const char *(*module_info)(Dwfl_Module *, void ***, uint64_t *, uint64_t *, uint64_t *, uint64_t *, const char **,
                               const char **);
    unsigned (*elf_version)(unsigned);
    Elf *(*elf_memory)(char *, size_t);
} dwfl_api;

static const char *const names[] = {
    "dwfl_begin",
    "dwfl_end",
    "dwfl_report_begin",
    "dwfl_linux_proc_report",
    "dwfl_report_end",
    "dwfl_getmodules",
    "dwfl_attach_state",
    "dwfl_thread_state_registers",
    "dwfl_getthread_frames",
    "dwfl_frame_pc",
    "dwfl_addrmodule",
    "dwfl_module_info",
    "elf_version",
    "elf_memory",
};

_Static_assert(sizeof(dwfl_api) == sizeof names, "one function a name, nothing between");

typedef struct module { /* a mapped file and its functions */
    const Dwfl_Module *of;
    int fd;         /* names are read from it on demand; -1: it cannot be opened */
    uint64_t moved; /* address in memory minus address in the file */
    tfp_functions functions;
} module;

struct tfp_unwind {
    int64_t pid;
    void *library, *cxx;
    dwfl_api api;
    char *(*demangle)(const char *, char *, size_t *, int *);
    Dwfl *dwfl;
    int64_t mapped_ns; /* when the list of mappings was last read */
    tfp_image_budget left;
    size_t refused; /* files that are damaged or would take too much memory */
    TFP_VEC(module) modules;
    TFP_VEC(tfp_buf) images; /* images that libdw still refers to */
    char name[NAME_MOST];
    tfp_buf text; /* text of the last name */
    /* valid while a stack is walked */
    const tfp_native_state *state;
    tfp_native_frame *out;
    size_t count, room;
    uint64_t reads[READS][2];
    size_t read_count;
    char window[512]; /* process memory beyond the copy of the stack */
    uint64_t window_at;
};

/* ---- files ---- */

/* The vdso, the kernel's code in each process, is the same in all, and our own can be trusted. */
static int open_vdso(void)
{
    const char *at = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)at;
    int fd = at ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    size_t size = at ? h->e_shoff + (size_t)h->e_shnum * sizeof(Elf64_Shdr) : 0;
    if (fd < 0 || write(fd, at, size) == (ssize_t)size) return fd;
    close(fd);
    return -1;
}

static int open_file(const tfp_unwind *u, const char *name)
{
    if (strncmp(name, "[vdso", 5) == 0) return open_vdso();
    return *name == '/' ? tfp_inside_file(u->pid, name) : -1;
}

/* Gives libdw an image of a mapped file, and no descriptor. */
static int find_elf(Dwfl_Module *m, void **data, const char *name, uint64_t base, char **file, void **elf)
{
    (void)m, (void)base, (void)file;
    tfp_unwind *u = *data;
    int fd = u ? open_file(u, name) : -1;
    tfp_buf image = { 0 };
    if (fd < 0) return -1;
    bool ok = tfp_image_make(fd, &u->left, &image);
    close(fd);
    u->refused += !ok;
    if (ok && tfp_push(&u->images, image))
        *elf = u->api.elf_memory(image.data, image.size);
    else
        tfp_buf_free(&image);
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

static void forget_functions(tfp_unwind *u)
{
    for (size_t i = 0; i < u->modules.size; i++) {
        tfp_functions_free(&u->modules.at[i].functions, &u->left);
        if (u->modules.at[i].fd >= 0) close(u->modules.at[i].fd);
    }
    u->modules.size = 0;
}

static bool read_mapped(tfp_unwind *u)
{
    forget_functions(u);
    u->mapped_ns = tfp_now_ns();
    u->api.report_begin(u->dwfl);
    bool ok = u->api.linux_proc_report(u->dwfl, (pid_t)u->pid) == 0;
    ok = u->api.report_end(u->dwfl, NULL, NULL) == 0 && ok;
    u->api.getmodules(u->dwfl, give_owner, u, 0);
    return ok;
}

/* The file that contains an address; files that were mapped since are found too. */
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
    if (address + sizeof *out > low + sizeof u->window) return false; /* not aligned, so it is no stack word */
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

/* The stack address from which this return address was read, among the last words read. */
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
    module_of(u, s->registers[TFP_DWARF_PC]); /* a newly mapped file must be added first */
    *whole = u->api.getthread_frames(u->dwfl, (pid_t)u->pid, take_frame, u) == 0;
    uint64_t sp = s->registers[TFP_DWARF_SP];
    if (u->count > 1 && !*whole && out[u->count - 1].pc - sp < STACK_MOST)
        u->count--; /* no code but a word of the stack: an unwind table was wrong */
    return u->count;
}

/* ---- names ---- */

static const module *functions_of(tfp_unwind *u, Dwfl_Module *of)
{
    uint64_t start = 0, base;
    for (size_t i = 0; i < u->modules.size; i++)
        if (u->modules.at[i].of == of) return &u->modules.at[i];
    const char *path = u->api.module_info(of, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    module m = { .of = of, .fd = path ? open_file(u, path) : -1 };
    if (m.fd >= 0 && tfp_image_base(m.fd, &base)) {
        m.moved = start - base;
        tfp_functions_read(m.fd, &u->left, &m.functions);
    }
    if (tfp_push(&u->modules, m)) return &u->modules.at[u->modules.size - 1];
    tfp_functions_free(&m.functions, &u->left);
    if (m.fd >= 0) close(m.fd);
    return NULL;
}

static void put_name(tfp_unwind *u, const char *name)
{
    int status = -1;
    char *plain = u->demangle && strncmp(name, "_Z", 2) == 0 && strlen(name) < NAME_MOST - 1
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
    const module *m = path ? functions_of(u, of) : NULL;
    if (!m) return;
    const char *base = strrchr(path, '/');
    *file = tfp_str_of(base ? base + 1 : path);
    if (strncmp(path, "[vdso", 5) == 0) *file = TFP_STR("[vdso]"); /* file name without the process number */
    if (tfp_functions_name(&m->functions, m->fd, pc - m->moved, u->name, sizeof u->name)) {
        put_name(u, u->name);
    } else {
        u->text.size = 0;
        tfp_buf_printf(&u->text, "0x%llx", (unsigned long long)(pc - start));
    }
    if (!u->text.failed) *function = (tfp_str){ u->text.data, u->text.size };
}

size_t tfp_unwind_ranges(tfp_unwind *u, uint64_t pc, const char *prefix, uint64_t (*out)[2], size_t room)
{
    Dwfl_Module *of = module_of(u, pc);
    const module *m = of ? functions_of(u, of) : NULL;
    size_t count = m ? tfp_functions_ranges(&m->functions, m->fd, prefix, out, room) : 0;
    for (size_t i = 0; i < count; i++) {
        out[i][0] += m->moved;
        out[i][1] += m->moved;
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
        memcpy((char *)&u->api + i * sizeof at, &at, sizeof at); /* ISO C has no cast to a function pointer */
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
    u->left = (tfp_image_budget){ TFP_IMAGE_HELD, TFP_IMAGE_READ };
    if (!load(u, why, room)) goto fail;
    u->api.elf_version(EV_CURRENT);
    snprintf(why, room, "libdw does not accept the files that the process has mapped");
    u->dwfl = u->api.begin(&files);
    if (u->dwfl && read_mapped(u) && u->api.attach_state(u->dwfl, NULL, (pid_t)pid, &threads, u)) return u;
fail:
    tfp_unwind_free(u);
    return NULL;
}

void tfp_unwind_free(tfp_unwind *u)
{
    if (!u) return;
    forget_functions(u);
    tfp_vec_free(&u->modules);
    if (u->dwfl) u->api.end(u->dwfl);
    for (size_t i = 0; i < u->images.size; i++) tfp_buf_free(&u->images.at[i]);
    tfp_vec_free(&u->images);
    if (u->cxx) dlclose(u->cxx);
    if (u->library) dlclose(u->library);
    tfp_buf_free(&u->text);
    free(u);
}
