// sample_timeline.c - making logs and reading pages.
#include "sample_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/zlib_stream.h"
#include "base/text/num.h"

#include "analyse/fold/pair.h"
#include "formats/device_log/device_log.h"

// --- logs ---

void sample_start(struct sample_timeline *s)
{
    *s = (struct sample_timeline){0};
    buf_z(&s->log,
          "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
          "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles "
          "since reset], data, run host ID, trace id, trace id counter, zone name, "
          "type, source line, source file, meta data\n");
}

void sample_marker(struct sample_timeline *s, const char *track, const char *name,
                   bool is_start, uint64_t time)
{
    unsigned id = 1; // the same name is the same zone
    for (const char *c = name; *c; c++)
        id = (id * 31 + (unsigned char)*c) % 65536;
    buf_printf(&s->log, "%s,%u,%llu,0,1024,,,%s,%s,7,%s.cc,\n", track, id,
               (unsigned long long)time, name, is_start ? "ZONE_START" : "ZONE_END", name);
}

void sample_zone(struct sample_timeline *s, const char *track, const char *name,
                 uint64_t start, uint64_t end)
{
    sample_marker(s, track, name, true, start);
    sample_marker(s, track, name, false, end);
}

static uint64_t next_random(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

struct filler {
    struct sample_timeline *s;
    const char *track;
    uint64_t random, time;
    size_t n_left;
};

static void fill_zone(struct filler *f, unsigned depth)
{
    static const char *const names[] = {"load", "store", "compute", "wait", "</script>"};
    const char *name = names[next_random(&f->random, 5)];
    sample_marker(f->s, f->track, name, true, f->time);
    f->n_left--;
    f->time += next_random(&f->random, 3);
    while (depth < 4 && f->n_left && next_random(&f->random, 2))
        fill_zone(f, depth + 1);
    // Most are short, some are very long.
    f->time += next_random(&f->random, next_random(&f->random, 8) ? 20 : 100000);
    sample_marker(f->s, f->track, name, false, f->time);
    f->time += next_random(&f->random, next_random(&f->random, 8) ? 3 : 30000);
}

void sample_fill(struct sample_timeline *s, size_t n_zones)
{
    static const char *const tracks[] = {"0,2,1,TRISC_0", "0,1,1,NCRISC", "0,2,1,BRISC",
                                         "1,1,2,BRISC",   "0,1,1,BRISC",  "1,3,1,ERISC",
                                         "0,1,2,BRISC"};
    enum { TRACKS = sizeof tracks / sizeof *tracks };
    for (size_t i = 0; i < TRACKS; i++) {
        struct filler f = {s, tracks[i], i, 11017522886706 + i * 13, n_zones / TRACKS};
        while (f.n_left)
            fill_zone(&f, 0);
    }
    sample_marker(s, tracks[0], "unended", true, UINT64_C(11022522886706));
}

void sample_read(struct sample_timeline *s)
{
    struct err e = {0};
    assert_true(device_log_read_text(&s->trace, buf_view(&s->log), "log.csv", &e));
    pair_zones(&s->trace);
    device_ops_find(&s->ops, &s->trace);
    s->page.trace = &s->trace;
    s->page.ops = &s->ops;
}

void sample_write(struct sample_timeline *s)
{
    char folder[] = "unit-XXXXXX", path[32];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/page.html", folder);
    struct err e = {0};
    struct file f;
    assert_true(timeline_write(&s->page, path, &e));
    assert_true(file_open(path, &f, &e));
    s->html.n = 0;
    buf_str(&s->html, f.text);
    file_close(&f);
    assert_int_equal(0, unlink(path));
    assert_int_equal(0, rmdir(folder));
}

void sample_timeline_end(struct sample_timeline *s)
{
    device_ops_free(&s->ops);
    trace_free(&s->trace);
    buf_free(&s->html);
    buf_free(&s->log);
}

// --- the document ---

// Text up to the bracket that closes the one it begins with.
static str balanced(str s)
{
    size_t depth = 0;
    bool is_text = false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (is_text && c == '\\')
            i++;
        else if (c == '"')
            is_text = !is_text;
        else if (!is_text && (c == '[' || c == '{'))
            depth++;
        else if (!is_text && (c == ']' || c == '}') && --depth == 0)
            return (str){s.p, i + 1};
    }
    fail_msg("no end");
    return s;
}

static str element(const struct sample_timeline *s, const char *id)
{
    char head[64];
    str rest;
    (void)snprintf(head, sizeof head, "id=\"%s\">", id);
    assert_true(str_after(buf_view(&s->html), str_of(head), &rest));
    rest.n = str_find(rest, S("</script>"));
    return rest;
}

