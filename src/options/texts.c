// SPDX-License-Identifier: Apache-2.0
/* options/texts.c: the texts that tfp_options_get returned. The list only grows while options are read, so that several
 * threads may read the same options; setting an option frees it. */
#include "options/table.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct given {
    struct given *next;
    char text[];
} given;

struct tfp_option_texts {
    _Atomic(given *) first;
};

tfp_option_texts *tfp_option_texts_new(void) { return calloc(1, sizeof(tfp_option_texts)); }

const char *tfp_option_texts_keep(tfp_option_texts *t, const char *text)
{
    given *first = atomic_load(&t->first);
    for (const given *g = first; g; g = g->next)
        if (strcmp(g->text, text) == 0) return g->text;
    size_t size = strlen(text) + 1;
    given *mine = malloc(sizeof *mine + size);
    if (!mine) return NULL;
    memcpy(mine->text, text, size);
    do mine->next = first;
    while (!atomic_compare_exchange_weak(&t->first, &first, mine));
    return mine->text;
}

void tfp_option_texts_clear(tfp_option_texts *t)
{
    given *g = t ? atomic_exchange(&t->first, NULL) : NULL;
    for (given *next; g; g = next) {
        next = g->next;
        free(g);
    }
}

void tfp_option_texts_free(tfp_option_texts *t)
{
    tfp_option_texts_clear(t);
    free(t);
}
