// commands.c - see commands.h.
#include "sim/dispatch/commands.h"

#include <string.h>

enum {
    COMMAND_MOST = 64 << 10, // payload of one command; an entry holds at least one
    OFFSET_NONE = 0,         // write offsets: addresses as they are,
    OFFSET_PIECE = 1,        // from the start of the program's piece
};

void commands_free(struct commands *c)
{
    buf_free(&c->bytes);
    vec_free(&c->ends);
}

void commands_append(struct commands *c, const struct commands *more)
{
    size_t from = c->bytes.n;
    buf_str(&c->bytes, buf_view(&more->bytes));
    for (size_t i = 0; i < more->ends.n; i++)
        vec_push(&c->ends, from + more->ends.v[i]);
}

static size_t padded(size_t n)
{
    return (n + TT_COMMAND_BYTES - 1) / TT_COMMAND_BYTES * TT_COMMAND_BYTES;
}

static void put_bytes(struct buf *b, const void *bytes, size_t n)
{
    buf_str(b, (str){bytes, n});
    buf_fill(b, 0, padded(n) - n);
}

void put_prefetch(struct commands *c, const uint32_t words[4])
{
    put_bytes(&c->bytes, words, TT_COMMAND_BYTES);
    vec_push(&c->ends, c->bytes.n);
}

static void relay(struct commands *c, uint32_t id, uint32_t target, const void *bytes,
                  size_t n)
{
    const uint32_t words[4] = {tt_command(id, target, 0), (uint32_t)n,
                               (uint32_t)(TT_COMMAND_BYTES + padded(n)), 0};
    put_bytes(&c->bytes, words, sizeof words);
    put_bytes(&c->bytes, bytes, n);
}

void put_relay(struct commands *c, uint32_t target, const void *bytes, size_t n)
{
    relay(c, TT_CMD_RELAY_INLINE, target, bytes, n);
    vec_push(&c->ends, c->bytes.n);
}

static void put_words(struct commands *c, const uint32_t words[4])
{
    put_relay(c, TT_RELAY_TO_DISPATCHER, words, TT_COMMAND_BYTES);
}

void put_wait(struct commands *c, uint32_t what, uint32_t stream, uint32_t address,
              uint32_t count)
{
    put_words(c,
              (const uint32_t[]){tt_command(TT_CMD_WAIT, what, stream), address, count, 0});
}

void put_go(struct commands *c, const uint32_t words[4])
{
    put_relay(c, TT_RELAY_TO_SUBORDINATE, words, TT_COMMAND_BYTES);
}

void put_stall(struct commands *c)
{
    put_prefetch(c, (const uint32_t[]){tt_command(TT_CMD_STALL, 0, 0), 0, 0, 0});
}

static void put_with_data(struct commands *c, const uint32_t words[4], const void *data,
                          size_t n)
{
    struct buf all = {0};
    buf_str(&all, (str){(const char *)words, TT_COMMAND_BYTES});
    buf_str(&all, (str){data, n});
    put_relay(c, TT_RELAY_TO_DISPATCHER, all.p, all.n);
    buf_free(&all);
}

void put_linear(struct commands *c, const struct tile *to, uint32_t address,
                const void *data, size_t n)
{
    const uint32_t words[4] = {tt_command(TT_CMD_WRITE_LINEAR, 0, 0), tile_coordinates(to),
                               address, (uint32_t)n};
    if (n)
        put_with_data(c, words, data, n);
}

// --- pages -----------------------------------------------------------------------------
void put_write_paged(struct commands *c, struct paged pages, const void *data)
{
    const uint32_t words[4] = {tt_command(TT_CMD_WRITE_PAGED, 0, pages.bank), pages.address,
                               pages.page_bytes, pages.n};
    size_t bytes = (size_t)pages.n * pages.page_bytes;
    if (pages.core)
        put_linear(c, pages.core, pages.address, data, bytes);
    else
        put_with_data(c, words, data, bytes);
}

