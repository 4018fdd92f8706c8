// report.c - fault texts: cores by both coordinates, RISCs by name, code by function.
//
// The texts are stable; tests compare them byte for byte. Cycles are wall clock cycles, as
// in the log.
#include "sim/report/report.h"

#include "base/text/buf.h"

#include "sim/dispatch/cores.h"
#include "sim/report/report_parts.h"
#include "sim/tile/code.h"

const char *risc_number_name(int risc)
{
    static const char *const names[] = {"BRISC",   "NCRISC",  "TRISC_0",
                                        "TRISC_1", "TRISC_2", "ERISC"};
    return risc >= 0 && risc <= TTDEV_ERISC ? names[risc] : "RISC ?";
}

const char *risc_name(const struct tile *tile, unsigned risc)
{
    return risc_number_name(tile->kind == TILE_ETH ? TTDEV_ERISC : (int)risc);
}

// --- places ----------------------------------------------------------------------------
void report_core(struct buf *out, const struct tile *tile)
{
    if (tile->kind == TILE_ETH)
        buf_printf(out, "Ethernet core %d", tile->channel);
    else
        buf_printf(out, "core %d,%d", tile->logical.x, tile->logical.y);
    buf_printf(out, " (NOC0 %d-%d)", tile->noc0.x, tile->noc0.y);
}

const struct code *report_code(const struct risc *risc, uint32_t pc)
{
    for (int i = 0; i < CODES; i++)
        if (risc->code[i].image && pc - risc->code[i].base < risc->code[i].bytes)
            return &risc->code[i];
    return NULL;
}

// Bundled images are named by chip, variant and RISC, which the reader knows.
static const char *short_name(const struct ttdev_image *image)
{
    const char *name = image->name;
    if (!str_starts(str_of(name), S("wormhole/")) &&
        !str_starts(str_of(name), S("blackhole/")))
        return name;
    for (int i = 0; i < 3 && strchr(name, '/'); i++)
        name = strchr(name, '/') + 1;
    return name;
}

void report_place(struct buf *out, const struct risc *risc, uint32_t pc, bool with_pc)
{
    const struct code *code = report_code(risc, pc);
    uint32_t offset = 0;
    const char *symbol = code_symbol(code, pc, &offset);
    if (with_pc || !*symbol)
        buf_printf(out, " 0x%X", pc);
    if (*symbol)
        buf_printf(out, " %s+0x%x", symbol, offset);
    if (code)
        buf_printf(out, " (%s)", short_name(code->image));
}

uint64_t report_cycle(const struct tile *tile, uint64_t cycle)
{
    return tile->chip->boot_cycles + tile->skew + cycle;
}

void report_text(struct chip *chip, struct buf *text)
{
    static const char more[] = "  ...\n";
    size_t room = sizeof chip->fault_text - 1, n = text->n;
    bool is_cut = n > room;
    if (is_cut) {
        n = room - sizeof more;
        while (n && text->p[n - 1] != '\n')
            n--;
    }
    if (n)
        memcpy(chip->fault_text, text->p, n);
    chip->fault_text[n] = 0;
    if (is_cut)
        memcpy(chip->fault_text + n, more, sizeof more);
    else if (n && chip->fault_text[n - 1] == '\n')
        chip->fault_text[n - 1] = 0;
    buf_free(text);
}

// --- faults ----------------------------------------------------------------------------
// The memory access of an instruction, decoded from its word.
struct access_words {
    const char *noun, *preposition;
    unsigned bytes;
};

static struct access_words access_at(const struct tile *tile, uint32_t pc)
{
    uint32_t word = 0;
    if (pc % 4 == 0 && pc + 4 <= tile->l1_bytes)
        memcpy(&word, tile->l1 + pc, sizeof word);
    unsigned bytes = 1u << (word >> 12 & 3);
    if ((word & 0x7F) == 0x23)
        return (struct access_words){"store", "to", bytes};
    if ((word & 0x7F) == 0x03)
        return (struct access_words){"load", "from", bytes};
    return (struct access_words){"access", "to", bytes};
}

