// SPDX-License-Identifier: Apache-2.0
/* wire/jsonresync.c: each opening brace may begin the next item: an item is an object that can be read and has the
 * member that all items have. Objects inside a broken item do not have it. */
#include "wire/jsonscan.h"

#define RETRIES 16                        /* most bytes that are tried for each byte that is searched */
#define READ_ANYWAY ((uint64_t)256 << 10) /* and that are tried in any case */

/* Reads the object at window.data[at]. *end: the place where reading ended. *ours: it is an item, though maybe a broken
 * one. */
static tfp_jresync_found try_item(const tfp_jresync *r, tfp_str window, size_t at, size_t *end, bool *ours)
{
    tfp_jscan j = tfp_jscan_start((tfp_str){ window.data + at + 1, window.size - at - 1 });
    tfp_jscan_text key;
    bool needed = false;
    j.lenient = true;
    *ours = false;
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        needed |= tfp_str_eq(key.raw, tfp_str_of(r->needs));
        *ours |= needed || (first && r->first.size && tfp_str_eq(key.raw, r->first));
        tfp_jscan_skip(&j);
    }
    *end = (size_t)(j.at - window.data);
    if (j.fault == TFP_JSCAN_MORE) return TFP_JRESYNC_PART;
    return !j.fault && needed ? TFP_JRESYNC_ITEM : TFP_JRESYNC_NONE;
}

/* Whether the bracket at window.data[at] ends the array: after it come blanks, or the members of the object around the
 * array and its brace, and then nothing. */
static tfp_jresync_found try_close(tfp_str window, size_t at, bool whole, size_t *end)
{
    tfp_jscan j = tfp_jscan_start((tfp_str){ window.data + at + 1, window.size - at - 1 });
    tfp_jscan_text key;
    size_t before = at;
    *end = at + 1;
    while (before > 0 && (unsigned char)window.data[before - 1] <= ' ') before--;
    if (before > 0 && window.data[before - 1] != '}' && window.data[before - 1] != ',') return TFP_JRESYNC_NONE;
    j.lenient = true;
    unsigned char c = tfp_jscan_peek(&j);
    if (c == ',' || c == '}')
        while (tfp_jscan_member(&j, false, &key)) tfp_jscan_skip(&j);
    else if (c)
        return TFP_JRESYNC_NONE;
    *end = (size_t)(j.at - window.data);
    if (j.fault == TFP_JSCAN_WRONG) return TFP_JRESYNC_NONE;
    bool ended = j.fault ? !c : !tfp_jscan_peek(&j); /* only blanks follow */
    if (!whole && j.fault) return TFP_JRESYNC_PART;
    return ended ? TFP_JRESYNC_CLOSE : TFP_JRESYNC_NONE;
}

/* Counts what was searched; the result of a search. */
static tfp_jresync_found found_at(tfp_jresync *r, tfp_jresync_found found, size_t *at, size_t here, size_t searched)
{
    *at = here;
    r->searched += searched;
    return found;
}

tfp_jresync_found tfp_jresync_find(tfp_jresync *r, tfp_str window, size_t from, bool whole, size_t *at)
{
    size_t begin = from, part = SIZE_MAX;
    uint64_t passed = 0, before_part = 0;
    while (from < window.size) {
        size_t here = from, end = from + 1;
        char c = window.data[here];
        tfp_jresync_found found = TFP_JRESYNC_NONE;
        bool ours = false;
        if (c == '{')
            found = try_item(r, window, here, &end, &ours);
        else if (c == ']')
            found = try_close(window, here, whole, &end);
        r->read += c == '{' || c == ']' ? end - here : 0;
        if (found == TFP_JRESYNC_ITEM || found == TFP_JRESYNC_CLOSE) {
            r->broken += passed;
            return found_at(r, found, at, here, here - begin);
        }
        if (found == TFP_JRESYNC_PART && part == SIZE_MAX) {
            part = here;
            before_part = passed;
        }
        passed += ours;
        from = here + 1;
        if (end > from && r->read > RETRIES * (r->searched + (from - begin)) + READ_ANYWAY) from = end;
    }
    size_t searched = window.size > begin ? window.size - begin : 0;
    r->broken += part == SIZE_MAX ? passed : before_part;
    if (part == SIZE_MAX) return found_at(r, TFP_JRESYNC_NONE, at, window.size, searched);
    return found_at(r, TFP_JRESYNC_PART, at, part, searched);
}

bool tfp_jresync_recover(tfp_jresync *r, tfp_jscan *j, tfp_str text, const char *item)
{
    size_t at = tfp_jresync_after(text, (size_t)(item - text.data));
    tfp_jresync_found found = tfp_jresync_find(r, text, at, true, &at);
    bool any = found == TFP_JRESYNC_ITEM || found == TFP_JRESYNC_CLOSE;
    r->broken += any || j->fault == TFP_JSCAN_WRONG; /* otherwise the text is cut short here */
    if (!any) return false;
    j->at = text.data + at;
    j->end = text.data + text.size;
    j->fault = TFP_JSCAN_FINE;
    return true;
}

size_t tfp_jresync_after(tfp_str window, size_t at)
{
    while (at < window.size && ((unsigned char)window.data[at] <= ' ' || window.data[at] == ',')) at++;
    return at + (at < window.size && window.data[at] == '{');
}
