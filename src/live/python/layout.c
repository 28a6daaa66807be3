// SPDX-License-Identifier: Apache-2.0
/* live/python/layout.c: the offsets of fields in CPython's structs, by version. Made by compiling tools/pylayout.c against the headers
 * of each version: 3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1, 3.13.0 and 3.14.10 on x86-64. They are the same in all releases of a minor
 * version, because CPython does not change its binary interface within one. */
#include "live/python/python.h"

static const tfp_python_layout layouts[] = {
    /* clang-format off */
    { .minor = 8, .runtime_head = 32, .interp_next = 0, .interp_threads = 8,
      .runtime_gil = 1152, .interp_gil = -1, .frame.locals = 360, .code.locals = 72, .code.cells = 88, .code.free = 80,
      .thread_next = 8, .thread_frame = 24, .thread_cframe = -1, .cframe_frame = -1, .thread_id = 176, .thread_native = -1,
      .frame.back = 24, .frame.code = 32, .frame.at = 104, .frame.owner = -1, .frame.entry = -1, .frame.size = 112,
      .code.first = 40, .code.file = 104, .code.name = 112, .code.lines = 120, .code.bytes = -1, .code.size = 176,
      .tuple_items = 24, .text_ascii = 48, .text_data = 72 },
    { .minor = 9, .runtime_head = 32, .interp_next = 0, .interp_threads = 8,
      .runtime_gil = 352, .interp_gil = -1, .frame.locals = 360, .code.locals = 72, .code.cells = 88, .code.free = 80,
      .thread_next = 8, .thread_frame = 24, .thread_cframe = -1, .cframe_frame = -1, .thread_id = 176, .thread_native = -1,
      .frame.back = 24, .frame.code = 32, .frame.at = 104, .frame.owner = -1, .frame.entry = -1, .frame.size = 112,
      .code.first = 40, .code.file = 104, .code.name = 112, .code.lines = 120, .code.bytes = -1, .code.size = 176,
      .tuple_items = 24, .text_ascii = 48, .text_data = 72 },
    { .minor = 10, .runtime_head = 32, .interp_next = 0, .interp_threads = 8,
      .runtime_gil = 352, .interp_gil = -1, .frame.locals = 352, .code.locals = 72, .code.cells = 88, .code.free = 80,
      .thread_next = 8, .thread_frame = 24, .thread_cframe = -1, .cframe_frame = -1, .thread_id = 176, .thread_native = -1,
      .frame.back = 24, .frame.code = 32, .frame.at = 96, .frame.owner = -1, .frame.entry = -1, .frame.size = 104,
      .code.first = 40, .code.file = 104, .code.name = 112, .code.lines = 120, .code.bytes = -1, .code.size = 176,
      .tuple_items = 24, .text_ascii = 48, .text_data = 72 },
    { .minor = 11, .runtime_head = 40, .interp_next = 0, .interp_threads = 16,
      .runtime_gil = 360, .interp_gil = -1, .frame.locals = 72, .code.locals = 96, .code.cells = -1, .code.free = -1,
      .thread_next = 8, .thread_frame = -1, .thread_cframe = 56, .cframe_frame = 8, .thread_id = 152, .thread_native = 160,
      .frame.back = 48, .frame.code = 32, .frame.at = 56, .frame.owner = 69, .frame.entry = 68, .frame.size = 80,
      .code.first = 72, .code.file = 112, .code.name = 128, .code.lines = 136, .code.bytes = 184, .code.size = 184,
      .tuple_items = 24, .text_ascii = 48, .text_data = 72 },
    { .minor = 12, .runtime_head = 40, .interp_next = 0, .interp_threads = 72,
      .runtime_gil = -1, .interp_gil = 384, .frame.locals = 72, .code.locals = 96, .code.cells = -1, .code.free = -1,
      .thread_next = 8, .thread_frame = -1, .thread_cframe = 56, .cframe_frame = 0, .thread_id = 136, .thread_native = 144,
      .frame.back = 8, .frame.code = 0, .frame.at = 56, .frame.owner = 70, .frame.entry = -1, .frame.size = 80,
      .code.first = 68, .code.file = 112, .code.name = 128, .code.lines = 136, .code.bytes = 192, .code.size = 192,
      .tuple_items = 24, .text_ascii = 40, .text_data = 56 },
    { .minor = 13, .runtime_head = 632, .interp_next = 7264, .interp_threads = 7344,
      .runtime_gil = -1, .interp_gil = 16, .frame.locals = 72, .code.locals = 96, .code.cells = -1, .code.free = -1,
      .thread_next = 8, .thread_frame = 72, .thread_cframe = -1, .cframe_frame = -1, .thread_id = 152, .thread_native = 160,
      .frame.back = 8, .frame.code = 0, .frame.at = 56, .frame.owner = 70, .frame.entry = -1, .frame.size = 80,
      .code.first = 68, .code.file = 112, .code.name = 128, .code.lines = 136, .code.bytes = 200, .code.size = 200,
      .tuple_items = 24, .text_ascii = 40, .text_data = 56, .pending_mutex = 2648 },
    { .minor = 14, .runtime_head = 808, .interp_next = 7272, .interp_threads = 7344,
      .runtime_gil = -1, .interp_gil = 16, .frame.locals = 80, .code.locals = 96, .code.cells = -1, .code.free = -1,
      .thread_next = 8, .thread_frame = 72, .thread_cframe = -1, .cframe_frame = -1, .thread_id = 152, .thread_native = 160,
      .frame.back = 8, .frame.code = 0, .frame.at = 56, .frame.owner = 74, .frame.entry = -1, .frame.size = 88,
      .code.first = 68, .code.file = 112, .code.name = 128, .code.lines = 136, .code.bytes = 208, .code.size = 208,
      .tuple_items = 32, .text_ascii = 40, .text_data = 56, .pending_mutex = 2856 },
    /* clang-format on */
};

const tfp_python_layout *tfp_python_layout_of(int minor)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].minor == minor) return &layouts[i];
    return NULL;
}
