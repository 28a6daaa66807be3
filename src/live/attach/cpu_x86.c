// SPDX-License-Identifier: Apache-2.0
/* live/attach/cpu_x86.c: registers, signal frames and interrupted system calls on x86-64 Linux. The layouts are the kernel's:
 * arch/x86/include/uapi/asm/sigcontext.h and ucontext.h, and the standard form of XSAVE. */
#include "live/attach/cpu.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <linux/ptrace.h> /* must follow sys/ptrace.h: both define the same macros */

/* mov $15, %rax; syscall: rt_sigreturn, the end of every signal handler, in glibc and musl alike */
const tfp_str tfp_cpu_home_code = { "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9 };

enum {
    /* results of interrupted system calls that only a tracer sees; from include/linux/errno.h */
    RESTART_SYS = 512,    /* the call starts again, unless a handler says otherwise */
    RESTART_NOINTR = 513, /* the call starts again */
    RESTART_NOHAND = 514, /* the call starts again, unless a handler ran */
    RESTART_BLOCK = 516,  /* the call goes on by restart_syscall with the time that is left */
    USER_CODE_64 = 0x33,  /* value of cs in 64-bit code */
    DIRECTION_FLAG = 0x400,
    /* XSAVE: the legacy area, the words in it that software may use, the header after it */
    XSAVE_LEGACY = 512,
    XSAVE_WORDS = 464,
    XSAVE_HEADER_END = 576,
    RED_ZONE = 256,     /* the ABI says 128; twice that to be safe */
    CONTEXT_ROOM = 512, /* return address and ucontext, rounded up */
    XSTATE_MOST = 16384
};
#define FEATURE_TILES ((uint64_t)3 << 17) /* AMX: configuration and data */
#define MAGIC1 0x46505853u                /* FP_XSTATE_MAGIC1 */
#define MAGIC2 0x46505845u                /* FP_XSTATE_MAGIC2, after the state */

/* The beginning of a signal's frame: return address, then struct ucontext. */
typedef struct signal_frame {
    uint64_t home;
    uint64_t flags, link;
    uint64_t alternate_stack;
    uint32_t alternate_flags, unused;
    uint64_t alternate_size;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, eflags;
    uint64_t segments; /* cs, gs, fs, ss: 16 bits each */
    uint64_t error, trap, old_mask, cr2, state_at;
    uint64_t reserved[8];
    uint64_t mask;
} signal_frame;
_Static_assert(sizeof(signal_frame) <= CONTEXT_ROOM, "the frame has its room");

struct tfp_cpu {
    struct user_regs_struct saved;
    struct user_regs_struct back; /* the registers to restore while the tracer lives */
    unsigned char xstate[XSTATE_MOST];
    size_t xstate_size;
    uint64_t mask;     /* the mask of blocked signals */
    uint64_t home, at; /* at: where on the stack the called function finds its return address */
    size_t frame_size;
    unsigned char frame[CONTEXT_ROOM + 64 + XSTATE_MOST + 64];
};

tfp_cpu *tfp_cpu_new(void) { return calloc(1, sizeof(tfp_cpu)); }
void tfp_cpu_free(tfp_cpu *c) { free(c); }
uint64_t tfp_cpu_stack(const tfp_cpu *c) { return c->saved.rsp; }
size_t tfp_cpu_frame_size(const tfp_cpu *c) { return (size_t)(c->saved.rsp - c->at); }

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t n;
    memcpy(&n, bytes, sizeof n);
    return n;
}

static void put32(unsigned char *to, uint32_t n) { memcpy(to, &n, sizeof n); }
static void put64(unsigned char *to, uint64_t n) { memcpy(to, &n, sizeof n); }

/* ---- the saved state ---- */

/* A thread inside a restartable sequence must not be redirected: the kernel would not know that the sequence was
 * interrupted. */
