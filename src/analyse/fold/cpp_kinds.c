// cpp_kinds.c - the analyses of the runtime's report, and which markers fit them.
#include "analyse/fold/cpp_kinds.h"

enum risc {
    BRISC = 1 << 0,
    NCRISC = 1 << 1,
    TRISC_0 = 1 << 2,
    TRISC_1 = 1 << 3,
    TRISC_2 = 1 << 4,
    ERISC = 1 << 5,
    AGGREGATE = 1 << 6,
    QUASAR_DM = 1 << 7,
    QUASAR_NEO = 1 << 8,
    OTHER_RISC = 1 << 9,
    ANY_RISC = (1 << CPP_RISC_CLASSES) - 1,
};

static const struct {
    const char *name;
    enum risc risc;
    bool is_family; // more follows: QUASAR_DM0, QUASAR_NEO3_TRISC1
} riscs[] = {
    {"BRISC", BRISC, false},
    {"NCRISC", NCRISC, false},
    {"TRISC_0", TRISC_0, false},
    {"TRISC_1", TRISC_1, false},
    {"TRISC_2", TRISC_2, false},
    {"ERISC", ERISC, false},
    {"TENSIX_RISC_AGG", AGGREGATE, false},
    {"QUASAR_DM", QUASAR_DM, true},
    {"QUASAR_NEO", QUASAR_NEO, true},
};

enum word {
    FW = 1 << 0,
    KERNEL = 1 << 1,
    BRISC_KERNEL = 1 << 2,
    NCRISC_KERNEL = 1 << 3,
    TRISC_KERNEL = 1 << 4,
    ERISC_KERNEL = 1 << 5,
    DM_KERNEL = 1 << 6,
    DM_FW = 1 << 7,
    TRISC_FW = 1 << 8,
};

static const struct {
    const char *text;
    enum word word;
} words[] = {
    {"-FW", FW},
    {"-KERNEL", KERNEL},
    {"BRISC-KERNEL", BRISC_KERNEL},
    {"NCRISC-KERNEL", NCRISC_KERNEL},
    {"TRISC-KERNEL", TRISC_KERNEL},
    {"ERISC-KERNEL", ERISC_KERNEL},
    {"DM-KERNEL", DM_KERNEL},
    {"DM-FW", DM_FW},
    {"TRISC-FW", TRISC_FW},
};

const struct cpp_analysis cpp_analyses[CPP_ANALYSES] = {
    {"DEVICE TRACE FIRMWARE DURATION [ns]", .riscs = AGGREGATE, .words = FW},
    {"DEVICE TRACE KERNEL DURATION [ns]", .riscs = AGGREGATE, .words = KERNEL},
    {"DEVICE KERNEL FIRST TO LAST START [ns]", .riscs = ANY_RISC, .words = KERNEL,
     .is_from_start_to_start = true},
    [CPP_FIRMWARE] = {"DEVICE FW DURATION [ns]", "DEVICE FW START CYCLE",
                      "DEVICE FW END CYCLE", .riscs = ANY_RISC, .words = FW},
    [CPP_KERNEL] = {"DEVICE KERNEL DURATION [ns]", "DEVICE KERNEL START CYCLE",
                    "DEVICE KERNEL END CYCLE", .riscs = ANY_RISC, .words = KERNEL},
    [CPP_DATA_MOVER] = {"DEVICE KERNEL DURATION DM START [ns]",
                        "DEVICE KERNEL DM START CYCLE", "DEVICE KERNEL DM END CYCLE",
                        .riscs = BRISC | NCRISC | ERISC | QUASAR_DM,
                        .words = BRISC_KERNEL | NCRISC_KERNEL | ERISC_KERNEL | DM_KERNEL,
                        .end_riscs = ANY_RISC, .end_words = KERNEL},
    {"DEVICE BRISC KERNEL DURATION [ns]", .riscs = BRISC, .words = BRISC_KERNEL},
    {"DEVICE NCRISC KERNEL DURATION [ns]", .riscs = NCRISC, .words = NCRISC_KERNEL},
    {"DEVICE TRISC0 KERNEL DURATION [ns]", .riscs = TRISC_0, .words = TRISC_KERNEL},
    {"DEVICE TRISC1 KERNEL DURATION [ns]", .riscs = TRISC_1, .words = TRISC_KERNEL},
    {"DEVICE TRISC2 KERNEL DURATION [ns]", .riscs = TRISC_2, .words = TRISC_KERNEL},
    {"DEVICE ERISC KERNEL DURATION [ns]", .riscs = ERISC, .words = ERISC_KERNEL},
    {"DEVICE QUASAR_DM KERNEL DURATION [ns]", "DEVICE QUASAR_DM KERNEL START CYCLE",
     "DEVICE QUASAR_DM KERNEL END CYCLE", .riscs = ANY_RISC, .words = DM_KERNEL},
    {"DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]",
     "DEVICE QUASAR_NEO_TRISC KERNEL START CYCLE",
     "DEVICE QUASAR_NEO_TRISC KERNEL END CYCLE", .riscs = ANY_RISC, .words = TRISC_KERNEL},
    {"DEVICE DM FW DURATION [ns]", .riscs = ANY_RISC, .words = DM_FW},
    {"DEVICE TRISC FW DURATION [ns]", .riscs = ANY_RISC, .words = TRISC_FW},
};

