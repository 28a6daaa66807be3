// SPDX-License-Identifier: Apache-2.0
/* tests/bench/walk.c: the yardstick of the benchmark: visits every field of a ProfileProto, GraphDef or XSpace, and keeps nothing.
 *   walk FILE [TIMES [graph|xplane]]      prints the fields and the best time in seconds
 * It stands apart from the library: a plain walk is what any reader must at least do. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

/* Lists which fields of which message are messages. The attributes of a profile's nodes stay bytes. */
enum {
    SCALARS,
    PROFILE,
    NODE_ENTRY,
    NODE,
    CODE,
    FRAME,
    EXEC_ENTRY,
    EXEC,
    TIMES_ENTRY,
    TIMES,
    TUPLE_ENTRY,
    TUPLE,
    MEMORY,
    OUTPUT_ENTRY,
    GRAPH,
    LIBRARY,
    FUNCTION,
    NODE_DEF,
    ATTR_ENTRY,
    ATTR,
    LIST,
    SHAPE,
    SPACE,
    PLANE,
    LINE,
    EVENT,
    META_ENTRY,
    META,
    KINDS
};
static const uint8_t inside[KINDS][17] = {
    [PROFILE] = { [1] = NODE_ENTRY, [4] = SCALARS + KINDS },
    [NODE_ENTRY] = { [2] = NODE },
    [NODE] = { [2] = SCALARS + KINDS,
               [10] = CODE,
               [11] = SCALARS + KINDS,
               [12] = EXEC_ENTRY,
               [14] = SCALARS + KINDS,
               [15] = TUPLE_ENTRY },
    [CODE] = { [1] = SCALARS + KINDS },
    [EXEC_ENTRY] = { [2] = EXEC },
    [EXEC] = { [4] = TIMES_ENTRY, [5] = TIMES_ENTRY, [7] = MEMORY, [11] = SCALARS + KINDS },
    [TIMES_ENTRY] = { [2] = TIMES },
    [TIMES] = { [1] = TUPLE },
    [TUPLE_ENTRY] = { [2] = TUPLE },
    [TUPLE] = { [1] = SCALARS + KINDS }, /* packed numbers: skipped like bytes */
    [MEMORY] = { [11] = OUTPUT_ENTRY },
    [OUTPUT_ENTRY] = { [2] = SCALARS + KINDS },
    [GRAPH] = { [1] = NODE_DEF, [2] = LIBRARY },
    [LIBRARY] = { [1] = FUNCTION },
    [FUNCTION] = { [3] = NODE_DEF },
    [NODE_DEF] = { [5] = ATTR_ENTRY },
    [ATTR_ENTRY] = { [2] = ATTR },
    [ATTR] = { [1] = LIST, [7] = SHAPE, [8] = SCALARS + KINDS },
    [LIST] = { [7] = SHAPE },
    [SHAPE] = { [2] = SCALARS + KINDS },
    [SPACE] = { [1] = PLANE },
    [PLANE] = { [3] = LINE, [4] = META_ENTRY, [5] = META_ENTRY, [6] = SCALARS + KINDS },
    [LINE] = { [4] = EVENT },
    [EVENT] = { [4] = SCALARS + KINDS },
    [META_ENTRY] = { [2] = META },
    [META] = { [5] = SCALARS + KINDS },
};

static uint64_t fields, sum;

static inline const uint8_t *varint(const uint8_t *at, uint64_t *v)
{
    uint64_t value = *at++;
    if (value > 127) {
        value &= 127;
        for (int shift = 7; shift < 64; shift += 7) {
            uint64_t byte = *at++;
            value |= (byte & 127) << shift;
            if (byte < 128) break;
        }
    }
    *v = value;
    return at;
}

/* The file is our own and complete, so nothing is checked. */
static void walk(const uint8_t *at, const uint8_t *end, unsigned kind)
{
    while (at < end) {
        uint64_t key, value;
        at = varint(at, &key);
        fields++;
        switch (key & 7) {
        case 0:
            at = varint(at, &value);
            sum += value;
            break;
        case 1: at += 8; break;
        case 5: at += 4; break;
        default: {
            at = varint(at, &value);
            unsigned child = key >> 3 < 17 ? inside[kind][key >> 3] : 0;
            if (kind == TUPLE) {
                for (const uint8_t *p = at; p < at + value;) p = varint(p, &key), sum += key, fields++;
            } else if (child) {
                walk(at, at + value, child % KINDS);
            }
            at += value;
        }
        }
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1, times = argc > 2 ? atoi(argv[2]) : 5;
    unsigned kind = argc <= 3 ? PROFILE : argv[3][0] == 'x' ? SPACE : GRAPH;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) return 1;
    const uint8_t *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (data == MAP_FAILED) return 1;
    double best = 1e9;
    for (int i = 0; i < times; i++) {
        fields = sum = 0;
        double start = now();
        walk(data, data + st.st_size, kind);
        double took = now() - start;
        if (took < best) best = took;
    }
    printf("%llu fields, %.6f s (%llx)\n", (unsigned long long)fields, best, (unsigned long long)sum);
    return 0;
}
