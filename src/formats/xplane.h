/* formats/xplane.h: what else reads XPlane files: folders of them. */
#ifndef TFP_XPLANE_H
#define TFP_XPLANE_H

#include "formats/format.h"

tfp_status tfp_xplane_read(tfp_builder *b, tfp_input *in, tfp_error *err);

#endif
