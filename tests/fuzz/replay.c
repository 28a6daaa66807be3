// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/replay.c: a main for fuzz targets without libFuzzer: replays files and folders, and changed copies of
 * files.
 *   replay [-m MUTANTS] [-s SEED] TARGET PATH...
 * Each file is run unchanged with all option sets, then MUTANTS deterministically changed copies of it with a few.
 * The macro TARGETS comes from meson.build: TARGET(NAME) for each target. */
#include "drive.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
TARGETS
#undef TARGET

#define TARGET(name) { #name, fuzz_##name },
static const struct target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} targets[] = { TARGETS };

typedef struct replay {
    const struct target *target;
    long mutants, runs;
    uint64_t random;
} replay;

static uint64_t next_random(replay *r)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return r->random;
}

/* Saves the running input, so that it is known after a crash: see replay.py. */
static void leave_trace(const uint8_t *data, size_t size)
{
    const char *path = getenv("TFP_REPLAY_TRACE");
    FILE *f = path ? fopen(path, "wb") : NULL;
    if (!f) return;
    fwrite(data, 1, size, f);
    fclose(f);
}

static void run_one(replay *r, const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1); /* an exact copy, so that the sanitizer sees a read past the end */
    if (!exact) exit(2);
    if (size) memcpy(exact, data, size);
    leave_trace(exact, size);
    r->target->run(exact, size);
    free(exact);
    r->runs++;
}

/* Makes one change: flips a bit, sets a byte, removes, doubles or moves a run of bytes, or writes an extreme number. */
static size_t change(replay *r, uint8_t *data, size_t size, size_t room)
{
    static const uint8_t extremes[] = { 0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x12, '"', '{', '}' };
    uint64_t x = next_random(r);
    size_t at = size ? (x >> 8) % size : 0, other = size ? (x >> 24) % size : 0, count = 1 + (x >> 40) % 16;
    switch (x % 7) {
    case 0:
        if (size) data[at] ^= (uint8_t)(1u << (x >> 50) % 8);
        break;
    case 1:
        if (size) data[at] = extremes[(x >> 50) % sizeof extremes];
        break;
    case 2:
        if (size) data[at] = (uint8_t)(x >> 50);
        break;
    case 3: /* remove */
        if (at + count > size) count = size - at;
        memmove(data + at, data + at + count, size - at - count);
        return size - count;
    case 4: /* double */
        if (at + count > size || size + count > room) break;
        memmove(data + at + count, data + at, size - at);
        return size + count;
    case 5: /* copy to another place */
        if (at + count <= size && other + count <= size) memmove(data + other, data + at, count);
        break;
    default: /* a varint of ten bytes */
        if (at + 10 <= size) memset(data + at, 0xff, 9), data[at + 9] = (uint8_t)(x >> 63);
    }
    return size;
}

static void run_file(replay *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    size_t size = (size_t)st.st_size, room = size + 256;
    uint8_t *seed = malloc(room), *copy = malloc(room);
    if (!seed || !copy || fread(seed, 1, size, f) != size) exit(2);
    fclose(f);
    drive_everything = true;
    run_one(r, seed, size);
    drive_everything = false;
    for (long i = 0; i < r->mutants; i++) {
        size_t now = size;
        memcpy(copy, seed, size);
        for (uint64_t n = 1 + next_random(r) % 4; n > 0; n--) now = change(r, copy, now, room);
        run_one(r, copy, now);
    }
    free(seed);
    free(copy);
}

static void run_path(replay *r, const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0) {
        run_file(r, path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') run_file(r, inside);
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv)
{
    replay r = { .random = 88172645463325252u };
    for (int c; (c = getopt(argc, argv, "m:s:")) != -1;) {
        if (c == 'm')
            r.mutants = atol(optarg);
        else if (c == 's')
            r.random ^= strtoull(optarg, NULL, 10) * 0x9e3779b97f4a7c15u;
        else
            return 2;
    }
    for (size_t i = 0; optind < argc && i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(argv[optind], targets[i].name)) r.target = &targets[i];
    if (!r.target) return 2;
    for (int i = optind + 1; i < argc; i++) run_path(&r, argv[i]);
    printf("%ld runs\n", r.runs);
    return 0;
}
