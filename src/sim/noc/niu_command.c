// niu_command.c - turns the registers of a command buffer into a packet: decoding, all
// checks, and when the NIU accepts it.
//
// All checks run here, in the issuing tile, so that the fault names the culprit.
#include <string.h>

#include "sim/noc/noc_parts.h"

enum {
    TYPE_MASK = 3,
    L1_ALIGN = 16,
    TRANSACTION_SHIFT = 10, // of the id in PACKET_TAG
    TRANSACTION_MASK = 15,
    ATOMIC_SHIFT = 12, // of the operation in AT_LEN
    ATOMIC_MASK = 15,
    ATOMIC_INCREMENT = 1,
};

// A command being decoded.
struct order {
    struct tile *tile;
    unsigned noc, risc;
    uint64_t cycle;
    const uint32_t *word; // the buffer's registers
    unsigned n_targets;
    struct packet packet;
};

static bool refuse_command(const struct order *o, enum fault_kind kind, uint64_t address,
                           const char *what)
{
    uint32_t at = noc_address_x(address) | noc_address_y(address) << 8;
    bool is_risc = o->risc < o->tile->n_riscs;
    tile_fault(o->tile, (struct fault){.cycle = o->cycle,
                                       .pc = is_risc ? o->tile->risc[o->risc].pc : 0,
                                       .address = (uint32_t)noc_address_local(address),
                                       .value = at,
                                       .kind = (uint8_t)kind,
                                       .risc = (uint8_t)o->risc,
                                       .what = what});
    return false;
}

// The 64-bit address in three registers: Blackhole software writes the coordinates to the
// third, Wormhole software above the local part in the second; the other place is zero.
static uint64_t address_at(const struct order *o, unsigned offset)
{
    const uint32_t *word = &o->word[offset / 4];
    return (uint64_t)word[0] | (uint64_t)word[1] << 32 | (uint64_t)word[2] << 36;
}

static bool check_local(const struct order *o, uint64_t address)
{
    if (address + o->packet.bytes <= o->tile->l1_bytes)
        return true;
    uint64_t self = (uint64_t)o->tile->virt.x << 36 | (uint64_t)o->tile->virt.y << 42;
    return refuse_command(o, FAULT_NOC_RANGE, address | self,
                          "the local part is outside L1");
}

// L1 or the registers of a tile.
static bool check_inside_tile(const struct order *o, uint64_t address, uint32_t l1_bytes)
{
    uint64_t local = noc_address_local(address), end = local + o->packet.bytes;
    if (end <= l1_bytes)
        return true;
    if (local < TT_LOCAL_RAM || end > (uint64_t)UINT32_MAX + 1)
        return refuse_command(o, FAULT_NOC_RANGE, address,
                              "it is past the end of the target's L1");
    if (local % 4 || o->packet.bytes % 4)
        return refuse_command(o, FAULT_NOC_COMMAND, address,
                              "registers must be accessed by words");
    return true;
}

static bool check_inside_dram(const struct order *o, uint64_t address, int controller)
{
    const struct chip *chip = o->tile->chip;
    uint64_t inside;
    int bank = dram_find(chip, controller, noc_address_local(address), &inside);
    if (bank < 0)
        return refuse_command(o, FAULT_NOC_RANGE, address,
                              "it is past the end of the bank");
    if (inside + o->packet.bytes > chip->bank_bytes)
        return refuse_command(o, FAULT_NOC_RANGE, address,
                              "the transfer crosses the end of the bank");
    if (o->packet.kind == PACKET_ATOMIC)
        return refuse_command(o, FAULT_NOC_COMMAND, address, "DRAM has no atomics");
    return true;
}

static bool check_inside_host(const struct order *o, uint64_t address)
{
    if (o->packet.kind == PACKET_ATOMIC)
        return refuse_command(o, FAULT_NOC_COMMAND, address,
                              "the PCIe tile has no atomics");
    return pcie_holds(o->tile->chip, noc_address_local(address), o->packet.bytes) ||
           refuse_command(o, FAULT_NOC_RANGE, address,
                          "the host has no memory there behind the PCIe tile");
}

// The edge of the chip: DRAM and the host's memory.
static bool check_inside_edge(const struct order *o, uint64_t address,
                              const struct node *node)
{
    return node->kind == NODE_DRAM ? check_inside_dram(o, address, node->tile)
                                   : check_inside_host(o, address);
}

// Source and destination must have the same offset within the memories' words.
static bool check_alignment(const struct order *o, uint64_t far, bool is_edge,
                            uint64_t near)
{
    bool is_register = !is_edge && noc_address_local(far) >= TT_LOCAL_RAM;
    if (!o->tile->chip->is_strict || is_register)
        return true;
    bool is_edge_read = is_edge && o->packet.kind == PACKET_READ;
    uint64_t align = is_edge_read ? o->tile->chip->layout->dram_align : L1_ALIGN;
    if ((far ^ near) % align == 0)
        return true;
    return refuse_command(o, FAULT_NOC_COMMAND, far,
                          "source and destination differ in their low address bits");
}