// The record's header from here, then the data that the prefetcher reads.
void put_read_paged(struct commands *c, struct paged pages)
{
    uint32_t bytes = pages.n * pages.page_bytes;
    const uint32_t head[4] = {tt_command(TT_CMD_WRITE_HOST, 0, 0), bytes};
    relay(c, TT_CMD_RELAY_INLINE_NOFLUSH, TT_RELAY_TO_DISPATCHER, head, sizeof head);
    if (pages.core)
        put_prefetch(c, (const uint32_t[]){tt_command(TT_CMD_RELAY_LINEAR, 1, 0),
                                           tile_coordinates(pages.core), pages.address,
                                           bytes});
    else
        put_prefetch(c, (const uint32_t[]){tt_command(TT_CMD_RELAY_PAGED, 0, pages.bank),
                                           pages.address, pages.page_bytes, pages.n});
}

// --- packed writes ---------------------------------------------------------------------
// A write of equal sizes to several places, cut into commands that fit an entry.
struct packed {
    uint32_t flags, type, bytes, address, offset;
    size_t n, most; // places now, and at most in one command
    struct buf places, data;
};

static struct packed packed_begin(uint32_t flags, uint32_t type, uint32_t bytes,
                                  uint32_t address, uint32_t offset)
{
    size_t limit = flags & TT_PACKED_MULTICAST ? TT_PACKED_MULTICAST_MOST : TT_PACKED_MOST;
    size_t fit = COMMAND_MOST / (padded(bytes) + 2 * sizeof(uint32_t));
    return (struct packed){.flags = flags,
                           .type = type,
                           .bytes = bytes,
                           .address = address,
                           .offset = offset,
                           .most = fit < limit ? fit : limit};
}

static void packed_flush(struct commands *c, struct packed *p)
{
    if (!p->n)
        return;
    uint32_t a = p->flags | p->type << TT_PACKED_TYPE_SHIFT;
    const uint32_t words[4] = {tt_command(TT_CMD_WRITE_PACKED, a, (uint32_t)p->n), p->bytes,
                               p->address, p->offset};
    struct buf all = {0};
    put_bytes(&all, words, sizeof words);
    put_bytes(&all, p->places.p, p->places.n);
    put_bytes(&all, p->data.p, p->data.n);
    put_relay(c, TT_RELAY_TO_DISPATCHER, all.p, all.n);
    buf_free(&all);
    p->n = p->places.n = p->data.n = 0;
}

static void packed_add(struct commands *c, struct packed *p, uint32_t at, uint32_t dests,
                       const void *data)
{
    if (p->n == p->most)
        packed_flush(c, p);
    const uint32_t place[2] = {at, dests};
    buf_str(&p->places, (str){(const char *)place, p->flags & TT_PACKED_MULTICAST ? 8 : 4});
    put_bytes(&p->data, data, p->bytes);
    p->n++;
}

static void packed_end(struct commands *c, struct packed *p)
{
    packed_flush(c, p);
    buf_free(&p->places);
    buf_free(&p->data);
}

void put_event(struct commands *c, const struct tile *const *to, size_t n, uint32_t address,
               uint32_t number)
{
    const uint32_t datum[4] = {number};
    struct packed packed =
        packed_begin(0, TT_PACKED_EVENT, sizeof datum, address, OFFSET_NONE);
    for (size_t i = 0; i < n; i++)
        packed_add(c, &packed, tile_coordinates(to[i]), 1, datum);
    packed_end(c, &packed);
}

// --- a program -------------------------------------------------------------------------
static void put_offsets(struct commands *c, const struct program_commands *p)
{
    const struct launch *l = p->launch;
    const uint32_t words[8] = {tt_command(TT_CMD_SET_WRITE_OFFSET, 2, 0),
                               tt_logged_program(l->run_id, l->chip->number), 0, 0,
                               [4 + OFFSET_PIECE] = p->base};
    put_relay(c, TT_RELAY_TO_DISPATCHER, words, sizeof words);
}

