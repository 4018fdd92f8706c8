// fuzz_dump.c - any bytes as a folder of dumps: dump.json, then names, then the bytes that
// all its other files have, each separated from the next by a zero byte. What can be read
// is decoded.
#include "collect/decode/decode.h"
#include "collect/readout/dump.h"
#include "fuzz.h"

struct parts {
    str json, names, words;
};

// Files differ by where they start, and some are not there.
static bool open_part(void *context, const char *name, struct file *f, struct err *e)
{
    const struct parts *p = context;
    *f = (struct file){0};
    unsigned number = 0;
    for (const char *c = name; *c; c++)
        number = number * 31 + (unsigned char)*c;
    if (strstr(name, "dump.json"))
        f->text = p->json;
    else if (strstr(name, ".bin"))
        f->text = str_from(p->words, (size_t)4 * (number % 16));
    else
        f->text = p->names;
    if (strstr(name, ".bin") && number % 7 == 0)
        return err_set(e, ERR_IO, "%s: not there", name);
    return true;
}

static void check_block(const struct collection *c, const struct word_block *b)
{
    must(b->chip < c->chips.n);
    const struct chip_record *chip = &c->chips.v[b->chip];
    must(b->core < chip->n_cores);
    must(b->risc < core_riscs(&chip->cores[b->core]));
    must(b->readout < c->n_readouts);
    must(b->n + b->n_missing <= (1u << 30) / 4);
    uint32_t sum = 0;
    for (size_t i = 0; i < b->n; i++)
        sum += b->words[i];
    must(sum + 1 != sum);
}

static void decode(struct collection *c)
{
    struct trace t = {0};
    struct decoder *d = decoder_new(c);
    decoder_run(d, &t, true);
    decoder_free(d);
    trace_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const folders[] = {"", "readout_2/"};
    str rest = {(const char *)data, size};
    struct parts p;
    p.json = str_cut(&rest, '\0');
    p.names = str_cut(&rest, '\0');
    p.words = rest;
    static struct collection all; // the table of names is large
    struct collection *c = memset(&all, 0, sizeof all);
    struct buf warnings = {0};
    struct err e = {0};
    struct dump_source source = {&p, open_part};
    profiler_options_default(&c->options);
    bool ok = dump_read_from(c, &source, folders, 2, &warnings, &e);
    must(ok == (e.code == ERR_NONE));
    must(ok || (e.code == ERR_FORMAT && e.text[0]));
    must(!ok || c->chips.n > 0);
    for (size_t i = 0; i < c->blocks.n; i++)
        check_block(c, &c->blocks.v[i]);
    if (ok)
        decode(c);
    buf_free(&warnings);
    collection_free(c);
    return 0;
}
