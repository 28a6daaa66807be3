// SPDX-License-Identifier: Apache-2.0
/* whatif/names.c: which spans a pattern names: by their name, modules also without PyTorch's word before it, Python's frames by
 * FILE:LINE; and what lies inside of these. */
#include "model/span_names.h"

#include "options/regex.h"
#include "whatif/change.h"

enum { UNKNOWN, NO, YES };

bool tfp_named_new(const tfp_job *j, tfp_str pattern, tfp_named *out)
{
    char why[8];
    *out = (tfp_named){ .j = j, .regex = tfp_regex_new(pattern, why, sizeof why), .name = TFP_NONE };
    return out->regex != NULL;
}

void tfp_named_of(const tfp_job *j, tfp_strid name, tfp_named *out) { *out = (tfp_named){ .j = j, .name = name }; }

void tfp_named_free(tfp_named *n)
{
    tfp_regex_free(n->regex);
    free(n->known);
    free(n->inside);
    *n = (tfp_named){ 0 };
}

static bool matches_line(const tfp_named *n, tfp_str name)
{
    tfp_python_frame frame;
    if (!tfp_python_frame_of(name, &frame)) return false;
    tfp_buf line = { 0 };
    tfp_buf_str(&line, frame.file);
    tfp_buf_printf(&line, ":%d", frame.line);
    bool found = !line.failed && tfp_regex_full_match(n->regex, (tfp_str){ line.data, line.size });
    tfp_buf_free(&line);
    return found;
}

static bool matches(const tfp_named *n, tfp_str name)
{
    tfp_str module = TFP_STR("nn.Module: ");
    if (tfp_regex_full_match(n->regex, name)) return true;
    if (tfp_str_begins(name, module))
        return tfp_regex_full_match(n->regex, (tfp_str){ name.data + module.size, name.size - module.size });
    return matches_line(n, name);
}

bool tfp_named_has(tfp_named *n, uint32_t span)
{
    tfp_strid name = n->j->s->name[span];
    if (!n->regex) return name == n->name;
    if (!n->known) n->known = calloc(n->j->p->strings.count + 1, 1);
    if (!n->known) return false;
    if (!n->known[name]) n->known[name] = matches(n, tfp_text(n->j->p, name)) ? YES : NO;
    return n->known[name] == YES;
}

static uint32_t around_of(const tfp_job *j, uint32_t span)
{
    uint32_t parent = j->s->parent[span];
    return parent == TFP_NONE && j->around ? j->around[span] : parent;
}

/* Each span is looked at once: what is found is kept for those on the way. */
bool tfp_named_inside(tfp_named *n, uint32_t span)
{
    const tfp_job *j = n->j;
    if (!n->inside) n->inside = calloc(j->s->size + 1, 1);
    if (!n->inside || span == TFP_NONE) return false;
    uint32_t at = span;
    uint8_t found = NO;
    for (; at != TFP_NONE; at = around_of(j, at)) {
        if (n->inside[at]) {
            found = n->inside[at];
            break;
        }
        if (tfp_named_has(n, at)) {
            found = YES;
            break;
        }
    }
    for (uint32_t i = span; i != at; i = around_of(j, i)) n->inside[i] = found;
    if (at != TFP_NONE) n->inside[at] = found;
    return found == YES;
}