static void put_args(struct commands *c, const struct program_commands *p)
{
    const struct piece *piece = p->piece;
    if (!piece->args_bytes)
        return;
    struct packed packed =
        packed_begin(0, TT_PACKED_ARGUMENTS, piece->args_bytes, piece->args, OFFSET_PIECE);
    uint8_t *args = mem_alloc(piece->args_bytes);
    for (int i = 0; i < p->launch->chip->n_tiles; i++) {
        const struct plan *plan = &p->launch->plans[i];
        if (plan->tile && !tile_is_eth(plan->tile) && piece_args(piece, plan, args))
            packed_add(c, &packed, tile_coordinates(plan->tile), 1, args);
    }
    packed_end(c, &packed);
    mem_free(args);
}

// An entry of WRITE_PACKED_LARGE.
struct large_write {
    uint32_t at, address, bytes, dests;
};

static void put_large(struct commands *c, uint32_t type, const struct large_write *writes,
                      size_t n, const struct buf *data)
{
    uint32_t offset = type == TT_LARGE_TEXT ? OFFSET_NONE : OFFSET_PIECE;
    const uint32_t words[4] = {tt_command(TT_CMD_WRITE_PACKED_LARGE, type, (uint32_t)n),
                               offset, 0, 0};
    struct buf all = {0};
    put_bytes(&all, words, sizeof words);
    put_bytes(&all, writes, n * sizeof *writes);
    put_bytes(&all, data->p, data->n);
    put_relay(c, TT_RELAY_TO_DISPATCHER, all.p, all.n);
    buf_free(&all);
}

// Writes of configuration, collected until a command is full.
struct config_writes {
    struct large_write writes[TT_LARGE_MOST];
    size_t n;
    struct buf data;
};

static void config_flush(struct commands *c, struct config_writes *w)
{
    if (w->n)
        put_large(c, TT_LARGE_CONFIG, w->writes, w->n, &w->data);
    w->n = w->data.n = 0;
}

static void config_add(struct config_writes *w, struct large_write write, const void *bytes)
{
    if (!write.bytes)
        return;
    w->writes[w->n++] = write;
    put_bytes(&w->data, bytes, write.bytes);
}

// Semaphores, circular buffers and common arguments: what all cores of a group share. The
// writes to a rectangle are linked.
static void put_config(struct commands *c, const struct program_commands *p)
{
    const struct piece *piece = p->piece;
    struct config_writes w = {.n = 0};
    uint8_t *config = mem_alloc(piece->args + 1),
            *common = mem_alloc(piece->common_bytes + 1);
    for (size_t g = 0; g < p->groups->v.n; g++) {
        const struct group *group = &p->groups->v.v[g];
        piece_config(piece, p->launch, group->plan, config);
        piece_common(piece, group->plan, common);
        for (size_t i = 0; i < group->rectangles.n; i++) {
            struct large_write write = {
                .at = rectangle_coordinates(p->launch->chip, group->rectangles.v[i]),
                .dests = rectangle_cores(group->rectangles.v[i])};
            if (w.n + 2 > TT_LARGE_MOST || w.data.n + piece->zeros > COMMAND_MOST)
                config_flush(c, &w);
            write.bytes = piece->args;
            config_add(&w, write, config);
            write.address = piece->common;
            write.bytes = piece->common_bytes;
            config_add(&w, write, common);
            if (w.n)
                w.writes[w.n - 1].dests |= TT_LARGE_UNLINK;
        }
    }
    config_flush(c, &w);
    buf_free(&w.data);
    mem_free(config);
    mem_free(common);
}

// A header from here, then the data that the prefetcher reads from DRAM.
static void put_text(struct commands *c, const struct large_write *writes, size_t n,
                     const struct stored_text *text)
{
    if (text->inlined.n) {
        put_large(c, TT_LARGE_TEXT, writes, n, &text->inlined);
        return;
    }
    struct {
        uint32_t words[4];
        struct large_write writes[TT_LARGE_MOST];
    } head = {{tt_command(TT_CMD_WRITE_PACKED_LARGE, TT_LARGE_TEXT, (uint32_t)n),
               OFFSET_NONE, 0, 0},
              {{0}}};
    memcpy(head.writes, writes, n * sizeof *writes);
    relay(c, TT_CMD_RELAY_INLINE_NOFLUSH, TT_RELAY_TO_DISPATCHER, &head,
          sizeof head.words + n * sizeof *writes);
    put_prefetch(c, (const uint32_t[]){tt_command(TT_CMD_RELAY_LINEAR, 0, 0),
                                       (uint32_t)text->bank, (uint32_t)text->address,
                                       text->bytes});
}

