// capture_stacks.c - callstacks, and what their addresses stand for.
#include "formats/tracy/capture/capture_parts.h"

enum { ADDRESS_BYTES = 8 };

uint32_t capture_take_stack(struct capture *c, uint32_t *slot)
{
    (void)c;
    uint32_t stack = *slot;
    *slot = 0;
    return stack;
}

static void need_address(struct capture *c, uint64_t address)
{
    bool is_new;
    (void)capture_key(c, &c->addresses, address, &is_new);
    if (!is_new)
        return;
    vec_push(&c->is_address_known, 0);
    capture_ask(c, TRACY_ASK_STACK_FRAME, address);
}

// The number of a callstack; equal ones are kept once.
static uint32_t stack_of(struct capture *c, str addresses)
{
    struct tracy *t = c->t;
    size_t n = t->stacks.n;
    if (!addresses.n || addresses.n % ADDRESS_BYTES || t->arena.used >= TEXTS_MOST) {
        capture_odd(c, "a callstack whose size is wrong");
        return 0;
    }
    uint32_t id = map_put_copy(&c->stacks, addresses.p, addresses.n, &t->arena);
    if (id == n) {
        vec_push(&t->stacks, c->stacks.keys.v[id]);
        for (size_t i = 0; i < addresses.n; i += ADDRESS_BYTES) {
            uint64_t address;
            memcpy(&address, addresses.p + i, ADDRESS_BYTES);
            need_address(c, address);
        }
    }
    return id + 1;
}

// The payload comes first; the item after it says which kind of event it is for.
void capture_on_stack(struct capture *c, const struct item *it)
{
    switch (it->layout->item) {
    case TRACY_STACK_PAYLOAD: c->stack = stack_of(c, it->tail); return;
    case TRACY_STACK_SERIAL: c->serial_stack = capture_take_stack(c, &c->stack); return;
    default: // for the next event of the thread
        capture_thread(c, c->thread)->stack = capture_take_stack(c, &c->stack);
    }
}

// --- answers ---------------------------------------------------------------------------

void capture_on_stack_entry(struct capture *c, const struct item *it)
{
    uint64_t address = item_get(it, TRACY_ADDRESS_FIELD);
    uint32_t image = (uint32_t)capture_take_single(c).value;
    uint32_t at = capture_key_get(&c->addresses, address);
    c->frames_left = (unsigned)item_get(it, TRACY_ID_FIELD);
    c->entry = 0;
    if (at == MAP_NONE) {
        capture_odd(c, "an answer to a query that was not sent");
        return;
    }
    if (c->is_address_known.v[at])
        return;
    c->is_address_known.v[at] = 1;
    c->n_answered++;
    vec_push(&c->t->stack_entries,
             (struct tracy_stack_entry){.address = address, .image = image + 1});
    c->entry = (uint32_t)c->t->stack_entries.n;
}

// A symbol is complete when the client has told its file.
static void need_symbol(struct capture *c, const struct tracy_stack_entry *e,
                        const struct tracy_stack_frame *f, uint32_t size, bool is_inline)
{
    bool is_new;
    if (!f->symbol)
        return;
    (void)capture_key(c, &c->symbol_addresses, f->symbol, &is_new);
    if (!is_new)
        return;
    vec_push(&c->symbols, (struct tracy_symbol){.address = f->symbol,
                                                .name = f->name,
                                                .image = e->image,
                                                .call_file = f->file,
                                                .call_line = f->line,
                                                .size = size,
                                                .is_inline = is_inline});
    vec_push(&c->is_symbol_known, 0);
    capture_ask(c, TRACY_ASK_SYMBOL, f->symbol);
}

void capture_on_stack_frame(struct capture *c, const struct item *it)
{
    struct tracy_stack_frame f = {.name = (uint32_t)capture_take_single(c).value + 1,
                                  .file = c->second + 1,
                                  .line = (uint32_t)item_get(it, TRACY_LINE_FIELD),
                                  .symbol = item_get(it, TRACY_ADDRESS_FIELD)};
    c->second = 0;
    if (!c->frames_left) {
        capture_odd(c, "an answer to a query that was not sent");
        return;
    }
    bool is_inline = --c->frames_left > 0; // the real function is last
    if (!c->entry)
        return;
    struct tracy_stack_entry *e = &c->t->stack_entries.v[c->entry - 1];
    vec_push(&e->frames, f);
    need_symbol(c, e, &f, (uint32_t)item_get(it, TRACY_SIZE_FIELD), is_inline);
    if (!is_inline)
        vec_push(&c->t->code_symbols, (struct tracy_code_symbol){e->address, f.symbol});
}

void capture_on_symbol(struct capture *c, const struct item *it)
{
    uint32_t file = (uint32_t)capture_take_single(c).value;
    uint32_t at = capture_key_get(&c->symbol_addresses, item_get(it, TRACY_ADDRESS_FIELD));
    if (at == MAP_NONE) {
        capture_odd(c, "an answer to a query that was not sent");
        return;
    }
    if (c->is_symbol_known.v[at])
        return;
    c->is_symbol_known.v[at] = 1;
    c->n_answered++;
    struct tracy_symbol s = c->symbols.v[at];
    s.file = file + 1;
    s.line = (uint32_t)item_get(it, TRACY_LINE_FIELD);
    vec_push(&c->t->symbols, s);
}
