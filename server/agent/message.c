// SPDX-License-Identifier: Apache-2.0
/* server/agent/message.c: writes protobuf's wire format, as far as OTLP's metrics and logs need it. */
#include "message.h"

#include "tfprof/tfprof.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, VARINT_MOST = 10 };

static size_t varint_of(uint64_t value, unsigned char out[VARINT_MOST])
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7) out[n++] = (unsigned char)(value | 0x80);
    out[n++] = (unsigned char)value;
    return n;
}

static void put_varint(answer *a, uint64_t value)
{
    unsigned char bytes[VARINT_MOST];
    answer_add(a, bytes, varint_of(value, bytes));
}

static void put_tag(answer *a, uint32_t field, unsigned type) { put_varint(a, (uint64_t)field << 3 | type); }

size_t message_open(answer *a, uint32_t field)
{
    put_tag(a, field, BYTES);
    return a->size;
}

void message_close(answer *a, size_t at)
{
    unsigned char length[VARINT_MOST];
    if (answer_failed(a)) return;
    size_t size = a->size - at, n = varint_of(size, length);
    answer_add(a, length, n); /* makes room; the bytes go before the message */
    if (answer_failed(a)) return;
    memmove(a->data + at + n, a->data + at, size);
    memcpy(a->data + at, length, n);
}

void message_text(answer *a, uint32_t field, const char *text)
{
    size_t size = strlen(text), shown = tfp_text_escape(text, size, NULL, 0);
    char *safe = shown == SIZE_MAX ? NULL : malloc(shown + 1);
    if (!safe) {
        a->no_memory = true;
        return;
    }
    tfp_text_escape(text, size, safe, shown + 1);
    put_tag(a, field, BYTES);
    put_varint(a, shown);
    answer_add(a, safe, shown);
    free(safe);
}

void message_fixed(answer *a, uint32_t field, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    put_tag(a, field, FIXED64);
    answer_add(a, bytes, sizeof bytes);
}

void message_double(answer *a, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    message_fixed(a, field, bits);
}

void message_int(answer *a, uint32_t field, int64_t value)
{
    put_tag(a, field, VARINT);
    put_varint(a, (uint64_t)value);
}

/* ---- OTLP ---- */

void message_attribute(answer *a, uint32_t field, const char *key, const char *text)
{
    size_t pair = message_open(a, field), value;
    message_text(a, 1, key);
    value = message_open(a, 2);
    message_text(a, 1, text);
    message_close(a, value);
    message_close(a, pair);
}

void message_origin(answer *a, size_t *of)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    size_t resource = message_open(a, 1), scope;
    message_attribute(a, 1, "service.name", "tfprof");
    message_attribute(a, 1, "host.name", host);
    message_close(a, resource);
    *of = message_open(a, 2);
    scope = message_open(a, 1);
    message_text(a, 1, "tfprof");
    message_text(a, 2, tfp_version());
    message_close(a, scope);
}
