// SPDX-License-Identifier: Apache-2.0
/* tools/pylayout.c: prints the row of src/live/python/layout.c for the CPython whose headers it is compiled with:
 *   cc -w -I$P/include/python3.13 -I$P/include/python3.13/internal -o pylayout tools/pylayout.c && ./pylayout */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#endif
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#else
#include "internal/pycore_pystate.h"
#endif
#include <stddef.h>
#include <stdio.h>

#define AT(name, type, field) printf("." name " = %d, ", (int)offsetof(type, field))
#define NONE(name) printf("." name " = -1, ")

int main(void)
{
    printf("{ .minor = %d, ", PY_MINOR_VERSION);
    AT("runtime_head", _PyRuntimeState, interpreters.head);
    AT("interp_next", PyInterpreterState, next);
#if PY_VERSION_HEX >= 0x030c0000
    NONE("runtime_gil");
    AT("interp_gil", PyInterpreterState, ceval.gil);
#else
    AT("runtime_gil", _PyRuntimeState, ceval.gil);
    NONE("interp_gil");
#endif
    _Static_assert(offsetof(struct _gil_runtime_state, last_holder) == 8 &&
                       offsetof(struct _gil_runtime_state, locked) == 16,
                   "GIL_HOLDER and GIL_LOCKED of src/live/python/read.c");
#if PY_VERSION_HEX >= 0x030b0000
    AT("interp_threads", PyInterpreterState, threads.head);
#else
    AT("interp_threads", PyInterpreterState, tstate_head);
#endif
    AT("thread_next", PyThreadState, next);
    AT("thread_id", PyThreadState, thread_id);
#if PY_VERSION_HEX >= 0x030d0000
    AT("thread_frame", PyThreadState, current_frame);
    NONE("thread_cframe");
    NONE("cframe_frame");
#elif PY_VERSION_HEX >= 0x030b0000
    NONE("thread_frame");
    AT("thread_cframe", PyThreadState, cframe);
    AT("cframe_frame", _PyCFrame, current_frame);
#else
    AT("thread_frame", PyThreadState, frame);
    NONE("thread_cframe");
    NONE("cframe_frame");
#endif
#if PY_VERSION_HEX >= 0x030b0000
    AT("thread_native", PyThreadState, native_thread_id);
    AT("frame_back", struct _PyInterpreterFrame, previous);
    AT("frame_owner", struct _PyInterpreterFrame, owner);
#if PY_VERSION_HEX < 0x030c0000
    AT("frame_entry", struct _PyInterpreterFrame, is_entry);
#else
    NONE("frame_entry");
#endif
#if PY_VERSION_HEX >= 0x030d0000
    AT("frame_code", struct _PyInterpreterFrame, f_executable);
    AT("frame_at", struct _PyInterpreterFrame, instr_ptr);
#else
    AT("frame_code", struct _PyInterpreterFrame, f_code);
    AT("frame_at", struct _PyInterpreterFrame, prev_instr);
#endif
    printf(".frame_size = %d, ", (int)sizeof(struct _PyInterpreterFrame));
    AT("code_name", PyCodeObject, co_qualname);
    AT("code_bytes", PyCodeObject, co_code_adaptive);
    AT("code_size", PyCodeObject, co_code_adaptive);
#else
    NONE("thread_native");
    AT("frame_back", PyFrameObject, f_back);
    NONE("frame_owner");
    NONE("frame_entry");
    AT("frame_code", PyFrameObject, f_code);
    AT("frame_at", PyFrameObject, f_lasti);
    printf(".frame_size = %d, ", (int)offsetof(PyFrameObject, f_lasti) + 8);
    AT("code_name", PyCodeObject, co_name);
    NONE("code_bytes");
    printf(".code_size = %d, ", (int)sizeof(PyCodeObject));
#endif
#if PY_VERSION_HEX >= 0x030b0000
    AT("frame_locals", struct _PyInterpreterFrame, localsplus);
    AT("code_locals", PyCodeObject, co_localsplusnames);
    NONE("code_cells");
    NONE("code_free");
#else
    AT("frame_locals", PyFrameObject, f_localsplus);
    AT("code_locals", PyCodeObject, co_varnames);
    AT("code_cells", PyCodeObject, co_cellvars);
    AT("code_free", PyCodeObject, co_freevars);
#endif
    AT("code_first", PyCodeObject, co_firstlineno);
    AT("code_file", PyCodeObject, co_filename);
#if PY_VERSION_HEX >= 0x030a0000
    AT("code_lines", PyCodeObject, co_linetable);
#else
    AT("code_lines", PyCodeObject, co_lnotab);
#endif
#if PY_VERSION_HEX >= 0x030d0000
    AT("pending_mutex", _PyRuntimeState, ceval.pending_mainthread.mutex);
#endif
    AT("tuple_items", PyTupleObject, ob_item);
    printf(".text_ascii = %d, .text_data = %d },\n", (int)sizeof(PyASCIIObject), (int)sizeof(PyCompactUnicodeObject));
    return 0;
}