static bool in_restartable_sequence(const tfp_tracer *t, uint64_t rip)
{
    struct ptrace_rseq_configuration rseq = { 0 };
    struct {
        uint32_t version, flags;
        uint64_t start, size, abort;
    } sequence;
    uint64_t pointer;
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, t->pid, (void *)sizeof rseq, &rseq) < (long)sizeof rseq) /* NOLINT */
        return false;
    if (!rseq.rseq_abi_pointer || !tfp_tracer_read(t, rseq.rseq_abi_pointer + 8, &pointer, sizeof pointer))
        return false;
    return pointer && tfp_tracer_read(t, pointer, &sequence, sizeof sequence) && rip - sequence.start < sequence.size;
}

/* Bytes of an XSAVE area in the standard form with these features. */
static size_t xsave_size(uint64_t features)
{
    size_t size = XSAVE_HEADER_END;
    for (unsigned i = 2; i < 63; i++) {
        unsigned bytes, offset, c, d;
        if (!(features >> i & 1)) continue;
        __cpuid_count(13, i, bytes, offset, c, d);
        if ((size_t)offset + bytes > size) size = (size_t)offset + bytes;
    }
    return size;
}

/* The registers with which a thread goes on after an interrupted system call: as after a signal handler, or, with `exact`, as the
 * kernel itself would restart the call, which a return from a handler rules out. */
static struct user_regs_struct after_call(struct user_regs_struct r, bool exact)
{
    int64_t result = (int64_t)r.rax;
    bool again = result == -RESTART_SYS || result == -RESTART_NOINTR || result == -RESTART_NOHAND;
    bool rest = result == -RESTART_BLOCK;
    if ((int64_t)r.orig_rax < 0) return r;
    if (r.orig_rax == SYS_futex && (rest || (again && result != -RESTART_NOINTR))) {
        r.rax = (uint64_t)-EINTR;
    } else if (again || (rest && exact)) {
        r.rax = rest ? SYS_restart_syscall : r.orig_rax;
        r.rip -= 2; /* the length of `syscall` */
    } else if (rest) {
        r.rax = (uint64_t)-EINTR;
    }
    r.orig_rax = (uint64_t)-1; /* stops the kernel from restarting the call a second time */
    return r;
}

static void build_frame(tfp_cpu *c, uint64_t features)
{
    struct user_regs_struct r = after_call(c->saved, false);
    size_t size = xsave_size(features);
    uint64_t state_at = (r.rsp - RED_ZONE - size - 64) & ~(uint64_t)63;
    c->at = ((state_at - CONTEXT_ROOM) & ~(uint64_t)15) - 8; /* stack alignment at a function's first instruction */
    signal_frame f = { .home = c->home,
                       .flags = 7, /* UC_FP_XSTATE, UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
                       /* flags that the kernel refuses, so that the thread's alternate stack stays as it was */
                       .alternate_flags = 0x100,
                       .r8 = r.r8,
                       .r9 = r.r9,
                       .r10 = r.r10,
                       .r11 = r.r11,
                       .r12 = r.r12,
                       .r13 = r.r13,
                       .r14 = r.r14,
                       .r15 = r.r15,
                       .rdi = r.rdi,
                       .rsi = r.rsi,
                       .rbp = r.rbp,
                       .rbx = r.rbx,
                       .rdx = r.rdx,
                       .rax = r.rax,
                       .rcx = r.rcx,
                       .rsp = r.rsp,
                       .rip = r.rip,
                       .eflags = r.eflags,
                       .segments = (r.cs & 0xffff) | (uint64_t)(r.ss & 0xffff) << 48,
                       .state_at = state_at,
                       .mask = c->mask };
    size_t before = (size_t)(state_at - c->at);
    unsigned char *state = c->frame + before;
    memset(c->frame, 0, before);
    memcpy(c->frame, &f, sizeof f);
    memcpy(state, c->xstate, size);
    memset(state + XSAVE_WORDS, 0, XSAVE_LEGACY - XSAVE_WORDS);
    put32(state + XSAVE_WORDS, MAGIC1);
    put32(state + XSAVE_WORDS + 4, (uint32_t)size + 4);
    put64(state + XSAVE_WORDS + 8, features);
    put32(state + XSAVE_WORDS + 16, (uint32_t)size);
    put64(state + XSAVE_LEGACY, word_at(c->xstate + XSAVE_LEGACY) & features);
    memset(state + XSAVE_LEGACY + 8, 0, XSAVE_HEADER_END - XSAVE_LEGACY - 8);
    put32(state + size, MAGIC2);
    c->frame_size = before + size + 4;
}

