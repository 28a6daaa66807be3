// SPDX-License-Identifier: Apache-2.0
/* live/manifest.c: manifest.json, which a folder of captures gets last. */
#include "live/run.h"

#include "base/io.h"
#include "wire/json.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

tfp_status tfp_write_private(const char *path, tfp_str bytes, tfp_error *err)
{
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    bool fine = fchmod(f.fd, 0600) == 0 && tfp_outfile_write(&f, bytes.data, bytes.size) == 0;
    s = tfp_outfile_finish(&f, err);
    if (!s && !fine) s = tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(errno));
    return s;
}

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
    char host[256] = "", path[4200];
    tfp_buf text = { 0 };
    tfp_json j = tfp_json_start(&text);
    gethostname(host, sizeof host - 1);
    tfp_json_open(&j, '{');
    tfp_json_key(&j, "schema");
    tfp_json_text(&j, "tfprof.capture");
    put_number(&j, "version", 1);
    tfp_json_key(&j, "host");
    tfp_json_str(&j, tfp_str_of(host));
    tfp_json_key(&j, "tfprof");
    tfp_json_text(&j, tfp_version());
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
    snprintf(path, sizeof path, "%s/manifest.json", m->folder);
    tfp_status s = text.failed ? tfp_nomem(err) : tfp_write_private(path, (tfp_str){ text.data, text.size }, err);
    tfp_buf_free(&text);
    return s;
}
