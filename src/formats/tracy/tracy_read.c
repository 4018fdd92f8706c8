// tracy_read.c - .tracy files: versions, the order of the sections, damage.
#include <inttypes.h>

#include "base/data/sort.h"
#include "base/file/file.h"

#include "formats/diags.h"
#include "formats/tracy/tracy_file.h"
#include "formats/tracy/tracy_in.h"

bool tracy_is_file(str head)
{
    struct tracy_container c;
    return tracy_container_of(head, &c);
}

static unsigned version_number(const uint8_t *v)
{
    return (unsigned)v[0] << 16 | (unsigned)v[1] << 8 | v[2];
}

// Only versions whose layout is known are read: a wrong guess would give wrong numbers.
static bool take_version(struct tracy_in *in, struct err *e)
{
    struct tracy *t = in->t;
    if (memcmp(tracy_in_take(in, 5), "tracy", 5) != 0)
        return err_set(e, ERR_FORMAT,
                       "the payload is not a Tracy trace; the file is damaged");
    memcpy(t->version, tracy_in_take(in, sizeof t->version), sizeof t->version);
    unsigned v = version_number(t->version);
    if (in->is_cut)
        return err_set(e, ERR_FORMAT, "the file is cut off; copy it again");
    t->generation = v >= 0x000b00 ? TRACY_U14 : TRACY_F10;
    if ((v >= 0x000900 && v <= 0x000a00) || v == 0x000e00)
        return true;
    const char *advice =
        v < 0x000900   ? "save it again with the tool 'tracy-update' of Tracy 0.10"
        : v < 0x000e00 ? "save it again with the tool 'tracy-update' of Tracy 0.14"
                       : "a newer ttprof may read it";
    return err_set(e, ERR_FORMAT,
                   "it was written by Tracy %d.%d.%d; ttprof reads files of 0.9.0 to "
                   "0.10.0 and of 0.14.0: %s",
                   t->version[0], t->version[1], t->version[2], advice);
}

static void read_sections(struct tracy_in *in)
{
    tracy_read_head(in);
    tracy_read_frames(in);
    tracy_read_texts(in);
    tracy_read_places(in);
    tracy_read_locks(in);
    tracy_read_messages(in);
    tracy_read_threads(in);
    tracy_read_gpus(in);
    tracy_read_plots(in);
    tracy_read_memory(in);
    tracy_read_stacks(in);
    tracy_read_images(in);
    tracy_read_switches(in);
    tracy_read_symbols(in);
    if (!in->is_cut && (in->text.n || tracy_blocks_next(in->blocks, &in->text)))
        tracy_in_stop(in, "there is more after the end");
    sort_keys(in->t->keyed.v, in->t->keyed.n);
    sort_keys(in->t->thread_names.v, in->t->thread_names.n);
}

// What was wrong with the file, if anything: false then.
static bool check_end(const struct tracy_in *in, struct err *e)
{
    uint64_t at;
    const char *damage = tracy_blocks_damage(in->blocks, &at);
    if (damage)
        return err_set(e, ERR_FORMAT, "byte %" PRIu64 ": %s; copy or capture it again", at,
                       damage);
    if (in->wrong)
        return err_set(e, ERR_FORMAT,
                       "byte %" PRIu64 " of the payload: %s; copy or capture it again",
                       in->wrong_at, in->wrong);
    return true;
}

static bool read_payload(struct tracy_in *in, const char *path, bool is_strict,
                         struct err *e)
{
    if (!take_version(in, e))
        return err_in(e, "%s", path);
    read_sections(in);
    if (check_end(in, e))
        return true;
    if (is_strict)
        return err_in(e, "%s", path);
    if (diag_count(&in->t->diag, DIAG_TRACY_DAMAGED))
        diag_note(&in->t->diag, DIAG_TRACY_DAMAGED, "%s: %s", path, e->text);
    *e = (struct err){0};
    return true;
}

static bool read_file(struct tracy *t, const struct file *f, const char *path,
                      struct tracy_read_how how, struct err *e)
{
    struct tracy_container c;
    if (!tracy_container_of(f->text, &c))
        return err_set(e, ERR_FORMAT, "%s: not a .tracy file", path);
    struct tracy_in in = {.t = t, .blocks = tracy_blocks_open(f->text, c, f->is_mapped)};
    bool is_read = read_payload(&in, path, how.is_strict, e);
    tracy_blocks_close(in.blocks);
    vec_free(&in.texts);
    vec_free(&in.message_ids);
    return is_read;
}

bool tracy_read_text(struct tracy *t, str file, const char *path, struct tracy_read_how how,
                     struct err *e)
{
    struct file f = {.text = file};
    tracy_start(t, how.folder, how.folder ? how.held_most : 0);
    return read_file(t, &f, path, how, e);
}

bool tracy_read(struct tracy *t, const char *path, struct tracy_read_how how, struct err *e)
{
    struct file f;
    tracy_start(t, how.folder, how.folder ? how.held_most : 0);
    if (!file_open(path, &f, e))
        return false;
    bool is_read = read_file(t, &f, path, how, e);
    file_close(&f);
    return is_read;
}
