// names.c - the table of zone names, and the choice between several names of one id.
#include "collect/decode/names.h"

#include "ttprof/profiler_words.h"

void names_free(struct zone_names *n)
{
    vec_free(&n->v);
    map_free(&n->known);
    buf_free(&n->warnings);
    arena_free(&n->arena);
    *n = (struct zone_names){0};
}

// Appends a candidate to its id's list; names assigned by the loader come first.
static void link_name(struct zone_names *n, uint32_t index)
{
    struct zone_name *z = &n->v.v[index];
    uint32_t *at = &n->first[z->id];
    if (z->is_assigned) {
        z->next = *at;
        *at = index + 1;
        return;
    }
    while (*at)
        at = &n->v.v[*at - 1].next;
    *at = index + 1;
}

static void unlink_name(struct zone_names *n, uint32_t index)
{
    struct zone_name *z = &n->v.v[index];
    uint32_t *at = &n->first[z->id];
    while (*at != index + 1)
        at = &n->v.v[*at - 1].next;
    *at = z->next;
    z->next = 0;
}

// Finds or adds the entry of this id and location.
static uint32_t find_or_add_name(struct zone_names *n, uint32_t id, str name, str file,
                                 int64_t line, bool *is_new)
{
    struct buf key = {0};
    buf_printf(&key, "%u:%.*s,%.*s,%lld", id, STR(name), STR(file), (long long)line);
    uint32_t index = map_put_copy(&n->known, key.p, key.n, &n->arena);
    buf_free(&key);
    *is_new = index == n->v.n;
    if (*is_new)
        vec_push(&n->v, (struct zone_name){.name = arena_str(&n->arena, name),
                                           .file = arena_str(&n->arena, file),
                                           .line = line,
                                           .id = id});
    return index;
}

void names_add_assigned(struct zone_names *n, uint32_t id, str name, str file, int64_t line)
{
    bool is_new;
    if (id > UINT16_MAX)
        return;
    // All locations without an id of their own share this one.
    if (id == TT_ID_OVERFLOW) {
        name = S("?");
        file = S("");
        line = 0;
    }
    uint32_t index = find_or_add_name(n, id, name, file, line, &is_new);
    if (!is_new && n->v.v[index].is_assigned)
        return;
    n->n_collisions -= names_is_ambiguous(n, id);
    if (!is_new)
        unlink_name(n, index);
    n->v.v[index].is_assigned = true;
    link_name(n, index);
}

// Splits "<name>,<file>,<line>[,KERNEL_PROFILER]" from the end: a name may contain commas.
static const char *split_location(str location, str *name, str *file, str *number)
{
    static const char tail[] = ",KERNEL_PROFILER";
    if (str_ends(location, S(tail)))
        location.n -= sizeof tail - 1;
    size_t comma[2], n = 0;
    for (size_t i = location.n; i-- > 0 && n < 2;)
        if (location.p[i] == ',')
            comma[n++] = i;
    if (n < 2)
        return "fields are missing";
    *name = (str){location.p, comma[1]};
    *file = (str){location.p + comma[1] + 1, comma[0] - comma[1] - 1};
    *number = str_trim(str_from(location, comma[0] + 1));
    return NULL;
}

static bool parse_line_number(str number, int64_t *line, const char **why)
{
    int64_t v = 0;
    *why = number.n ? NULL : "empty";
    for (size_t i = 0; i < number.n && !*why; i++) {
        unsigned d = (unsigned char)number.p[i] - (unsigned)'0';
        if (d > 9)
            *why = "not a number";
        else if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, d, &v))
            *why = "too large";
    }
    *line = v;
    return !*why;
}

// Only the first warnings are printed; all are counted.
static bool is_said(struct zone_names *n)
{
    enum { SAID = 20 };
    return n->n_malformed++ < SAID;
}

void names_add_hashed(struct zone_names *n, str location)
{
    str name, file, number;
    int64_t line;
    const char *why;
    if (split_location(location, &name, &file, &number)) {
        if (is_said(n))
            buf_printf(&n->warnings,
                       "Skipping malformed zone source location entry: %.*s\n",
                       STR(str_clip(location, 400)));
        return;
    }
    if (!parse_line_number(number, &line, &why)) {
        if (is_said(n))
            buf_printf(
                &n->warnings,
                "Skipping zone source location entry '%.*s' with invalid line number '%.*s': %s\n",
                STR(str_clip(location, 400)), STR(str_clip(number, 40)), why);
        return;
    }
    bool is_new;
    uint32_t id = zone_fold(location);
    uint32_t index = find_or_add_name(n, id, name, file, line, &is_new);
    if (!is_new)
        return;
    const struct zone_name *there = names_find(n, id);
    // The loader knows the location of its id, so this is not a collision.
    if (there && !there->is_assigned && !there->next)
        n->n_collisions++;
    link_name(n, index);
}

