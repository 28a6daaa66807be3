// SPDX-License-Identifier: Apache-2.0
/* model/graphs/stage.h: the two functions of the graph stage that the join calls. */
#ifndef TFP_GRAPH_STAGE_H
#define TFP_GRAPH_STAGE_H

#include "model/builder.h"

void tfp_graphs_forget(
    tfp_builder *b); /* drops what an earlier join found; it is found again, with the files added since */
void tfp_graphs_join(
    tfp_builder *b); /* sets attributions and traces of activities; call it when their launches are known */

#endif
