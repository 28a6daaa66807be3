// SPDX-License-Identifier: Apache-2.0
/* A fake CPython 3.12: its fields are where those of CPython are, but all that they contain is invented. It is a job that lies to tfprof.
 *   cc -shared -fPIC -DLIBRARY liar.c -o libpython3.12.so.1.0; cc -fPIC liar.c ./libpython3.12.so.1.0 -Wl,-rpath,FOLDER -o liar
 *   liar THREADS FRAMES NAME-LENGTH CIRCLE(0|1) RENAMED(0|1)   prints a line when all is in place and then computes for a minute */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#ifdef LIBRARY
char _PyRuntime[4096], PyCode_Type[8], PyUnicode_Type[8];
#else
extern char _PyRuntime[], PyCode_Type[], PyUnicode_Type[];

enum { CODE = 192, FRAME = 72 + 8 * 5, CODES = 4096 };

static void put(void *at, int offset, uint64_t value) { memcpy((char *)at + offset, &value, sizeof value); }
static uint64_t address(const void *at) { return (uint64_t)(uintptr_t)at; }

static char *a_text(size_t length)
{
    char *text = calloc(56 + 4 * length, 1);
    uint32_t smile = 0x1F600, state = 4 << 2 | 0x20; /* compact, with four bytes for each character */
    put(text, 8, address(PyUnicode_Type));
    put(text, 16, length);
    memcpy(text + 32, &state, sizeof state);
    for (size_t i = 0; i < length; i++) memcpy(text + 56 + 4 * i, &smile, sizeof smile);
    return text;
}

static char *a_type(char *name, int flag)
{
    char *type = calloc(256, 1);
    put(type, 24, address(name));
    put(type, 168, flag ? 1ULL << flag : 0);
    return type;
}

/* Invalid variables: a list that contains itself, endless numbers and tuples, an array of 2,000,000,000 dimensions. */
static void put_variables(char *frames, long count, char *codes, char *text)
{
    static char array_name[] = "numpy.ndarray", evil_name[] = "\33[31m\n";
    char *names = calloc(24 + 8 * 5, 1), *values[5];
    put(names, 16, ~0ULL >> 1);
    for (int i = 0; i < 5; i++) {
        put(names, 24 + 8 * i, address(text));
        values[i] = calloc(64, 1);
        put(values[i], 8, address(i == 4 ? a_type(array_name, 0) : a_type(evil_name, 24 + i)));
        put(values[i], 16, ~0ULL >> 1);
        put(values[i], 24, i == 1 ? address(values[i]) + 32 : i == 4 ? 2000000000 : address(values[1]));
        put(values[i], 32, address(values[i]));
    }
    for (int i = 0; i < CODES; i++) put(codes + (long)CODE * i, 96, address(names));
    for (long k = 0; k < count; k++)
        for (int i = 0; i < 5; i++) put(frames + FRAME * k, 72 + 8 * i, address(values[i]));
}

int main(int argc, char **argv)
{
    long n[5] = { 1, 10, 10, 0, 0 };
    for (int i = 1; i < argc && i < 6; i++) n[i - 1] = atol(argv[i]);
    char *interpreter = calloc(4096, 1), *text = a_text((size_t)n[2]), *codes = calloc(CODES, CODE),
         *frames = calloc((size_t)n[1] + 1, FRAME), *call = calloc(64, 1);
    uint64_t before = 0;
    for (int i = 0; i < CODES; i++) {
        char *c = codes + (long)CODE * i;
        put(c, 8, address(PyCode_Type));
        memcpy(c + 68, &i, sizeof i);
        put(c, 112, address(text));
        put(c, 128, address(text));
    }
    for (long i = 0; i < n[1]; i++) {
        char *f = frames + FRAME * i;
        put(f, 0, address(codes + CODE * (i % CODES)));
        put(f, 8, i + 1 < n[1] ? address(f + FRAME) : n[3] ? address(frames) : 0);
        put(f, 56, address(codes + CODE * (i % CODES)) + CODE);
    }
    put_variables(frames, n[1], codes, text);
    put(call, 0, address(frames));
    for (long i = 0; i < n[0]; i++) {
        char *state = calloc(256, 1);
        put(state, 8, n[3] ? address(state) : before);
        put(state, 56, address(call));
        put(state, 144, (uint64_t)syscall(SYS_gettid));
        before = address(state);
    }
    put(interpreter, 72, before);
    if (n[3]) put(interpreter, 0, address(interpreter));
    put(_PyRuntime, 40, address(interpreter));
    puts("ready");
    fflush(stdout);
    for (time_t end = time(NULL) + 60; time(NULL) < end;) {
        for (int i = 0, line; n[4] && i < CODES; i++) {
            memcpy(&line, codes + (long)CODE * i + 68, sizeof line);
            line += CODES;
            memcpy(codes + (long)CODE * i + 68, &line, sizeof line);
        }
        if (n[4]) usleep(20000);
    }
}
#endif
