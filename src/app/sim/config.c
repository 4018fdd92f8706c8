// config.c - the configuration of the software device from texts.
#include "app/sim/config.h"

#include <stdlib.h>

#include "base/text/buf.h"

bool sim_config(const struct sim_device *device, ttdev_cfg *cfg, struct err *e)
{
    const char *environment = getenv("TTPROF_DEVICE");
    struct buf text = {0};
    ttdev_cfg_default(cfg);
    if (environment && ttdev_cfg_parse(cfg, environment, e) < 0)
        return err_in(e, "TTPROF_DEVICE");
    // One text, so that an --arch that contradicts the board is seen.
    if (device->text)
        buf_z(&text, device->text);
    if (device->arch)
        buf_printf(&text, " arch=%s", device->arch);
    if (device->threads)
        buf_printf(&text, " threads=%lld", (long long)device->threads);
    buf_char(&text, '\0');
    bool is_fine = ttdev_cfg_parse(cfg, text.p, e) >= 0;
    buf_free(&text);
    return is_fine || err_in(e, "--device");
}