bool tfp_cpu_save(tfp_cpu *c, const tfp_tracer *t, uint64_t home, const char **why)
{
    struct iovec xstate = { c->xstate, sizeof c->xstate };
    c->home = home;
    *why = "its registers cannot be read";
    if (ptrace(PTRACE_GETREGS, t->pid, NULL, &c->saved) ||
        ptrace(PTRACE_GETSIGMASK, t->pid, (void *)sizeof c->mask, &c->mask) ||
        ptrace(PTRACE_GETREGSET, t->pid, (void *)NT_X86_XSTATE, &xstate) || xstate.iov_len < XSAVE_HEADER_END)
        return false;
    c->xstate_size = xstate.iov_len;
    *why = "its main thread runs 32-bit code";
    if (c->saved.cs != USER_CODE_64) return false;
    *why = "its main thread uses AMX tiles";
    if (word_at(c->xstate + XSAVE_LEGACY) & FEATURE_TILES) return false;
    *why = "its main thread is in a restartable sequence";
    if (in_restartable_sequence(t, c->saved.rip)) return false;
    uint64_t features = word_at(c->xstate + XSAVE_WORDS) & ~FEATURE_TILES;
    *why = "the processor saves more state than tfprof knows";
    if (xsave_size(features) > c->xstate_size) return false;
    c->back = after_call(c->saved, true);
    build_frame(c, features);
    return true;
}

/* ---- calls ---- */

bool tfp_cpu_call(const tfp_cpu *c, const tfp_tracer *t, uint64_t function, const uint64_t args[TFP_CPU_ARGS])
{
    struct user_regs_struct r = c->saved;
    if (!tfp_tracer_write(t, c->at, c->frame, c->frame_size)) return false;
    r.rsp = c->at;
    r.rip = function;
    r.rax = 0;
    r.orig_rax = (uint64_t)-1;
    r.eflags &= ~(uint64_t)DIRECTION_FLAG;
    r.rdi = args[0], r.rsi = args[1], r.rdx = args[2], r.rcx = args[3], r.r8 = args[4], r.r9 = args[5];
    return ptrace(PTRACE_SETREGS, t->pid, NULL, &r) == 0;
}

static bool call_info(const tfp_tracer *t, struct ptrace_syscall_info *info)
{
    memset(info, 0, sizeof *info);
    return ptrace(PTRACE_GET_SYSCALL_INFO, t->pid, (void *)sizeof *info, info) > 0; /* NOLINT: a size as a pointer */
}

bool tfp_cpu_is_home(const tfp_cpu *c, const tfp_tracer *t)
{
    struct ptrace_syscall_info info;
    return call_info(t, &info) && info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_rt_sigreturn &&
           info.instruction_pointer == c->home + tfp_cpu_home_code.size && info.stack_pointer == c->at + 8;
}

bool tfp_cpu_has_called(const tfp_tracer *t, long number, int64_t *result)
{
    struct ptrace_syscall_info info;
    struct user_regs_struct r;
    if (!call_info(t, &info) || info.op != PTRACE_SYSCALL_INFO_EXIT || ptrace(PTRACE_GETREGS, t->pid, NULL, &r) ||
        (long)r.orig_rax != number)
        return false;
    *result = info.exit.rval;
    return true;
}

bool tfp_cpu_restore(const tfp_cpu *c, const tfp_tracer *t)
{
    struct user_regs_struct r = c->back;
    uint64_t mask = c->mask; /* the call may be broken off inside a signal handler, which changed the mask */
    struct iovec xstate = { (void *)(uintptr_t)c->xstate, c->xstate_size };
    /* vectors first: as long as the other registers are not set, the frame is still in place and restores its own
     * vectors */
    return ptrace(PTRACE_SETSIGMASK, t->pid, (void *)sizeof mask, &mask) == 0 &&
           ptrace(PTRACE_SETREGSET, t->pid, (void *)NT_X86_XSTATE, &xstate) == 0 && /* NOLINT: numbers as pointers */
           ptrace(PTRACE_SETREGS, t->pid, NULL, &r) == 0;
}
