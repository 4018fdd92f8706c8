// commands_eth.c - the Ethernet cores of a program. They have one place for kernels,
// arguments and the launch message, outside the ring, and get them one by one.
#include "sim/dispatch/commands.h"

static void put_words_at(struct commands *c, const struct tile *to, uint32_t address,
                         const struct program_args *args)
{
    if (args)
        put_linear(c, to, address, args->words, args->n * sizeof *args->words);
}

static void put_core(struct commands *c, const struct program_commands *p,
                     const struct plan *plan)
{
    const struct program_kernel *kernel = plan->kernel[0];
    struct placing where = placing_fixed(plan);
    where.is_from_host = false;
    put_words_at(c, plan->tile, where.base + where.own[0],
                 kernel_args(kernel, tile_place(plan->tile)));
    put_words_at(c, plan->tile, where.base + where.common[0], &kernel->common);
    put_linear(c, plan->tile, kernel->image->base, kernel->image->memory,
               kernel->image->bytes);
    uint8_t message[TT_LAUNCH_BYTES];
    launch_message(message, p->launch, plan, &where);
    put_linear(c, plan->tile, p->launch->chip->layout->eth_launch_ring, message,
               sizeof message);
}

void put_eth(struct commands *c, const struct program_commands *p)
{
    const struct chip *chip = p->launch->chip;
    uint32_t list[4 + TT_UNICASTS_MOST] = {tt_command(TT_CMD_GO_NOC_DATA, 0, 0), p->n_eth};
    uint32_t n = 4;
    for (int i = 0; i < chip->n_tiles; i++) {
        const struct plan *plan = &p->launch->plans[i];
        if (!plan->has_kernel || !tile_is_eth(plan->tile))
            continue;
        put_core(c, p, plan);
        list[n++] = tile_coordinates(plan->tile);
    }
    put_relay(c, TT_RELAY_TO_SUBORDINATE, list, n * sizeof *list);
}