unsigned cpp_risc_class(str risc)
{
    for (size_t i = 0; i < sizeof riscs / sizeof *riscs; i++)
        if (str_is(risc, riscs[i].name) ||
            (riscs[i].is_family && str_starts(risc, str_of(riscs[i].name))))
            return (unsigned)__builtin_ctz(riscs[i].risc);
    return CPP_RISC_CLASSES - 1;
}

static unsigned words_in(str name)
{
    unsigned found = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_has(name, str_of(words[i].text)))
            found |= words[i].word;
    return found;
}

static struct cpp_kind kind_of(unsigned risc, unsigned found, enum marker_type type)
{
    struct cpp_kind k = {.is_firmware = found & FW,
                         .is_quasar = risc & (QUASAR_DM | QUASAR_NEO)};
    for (unsigned i = 0; i < CPP_ANALYSES; i++) {
        const struct cpp_analysis *a = &cpp_analyses[i];
        unsigned end_riscs = a->end_riscs ? a->end_riscs : a->riscs;
        unsigned end_words = a->end_words ? a->end_words : a->words;
        enum marker_type end =
            a->is_from_start_to_start ? MARKER_ZONE_START : MARKER_ZONE_END;
        if (type == MARKER_ZONE_START && risc & a->riscs && found & a->words)
            k.start |= 1U << i;
        if (type == end && risc & end_riscs && found & end_words)
            k.end |= 1U << i;
    }
    return k;
}

// Its number from 1; 0 for markers that fit nothing.
static uint16_t number_kind(cpp_kinds *all, struct cpp_kind k)
{
    if (!k.start && !k.end && !k.is_firmware)
        return 0;
    size_t i = 0;
    while (i < all->n &&
           (all->v[i].start != k.start || all->v[i].end != k.end ||
            all->v[i].is_firmware != k.is_firmware || all->v[i].is_quasar != k.is_quasar))
        i++;
    if (i == all->n)
        vec_push(all, k);
    return (uint16_t)(i + 1);
}

uint16_t *cpp_kinds_find(const struct trace *t, cpp_kinds *all)
{
    bool is_there[CPP_RISC_CLASSES] = {0};
    size_t n = (t->sites.n + 1) * CPP_RISC_CLASSES;
    uint16_t *numbers = mem_alloc(mem_bytes(sizeof *numbers, n));
    for (size_t k = 0; k < t->tracks.n; k++)
        is_there[cpp_risc_class(trace_text(t, t->tracks.v[k].risc))] = true;
    for (size_t s = 0; s < t->sites.n; s++) {
        unsigned found = words_in(trace_text(t, t->sites.v[s].name));
        for (unsigned c = 0; found && c < CPP_RISC_CLASSES; c++)
            if (is_there[c])
                numbers[c * t->sites.n + s] =
                    number_kind(all, kind_of(1U << c, found, t->sites.v[s].type));
    }
    return numbers;
}
