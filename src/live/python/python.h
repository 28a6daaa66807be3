// SPDX-License-Identifier: Apache-2.0
/* live/python/python.h: the inside of a running CPython, read from outside: its threads, their frames, names and lines. Only memory is read
 * (process_vm_readv): nothing is stopped, and nothing runs in the process. What is read may change meanwhile or be anything: every size is
 * bounded, every chain is followed a bounded number of times, and a stack that changed while it was read is reported as torn. */
#ifndef TFP_LIVE_PYTHON_H
#define TFP_LIVE_PYTHON_H

#include "live/files/method.h"

/* Offsets in the structs of one version, on x86-64; -1: it has no such field. live/python/layout.c */
typedef struct tfp_frame_layout {
    int back, code, at, owner, entry, size; /* entry: 3.11 only */
    int locals;                             /* the values of local variables, in the order of their names */
} tfp_frame_layout;
typedef struct tfp_code_layout {
    int first, file, name, lines, bytes, size;
    int locals, cells, free; /* tuples of names; from 3.11 on all are in the first one */
} tfp_code_layout;
typedef struct tfp_python_layout {
    int minor; /* of CPython 3.minor */
    int runtime_head;
    int interp_next, interp_threads;
    int thread_next, thread_frame, thread_cframe, cframe_frame, thread_id, thread_native;
    tfp_frame_layout frame;
    tfp_code_layout code;
    int tuple_items;
    int text_ascii, text_data; /* offset of the characters of a str */
    int runtime_gil,
        interp_gil; /* the interpreter lock: its offset in _PyRuntime, or of a pointer to it in the interpreter */
    int pending_mutex; /* offset in _PyRuntime of the PyMutex around the main thread's pending calls; 0: it is another kind of lock */
} tfp_python_layout;
const tfp_python_layout *tfp_python_layout_of(int minor); /* NULL: unknown version */

typedef struct tfp_python {
    int64_t pid;
    const tfp_python_layout *layout;
    uint64_t runtime, code_type, text_type; /* addresses of _PyRuntime, PyCode_Type, PyUnicode_Type */
    bool inside;                            /* it is in another pid namespace, where its threads have other numbers */
    struct {
        int32_t theirs, ours;
    } numbers
        [1024]; /* the numbers of threads, indexed by the last bits of their own number; kept from one look to the next */
} tfp_python;

/* Finds the interpreter of a process. False: *method says why not, as a code and a sentence. */
bool tfp_python_open(int64_t pid, tfp_python *out, tfp_method *refusal);
bool tfp_python_read(const tfp_python *p, uint64_t address, void *out, size_t size);
/* The word at an address; 0 where it cannot be read. */
static inline uint64_t tfp_python_word(const tfp_python *p, uint64_t address)
{
    uint64_t v = 0;
    return address && tfp_python_read(p, address, &v, sizeof v) ? v : 0;
}
/* The word at an offset of what was read. */
static inline uint64_t tfp_word_at(const unsigned char *at, int offset)
{
    uint64_t v;
    memcpy(&v, at + offset, sizeof v);
    return v;
}
/* Addresses of functions of the interpreter, in the process. False: one of them is missing. */
bool tfp_python_functions(int64_t pid, const char *const *names, uint64_t *values, size_t count);
/* Whether there is one interpreter and no second one in the process. */
bool tfp_python_is_single(const tfp_python *p);

typedef struct tfp_python_thread {
    uint64_t state; /* address of its PyThreadState */
    int64_t tid;    /* as in our /proc; 0: not known */
    bool locks;     /* it holds its interpreter's lock (GIL) */
} tfp_python_thread;

#define TFP_PYTHON_THREADS 4096 /* most threads that are looked at */
#define TFP_PYTHON_DEPTH 4096   /* most frames of a stack */

/* Reads the threads of all interpreters; returns how many, at most `room`. -1: nothing can be read. */
long tfp_python_threads(tfp_python *p, tfp_python_thread *out, size_t room);

typedef struct tfp_live_frame {
    uint64_t address; /* address of the frame */
    uint64_t code;    /* address of the code object */
    int64_t at;       /* byte offset in its code; -1: before the first instruction */
    bool entry; /* C code called it. The frames it calls, up to the next entry, share one call of the interpreter. */
} tfp_live_frame;

/* Reads the frames of a thread, innermost first; returns how many. -1: torn, they changed while they were read. */
long tfp_python_stack(const tfp_python *p, uint64_t state, tfp_live_frame *out, size_t room);

/* A str of CPython as it was read. */
typedef struct tfp_text_copy {
    uint64_t length;   /* characters */
    uint32_t at, size; /* at: bytes before its characters; size: bytes of the characters that were read */
    unsigned kind;     /* bytes per character */
} tfp_text_copy;

