// SPDX-License-Identifier: Apache-2.0
/* tests/unit/unit.c: the program of all unit tests: `unit NAME` runs the tests of a file, `unit` lists the names. UNITS
 * comes from meson.build: UNIT(NAME) for each file. */
#include <stdio.h>
#include <string.h>

#define UNIT(name) int run_##name(void);
UNITS
#undef UNIT

#define UNIT(name) { #name, run_##name },
static const struct {
    const char *name;
    int (*run)(void);
} units[] = { UNITS };

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (argc < 2)
            puts(units[i].name);
        else if (!strcmp(argv[1], units[i].name))
            return units[i].run();
    }
    if (argc < 2) return 0;
    fprintf(stderr, "unit: no tests are called %s\n", argv[1]);
    return 2;
}
