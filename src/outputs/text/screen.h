// SPDX-License-Identifier: Apache-2.0
/* outputs/text/screen.h: texts for people at a terminal: the views as aligned columns, and helpers that tables share. */
#ifndef TFP_SCREEN_H
#define TFP_SCREEN_H

#include "options/columns.h"
#include "outputs/core/output.h"

#define TFP_BOLD "\033[1m"
#define TFP_DIM "\033[2m"
#define TFP_PLAIN "\033[0m"
#define TFP_NO_ROOM ": a wider terminal or a pipe shows all columns" /* after the names of columns that were left out */
enum { TFP_BAR = 10 };                                               /* columns of a bar */

size_t tfp_screen_width(tfp_str s); /* in characters, each one column wide */
/* Cuts a text to that many characters, the last of them an ellipsis. */
void tfp_screen_cut(tfp_buf *text, size_t width);
/* Cuts in the middle, after the indent, because paths and kernels differ at their ends as often as at their
 * beginnings. */
void tfp_screen_cut_name(tfp_buf *text, size_t width);
/* Wraps a text that begins at column `indent`: lines break between words, fit the width, and all begin at `indent`. */
void tfp_screen_wrap(tfp_buf *out, tfp_str text, size_t indent, int64_t width);
/* The next line of a text from byte *at on: as many words as fit, or part of one that does not. *at becomes the end of
 * the line. */
tfp_str tfp_screen_line(tfp_str text, size_t width, size_t *at);
/* Two blanks for each level; for very deep rows the level as a number, because the indents of a long chain of calls would
 * grow with the square of its length. */
void tfp_screen_depth(uint32_t depth, tfp_buf *out);
/* A row's name without the scopes of its parent's name. */
tfp_str tfp_screen_own_name(const tfp_report *r, uint32_t row);
/* A bar of TFP_BAR columns, filled to the share. */
void tfp_screen_bar(tfp_buf *out, double share, bool colours);
tfp_status tfp_screen_text(const tfp_report *r, const tfp_column_id *cells, size_t n, tfp_sink *s, tfp_error *err);

#endif