const struct zone_name *names_find(const struct zone_names *n, uint32_t id)
{
    return id <= UINT16_MAX && n->first[id] ? &n->v.v[n->first[id] - 1] : NULL;
}

// --- ids with several candidates -------------------------------------------------------

static const struct zone_name *next_of(const struct zone_names *n,
                                       const struct zone_name *z)
{
    return z->next ? &n->v.v[z->next - 1] : NULL;
}

bool names_is_ambiguous(const struct zone_names *n, uint32_t id)
{
    const struct zone_name *z = names_find(n, id);
    return z && !z->is_assigned && z->next;
}

static bool is_one_of(str name, const char *const *list)
{
    for (; *list; list++)
        if (str_is(name, *list))
            return true;
    return false;
}

// Could the marker come from this location? A few firmware zones have names that tell place
// and RISC; the data markers of dispatch kernels are known by name as well.
enum fit { FITS_NOT, FITS_PERHAPS, FITS };

static enum fit fits_firmware(const struct zone_name *z, const struct zone_hint *h)
{
    enum zone_place place = str_ends(z->name, S("-FW")) ? PLACE_MAIN : PLACE_CHILD;
    str family = str_starts(h->risc, S("TRISC")) ? S("TRISC") : h->risc;
    // "ERISC-IDLE-FW", "IDLE-ERISC-KERNEL", "SUBORDINATE-ACTIVE-ERISC1-FW"
    bool is_here =
        str_is(h->risc, "ERISC") ? str_has(z->name, family) : str_starts(z->name, family);
    bool is_anybody =
        str_starts(h->risc, S("QUASAR")) || str_is(h->risc, "TENSIX_RISC_AGG");
    if (h->packet > TT_PACKET_ZONE_END || !(is_here || is_anybody))
        return FITS_NOT;
    return h->is_anywhere ? FITS_PERHAPS : h->place == place ? FITS : FITS_NOT;
}

static enum fit match_candidate(const struct zone_name *z, const struct zone_hint *h)
{
    static const char *const data[] = {"process_cmd_d_dispatch",
                                       "process_cmd_h_dispatch",
                                       "process_cmd_d_dispatch_subordinate",
                                       "packed_data_dispatch",
                                       "packed_large_data_dispatch",
                                       "packed_large_unicast_data_dispatch",
                                       "runtime_host_id_dispatch",
                                       NULL};
    static const char *const sums[] = {"CB-COMPUTE-WAIT-FRONT", "CB-COMPUTE-RESERVE-BACK",
                                       NULL};
    bool is_data = h->packet == TT_PACKET_TS_DATA || h->packet == TT_PACKET_TS_DATA_16B;
    if (is_one_of(z->name, data))
        return is_data ? FITS : FITS_NOT;
    if (is_one_of(z->name, sums))
        return h->packet == TT_PACKET_ZONE_TOTAL ? FITS : FITS_NOT;
    if (str_ends(z->name, S("-FW")) || str_ends(z->name, S("-KERNEL")))
        return fits_firmware(z, h);
    return h->place == PLACE_CUSTOM || h->is_anywhere ? FITS_PERHAPS : FITS_NOT;
}

str names_pick(const struct zone_names *n, uint32_t id, const struct zone_hint *hint,
               struct arena *a, const struct zone_name **which)
{
    const struct zone_name *first = names_find(n, id);
    enum fit best = FITS_NOT;
    for (const struct zone_name *z = first; z; z = next_of(n, z))
        best = match_candidate(z, hint) > best ? match_candidate(z, hint) : best;
    struct buf b = {0};
    *which = NULL;
    for (const struct zone_name *z = first; z; z = next_of(n, z)) {
        if (match_candidate(z, hint) != best)
            continue;
        if (!*which)
            *which = z;
        if (b.n)
            buf_char(&b, '|');
        buf_str(&b, z->name);
    }
    str joined = arena_str(a, buf_view(&b));
    buf_free(&b);
    return joined;
}