// $a address, $c the same as a number, $v value, $x $y
// coordinates in the value; $l stack limit; $w the device's text; $n $d $b noun,
// preposition and bytes of the access.
static const struct fault_text {
    const char *text;
    const char *said; // if the device gives a text; NULL: same as without
} fault_texts[FAULT_KINDS] = {
    [FAULT_ILLEGAL] = {"illegal instruction $a", NULL},
    [FAULT_PC] = {"jump to $a, which has no code", NULL},
    [FAULT_UNMAPPED] = {"$n $d unmapped address $a", "$w: $a"},
    [FAULT_MISALIGNED] = {"$n of $b $d misaligned address $a", NULL},
    [FAULT_NOC_TARGET] = {"NoC command to $x,$y, address $a: no tile or bank there",
                          "NoC command to $x,$y, address $a: $w"},
    [FAULT_NOC_RANGE] = {"NoC command to $x,$y, address $a: crosses the end of the memory",
                         "NoC command to $x,$y, address $a: $w"},
    [FAULT_NOC_COMMAND] = {"NoC command to $x,$y, address $a: invalid",
                           "NoC command to $x,$y, address $a: $w"},
    [FAULT_CB_WRAP] = {"push or pop across the end of CB $c", NULL},
    [FAULT_ENGINE] = {"compute engine: misuse", "compute engine: $w"},
    [FAULT_STACK] = {"stack pointer $a is below the stack limit $l", NULL},
    [FAULT_ETH] = {"Ethernet port: misuse", "Ethernet port: $w"},
    [FAULT_DISPATCH] = {NULL, "dispatch command $c: $w"},
    [FAULT_DRAM_CAP] = {"NoC write to DRAM bank $v, address $a: dram_cap reached", NULL},
};

static void put_field(struct buf *out, char field, const struct tile *tile)
{
    const struct fault *f = &tile->fault;
    struct access_words access = access_at(tile, f->pc);
    switch (field) {
    case 'a': buf_printf(out, "0x%08X", f->address); break;
    case 'c': buf_printf(out, "%u", f->address); break;
    case 'l': buf_printf(out, "0x%08X", tile->risc[f->risc].stack_limit); break;
    case 'v': buf_printf(out, "%u", f->value); break;
    case 'x': buf_printf(out, "%u", f->value & 0xFF); break;
    case 'y': buf_printf(out, "%u", f->value >> 8 & 0xFF); break;
    case 'w': buf_z(out, f->what); break;
    case 'n': buf_z(out, access.noun); break;
    case 'd': buf_z(out, access.preposition); break;
    default: buf_printf(out, "%u byte%s", access.bytes, &"s"[access.bytes == 1]); break;
    }
}

static const char *sentence_of(const struct tile *tile)
{
    const struct fault *f = &tile->fault;
    const struct fault_text *form = &fault_texts[f->kind];
    if (f->what && form->said)
        return form->said;
    if (f->kind == FAULT_PC && f->pc == f->address)
        return "execution at $a, which has no code";
    if (f->kind == FAULT_MISALIGNED && f->address % access_at(tile, f->pc).bytes == 0)
        return "$n of $b $d $a, which accepts only whole words";
    return form->text;
}

static void put_sentence(struct buf *out, const struct tile *tile)
{
    for (const char *at = sentence_of(tile); *at; at++)
        if (*at == '$')
            put_field(out, *++at, tile);
        else
            buf_char(out, *at);
}

static void put_fault(struct buf *out, const struct tile *tile)
{
    const struct fault *f = &tile->fault;
    bool by_risc = f->risc < tile->n_riscs;
    buf_printf(out, "device %d, ", tile->chip->number);
    report_core(out, tile);
    if (by_risc)
        buf_printf(out, ", %s", risc_name(tile, f->risc));
    buf_printf(out, ", cycle %llu: ", (unsigned long long)report_cycle(tile, f->cycle));
    if (dispatch_core_queue(tile) >= 0)
        buf_printf(out, "queue %d: ", dispatch_core_queue(tile));
    put_sentence(out, tile);
    // A write refused by DRAM was issued long ago.
    if (!by_risc || f->kind == FAULT_DRAM_CAP)
        return;
    const struct risc *risc = &tile->risc[f->risc];
    // The network interface faults in the middle of a store: use the RISC's pc.
    buf_z(out, "\n  pc");
    report_place(out, risc, f->pc ? f->pc : risc->pc, true);
}

void report_fault(struct chip *chip)
{
    const struct tile *first = NULL;
    for (int i = 0; i < chip->n_tiles; i++) {
        const struct tile *tile = &chip->tiles[i];
        if (tile->fault.kind != FAULT_NONE &&
            (!first || tile->fault.cycle < first->fault.cycle))
            first = tile;
    }
    struct buf text = {0};
    if (first)
        put_fault(&text, first);
    report_text(chip, &text);
}
