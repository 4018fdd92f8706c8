// config.c - parses the configuration of the software device.
#include "app/sim/config.h"

#include <stdlib.h>
#include <strings.h>

#include "base/text/buf.h"
#include "base/text/log.h"

bool sim_config(const struct sim_device *device, ttdev_cfg *cfg, struct err *e)
{
    const char *environment = getenv("TTPROF_DEVICE");
    struct buf text = {0};
    ttdev_cfg_default(cfg);
    if (environment && ttdev_cfg_parse(cfg, environment, e) < 0)
        return err_in(e, "TTPROF_DEVICE");
    // One text, so that an --arch that contradicts the board is detected.
    if (device->text)
        buf_z(&text, device->text);
    if (device->arch)
        buf_printf(&text, " arch=%s", device->arch);
    if (device->threads)
        buf_printf(&text, " threads=%lld", (long long)device->threads);
    buf_char(&text, '\0');
    bool is_fine = ttdev_cfg_parse(cfg, text.p, e) >= 0;
    buf_free(&text);
    if (!is_fine)
        return err_in(e, "--device");
    ttdev_cfg_choose_dispatch(cfg, getenv("TT_METAL_SLOW_DISPATCH_MODE"));
    return ttdev_cfg_visible(cfg, getenv("TT_VISIBLE_DEVICES"), e) >= 0;
}

bool sim_risc(const char *name, int *risc, struct err *e)
{
    static const struct {
        const char *name;
        int risc;
    } riscs[] = {{"brisc", TT_BRISC},    {"ncrisc", TT_NCRISC},  {"trisc0", TT_TRISC0},
                 {"trisc1", TT_TRISC1},  {"trisc2", TT_TRISC2},  {"trisc_0", TT_TRISC0},
                 {"trisc_1", TT_TRISC1}, {"trisc_2", TT_TRISC2}, {"erisc", TTDEV_ERISC}};
    for (size_t i = 0; i < sizeof riscs / sizeof *riscs; i++) {
        if (strcasecmp(name, riscs[i].name) == 0) {
            *risc = riscs[i].risc;
            return true;
        }
    }
    return err_set(
        e, ERR_USAGE,
        "'%s' is not a RISC; use one of: brisc ncrisc trisc0 trisc1 trisc2 erisc", name);
}

void sim_tell_warnings(const char *command, ttdev *t)
{
    str rest = str_of(t ? ttdev_warnings(t) : "");
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        log_line("%s: %.*s", command, STR(line));
    }
}
