// SPDX-License-Identifier: Apache-2.0
/* live/files/manifest.c: writes manifest.json, the last file that a folder of captures gets. */
#include "live/files/run.h"

#include "wire/json.h"

#include <unistd.h>

static void put_number(tfp_json *j, const char *key, int64_t n)
{
    tfp_json_key(j, key);
    if (n < 0)
        tfp_json_null(j);
    else
        tfp_json_int(j, n);
}

tfp_status tfp_manifest_write(const tfp_manifest *m, tfp_error *err)
{
    char host[256] = "";
    tfp_buf text = { 0 };
    tfp_json j = tfp_json_start(&text);
    gethostname(host, sizeof host - 1);
    tfp_json_open(&j, '{');
    tfp_json_text_at(&j, "schema", "tfprof.capture");
    put_number(&j, "version", 1);
    tfp_json_str_at(&j, "host", tfp_str_of(host));
    tfp_json_text_at(&j, "tfprof", tfp_version());
    put_number(&j, "started_unix_micros", m->started_unix_micros);
    put_number(&j, "ms", m->ms);
    put_number(&j, "steps", m->steps);
    tfp_json_key(&j, "notes");
    tfp_json_open(&j, '[');
    for (size_t i = 0; i < m->note_count; i++) tfp_json_str(&j, tfp_str_of(m->notes[i]));
    tfp_json_close(&j, ']');
    tfp_json_key(&j, "captures");
    tfp_json_open(&j, '[');
    tfp_buf_str(&text, m->rows);
    tfp_json_close(&j, ']');
    tfp_json_close(&j, '}');
    tfp_buf_char(&text, '\n');
    tfp_str bytes = { text.data, text.size };
    tfp_status s = text.failed ? tfp_nomem(err) : tfp_results_write(m->results, NULL, "manifest.json", bytes, err);
    tfp_buf_free(&text);
    return s;
}
