// fabric.erisc.c - forwards messages from cores to other chips, and messages from the link.
//
// Arguments: messages to take from cores, messages to take from the link (it ends when both
// are done), virtual x and y of this chip's next Ethernet tile on the route.
#include "ttprof/kernel.h"

static volatile uint32_t *word(uint32_t address)
{
    return TTK_L1(volatile uint32_t, address);
}

static volatile struct fabric_head *head_at(uint32_t slot)
{
    return TTK_L1(volatile struct fabric_head, slot);
}

// Sends over the link, into the second ring of the tile there. The caller checked for room.
static void send_over_link(uint32_t slot)
{
    uint32_t sent = *word(FABRIC_SENT);
    head_at(slot)->serial = sent + 1;
    eth_send(slot, fabric_slot(FABRIC_LINK_RING, sent), FABRIC_HEAD + head_at(slot)->bytes);
    eth_send_barrier();
    *word(FABRIC_SENT) = sent + 1;
}

static void deliver(uint32_t slot)
{
    volatile struct fabric_head *head = head_at(slot);
    uint64_t to = (uint64_t)head->address_high << 32 | head->address_low;
    if (head->device == ttk_device()) {
        noc_async_write(slot + FABRIC_HEAD, to, head->bytes);
        noc_async_write_barrier();
    } else
        fabric_write(head->device, to, slot + FABRIC_HEAD, head->bytes);
}

// The next message of each ring, and whether the other end has room: if not, messages from
// cores wait, so that those from the link can always be taken.
static bool has_come(uint32_t ring, uint32_t count)
{
    return head_at(fabric_slot(ring, count))->serial == count + 1;
}
static bool can_send(void)
{
    return *word(FABRIC_SENT) - *word(FABRIC_CREDIT) < FABRIC_SLOTS;
}

static void take_from_link(uint32_t came)
{
    deliver(fabric_slot(FABRIC_LINK_RING, came));
    *word(FABRIC_CAME) = came + 1;
    eth_send(FABRIC_CAME, FABRIC_CREDIT, 16);
}

static void take_from_core(uint32_t taken)
{
    uint32_t slot = fabric_slot(FABRIC_RING, taken);
    if (head_at(slot)->device == ttk_device())
        deliver(slot);
    else
        send_over_link(slot);
    *word(FABRIC_TAKEN) = taken + 1;
}

void kernel_main(void)
{
    uint32_t from_cores = get_arg_val(0), from_link = get_arg_val(1);
    fabric_open(get_arg_val(2), get_arg_val(3),
                FABRIC_LINK_RING + FABRIC_SLOTS * FABRIC_SLOT);
    while (from_cores || from_link) {
        uint32_t taken = *word(FABRIC_TAKEN), came = *word(FABRIC_CAME);
        ttk_fence();
        if (has_come(FABRIC_LINK_RING, came)) {
            take_from_link(came);
            from_link--;
        } else if (has_come(FABRIC_RING, taken) && can_send()) {
            take_from_core(taken);
            from_cores--;
        }
    }
    eth_send_barrier();
}
