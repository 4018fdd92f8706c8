// memory.c - fills and reads device memory as the command line requests.
#include "app/sim/memory.h"

#include <inttypes.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "ttprof/host.h"

enum { PAGE = 2048 };
static const size_t most_bytes = (size_t)1 << 30;

// --- what the options say --------------------------------------------------------------
bool memory_number(str text, uint64_t *out)
{
    int64_t v;
    if (!str_starts(text, S("0x"))) {
        bool is_whole = num_int(text, &v) && v >= 0;
        *out = is_whole ? (uint64_t)v : 0;
        return is_whole;
    }
    *out = 0;
    for (size_t i = 2; i < text.n; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *at = memchr(digits, text.p[i] | ' ', sizeof digits - 1);
        if (!at || *out >> 60)
            return false;
        *out = *out << 4 | (uint64_t)(at - digits);
    }
    return text.n > 2;
}

bool memory_core(str text, ttdev_xy *out)
{
    uint64_t x, y;
    str across = str_cut(&text, ',');
    if (!memory_number(across, &x) || !memory_number(text, &y) || x > 99 || y > 99)
        return false;
    *out = (ttdev_xy){(int)x, (int)y};
    return true;
}

static bool parse_place(str text, struct memory_place *out)
{
    uint64_t bank;
    str kind = str_cut(&text, ':');
    out->is_dram = str_eq_nocase(kind, S("DRAM"));
    out->bank = -1;
    if (!out->is_dram && !str_eq_nocase(kind, S("L1")))
        return false;
    bool is_one = str_has(text, S(":")); // one bank, one core
    str number = is_one ? str_cut(&text, ':') : (str){0};
    if (is_one && out->is_dram) {
        if (!memory_number(number, &bank) || bank > INT16_MAX)
            return false;
        out->bank = (int)bank;
    }
    out->has_core = is_one && !out->is_dram;
    out->core.space = TTDEV_LOGICAL;
    if (out->has_core && !memory_core(number, &out->core.at))
        return false;
    return memory_number(text, &out->address) &&
           (out->is_dram || out->address <= UINT32_MAX);
}

bool memory_to_write(const char *text, struct memory_place *out, struct err *e)
{
    str rest = str_of(text), place = str_cut(&rest, '=');
    *out = (struct memory_place){.text = text, .file = rest.p};
    if (parse_place(place, out) && rest.n)
        return true;
    return err_set(
        e, ERR_USAGE,
        "--write: '%s' is not a place and a file, such as L1:0x30000=FILE, DRAM:0x1000000=FILE or DRAM:BANK:0x1000000=FILE",
        text);
}

bool memory_to_read(const char *text, struct memory_place *out, struct err *e)
{
    str rest = str_of(text), bytes = str_cut(&rest, '='), place = str_cut(&bytes, '+');
    uint64_t n = 0;
    *out = (struct memory_place){.text = text, .file = rest.n ? rest.p : NULL};
    if (!parse_place(place, out) || !memory_number(bytes, &n) ||
        (!rest.n && strchr(text, '=')))
        return err_set(
            e, ERR_USAGE,
            "--read: '%s' is not a place and a length, such as L1:0x30000+64, DRAM:0x1000000+4096 or DRAM:BANK:0x1000000+32=FILE",
            text);
    if (n == 0 || n > most_bytes)
        return err_set(e, ERR_USAGE, "--read: '%s': the length must be between 1 and %zu",
                       text, most_bytes);
    out->bytes = (size_t)n;
    return true;
}

// --- the device ------------------------------------------------------------------------
static bool refused(ttdev *t, const struct memory_place *place, struct err *e)
{
    return err_set(e, ERR_USAGE, "%s: %s", place->text, ttdev_error(t));
}

static struct memory_cores cores_of(const struct memory_place *place,
                                    struct memory_cores running)
{
    return place->has_core ? (struct memory_cores){&place->core, 1} : running;
}

// One access per page, or one for all.
static int dram_each(ttdev *t, const struct memory_place *place, char *data, size_t n,
                     bool is_write)
{
    ttdev_info info;
    int code = ttdev_get_info(t, 0, &info);
    for (size_t at = 0; at < n && !code;) {
        size_t page = at / PAGE, more = n - at;
        int bank = place->bank;
        uint64_t address = place->address;
        if (bank < 0) {
            bank = (int)(page % (size_t)info.n_banks);
            address += page / (size_t)info.n_banks * PAGE;
            more = more < PAGE ? more : PAGE;
        }
        code = is_write ? ttdev_dram_write(t, 0, bank, address, data + at, more)
                        : ttdev_dram_read(t, 0, bank, address, data + at, more);
        at += more;
    }
    return code;
}

bool memory_write(ttdev *t, const struct memory_place *place, struct memory_cores cores,
                  struct err *e)
{
    TTPROF_ZONE("WriteMemory");
    struct file f;
    if (!file_open(place->file, &f, e))
        return false;
    struct buf data = {0};
    buf_str(&data, f.text);
    file_close(&f);
    int code = 0;
    cores = cores_of(place, cores);
    if (place->is_dram)
        code = dram_each(t, place, data.p, data.n, true);
    for (size_t i = 0; !place->is_dram && i < cores.n && !code; i++)
        code = ttdev_l1_write(t, 0, cores.v[i], (uint32_t)place->address, data.p, data.n);
    buf_free(&data);
    return code ? refused(t, place, e) : true;
}

bool memory_read(ttdev *t, const struct memory_place *place, struct memory_cores cores,
                 struct buf *out, struct err *e)
{
    TTPROF_ZONE("ReadMemory");
    int code = 0;
    cores = cores_of(place, cores);
    for (size_t i = 0; i < (place->is_dram ? 1 : cores.n) && !code; i++) {
        char *to = buf_room(out, place->bytes);
        code = place->is_dram ? dram_each(t, place, to, place->bytes, false)
                              : ttdev_l1_read(t, 0, cores.v[i], (uint32_t)place->address,
                                              to, place->bytes);
        out->n += code ? 0 : place->bytes;
    }
    return code ? refused(t, place, e) : true;
}

// --- as text ---------------------------------------------------------------------------
void memory_dump(const struct memory_place *place, struct memory_cores cores, str bytes,
                 struct buf *out)
{
    cores = cores_of(place, cores);
    for (size_t at = 0; at < bytes.n; at++) {
        size_t in = at % place->bytes; // every core's part starts anew
        if (in == 0 && !place->is_dram && cores.n > 1) {
            ttdev_xy core = cores.v[at / place->bytes].at;
            buf_printf(out, "core %d,%d\n", core.x, core.y);
        }
        if (in % 16 == 0)
            buf_printf(out, "%08" PRIx64 ":", place->address + in);
        buf_printf(out, " %02x", (unsigned)(unsigned char)bytes.p[at]);
        if (in % 16 == 15 || in + 1 == place->bytes)
            buf_char(out, '\n');
    }
}
