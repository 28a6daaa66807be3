// SPDX-License-Identifier: Apache-2.0
/* formats/graph/tfdevice.h: the meaning of TensorFlow's device names, for RunMetadata, ProfileProto and all other files
 * with such names. The model stores what these functions return, not the names. */
#ifndef TFP_TFDEVICE_H
#define TFP_TFDEVICE_H

#include "model/builder.h"
#include "model/tables/lanes.h"

typedef struct tfp_tf_device {
    bool canonical;     /* .../(device:gpu|gpu|device:cpu|cpu):N: a device; other names are streams and similar */
    bool all_streams;   /* .../stream:all: the kernels of all streams of a GPU */
    unsigned on;        /* TFP_NODE_ON_CPU, TFP_NODE_ON_ACCELERATOR; a name may say both */
    tfp_lane_kind kind; /* the kind of the times there, as far as the name tells */
    tfp_lane_role role; /* whether it is a stream */
} tfp_tf_device;

/* `name` must be in lower case. */
tfp_tf_device tfp_tf_device_of(tfp_str name);

/* Finds or adds the lane of that name; a new one gets this `kind`. TFP_NONE after a fault. */
uint32_t tfp_tf_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind);
/* A second lane for a name whose times count as two kinds. */
uint32_t tfp_tf_twin_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind);

/* A device as people name it: "/job:worker/replica:0/task:1/device:gpu:0/stream:13" is "worker:1/gpu:0". The job of a
 * single machine is called localhost and is left out. Names of another form are kept as they are. */
tfp_strid tfp_tf_place(tfp_builder *b, tfp_str name);

/* The host that a canonical device is scheduled from. */
tfp_strid tfp_tf_host_of(tfp_builder *b, tfp_str name);

#endif
