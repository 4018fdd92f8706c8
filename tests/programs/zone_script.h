// zone_script.h - what write_zones.c does and check_zones.c expects: an endless list of
// calls for each thread, made from its number, and an account of how far the thread came.
#ifndef TTP_TESTS_ZONE_SCRIPT_H
#define TTP_TESTS_ZONE_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SCRIPT_PLACES = 20, SCRIPT_DEPTH = 4, SCRIPT_TEXT_MOST = 6000 };
enum script_kind { STEP_BEGIN, STEP_VALUE, STEP_TEXT, STEP_END, STEP_MESSAGE };
struct script_step {
    enum script_kind kind;
    uint32_t place;  // BEGIN: of SCRIPT_PLACES
    uint32_t bytes;  // TEXT, MESSAGE
    uint64_t number; // unique: slot << 32 | group << 3 | depth
    uint32_t depth;
};
// Steps come in groups: zones inside each other, perhaps a text, their ends, perhaps a
// message.
struct script {
    uint32_t slot;
    uint64_t group;
    uint32_t at; // step of the group
};

static inline uint64_t script_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b * UINT64_C(0xD1B54A32D192ED03);
    x = (x ^ x >> 32) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 29;
}

static inline struct script_step script_next(struct script *s)
{
    uint64_t h = script_mix(s->slot, s->group);
    uint32_t depth = 1 + h % SCRIPT_DEPTH;
    bool has_text = (h >> 16) % 8 == 0, has_message = (h >> 40) % 16 == 0;
    bool is_long = (h >> 20) % 64 == 0; // too long for a ring
    uint32_t r = (uint32_t)(h >> 24), bytes = is_long ? 5000 + r % 1000 : 1 + r % 63;
    uint64_t number = (uint64_t)s->slot << 32 | s->group << 3;
    uint32_t at = s->at++, n_open = 2 * depth;
    if (at < n_open) {
        uint32_t d = at / 2;
        return (struct script_step){.kind = at % 2 ? STEP_VALUE : STEP_BEGIN,
                                    .place = (uint32_t)((h >> 8) + d) % SCRIPT_PLACES,
                                    .number = number | d,
                                    .depth = d};
    }
    at -= n_open;
    if (has_text && at-- == 0)
        return (struct script_step){STEP_TEXT, 0, bytes, number, depth - 1};
    bool is_last = at == depth - !has_message;
    if (is_last)
        s->group++, s->at = 0;
    if (at < depth)
        return (struct script_step){
            .kind = STEP_END, .number = number, .depth = depth - 1 - at};
    return (struct script_step){.kind = STEP_MESSAGE, .bytes = bytes, .number = number};
}

static inline void script_text(uint64_t number, uint32_t bytes, char *out)
{
    for (uint32_t i = 0; i < bytes; i++)
        out[i] = (char)('a' + (number / 8 + i) % 26);
}

static inline const char *script_place(uint32_t place, char *out)
{
    (void)snprintf(out, 16, "place %u", place);
    return out;
}

// --- the account: a file that is mapped by the writers and by who looks after them ---
enum { ACCOUNT_SLOTS = 1 << 16 };
struct account_slot {
    uint32_t pid, tid;
    uint64_t start_ns; // CLOCK_MONOTONIC
    uint64_t done;     // steps that were done: the call has come back
    uint64_t made;     // calls among them that had something to record
    uint64_t end_ns;
    uint8_t unused[64 - 40];
};
struct account {
    uint32_t used; // slots
    uint32_t unused[15];
    struct account_slot slots[ACCOUNT_SLOTS];
};

#endif