// Where the zeros and the kernels of a group go. Kernels that stay at their link addresses
// do not lie behind each other.
static size_t text_writes(const struct program_commands *p, const struct plan *plan,
                          struct large_write writes[TT_RISCS + 1])
{
    size_t n = 0;
    writes[n++] =
        (struct large_write){.address = p->base + p->piece->zeros, .bytes = PIECE_ZEROS};
    for (unsigned r = 0; r < TT_RISCS; r++) {
        if (!plan->kernel[r])
            continue;
        uint32_t at = p->base + piece_kernel(p->piece, plan, r, p->base);
        uint32_t bytes = (uint32_t)padded(plan->kernel[r]->image->bytes);
        if (writes[n - 1].address + writes[n - 1].bytes == at)
            writes[n - 1].bytes += bytes;
        else
            writes[n++] = (struct large_write){.address = at, .bytes = bytes};
    }
    return n;
}

// One command per rectangle: each brings its own copy of the kernels.
static void put_texts(struct commands *c, const struct program_commands *p)
{
    for (size_t g = 0; g < p->groups->v.n; g++) {
        const struct group *group = &p->groups->v.v[g];
        if (!group->plan->has_kernel)
            continue;
        struct large_write writes[TT_RISCS + 1];
        size_t n = text_writes(p, group->plan, writes);
        for (size_t i = 0; i < group->rectangles.n; i++) {
            struct rectangle rectangle = group->rectangles.v[i];
            for (size_t k = 0; k < n; k++) {
                writes[k].at = rectangle_coordinates(p->launch->chip, rectangle);
                writes[k].dests = rectangle_cores(rectangle);
            }
            writes[n - 1].dests |= TT_LARGE_UNLINK;
            put_text(c, writes, n, &p->texts[g]);
        }
    }
}

static void put_messages(struct commands *c, const struct program_commands *p)
{
    const struct tt_layout *layout = p->launch->chip->layout;
    uint32_t at = layout->launch_ring + p->slot * TT_LAUNCH_BYTES;
    struct packed packed = packed_begin(TT_PACKED_MULTICAST, TT_PACKED_LAUNCH,
                                        TT_LAUNCH_BYTES, at, OFFSET_NONE);
    for (size_t g = 0; g < p->groups->v.n; g++) {
        const struct group *group = &p->groups->v.v[g];
        if (!group->plan->has_kernel)
            continue;
        struct placing where = piece_placing(p->piece, group->plan, p->base);
        uint8_t message[TT_LAUNCH_BYTES];
        launch_message(message, p->launch, group->plan, &where);
        for (size_t i = 0; i < group->rectangles.n; i++)
            packed_add(c, &packed,
                       rectangle_coordinates(p->launch->chip, group->rectangles.v[i]),
                       rectangle_cores(group->rectangles.v[i]), message);
    }
    packed_end(c, &packed);
}

static void put_ring_wait(struct commands *c, const struct program_commands *p,
                          enum ring_wait when)
{
    if (p->place->wait == when)
        put_wait(c, TT_WAIT_COUNTER, TT_COMPLETION_STREAM, 0, p->place->count);
}

void put_program(struct commands *c, const struct program_commands *p)
{
    uint32_t stream = TT_COMPLETION_STREAM | (p->has_workers ? 0 : TT_GO_NO_MULTICAST);
    put_offsets(c, p);
    put_ring_wait(c, p, RING_WAIT_MEMORY);
    put_args(c, p);
    put_config(c, p);
    put_ring_wait(c, p, RING_WAIT_SLOT);
    put_texts(c, p);
    put_messages(c, p);
    if (p->n_eth)
        put_eth(c, p);
    put_words(c, (const uint32_t[]){tt_command(TT_CMD_NOTIFY, 1, 0), 0, 0, 0});
    put_go(c, (const uint32_t[]){tt_command(TT_CMD_SEND_GO, p->n_eth, 0), p->go_word,
                                 p->go_after, stream});
}
