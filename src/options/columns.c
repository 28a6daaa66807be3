// SPDX-License-Identifier: Apache-2.0
/* options/columns.c: the column table as an array, and lists sorted from it: cells of a text, minimums, orders. */
#include "options/options.h"

#define NUMBER(value, name, field, ...)                                                                                \
    {                                                                                                                  \
        TFP_V_##value, name, "total_" name, field, "total_" field, __VA_ARGS__                                         \
    }
#define COLUMN(id, name_, kind_, unit_, ...)                                                                           \
    [TFP_C_##                                                                                                          \
        id] = { .name = name_, .total = "total_" name_, .kind = TFP_COLUMN_IS_##kind_, .unit = unit_, __VA_ARGS__ },
const tfp_column tfp_columns[] = {
#include "options/columns.def"
#ifdef TFP_EXTRA_COLUMNS /* the test that adds a column compiles this file again, with one more row */
#include TFP_EXTRA_COLUMNS
#endif
};
#undef COLUMN
#undef NUMBER

const int tfp_column_count = sizeof tfp_columns / sizeof *tfp_columns;
_Static_assert(sizeof tfp_columns / sizeof *tfp_columns <= TFP_COLUMNS_MAX,
               "tfp_options.select has one bit per column");

int tfp_column_find(tfp_str name)
{
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_str_eq(name, tfp_str_of(tfp_columns[i].name)) ||
            (tfp_columns[i].head && tfp_str_eq(name, tfp_str_of(tfp_columns[i].head))))
            return i;
    return -1;
}

/* The column with its own head whose name equals the text, or is its prefix before an underscore; NULL: none. */
static const tfp_column *headed(const char *name)
{
    for (int i = 0; i < tfp_column_count; i++) {
        size_t n = strlen(tfp_columns[i].name);
        if (tfp_columns[i].head && strncmp(name, tfp_columns[i].name, n) == 0 && (!name[n] || name[n] == '_'))
            return &tfp_columns[i];
    }
    return NULL;
}

void tfp_head_put(tfp_buf *out, const char *name, tfp_unit unit)
{
    static const char us[] = "_us";
    const tfp_column *c = headed(name);
    tfp_str rest = tfp_str_of(name);
    if (c) {
        tfp_buf_text(out, c->head);
        rest = tfp_str_of(name + strlen(c->name));
    } else if (unit == TFP_MICROS && rest.size >= sizeof us && strcmp(name + rest.size - (sizeof us - 1), us) == 0) {
        rest.size -= sizeof us - 1;
    }
    tfp_escape(out, rest);
}

bool tfp_is_head(tfp_str word, const char *name, tfp_unit unit)
{
    tfp_buf head = { 0 };
    tfp_head_put(&head, name, unit);
    bool is = !head.failed && tfp_str_eq(word, (tfp_str){ head.data, head.size });
    tfp_buf_free(&head);
    return is;
}

/* ---- sorted lists ---- */

static int place_in(tfp_column_list list, const tfp_column *c)
{
    switch (list) {
    case TFP_LIST_TREE_CELLS: return c->text.tree_at;
    case TFP_LIST_GROUP_CELLS: return c->text.group_at;
    case TFP_LIST_MINIMUMS: return c->min.at;
    case TFP_LIST_ORDERS: return c->order_at;
    }
    return 0;
}

size_t tfp_columns_in(tfp_column_list list, tfp_column_id out[TFP_COLUMNS_MAX])
{
    size_t n = 0;
    for (int i = 0; i < tfp_column_count; i++) {
        int place = place_in(list, &tfp_columns[i]);
        size_t at = n;
        if (!place) continue;
        for (; at > 0 && place_in(list, &tfp_columns[out[at - 1]]) > place; at--) out[at] = out[at - 1];
        out[at] = (tfp_column_id)i;
        n++;
    }
    return n;
}

bool tfp_order_at(size_t i, tfp_order *out)
{
    tfp_column_id columns[TFP_COLUMNS_MAX];
    if (i == 0) return *out = (tfp_order){ .name = "name", .by = TFP_BY_NAME }, true;
    size_t n = tfp_columns_in(TFP_LIST_ORDERS, columns);
    if (i == n + 1) return *out = (tfp_order){ .name = "depth", .by = TFP_BY_TRAVERSAL }, true;
    if (i == n + 2) return *out = (tfp_order){ .name = "start", .by = TFP_BY_START }, true;
    if (i > n) return false;
    const tfp_column *c = &tfp_columns[columns[i - 1]];
    int by = columns[i - 1] == TFP_C_OCCURRENCE ? TFP_BY_OCCURRENCE
             : c->kind == TFP_COLUMN_IS_SUM     ? tfp_value_of(c)
                                                : TFP_BY_COLUMN;
    *out = (tfp_order){ .name = c->name, .head = c->head, .by = by, .column = columns[i - 1] };
    return true;
}

/* ---- numbers ---- */

size_t tfp_numbers(const tfp_number *out[TFP_V_COUNT])
{
    const tfp_number *by_value[TFP_V_COUNT] = { NULL };
    size_t n = 0;
    for (int i = 0; i < tfp_column_count; i++)
        for (int k = 0; k < tfp_columns[i].number_count; k++)
            by_value[tfp_columns[i].numbers[k].value] = &tfp_columns[i].numbers[k];
    for (int v = 0; v < TFP_V_COUNT; v++)
        if (by_value[v]) out[n++] = by_value[v];
    return n;
}

static uint32_t no_sums(const tfp_column *c)
{
    (void)c;
    return 0;
}
static uint32_t sum_itself(const tfp_column *c) { return 1u << c->numbers[0].value; }
static uint32_t sums_of_ratio(const tfp_column *c) { return 1u << c->ratio.over | 1u << c->ratio.under; }

uint32_t tfp_column_sums(tfp_column_id id)
{
    static uint32_t (*const of_kind[TFP_COLUMN_KINDS])(const tfp_column *) = {
        [TFP_COLUMN_IS_LABEL] = no_sums,
        [TFP_COLUMN_IS_SUM] = sum_itself,
        [TFP_COLUMN_IS_RATIO] = sums_of_ratio,
        [TFP_COLUMN_IS_STATISTIC] = no_sums,
    };
    return of_kind[tfp_columns[id].kind](&tfp_columns[id]);
}

uint32_t tfp_column_values(tfp_column_id id)
{
    const tfp_column *c = &tfp_columns[id];
    uint32_t bits = c->needs | tfp_column_sums(id);
    for (int i = 0; i < c->number_count; i++) bits |= 1u << c->numbers[i].value;
    for (int i = 0; i < c->brings_count; i++) bits |= 1u << tfp_value_of(&tfp_columns[c->brings[i]]);
    return bits;
}

bool tfp_word_find(tfp_str word, const char *const *words, size_t *out)
{
    for (size_t i = 0; words[i]; i++)
        if (tfp_str_eq(word, tfp_str_of(words[i]))) return *out = i, true;
    return false;
}
