// SPDX-License-Identifier: Apache-2.0
/* formats/json/text.h: strings of JSON as strings of the profile. */
#ifndef TFP_JSON_TEXT_H
#define TFP_JSON_TEXT_H

#include "model/builder.h"
#include "wire/jsonscan.h"

/* Interns a string of JSON, with its escapes made characters. */
static inline tfp_strid tfp_json_string(tfp_builder *b, const tfp_jscan_text *t)
{
    tfp_buf plain = { 0 };
    if (!t->escaped) return tfp_build_string(b, t->raw);
    tfp_jscan_decode(t->raw, &plain);
    return tfp_build_composed(b, &plain);
}

#endif