static bool is_pcie(const struct chip *chip, unsigned noc, uint64_t address)
{
    return chip->translate[noc][noc_address_x(address)][noc_address_y(address)] ==
           chip->pcie;
}

static bool check_rectangle(struct order *o, uint64_t address)
{
    const struct chip *chip = o->tile->chip;
    uint16_t nodes[NOC_MOST_TILES];
    bool has_source = o->packet.control & TT_NOC_INCLUDE_SOURCE;
    size_t n = noc_rectangle(chip, o->noc, address, o->tile->node, has_source, nodes);
    if (n == 0)
        return refuse_command(o, FAULT_NOC_TARGET, address,
                              is_pcie(chip, o->noc, address)
                                  ? "the PCIe tile takes no multicasts"
                                  : "no worker in the rectangle");
    if (n > (size_t)chip->n_workers)
        return refuse_command(o, FAULT_NOC_COMMAND, address,
                              "the rectangle contains workers twice");
    o->n_targets = (unsigned)n;
    return check_inside_tile(o, address, chip->layout->l1_bytes);
}

// The remote end of the command; `near` is the local end of a copy, UINT64_MAX if none.
static bool check_target(struct order *o, uint64_t address, uint64_t near)
{
    const struct chip *chip = o->tile->chip;
    if (o->packet.control & TT_NOC_MULTICAST) {
        o->packet.address = address;
        return check_rectangle(o, address) &&
               (near == UINT64_MAX || check_alignment(o, address, false, near));
    }
    int node = chip->translate[o->noc][noc_address_x(address)][noc_address_y(address)];
    const struct tile *tile = node < 0 ? NULL : noc_tile(chip, (unsigned)node);
    if (!tile && (node < 0 || (chip->nodes[node].kind != NODE_DRAM && node != chip->pcie)))
        return refuse_command(o, FAULT_NOC_TARGET, address, NULL);
    o->packet.target = (uint16_t)node;
    o->packet.address = noc_address_local(address);
    bool is_inside = tile ? check_inside_tile(o, address, tile->l1_bytes)
                          : check_inside_edge(o, address, &chip->nodes[node]);
    return is_inside && (near == UINT64_MAX || check_alignment(o, address, !tile, near));
}

static bool check_length(struct order *o)
{
    uint64_t target = address_at(o, TT_NOC_TARG_LO);
    o->packet.bytes = o->packet.length;
    if (o->packet.bytes == 0)
        return refuse_command(o, FAULT_NOC_COMMAND, target, "a transfer of 0 bytes");
    if (o->packet.bytes > o->tile->chip->layout->noc_max_packet)
        return refuse_command(o, FAULT_NOC_COMMAND, target,
                              "longer than the maximum packet");
    return true;
}

// --- command kinds ---------------------------------------------------------------------
static bool decode_read(struct order *o)
{
    uint64_t target = address_at(o, TT_NOC_TARG_LO);
    o->packet.kind = PACKET_READ;
    o->packet.reply = o->word[TT_NOC_RET_LO / 4];
    if (o->packet.control & (TT_NOC_MULTICAST | TT_NOC_INLINE))
        return refuse_command(o, FAULT_NOC_COMMAND, target,
                              "a read can be neither multicast nor inline");
    return check_length(o) && check_local(o, o->packet.reply) &&
           check_target(o, target, o->packet.reply);
}

static bool decode_inline(struct order *o)
{
    uint64_t target = address_at(o, TT_NOC_TARG_LO);
    o->packet.bytes = 4;
    o->packet.value = o->word[o->tile->chip->layout->noc_at_data / 4];
    o->packet.enables = 15;
    if (o->packet.control & TT_NOC_BYTE_ENABLE)
        o->packet.enables = o->packet.length >> (target & 28) & 15;
    if (target % 4)
        return refuse_command(o, FAULT_NOC_COMMAND, target,
                              "an inline write to a misaligned address");
    return check_target(o, target, UINT64_MAX);
}

static bool decode_write(struct order *o)
{
    o->packet.kind = PACKET_WRITE;
    if (o->packet.control & TT_NOC_INLINE)
        return decode_inline(o);
    uint64_t source = o->word[TT_NOC_TARG_LO / 4], target = address_at(o, TT_NOC_RET_LO);
    if (o->packet.control & TT_NOC_BYTE_ENABLE)
        return refuse_command(o, FAULT_NOC_COMMAND, target,
                              "byte enables without an inline write");
    if (!check_length(o) || !check_local(o, source) || !check_target(o, target, source))
        return false;
    const uint8_t *data = o->tile->l1 + source;
    o->packet.enables = 15;
    if (o->packet.bytes == 4) {
        memcpy(&o->packet.value, data, 4);
        return true;
    }
    o->packet.payload = mem_resize(NULL, o->packet.bytes);
    memcpy(o->packet.payload, data, o->packet.bytes);
    return true;
}

