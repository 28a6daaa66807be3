// SPDX-License-Identifier: Apache-2.0
/* model/schema.c: the tables and columns of a profile as data, made of the lists of schema/. */
#include "schema/schema.h"
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/program.h"
#include "model/recorded.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"

/* clang-format off */

/* ---- columns ---- */

/* Texts have no width. */
#define WIDTH(rule, type) (TFP_RULE_##rule >= TFP_RULE_TEXT ? 0 : sizeof(type))
#define HELP_OF(help, ...) help
#define COLUMNS_OF(row) columns_of_##row
#define COLUMNS_OF_STRUCT(row) COLUMNS_OF(row)

#define BEGIN(help) static const tfp_schema_column COLUMNS_OF_STRUCT(STRUCT)[] = {
#define COLUMN(type, name, rule, arg, beside, ...) \
    { #name, offsetof(STRUCT, name), WIDTH(rule, type), TFP_RULE_##rule, arg, beside, HELP_OF(__VA_ARGS__, 0) },
#define END { 0 } };
#include "schema/about.def"
#include "schema/code.def"
#include "schema/details.def"
#include "schema/files/allocator.def"
#include "schema/files/collectives.def"
#include "schema/files/flights.def"
#include "schema/files/sources.def"
#include "schema/files/weights.def"
#include "schema/graph.def"
#include "schema/instructions.def"
#include "schema/program.def"
#include "schema/runs.def"
#include "schema/traces/devices.def"
#include "schema/traces/doubts.def"
#include "schema/traces/flows.def"
#include "schema/traces/graphs.def"
#include "schema/traces/lanes.def"
#include "schema/traces/memory_events.def"
#include "schema/traces/processes.def"
#include "schema/traces/samples.def"
#include "schema/traces/stats.def"
#include "schema/traces/step_marks.def"
#include "schema/written.def"

#define STRUCT tfp_span_columns
BEGIN("")
#include "schema/traces/spans.def"
END
#undef STRUCT
#undef BEGIN
#undef COLUMN
#undef END

/* Rows of one number or text. */
#define VALUE(id, type, rule, arg) \
    static const tfp_schema_column columns_of_##id[] = { { "value", 0, WIDTH(rule, type), TFP_RULE_##rule, arg, false, NULL }, { 0 } };
#define VALUES(id, name, part, member, rule, arg, keep, help) VALUE(id, __typeof__(*((tfp_profile *)0)->part->member.at), rule, arg)
#define MADE(id, name, type, rule, help) VALUE(id, type, rule, 0)
#include "schema/model.def"

/* ---- tables ---- */

#define ALWAYS 0
#define ALONE { 0, 0, 0, 0, false }
#define CHAIN(owner, owner_row, prefix, row) \
    { TFP_TABLE_##owner, offsetof(owner_row, prefix##_first), offsetof(owner_row, prefix##_last), offsetof(row, next), true }
#define PART(part) __typeof__(*((tfp_profile *)0)->part)
#define PLACE(part, member) offsetof(tfp_profile, part), offsetof(PART(part), member)
#define COLUMNS(list) columns_of_##list, sizeof columns_of_##list / sizeof *columns_of_##list - 1

const tfp_schema_table tfp_schema_tables[TFP_TABLES] = {
#define ROWS(id, name, part, member, row, keep, chain, help) \
    { name, TFP_FORM_ROWS, PLACE(part, member), sizeof(row), COLUMNS(row), keep, chain, help },
#define LIST(id, name, part, row, keep, help) \
    { name, TFP_FORM_ROWS, PLACE(part, at), sizeof(row), COLUMNS(row), keep, ALONE, help },
#define VALUES(id, name, part, member, rule, arg, keep, help) \
    { name, TFP_FORM_ROWS, PLACE(part, member), sizeof *((PART(part) *)0)->member.at, COLUMNS(id), keep, ALONE, help },
#define ARRAYS(id, name, part, member, row, help) \
    { name, TFP_FORM_ARRAYS, PLACE(part, member), 0, COLUMNS(row), 0, ALONE, help },
#define ONE(id, name, part, row, help) \
    { name, TFP_FORM_ONE, offsetof(tfp_profile, part), 0, sizeof(row), COLUMNS(row), 0, ALONE, help },
#define MADE(id, name, type, rule, help) \
    { name, TFP_FORM_ROWS, TFP_PART_NONE, 0, sizeof(type), COLUMNS(id), 0, ALONE, help },
#include "schema/model.def"
};
/* clang-format on */

void *tfp_table_at(const tfp_schema_table *t, const tfp_profile *p)
{
    const char *home = (const char *)p;
    if (t->part == offsetof(tfp_profile, about)) return (char *)(uintptr_t)home + t->part;
    home = t->part == TFP_PART_NONE ? NULL : *(const char *const *)(const void *)(home + t->part);
    return home ? (char *)(uintptr_t)home + t->at : NULL;
}

bool tfp_table_is_of_program(const tfp_schema_table *t)
{
    return t->part == offsetof(tfp_profile, program) || t->part == TFP_PART_NONE;
}

size_t tfp_table_count(const tfp_schema_table *t, const void *at)
{
    if (!at) return 0;
    return t->form == TFP_FORM_ONE      ? 1
           : t->form == TFP_FORM_ARRAYS ? ((const tfp_span_columns *)at)->size
                                        : ((const tfp_rows *)at)->size;
}

size_t tfp_table_row_bytes(const tfp_schema_table *t)
{
    size_t item = t->item + (t->chain.there ? sizeof(uint32_t) : 0);
    for (size_t k = 0; t->form == TFP_FORM_ARRAYS && k < t->column_count; k++) item += t->columns[k].width;
    return item;
}

size_t tfp_tables_memory(const tfp_profile *p)
{
    size_t bytes = 0;
#define VECTOR(part, v)                                                                                                \
    if (p->part) bytes += (v)->size * sizeof *(v)->at;
#define MAP(part, map)                                                                                                 \
    if (p->part) bytes += p->part->map.slot_count * (sizeof *p->part->map.keys + sizeof *p->part->map.values);
#include "schema/model.def"
    const tfp_span_columns *s = p->events ? &p->events->spans : NULL;
    if (!s || !s->capacity) return bytes;
#define COLUMN(type, name, ...) bytes += s->name ? s->capacity * sizeof(type) : 0;
#include "schema/traces/spans.def"
#undef COLUMN
    return bytes;
}

void tfp_tables_clear(tfp_profile *p)
{
#define VECTOR(part, v)                                                                                                \
    if (p->part) (v)->size = 0;
#define MAP(part, map)                                                                                                 \
    if (p->part) tfp_map64_clear(&p->part->map);
#include "schema/model.def"
}

void tfp_tables_free(tfp_profile *p)
{
#define VECTOR(part, v)                                                                                                \
    if (p->part) tfp_vec_free(v);
#define MAP(part, map)                                                                                                 \
    if (p->part) tfp_map64_free(&p->part->map);
#include "schema/model.def"
    tfp_span_columns *s = p->events ? &p->events->spans : NULL;
    if (!s) return;
#define COLUMN(type, name, ...) free(s->name);
#include "schema/traces/spans.def"
#undef COLUMN
}
