// SPDX-License-Identifier: Apache-2.0
/* tests/bench/jsonwalk.c: the yardstick for traces of JSON: visits every byte, tells strings from structure, keeps nothing.
 *   jsonwalk FILE [TIMES]      prints the structural characters and the best time in seconds
 *   jsonwalk -                 goes through stdin once, piece by piece, and prints the number of strings */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static uint64_t walk(const char *at, const char *end)
{
    uint64_t structure = 0;
    while (at < end) {
        char c = *at++;
        if (c == '"') {
            while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
            at++;
        } else {
            structure += c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':';
        }
    }
    return structure;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int walk_stdin(void)
{
    static char piece[1 << 20];
    uint64_t strings = 0;
    bool inside = false, escaped = false;
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        for (size_t i = 0; i < n; i++) {
            char c = piece[i];
            strings += !inside && c == '"';
            if (escaped)
                escaped = false;
            else if (inside && c == '\\')
                escaped = true;
            else if (c == '"')
                inside = !inside;
        }
    printf("%llu strings\n", (unsigned long long)strings);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && argv[1][0] == '-') return walk_stdin();
    struct stat st;
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &st) != 0) return 1;
    const char *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (data == MAP_FAILED) return 1;
    double best = 1e9;
    uint64_t structure = 0;
    for (int i = argc > 2 ? atoi(argv[2]) : 3; i > 0; i--) {
        double start = now();
        structure = walk(data, data + st.st_size);
        double took = now() - start;
        if (took < best) best = took;
    }
    printf("%llu structural characters, %.6f s\n", (unsigned long long)structure, best);
    return 0;
}
