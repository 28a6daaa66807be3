// SPDX-License-Identifier: Apache-2.0
/* live/stacks/unwind.h: native stacks of another process, from registers and a copy of the stack, with the unwind tables (.eh_frame) and
 * symbols of the files that it has mapped. elfutils' libdw does both; it is loaded by the first use. x86-64 only. */
#ifndef TFP_LIVE_UNWIND_H
#define TFP_LIVE_UNWIND_H

#include "base/base.h"

enum { TFP_DWARF_SP = 7, TFP_DWARF_PC = 16, TFP_DWARF_REGISTERS = 17 };

/* A thread at one moment. Registers by DWARF's numbers; memory from the stack pointer on. */
typedef struct tfp_native_state {
    uint64_t registers[TFP_DWARF_REGISTERS];
    bool only_sp_and_pc; /* the other registers are not known */
    const char *stack;   /* a copy; beyond it the process's memory is read */
    size_t stack_size;
} tfp_native_state;

typedef struct tfp_native_frame {
    uint64_t pc;   /* within the call, not behind it */
    uint64_t slot; /* where its return address was read; 0: the innermost, or not known */
} tfp_native_frame;

typedef struct tfp_unwind tfp_unwind;

/* NULL: `why` has the reason. */
tfp_unwind *tfp_unwind_new(int64_t pid, char *why, size_t room);
void tfp_unwind_free(tfp_unwind *u);
/* The frames of a thread, innermost first; how many. *whole: the outermost one was reached. */
size_t tfp_unwind_stack(tfp_unwind *u, const tfp_native_state *s, tfp_native_frame *out, size_t room, bool *whole);
/* The library or program and the function of an address; without a symbol the function is "0xOFFSET" in the file, without a file
 * both are "[unknown]". C++ names are readable where libstdc++ is there. Texts live until the next call. */
void tfp_unwind_name(tfp_unwind *u, uint64_t pc, tfp_str *file, tfp_str *function);
/* The addresses of functions whose names begin so, in the file that has `pc`: pairs of first address and end; how many. */
size_t tfp_unwind_ranges(tfp_unwind *u, uint64_t pc, const char *prefix, uint64_t (*out)[2], size_t room);
/* Files that are damaged, or whose symbols would take too much memory: their functions have no names. */
size_t tfp_unwind_refused(const tfp_unwind *u);

#endif
