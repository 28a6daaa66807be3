// SPDX-License-Identifier: Apache-2.0
/* live/stacks/unwind.h: native stacks of another process, from registers and a copy of the stack, using the unwind tables (.eh_frame)
 * and symbols of its mapped files. elfutils' libdw does both; it is loaded on first use. x86-64 only. */
#ifndef TFP_LIVE_UNWIND_H
#define TFP_LIVE_UNWIND_H

#include "base/base.h"

enum { TFP_DWARF_SP = 7, TFP_DWARF_PC = 16, TFP_DWARF_REGISTERS = 17 };

/* The state of a thread at one moment. Registers have DWARF's numbers; memory begins at the stack pointer. */
typedef struct tfp_native_state {
    uint64_t registers[TFP_DWARF_REGISTERS];
    bool only_sp_and_pc; /* the other registers are not known */
    const char *stack;   /* a copy of the stack; beyond it the process's memory is read */
    size_t stack_size;
} tfp_native_state;

typedef struct tfp_native_frame {
    uint64_t pc;   /* an address within the call instruction, not after it */
    uint64_t slot; /* where its return address is stored; 0: the innermost frame, or not known */
} tfp_native_frame;

typedef struct tfp_unwind tfp_unwind;

/* NULL: `why` has the reason. */
tfp_unwind *tfp_unwind_new(int64_t pid, char *why, size_t room);
void tfp_unwind_free(tfp_unwind *u);
/* Reads the frames of a thread, innermost first; returns how many. *whole: the outermost one was reached. */
size_t tfp_unwind_stack(tfp_unwind *u, const tfp_native_state *s, tfp_native_frame *out, size_t room, bool *whole);
/* Gives the library or program and the function of an address. Without a symbol the function is "0xOFFSET" in the file; without
 * a file both are "[unknown]". C++ names are demangled where libstdc++ is there. The texts are valid until the next call. */
void tfp_unwind_name(tfp_unwind *u, uint64_t pc, tfp_str *file, tfp_str *function);
/* The addresses of functions whose names begin with the prefix, in the file that contains `pc`: pairs of first address and
 * end; returns how many. */
size_t tfp_unwind_ranges(tfp_unwind *u, uint64_t pc, const char *prefix, uint64_t (*out)[2], size_t room);
/* Number of files that are damaged, or whose symbols would take too much memory: their functions have no names. */
size_t tfp_unwind_refused(const tfp_unwind *u);

#endif