str sample_value(const struct sample_timeline *s, const char *key)
{
    char quoted[64];
    str rest;
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", key);
    assert_true(str_after(element(s, "data"), str_of(quoted), &rest));
    if (rest.p[0] == '[' || rest.p[0] == '{')
        return balanced(rest);
    return str_cut(&rest, ',');
}

static void push_numbers(str text, sample_numbers *n)
{
    bool is_text = false;
    for (size_t i = 0; i < text.n; i++) {
        if (is_text && text.p[i] == '\\')
            i++;
        else if (text.p[i] == '"')
            is_text = !is_text;
        else if (!is_text && strchr("-0123456789", text.p[i])) {
            char *end;
            vec_push(n, strtoll(text.p + i, &end, 10));
            i = (size_t)(end - text.p) - 1;
        }
    }
}

void sample_numbers_of(const struct sample_timeline *s, const char *key, sample_numbers *n)
{
    push_numbers(sample_value(s, key), n);
}

str sample_text_at(const struct sample_timeline *s, const char *key, size_t index)
{
    str rest = sample_value(s, key), text = {0};
    for (size_t i = 0; i <= index; i++) {
        assert_true(str_after(rest, S("\""), &rest));
        text = str_cut(&rest, '"');
    }
    return text;
}

void sample_tracks(const struct sample_timeline *s, const char *key, sample_numbers *n)
{
    char quoted[64];
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", key);
    str rest = sample_value(s, "tracks");
    while (str_after(rest, str_of(quoted), &rest)) {
        str copy = rest;
        int64_t v;
        assert_true(num_int(str_cut(&copy, ','), &v));
        vec_push(n, v);
    }
}

// --- blocks ---

static struct buf from_base64(str text)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct buf b = {0};
    assert_int_equal(0, text.n % 4);
    uint32_t bits = 0;
    for (size_t i = 0; i < text.n; i++) {
        const char *at = text.p[i] == '=' ? digits : strchr(digits, text.p[i]);
        assert_non_null(at);
        bits = bits << 6 | (uint32_t)(at - digits);
        for (int shift = 16; i % 4 == 3 && shift >= 0; shift -= 8)
            buf_char(&b, (char)(bits >> shift & 0xFF));
    }
    b.n -= text.n && text.p[text.n - 1] == '=';
    b.n -= text.n && text.p[text.n - 2] == '=';
    return b;
}

static struct buf unpacked(str packed)
{
    struct buf b = {0};
    z_stream z = zlib_stream();
    assert_int_equal(Z_OK, inflateInit(&z));
    z.next_in = (const unsigned char *)packed.p;
    z.avail_in = (unsigned)packed.n;
    int status = Z_OK;
    while (status == Z_OK) {
        z.next_out = (unsigned char *)buf_room(&b, 65536);
        z.avail_out = 65536;
        status = inflate(&z, Z_NO_FLUSH);
        b.n += 65536 - z.avail_out;
    }
    assert_int_equal(Z_STREAM_END, status);
    assert_int_equal(0, z.avail_in);
    (void)inflateEnd(&z);
    return b;
}

static uint64_t take_number(str *s)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(s->n > 0 && shift < 64);
        unsigned char c = (unsigned char)s->p[0];
        *s = (str){s->p + 1, s->n - 1};
        v |= (uint64_t)(c & 0x7F) << shift;
        if (c < 0x80)
            return v;
    }
}

void sample_page_block(const struct sample_timeline *s, const char *id,
                       const int64_t *counts, size_t n_tracks, struct sample_bars *bars)
{
    struct buf packed = from_base64(element(s, id));
    struct buf bytes = unpacked(buf_view(&packed));
    str rest = buf_view(&bytes);
    *bars = (struct sample_bars){0};
    bool has_runs = strcmp(id, "zones") == 0;
    for (int column = 0; column < 5; column++) {
        for (size_t k = 0; k < n_tracks; k++) {
            uint64_t sum = 0;
            for (int64_t i = 0; i < counts[k]; i++) {
                uint64_t v = take_number(&rest);
                uint64_t step = column == 4 ? (v >> 1) ^ (0 - (v & 1)) : v;
                sum += step;
                switch (column) {
                case 0: vec_push(&bars->start, sum); break;
                case 1: vec_push(&bars->duration, v); break;
                case 2: vec_push(&bars->site, v); break;
                case 3: vec_push(&bars->depth, v); break;
                default: vec_push(&bars->more, has_runs ? sum : v); break;
                }
            }
        }
    }
    assert_int_equal(0, rest.n);
    buf_free(&packed);
    buf_free(&bytes);
}

void sample_bars_free(struct sample_bars *bars)
{
    vec_free(&bars->start);
    vec_free(&bars->duration);
    vec_free(&bars->site);
    vec_free(&bars->depth);
    vec_free(&bars->more);
}
