// kernel.c - compiles kernels from source with the cross compiler.
//
// Headers, linker script and compiler options are embedded in this program and unpacked to
// a temporary folder, so only the cross compiler needs to be installed.
#include "app/kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/data/arena.h"
#include "base/data/vec.h"
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/file/temporary.h"
#include "base/text/log.h"

#include "app/app.h"
#include "kernel_files.h" // generated: headers, image.ld, flags.txt
#include "sim/program/image.h"

extern char **environ;

static const char compiler[] = "riscv64-unknown-elf-gcc";

// Names accepted by --risc and in source file names, and the RISCs they select.
struct target {
    const char *name;
    unsigned riscs; // bit per RISC
};
#define BIT(risc) (1u << (risc))
static const struct target targets[] = {
    {"brisc", BIT(TT_BRISC)},
    {"ncrisc", BIT(TT_NCRISC)},
    {"trisc0", BIT(TT_TRISC0)},
    {"trisc1", BIT(TT_TRISC1)},
    {"trisc2", BIT(TT_TRISC2)},
    {"erisc", BIT(TTDEV_ERISC)},
    {"dm", BIT(TT_BRISC) | BIT(TT_NCRISC)},
    {"compute", BIT(TT_TRISC0) | BIT(TT_TRISC1) | BIT(TT_TRISC2)},
    {"all", BIT(TTDEV_ERISC) - 1},
};
enum { TARGETS = sizeof targets / sizeof *targets };
static const char *const macros[] = {"BRISC",  "NCRISC", "TRISC0",
                                     "TRISC1", "TRISC2", "ERISC"};
static const char *const arches[] = {"wormhole", "blackhole"};
static const char *const variants[] = {"off", "prof", "full"};

static const struct target *target_find(str name)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (str_is(name, targets[i].name))
            return &targets[i];
    return NULL;
}

unsigned kernel_riscs(str name)
{
    const struct target *t = target_find(name);
    return t ? t->riscs : 0;
}

// The option parser has validated the name.
static int index_of(const char *name, const char *const *names, int n)
{
    int i = n - 1;
    while (i > 0 && strcmp(name, names[i]) != 0)
        i--;
    return i;
}

// One compilation.
struct build {
    const struct kernel_source *s;
    bool is_cpp;
    unsigned riscs;
    str stem;
    char *folder; // temporary
    struct arena a;
    struct err *e;
};

// --- what is built ---------------------------------------------------------------------
// Cuts the last extension off the name and returns it without the dot.
static str cut_suffix(str *name)
{
    for (size_t i = name->n; i-- > 0 && name->p[i] != '/';) {
        if (name->p[i] != '.')
            continue;
        str suffix = {name->p + i + 1, name->n - i - 1};
        name->n = i;
        return suffix;
    }
    return (str){0};
}

