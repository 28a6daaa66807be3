// SPDX-License-Identifier: Apache-2.0
/* formats/graph/tfdevice.h: what the names of TensorFlow's devices mean. RunMetadata, ProfileProto and whatever else carries such
 * names ask here; the model keeps the answers and knows no name. */
#ifndef TFP_TFDEVICE_H
#define TFP_TFDEVICE_H

#include "model/builder.h"
#include "model/tables/lanes.h"

typedef struct tfp_tf_device {
    bool canonical;     /* .../(device:gpu|gpu|device:cpu|cpu):N: a device; other names are streams and the like */
    bool all_streams;   /* .../stream:all: the kernels of all streams of a GPU */
    unsigned on;        /* TFP_NODE_ON_CPU, TFP_NODE_ON_ACCELERATOR; a name may say both */
    tfp_lane_kind kind; /* what times there count as, when nothing but the name says so */
    tfp_lane_role role; /* a stream or not */
} tfp_tf_device;

/* `name` in lower case. */
tfp_tf_device tfp_tf_device_of(tfp_str name);

/* The lane of that name, found or added: a new one counts as `kind`. TFP_NONE after a fault. */
uint32_t tfp_tf_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind);
/* A second lane of a name whose times count as two kinds. */
uint32_t tfp_tf_twin_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind);

/* A device as people name it: "/job:worker/replica:0/task:1/device:gpu:0/stream:13" stands on "worker:1/gpu:0"; the job of a
 * single machine is called localhost and goes unnamed. Names of another form stay whole. */
tfp_strid tfp_tf_place(tfp_builder *b, tfp_str name);

/* The host that a canonical device is scheduled from. */
tfp_strid tfp_tf_host_of(tfp_builder *b, tfp_str name);

#endif