/* A code object as it was read: its names, and what is compared later to see whether it is still the same one: another object may have taken
 * its place. */
typedef enum tfp_code_text { TFP_CODE_FILE, TFP_CODE_NAME } tfp_code_text;
typedef struct tfp_code_copy {
    uint64_t address, objects[2]; /* address of the object, and of its texts */
    int32_t first_line;
    tfp_text_copy texts[2];
    TFP_VEC(unsigned char) bytes; /* the characters of both */
} tfp_code_copy;
/* Reads it into `out`, which may hold an earlier copy. False when it is no code object, is gone, or there is no memory. */
bool tfp_python_copy_code(const tfp_python *p, uint64_t code, tfp_code_copy *out);
/* A text as UTF-8, escaped nowhere. False without memory. */
bool tfp_python_copied_text(const tfp_code_copy *copy, tfp_code_text which, tfp_buf *out);
/* same[i]: whether the memory still holds copies[i]. One system call checks many. */
void tfp_python_same_codes(const tfp_python *p, const tfp_code_copy *const *copies, bool *same, size_t count);
/* The str at this address as UTF-8. False when it is none, or is gone. */
bool tfp_python_text(const tfp_python *p, uint64_t address, tfp_buf *out);
/* The line of a byte offset in its code; the function's first line where it is not known. */
int64_t tfp_python_line(const tfp_python *p, uint64_t code, int64_t at);

/* The local variables of a frame as text: "x=1, name='a', w=<Tensor>". False: another frame is there by now. live/python/locals.c */
bool tfp_python_locals(const tfp_python *p, const tfp_live_frame *frame, tfp_buf *out);

/* ---- objects of a frame, by address; from CPython 3.11 on, before it nothing is found: live/python/dict.c ---- */
#define TFP_PYTHON_ITEMS 4096 /* most items of a dict that are read */
typedef struct tfp_python_item {
    uint64_t key, value;
} tfp_python_item;
uint64_t tfp_python_local(const tfp_python *p, const tfp_live_frame *frame, const char *name); /* 0: there is none */
uint64_t tfp_python_globals(const tfp_python *p, const tfp_live_frame *frame); /* a dict; 0: not known */
size_t tfp_python_items(const tfp_python *p, uint64_t dict, tfp_python_item *out, size_t room);
uint64_t tfp_python_item_named(const tfp_python *p, uint64_t dict, const char *name); /* its value; 0: there is none */
bool tfp_python_int(const tfp_python *p, uint64_t object, int64_t *out);              /* 0 to 2^30 */
bool tfp_python_is_none(const tfp_python *p, uint64_t object);

/* The same from the bytes of a line table: lnotab for minor 8 and 9, PEP 626 for 10, PEP 657 from 11 on. -1: no
 * line. */
int64_t tfp_python_table_line(int minor, tfp_str table, int64_t first_line, int64_t at);
/* "libpython3.11.so.1.0" and "python3.11" -> 11; 0: no CPython's name; -1: a debug or free-threaded build. */
int tfp_python_minor(tfp_str file_name);
/* "math.cpython-311-x86_64-linux-gnu.so" -> 11: the version of the CPython that loads this module; 0 and -1 as above. */
int tfp_python_extension_minor(tfp_str file_name);

/* From 3.13 on the first words of _PyRuntime say what an interpreter is, whatever its file is called: a cookie, PY_VERSION_HEX, and
 * whether it is free-threaded. False: its structs may differ from those of its version's releases. True for older ones. */
bool tfp_python_is_final(int minor, const uint64_t told[3]);

/* Why a process may not be inspected: the setting that forbids it, and the remedy. */
void tfp_why_forbidden(int64_t pid, char *out, size_t room);

/* A file that a process has mapped at offset 0. */
typedef struct tfp_mapped_file {
    char path[512];
    const char *name; /* the file's name, within `path` */
    uint64_t low;     /* where it begins in memory */
    uint64_t high;    /* where this mapping of it ends */
    bool deleted;     /* the file was replaced or removed after it was mapped */
} tfp_mapped_file;
/* Opens the file for reading, even when it was replaced or removed; -1: errno, EINVAL where it is no plain file. */
int tfp_mapped_file_open(int64_t pid, const tfp_mapped_file *file);
#define TFP_MAPS_LINES                                                                                                 \
    131072 /* most lines of /proc/PID/maps that are read; the kernel's default limit is half as many */
/* Parses a line of /proc/PID/maps. False: the line has no file, or another part of one. */
bool tfp_mapped_file_parse(const char *line, tfp_mapped_file *out);

#endif