static bool is_compute(str source)
{
    static const char *const signs[] = {"compute_kernel_api", "tile_regs_acquire",
                                        "acquire_dst"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (str_has(source, str_of(signs[i])))
            return true;
    return false;
}

bool kernel_is_source(const char *path)
{
    static const char *const languages[] = {"c", "cpp", "cc", "cxx"};
    str stem = str_of(path), language = cut_suffix(&stem);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (str_is(language, languages[i]))
            return true;
    return false;
}

// From the option, the file name (add.compute.c), or the calls in the source.
static bool choose_target(struct build *b)
{
    const char *path = b->s->path;
    if (!kernel_is_source(path))
        return err_set(b->e, ERR_USAGE,
                       "%s: unknown source type; use .c, .cpp, .cc or .cxx", path);
    str stem = str_of(path);
    b->is_cpp = !str_is(cut_suffix(&stem), "c");
    b->stem = stem;
    const struct target *by_name = target_find(cut_suffix(&stem));
    if (by_name)
        b->stem = stem;
    struct file f;
    if (!file_open(path, &f, b->e))
        return false;
    const char *by_text = is_compute(f.text) ? "compute" : "brisc";
    file_close(&f);
    if (b->s->risc)
        by_name = target_find(str_of(b->s->risc));
    if (!by_name)
        by_name = target_find(str_of(by_text));
    b->riscs = by_name->riscs;
    return true;
}

// --- the temporary folder --------------------------------------------------------------
static const char *path_in(struct build *b, const char *name)
{
    return arena_printf(&b->a, "%s/%s", b->folder, name).p;
}

static bool unpack_file(struct build *b, const char *name, const char *text, size_t n)
{
    const char *path = path_in(b, name);
    str parent = str_of(path);
    while (parent.p[parent.n - 1] != '/')
        parent.n--;
    struct out o;
    if (!folder_make(arena_str(&b->a, parent).p, b->e) || !out_open(&o, path, b->e))
        return false;
    buf_str(&o.b, (str){text, n});
    return out_close(&o, b->e);
}

static bool unpack(struct build *b)
{
    const char *base = getenv("TMPDIR");
    str form =
        arena_printf(&b->a, "%s/ttprof-kernel-XXXXXX", base && *base ? base : "/tmp");
    char *folder = push_many(&b->a, char, form.n + 1);
    memcpy(folder, form.p, form.n);
    if (!temporary_folder(folder))
        return err_set(b->e, ERR_IO, "cannot create folder '%s': %s", form.p,
                       strerror(errno));
    b->folder = folder;
    for (size_t i = 0; i < sizeof kernel_files / sizeof *kernel_files; i++)
        if (!unpack_file(b, kernel_files[i].name, kernel_files[i].text, kernel_files[i].n))
            return false;
    return true;
}

static void remove_folder(struct build *b)
{
    if (!b->folder)
        return;
    (void)folder_delete_now(b->folder);
    temporary_done(b->folder);
}

// --- the compiler ----------------------------------------------------------------------
typedef VEC(const char *) arguments;

static void add_argument(arguments *to, str text)
{
    vec_push(to, text.p);
}

// Addresses of the image in L1 and of its variables in local RAM.
static void add_places(struct build *b, arguments *to, unsigned risc)
{
    const struct tt_layout *l = &tt_layouts[b->s->arch];
    const uint32_t slots[] = {l->kernel_brisc,  l->kernel_ncrisc, l->kernel_trisc0,
                              l->kernel_trisc1, l->kernel_trisc2, l->eth_kernel};
    add_argument(to,
                 arena_printf(&b->a, "-Wl,--defsym=TTK_SLOT=0x%x,--defsym=TTK_DATA=0x%x",
                              (unsigned)slots[risc],
                              (unsigned)(TT_LOCAL_RAM + l->local_kernel_data)));
}

static void add_flags(struct build *b, arguments *to)
{
    for (size_t i = 0; i < sizeof kernel_files / sizeof *kernel_files; i++) {
        str rest = {kernel_files[i].text, kernel_files[i].n};
        if (strcmp(kernel_files[i].name, "kernel/flags.txt") != 0)
            continue;
        while (rest.n) {
            str flag = str_trim(str_cut(&rest, '\n'));
            if (flag.n)
                add_argument(to, arena_str(&b->a, flag));
        }
    }
    static const char *const cpp[] = {"-fno-exceptions", "-fno-rtti",
                                      "-fno-threadsafe-statics"};
    for (size_t i = 0; b->is_cpp && i < sizeof cpp / sizeof *cpp; i++)
        add_argument(to, str_of(cpp[i]));
    if (!b->is_cpp)
        add_argument(
            to, S("-Werror=implicit-function-declaration")); // else the linker complains
}

// The compiler takes a word that starts with a dash as an option, and one that starts with
// an @ as a file with options.
static void add_path(struct build *b, arguments *to, const char *path)
{
    bool is_safe = path[0] != '-' && path[0] != '@';
    add_argument(to, arena_printf(&b->a, "%s%s", is_safe ? "" : "./", path));
}

// The driver passes names of other files it might write on to the compiler proper, made
// from the last part of the source's path: "./@a.c" becomes "@a.c" again, unless they are
// given.
static void add_dump_names(struct build *b, arguments *to)
{
    add_argument(to, S("-dumpdir"));
    add_argument(to, arena_printf(&b->a, "%s/", b->folder));
    add_argument(to, S("-dumpbase"));
    add_argument(to, S("image"));
}

static void command_line(struct build *b, arguments *to, unsigned risc, const char *elf)
{
    add_argument(to, str_of(compiler));
    add_flags(b, to);
    add_argument(to, S("-Wall"));
    add_argument(to, S("-Wextra"));
    add_argument(to, S("-fdiagnostics-color=never"));
    add_argument(to, S("-ftrack-macro-expansion=0")); // else 20 lines per misused marker
    add_argument(to, arena_printf(&b->a, "-fmacro-prefix-map=%s/include/=", b->folder));
    add_argument(to, arena_printf(&b->a, "-I%s/include", b->folder));
    add_argument(to, arena_printf(&b->a, "-I%s/include/ttprof/compat", b->folder));
    add_argument(to,
                 str_of(b->s->arch == TT_BLACKHOLE ? "-DTTK_BLACKHOLE" : "-DTTK_WORMHOLE"));
    add_argument(to, arena_printf(&b->a, "-DTTK_%s", macros[risc]));
    add_argument(to, arena_printf(&b->a, "-DTTK_PROFILE=%d", b->s->variant));
    for (size_t i = 0; i < b->s->defines->n; i++)
        add_argument(to, arena_printf(&b->a, "-D%s", b->s->defines->v[i]));
    add_argument(to, S("-include"));
    add_argument(to, S("ttprof/kernel.h"));
    if (b->s->prelude) {
        add_argument(to, S("-include"));
        add_path(b, to, b->s->prelude);
    }
    add_places(b, to, risc);
    add_argument(to, arena_printf(&b->a, "-T%s/kernel/image.ld", b->folder));
    add_dump_names(b, to);
    add_path(b, to, b->s->path);
    add_argument(to, S("-lgcc"));
    add_argument(to, S("-o"));
    add_path(b, to, elf);
    vec_push(to, NULL);
}

// Compiler output, with our headers named as kernels include them.
static void show_messages(struct build *b, const char *path)
{
    struct err ignored = {0};
    struct file f;
    if (!file_open(path, &f, &ignored))
        return;
    str rest = f.text, own = arena_printf(&b->a, "%s/include/", b->folder);
    while (rest.n) {
        size_t at = str_find(rest, own);
        str part = {rest.p, at == STR_NOT_FOUND ? rest.n : at};
        log_text(part, false);
        rest = str_from(rest, part.n + (at == STR_NOT_FOUND ? 0 : own.n));
    }
    file_close(&f);
}

static bool compile(struct build *b, unsigned risc, const char *elf)
{
    arguments line = {0};
    command_line(b, &line, risc, elf);
    const char *messages = path_in(b, "messages");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    int wrong =
        posix_spawnp(&child, compiler, &actions, NULL, (char *const *)line.v, environ);
    posix_spawn_file_actions_destroy(&actions);
    vec_free(&line);
    if (wrong == ENOENT)
        return err_set(
            b->e, ERR_IO,
            "%s is not installed, but needed to build kernels; install the Debian package gcc-riscv64-unknown-elf",
            compiler);
    if (wrong)
        return err_set(b->e, ERR_IO, "cannot run %s: %s", compiler, strerror(wrong));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    show_messages(b, messages);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return err_set(b->e, ERR_FORMAT, "%s: %s failed for %s", b->s->path, compiler,
                   macros[risc]);
}

static bool hand_over(struct build *b, unsigned risc, const char *path, kernel_taker *take,
                      void *context)
{
    struct file f;
    if (!file_open(path, &f, b->e))
        return false;
    struct kernel_image image = {
        .risc = risc, .is_only = b->riscs == BIT(risc), .stem = b->stem, .elf = f.text};
    bool is_good = take(context, &image, b->e);
    file_close(&f);
    return is_good;
}

bool kernel_compile(const struct kernel_source *source, kernel_taker *take, void *context,
                    struct err *e)
{
    struct build b = {.s = source, .e = e};
    bool is_good = choose_target(&b) && unpack(&b);
    for (unsigned risc = 0; risc <= TTDEV_ERISC && is_good; risc++) {
        if (!(b.riscs & BIT(risc)))
            continue;
        const char *elf = path_in(&b, "image.elf");
        is_good = compile(&b, risc, elf) && hand_over(&b, risc, elf, take, context);
    }
    remove_folder(&b);
    arena_free(&b.a);
    return is_good;
}

// --- ttprof kernel build ---------------------------------------------------------------
struct keeper {
    const struct kernel_source *source;
    const char *out; // NULL: from the source's name
    struct arena a;
    struct buf text;
};

// "add.elf", or one per RISC: "add.trisc0.elf".
static const char *out_path(struct keeper *k, const struct kernel_image *image)
{
    const char *slash = memrchr(image->stem.p, '/', image->stem.n);
    str base =
        slash ? str_from(image->stem, (size_t)(slash + 1 - image->stem.p)) : image->stem;
    if (k->out) {
        if (image->is_only)
            return k->out;
        base = str_of(k->out);
        if (str_ends(base, S(".elf")))
            base.n -= 4;
    }
    return image->is_only
               ? arena_printf(&k->a, "%.*s.elf", STR(base)).p
               : arena_printf(&k->a, "%.*s.%s.elf", STR(base), targets[image->risc].name).p;
}

// Loads the image as a device would, to reject here what does not fit.
static bool check_and_keep(void *context, const struct kernel_image *made, struct err *e)
{
    struct keeper *k = context;
    int arch = k->source->arch;
    const char *path = out_path(k, made);
    struct ttdev_image *image =
        image_load(k->source->path, made->elf.p, made->elf.n, arch, e);
    if (!image)
        return false;
    const struct tt_layout *l = &tt_layouts[arch];
    const uint32_t most[] = {l->kernel_brisc_bytes, l->kernel_other_bytes,
                             l->kernel_other_bytes, l->kernel_other_bytes,
                             l->kernel_other_bytes, l->eth_kernel_bytes};
    buf_printf(&k->text, "%s: %s, %s, variant %s, %u of %u bytes\n", path,
               macros[made->risc], arches[arch], variants[k->source->variant],
               (unsigned)image->bytes, (unsigned)most[made->risc]);
    image_free(image);
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    buf_str(&o.b, made->elf);
    return out_close(&o, e);
}

int kernel_build(const struct kernel_values *v, struct words words, struct err *e)
{
    struct kernel_source source = {.path = words.v[0],
                                   .risc = v->risc,
                                   .prelude = v->prelude,
                                   .defines = &v->defines,
                                   .arch = index_of(v->arch, arches, 2),
                                   .variant = index_of(v->variant, variants, 3)};
    struct keeper k = {.source = &source, .out = v->out};
    bool is_good = kernel_compile(&source, check_and_keep, &k, e);
    int code = is_good ? command_print(&k.text, e) : err_exit_code(e->code);
    buf_free(&k.text);
    arena_free(&k.a);
    return code;
}