static bool decode_atomic(struct order *o)
{
    uint64_t target = address_at(o, TT_NOC_TARG_LO);
    o->packet.kind = PACKET_ATOMIC;
    o->packet.bytes = 4;
    o->packet.value = o->word[o->tile->chip->layout->noc_at_data / 4];
    o->packet.reply = o->word[TT_NOC_RET_LO / 4];
    if ((o->packet.length >> ATOMIC_SHIFT & ATOMIC_MASK) != ATOMIC_INCREMENT)
        return refuse_command(o, FAULT_NOC_COMMAND, target,
                              "an atomic other than the increment");
    if (target % 4)
        return refuse_command(o, FAULT_NOC_COMMAND, target,
                              "an atomic at a misaligned address");
    if ((o->packet.control & TT_NOC_RESPONSE) && !check_local(o, o->packet.reply))
        return false;
    return check_target(o, target, UINT64_MAX);
}

static bool decode_command(struct order *o)
{
    static bool (*const kinds[])(struct order *) = {
        [TT_NOC_READ] = decode_read,
        [TT_NOC_ATOMIC] = decode_atomic,
        [TT_NOC_WRITE] = decode_write,
    };
    unsigned type = o->packet.control & TYPE_MASK;
    if (type >= sizeof kinds / sizeof kinds[0])
        return refuse_command(o, FAULT_NOC_COMMAND, address_at(o, TT_NOC_TARG_LO),
                              "neither read, write nor atomic");
    return kinds[type](o);
}

// --- acceptance ------------------------------------------------------------------------
// One command at a time: the next is accepted when this one's flits are in.
static uint64_t accept_command(struct order *o)
{
    const struct chip *chip = o->tile->chip;
    struct niu *niu = &o->tile->niu[o->noc];
    uint64_t at = o->cycle + chip->costs.niu_accept;
    if (at < niu->free_at)
        at = niu->free_at;
    uint32_t sent = o->packet.kind == PACKET_READ ? 0 : o->packet.bytes;
    niu->free_at = at + noc_port_cycles(chip, sent, chip->costs.worker_bytes_10);
    return at;
}

// Updates the counters by transaction id.
static void count_issue(const struct order *o)
{
    const struct packet *p = &o->packet;
    if (p->kind == PACKET_READ || (p->control & TT_NOC_RESPONSE))
        niu_count(o->tile, o->noc, TT_NOC_OUTSTANDING + p->tag, (int)o->n_targets);
    if (p->kind == PACKET_WRITE)
        niu_count(o->tile, o->noc, TT_NOC_LEAVING + p->tag, 1);
}

void niu_issue(struct tile *tile, unsigned noc, unsigned buffer, unsigned risc,
               uint64_t cycle)
{
    const struct tt_layout *layout = tile->chip->layout;
    uint32_t *word = tile->niu[noc].command[buffer];
    uint32_t tag = word[TT_NOC_PACKET_TAG / 4];
    struct order o = {
        .tile = tile,
        .noc = noc,
        .risc = risc,
        .cycle = cycle,
        .word = word,
        .n_targets = 1,
        .packet = {.node = tile->node,
                   .niu = (uint8_t)noc,
                   .buffer = (uint8_t)buffer,
                   .tag = (uint8_t)(tag >> TRANSACTION_SHIFT & TRANSACTION_MASK),
                   .control = word[TT_NOC_CTRL / 4],
                   .length = word[TT_NOC_AT_LEN / 4]},
    };
    uint32_t *busy = &word[layout->noc_cmd_ctrl / 4];
    if (*busy) {
        (void)refuse_command(&o, FAULT_NOC_COMMAND, address_at(&o, TT_NOC_TARG_LO),
                             "the command buffer is still busy");
        return;
    }
    if (!decode_command(&o))
        return;
    uint64_t count = tile->chip->noc->n_issued[tile->index * 2u + noc]++;
    o.packet.number = (uint64_t)tile->index << 48 | (uint64_t)noc << 47 | count << 3 | risc;
    o.packet.issue = accept_command(&o);
    uint32_t offset = buffer * layout->noc_buffer_stride + layout->noc_cmd_ctrl;
    tile_touch(tile, TT_NIU + noc * TT_NIU_STRIDE + offset, 4);
    *busy = 1;
    count_issue(&o);
    tile_post(tile, (struct event){.cycle = o.packet.issue,
                                   .apply = noc_apply_accept,
                                   .packet = o.packet.number,
                                   .bytes = o.packet.bytes,
                                   .niu = (uint8_t)noc,
                                   .flags = (uint8_t)buffer});
    noc_leave(tile, o.packet);
}
