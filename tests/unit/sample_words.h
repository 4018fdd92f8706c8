// sample_words.h - words of a chip, decoded: the rows of the log as text.
#ifndef TTP_TESTS_SAMPLE_WORDS_H
#define TTP_TESTS_SAMPLE_WORDS_H

#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "../support/words.h"
#include "formats/device_log/device_log_write.h"
#include "test.h"

struct sample_words {
    struct collection c;
    struct decoder *d;
    struct words w;
    struct trace t; // of the last decoding
    struct buf rows;
};

static inline struct sample_words *sample_words_new(void)
{
    struct sample_words *s = mem_alloc(sizeof *s);
    words_collection(&s->c);
    s->d = decoder_new(&s->c);
    return s;
}

static inline void sample_words_free(struct sample_words *s)
{
    decoder_free(s->d);
    collection_free(&s->c);
    trace_free(&s->t);
    words_free(&s->w);
    buf_free(&s->rows);
    mem_free(s);
}

// The words so far become a block.
static inline struct word_block *sample_words_block(struct sample_words *s, uint32_t core,
                                                    uint8_t risc)
{
    struct word_block *b = words_add(&s->c, core, risc, &s->w);
    s->w.v.n = 0;
    return b;
}

// The log of a trace must read back as the same trace.
static inline void sample_words_read_back(const struct trace *t, str text)
{
    struct trace back = {0};
    struct err e = {0};
    if (!device_log_read_text(&back, text, "back", &e))
        fail_msg("%s", e.text);
    const char *what = differs_in_tables(t, &back);
    for (size_t k = 0; !what && k < t->tracks.n; k++)
        what = differs_in_track(t, &back, k);
    if (what)
        fail_msg("read back it differs in %s", what);
    assert_int_equal(back.n_rows, t->n_rows);
    trace_free(&back);
}

// Decodes what has gathered; its rows are appended.
static inline void sample_words_decode(struct sample_words *s, bool is_last)
{
    struct memory_file m = memory_file_make(S(""));
    struct file f;
    struct err e = {0};
    trace_free(&s->t);
    decoder_run(s->d, &s->t, is_last);
    collection_drop_blocks(&s->c);
    assert_null(law_of_markers(&s->t));
    if (!device_log_write(&s->t, m.path, true, &e) || !file_open(m.path, &f, &e))
        fail_msg("%s", e.text);
    if (!s->t.is_legacy && s->t.n_rows)
        sample_words_read_back(&s->t, f.text);
    str text = f.text;
    (void)str_cut(&text, '\n');
    (void)str_cut(&text, '\n');
    buf_str(&s->rows, text);
    file_close(&f);
    memory_file_free(&m);
}

// All rows, without what they have in common: time, type, name, data, run, meta data.
static inline str sample_words_short(struct sample_words *s, struct buf *b)
{
    for (str text = buf_view(&s->rows); text.n;) {
        str row = str_cut(&text, '\n'), cell[15];
        for (int i = 0; i < 15; i++)
            cell[i] = i < 14 ? str_cut(&row, ',') : row;
        buf_printf(b, "%.*s %.*s %.*s %.*s", STR(cell[3]), STR(cell[5]), STR(cell[11]),
                   STR(cell[10].n ? cell[10] : cell[4]));
        if (!str_is(cell[6], "0"))
            buf_printf(b, " =%.*s", STR(cell[6]));
        if (!str_is(cell[7], "0"))
            buf_printf(b, " #%.*s", STR(cell[7]));
        if (cell[8].n)
            buf_printf(b, " t%.*s.%.*s", STR(cell[8]), STR(cell[9]));
        if (cell[14].n)
            buf_printf(b, " %.*s", STR(cell[14]));
        buf_char(b, '\n');
    }
    return buf_view(b);
}

static inline void sample_words_are(struct sample_words *s, str want, const char *file,
                                    int line)
{
    struct buf b = {0};
    test_str_is(sample_words_short(s, &b), want, file, line);
    buf_free(&b);
}
#define ROWS_ARE(sample, text) sample_words_are((sample), S(text), __FILE__, __LINE__)

#endif
