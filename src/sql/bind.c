// SPDX-License-Identifier: Apache-2.0
/* sql/bind.c: passes the values of tfp_options_bind_* to the parameters of a statement; every parameter needs a value,
 * and every value a parameter. */
#include "sql/bind.h"

#include "options/options.h"

#include <stdio.h>

/* The parameter that a name means: "2" is the second, "us" is :us, @us or $us, and ":us" only itself. 0: none. */
static int place_of(const sql_api *a, sqlite3_stmt *statement, const char *name)
{
    int64_t number;
    char whole[256];
    if (strchr(":@$", *name)) return a->bind_parameter_index(statement, name);
    if (tfp_parse_int64(tfp_str_of(name), &number))
        return number >= 1 && number <= a->bind_parameter_count(statement) ? (int)number : 0;
    for (const char *sign = ":@$"; *sign; sign++) {
        if ((size_t)snprintf(whole, sizeof whole, "%c%s", *sign, name) >= sizeof whole) return 0;
        int place = a->bind_parameter_index(statement, whole);
        if (place) return place;
    }
    return 0;
}

static int bind(const sql_api *a, sqlite3_stmt *statement, int place, const tfp_binding *b)
{
    switch (b->type) {
    case 'i': return a->bind_int64(statement, place, b->whole);
    case 'r': return a->bind_double(statement, place, b->real);
    case 's':
        if (b->size > INT32_MAX) return SQLITE_TOOBIG;
        return a->bind_text(statement, place, b->text, (int)b->size,
                            SQLITE_STATIC); /* the options outlive the statement, so SQLite need not copy the text */
    default: return a->bind_null(statement, place);
    }
}

static tfp_status lacks(const sql_api *a, sqlite3_stmt *statement, int place, tfp_error *err)
{
    const char *name = a->bind_parameter_name(statement, place);
    if (name) return tfp_fail(err, TFP_BADARG, "query: no value for the parameter %s", name);
    return tfp_fail(err, TFP_BADARG, "query: no value for parameter %d of %d", place,
                    a->bind_parameter_count(statement));
}

tfp_status sql_bind(sql_session *s, sqlite3_stmt *statement, const tfp_bindings *values, int *rc, tfp_error *err)
{
    const sql_api *a = s->api;
    int count = a->bind_parameter_count(statement);
    *rc = SQLITE_OK;
    if (!count && !values->size) return TFP_OK;
    bool *given = calloc((size_t)count + 1, sizeof *given);
    tfp_status st = given ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; !st && !*rc && i < values->size; i++) {
        const tfp_binding *b = &values->at[i];
        int place = place_of(a, statement, b->name);
        if (!place)
            st = tfp_fail(err, TFP_BADARG,
                          "query: a value for %.200s, but there is no such parameter; the statement has %d", b->name,
                          count);
        else
            *rc = bind(a, statement, place, b);
        if (place) given[place] = true;
    }
    for (int i = 1; !st && !*rc && i <= count; i++)
        if (!given[i]) st = lacks(a, statement, i, err);
    free(given);
    return st;
}
