// SPDX-License-Identifier: Apache-2.0
/* server/agent/push.c: sends one profile to Pyroscope (Connect: push.v1.PusherService/Push) or Parca (ProfileStoreService/WriteRaw
 * through its HTTP gateway). Both take JSON with the pprof in base64; their labels differ by one level of nesting. */
#include "push.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static const struct {
    const char *port, *path;
} kinds[PUSH_KINDS] = {
    [PUSH_PYROSCOPE] = { "4040", "/push.v1.PusherService/Push" },
    [PUSH_PARCA] = { "7070", "/api/profiles/writeraw" },
};

bool push_target_of(push_kind kind, const char *text, push_target *out, const char **why)
{
    out->kind = kind;
    return http_url_of(text, kinds[kind].port, &out->url, why) && http_url_below(&out->url, kinds[kind].path, why);
}

/* ---- labels ---- */

void push_job_of(const tfp_report *top, size_t row, push_job *out)
{
    int64_t pid = 0;
    *out = (push_job){ 0 };
    tfp_report_string(top, row, "job", out->job, sizeof out->job);
    tfp_report_string(top, row, "user", out->user, sizeof out->user);
    tfp_report_string(top, row, "framework", out->framework, sizeof out->framework);
    tfp_report_string(top, row, "program", out->service, sizeof out->service);
    if (tfp_report_int(top, row, "pid", &pid)) snprintf(out->pid, sizeof out->pid, "%lld", (long long)pid);
}

static void put_label(answer *a, const char *name, const char *value)
{
    if (!*value) return;
    json_open(a, NULL, '{');
    json_text(a, "name", name);
    json_text(a, "value", value);
    json_close(a, '}');
}

static void put_labels(answer *a, push_kind kind, const push_job *job, bool idle)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (kind == PUSH_PARCA) json_open(a, "labels", '{');
    json_open(a, "labels", '[');
    put_label(a, "__name__", idle ? "wall" : "process_cpu");
    put_label(a, "service_name", *job->service ? job->service : "tfprof");
    put_label(a, "host", host);
    put_label(a, "id", job->job);
    put_label(a, "pid", job->pid);
    put_label(a, "user", job->user);
    put_label(a, "framework", job->framework);
    json_close(a, ']');
    if (kind == PUSH_PARCA) json_close(a, '}');
}

/* ---- the profile ---- */

static void put_base64(answer *a, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)data[i] << 16 | (i + 1 < size ? (unsigned)data[i + 1] << 8 : 0) |
                        (i + 2 < size ? data[i + 2] : 0);
        char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63] };
        if (i + 1 >= size) four[2] = '=';
        if (i + 2 >= size) four[3] = '=';
        answer_add(a, four, sizeof four);
    }
}

/* A random UUID (RFC 9562, version 4). */
static void put_id(answer *a)
{
    unsigned char b[16] = { 0 };
    char text[40];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) a->no_memory = true;
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(text, sizeof text, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    json_text(a, "ID", text);
}

static void put_request(answer *a, const push_target *to, const answer *profile, const push_job *job, bool idle)
{
    json_open(a, NULL, '{');
    json_open(a, "series", '[');
    json_open(a, NULL, '{');
    put_labels(a, to->kind, job, idle);
    json_open(a, "samples", '[');
    json_open(a, NULL, '{');
    if (to->kind == PUSH_PYROSCOPE) put_id(a);
    json_raw(a, "rawProfile", "\"");
    put_base64(a, (const unsigned char *)profile->data, profile->size);
    answer_text(a, "\"");
    json_close(a, '}');
    json_close(a, ']');
    json_close(a, '}');
    json_close(a, ']');
    json_close(a, '}');
}

bool push_stacks(const push_target *to, const tfp_report *stacks, const push_job *job, bool idle, char *why,
                 size_t room)
{
    answer profile = { .status = ANSWER_OK }, body = { .status = ANSWER_OK };
    tfp_error *err = tfp_error_new();
    snprintf(why, room, "out of memory");
    bool ok = tfp_report_write(stacks, "pprof", answer_write, &profile, err) == TFP_OK && !answer_failed(&profile);
    if (ok) put_request(&body, to, &profile, job, idle);
    ok = ok && agent_post(&to->url, "application/json", &body, why, room);
    tfp_error_free(err);
    answer_free(&profile);
    answer_free(&body);
    return ok;
}
