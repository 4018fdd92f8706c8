// tracy_items.c - layouts of Tracy's items from their tables, and the welcome message.
#include "record/format/tracy_items.h"

const uint32_t tracy_protocols[TRACY_GENERATIONS] = {
    [TRACY_F10] = 66, [TRACY_U14] = 82, [TRACY_T14] = 83};

#define ITEM_NAME(name, f10, u14, t14, fields, fields_u14, fields_t14, clock) #name,
const char *const tracy_item_names[TRACY_ITEM_KINDS] = {TRACY_ITEMS(ITEM_NAME)};

static const struct row {
    int16_t numbers[TRACY_GENERATIONS];    // -1: none
    const char *fields[TRACY_GENERATIONS]; // NULL: as in the one before
    uint8_t clock;
} rows[TRACY_ITEM_KINDS] = {
#define ITEM_ROW(name, f10, u14, t14, fields, fields_u14, fields_t14, clock)               \
    {{f10, u14, t14}, {fields, fields_u14, fields_t14}, TRACY_CLOCK_##clock},
    TRACY_ITEMS(ITEM_ROW)};

static const uint8_t fields_by_letter[128] = {
#define FIELD_LETTER(letter, name) [letter] = TRACY_##name##_FIELD,
    TRACY_FIELDS(FIELD_LETTER)};

bool tracy_generation_of(uint32_t protocol, enum tracy_generation *generation)
{
    for (int g = 0; g < TRACY_GENERATIONS; g++)
        if (tracy_protocols[g] == protocol) {
            *generation = (enum tracy_generation)g;
            return true;
        }
    return false;
}

// "t8h4*2": a letter and a number of bytes each.
static void lay_out(struct tracy_layout *l, const char *text)
{
    unsigned at = 1;
    while (*text) {
        char letter = *text++;
        unsigned field = fields_by_letter[letter & 127], bytes = 0;
        while (*text >= '0' && *text <= '9')
            bytes = bytes * 10 + (unsigned)(*text++ - '0');
        if (letter == '*' || letter == '+') {
            l->tail = (uint8_t)bytes;
            l->tail_more = letter == '+' ? 256 : 0;
            continue;
        }
        // What is not looked into has no place in a 64-bit value.
        l->fields[field].at = (uint8_t)at;
        l->fields[field].bytes = (uint8_t)(field == TRACY_BYTES_FIELD ? 0 : bytes);
        at += bytes;
    }
    l->bytes = (uint8_t)at;
}

void tracy_layouts_make(struct tracy_layouts *l, enum tracy_generation generation)
{
    memset(l, 0, sizeof *l);
    l->generation = generation;
    for (int item = 0; item < TRACY_ITEM_KINDS; item++) {
        const struct row *row = &rows[item];
        int number = row->numbers[generation];
        if (number < 0)
            continue;
        unsigned from = generation;
        while (!row->fields[from])
            from--;
        struct tracy_layout *to = &l->by_number[number];
        l->exists[item] = true;
        l->numbers[item] = (uint8_t)number;
        to->item = (uint8_t)item;
        to->number = (uint8_t)number;
        to->clock = row->clock;
        lay_out(to, row->fields[from]);
    }
}

// --- the welcome -----------------------------------------------------------------------

// The fields of a welcome in their order; only the first generation has the delay.
#define WELCOME_FIELDS(X)                                                                  \
    X(ns_per_tick)                                                                         \
    X(begin)                                                                               \
    X(end)                                                                                 \
    X(delay)                                                                               \
    X(resolution)                                                                          \
    X(epoch)                                                                               \
    X(executable_time)                                                                     \
    X(pid)                                                                                 \
    X(sampling_period)                                                                     \
    X(flags)                                                                               \
    X(cpu_arch)                                                                            \
    X(cpu_maker)                                                                           \
    X(cpu_id)                                                                              \
    X(program)                                                                             \
    X(info)

static const struct {
    uint16_t at, bytes;
} welcome_fields[] = {
#define WELCOME_FIELD(name)                                                                \
    {offsetof(struct tracy_welcome, name), sizeof((struct tracy_welcome *)0)->name},
    WELCOME_FIELDS(WELCOME_FIELD)};
enum { N_WELCOME_FIELDS = sizeof welcome_fields / sizeof *welcome_fields };

static bool has_field(enum tracy_generation g, int i)
{
    return g == TRACY_F10 || welcome_fields[i].at != offsetof(struct tracy_welcome, delay);
}

size_t tracy_welcome_bytes(enum tracy_generation g)
{
    size_t n = 0;
    for (int i = 0; i < N_WELCOME_FIELDS; i++)
        n += has_field(g, i) ? welcome_fields[i].bytes : 0;
    return n;
}

size_t tracy_welcome_put(enum tracy_generation g, const struct tracy_welcome *w, void *to)
{
    size_t n = 0;
    for (int i = 0; i < N_WELCOME_FIELDS; i++)
        if (has_field(g, i)) {
            memcpy((char *)to + n, (const char *)w + welcome_fields[i].at,
                   welcome_fields[i].bytes);
            n += welcome_fields[i].bytes;
        }
    return n;
}

void tracy_welcome_get(enum tracy_generation g, const void *from, struct tracy_welcome *w)
{
    size_t n = 0;
    memset(w, 0, sizeof *w);
    for (int i = 0; i < N_WELCOME_FIELDS; i++)
        if (has_field(g, i)) {
            memcpy((char *)w + welcome_fields[i].at, (const char *)from + n,
                   welcome_fields[i].bytes);
            n += welcome_fields[i].bytes;
        }
    w->program[TRACY_NAME_BYTES - 1] = w->info[TRACY_INFO_BYTES - 1] = 0;
}
