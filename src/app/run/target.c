// target.c - finds what to execute. No shell is involved; whether the command is Python is
// decided by its file, not by trying to compile it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "app/run/run.h"

static const char python[] = "python3";

// --- one word that holds a whole command -----------------------------------------------
struct splitter {
    const char *at;
    struct buf word;
    bool has_word; // '' is a word too
};

// Characters that mean something to a shell when they are not quoted.
static bool is_for_shell(char c)
{
    return strchr("|&;<>()`$", c) != NULL;
}

// Reads from after an opening quote through the closing one.
static bool take_quoted(struct splitter *s, char quote, struct err *e)
{
    for (; *s->at && *s->at != quote; s->at++) {
        bool is_escape = quote == '"' && s->at[0] == '\\' && s->at[1] &&
                         strchr("\\\"$`", s->at[1]) != NULL;
        if (quote == '"' && !is_escape && (*s->at == '$' || *s->at == '`'))
            return err_set(
                e, ERR_USAGE,
                "the command needs a shell for '%c'; use: ttprof run -- sh -c '...'",
                *s->at);
        s->at += is_escape;
        buf_char(&s->word, *s->at);
    }
    if (!*s->at)
        return err_set(e, ERR_USAGE, "the command has an unclosed %c", quote);
    s->at++;
    return true;
}

static void end_word(struct splitter *s, struct run_words *words)
{
    if (!s->has_word)
        return;
    buf_char(&s->word, '\0');
    vec_push(words, s->word.p);
    s->word = (struct buf){0};
    s->has_word = false;
}

static bool take_next(struct splitter *s, struct run_words *words, struct err *e)
{
    char c = *s->at++;
    if (strchr(" \t\n", c)) {
        end_word(s, words);
        return true;
    }
    s->has_word = true;
    if (c == '\'' || c == '"')
        return take_quoted(s, c, e);
    if (is_for_shell(c))
        return err_set(e, ERR_USAGE,
                       "the command needs a shell for '%c'; use: ttprof run -- sh -c '...'",
                       c);
    if (c == '\\' && *s->at)
        c = *s->at++;
    buf_char(&s->word, c);
    return true;
}

bool run_split(const char *text, struct run_words *words, struct err *e)
{
    struct splitter s = {.at = text};
    bool is_fine = true;
    while (is_fine && *s.at)
        is_fine = take_next(&s, words, e);
    if (is_fine)
        end_word(&s, words);
    buf_free(&s.word);
    return is_fine;
}

// --- what a file is --------------------------------------------------------------------
// By its first bytes, else by its name. `interpreter` gets the first word behind #!.
static bool is_python(const char *path, struct buf *interpreter)
{
    char head[256] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head - 1);
    if (fd >= 0)
        (void)close(fd);
    str text = {head, n > 0 ? (size_t)n : 0};
    if (str_starts(text, S("\177ELF")))
        return false;
    if (!str_starts(text, S("#!")))
        return str_ends(str_of(path), S(".py"));
    str line = str_trim(str_cut(&text, '\n'));
    str rest = str_trim(str_from(line, 2));
    buf_str(interpreter, str_cut(&rest, ' '));
    buf_char(interpreter, '\0');
    return str_has(line, S("python"));
}

// --- the command -----------------------------------------------------------------------
static void push_word(struct wrapped_run *r, const char *word)
{
    r->command.v =
        mem_resize(r->command.v, mem_bytes(sizeof *r->command.v, r->command.n + 2));
    r->command.v[r->command.n++] = word;
    r->command.v[r->command.n] = NULL;
}

// PYTHONPATH=. FOO=1 pytest ...: a shell would set these for the command.
static bool take_assignment(struct wrapped_run *r, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word || (*word >= '0' && *word <= '9'))
        return false;
    for (const char *c = word; c < equals; c++)
        if (*c != '_' && !(*c >= '0' && *c <= '9') &&
            !((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z'))
            return false;
    *equals = '\0';
    run_environment_set(r, word, equals + 1);
    mem_free(word);
    return true;
}

// Splits a single word that contains spaces and is not a file.
static bool take_words(struct wrapped_run *r, struct words words, struct err *e)
{
    struct stat st;
    struct run_words split = {0};
    bool is_one = words.n == 1 && strpbrk(words.v[0], " \t\n") && stat(words.v[0], &st) < 0;
    for (size_t i = 0; !is_one && i < words.n; i++)
        push_word(r, words.v[i]);
    bool is_fine = !is_one || run_split(words.v[0], &split, e);
    for (size_t i = 0; i < split.n; i++) {
        if (is_fine && r->command.n == 0 && take_assignment(r, split.v[i]))
            continue;
        vec_push(&r->owned, split.v[i]);
        if (is_fine)
            push_word(r, split.v[i]);
    }
    vec_free(&split);
    if (is_fine && r->command.n == 0)
        return err_set(e, ERR_USAGE, "the command is empty");
    return is_fine;
}

// Puts words in front of the command.
static void prepend(struct wrapped_run *r, const char *a, const char *b)
{
    struct words old = r->command;
    r->command = (struct words){0};
    push_word(r, a);
    if (b)
        push_word(r, b);
    for (size_t i = 0; i < old.n; i++)
        push_word(r, old.v[i]);
    mem_free(old.v);
}

static bool is_interpreter(const char *file)
{
    return str_starts(str_base_name(str_of(file)), S("python"));
}

// A Python file is run by the interpreter it names, else by python3, executable or not, and
// is found in the current folder without "./", like `python3 FILE`.
static void prepend_python(struct wrapped_run *r)
{
    struct buf interpreter = {0};
    const char *file = r->command.v[0];
    bool is_here =
        path_is_file(file) && (strchr(file, '/') || str_ends(str_of(file), S(".py")));
    bool is_script = is_here && is_python(file, &interpreter);
    r->is_python = is_script || is_interpreter(file);
    if (is_script && r->v->interpreter)
        prepend(r, r->v->interpreter, NULL);
    else if (is_script &&
             (access(file, X_OK) < 0 || !strchr(file, '/') || !interpreter.n)) {
        // `#! /usr/bin/env python3` names no interpreter by itself.
        bool is_named = interpreter.n && !str_ends(str_of(interpreter.p), S("/env")) &&
                        access(interpreter.p, X_OK) == 0;
        if (is_named)
            vec_push(&r->owned, interpreter.p);
        prepend(r, is_named ? interpreter.p : python, NULL);
        if (is_named)
            interpreter = (struct buf){0};
    }
    buf_free(&interpreter);
}

bool run_target(struct wrapped_run *r, struct words words, struct err *e)
{
    for (size_t i = 0; i < words.n; i++)
        buf_printf(&r->as_given, "%s%s", i ? " " : "", words.v[i]);
    if (!take_words(r, words, e))
        return false;
    if (r->v->module) {
        r->is_python = true;
        prepend(r, r->v->interpreter ? r->v->interpreter : python, "-m");
    } else {
        prepend_python(r);
    }
    return true;
}

// --- which file is executed ------------------------------------------------------------
// An empty PATH entry is the current folder.
static char *joined(str folder, const char *name)
{
    struct buf b = {0};
    buf_str(&b, folder);
    buf_printf(&b, "%s%s%c", folder.n ? "/" : "", name, '\0');
    return b.p;
}

// The first executable file; remembers one that may not be executed.
char *run_find_in_path(const char *name, int *code)
{
    const char *variable = getenv("PATH");
    str path = str_of(variable ? variable : "/usr/local/bin:/usr/bin:/bin");
    while (path.n) {
        char *file = joined(str_cut(&path, ':'), name);
        if (path_is_file(file) && access(file, X_OK) == 0)
            return file;
        if (path_is_file(file))
            *code = 126;
        mem_free(file);
    }
    return NULL;
}

static char *fail_not_found(const char *name, int code)
{
    if (code == 126)
        log_line("run: %s: found in PATH but not executable; use 'chmod +x'", name);
    else if (path_is_file(name))
        log_line("run: %s: no such command in PATH; there is a file ./%s", name, name);
    else
        log_line("run: %s: no such command in PATH; nothing was run", name);
    return NULL;
}

char *run_target_file(const struct wrapped_run *r, int *code)
{
    const char *name = r->command.v[0];
    struct stat st;
    *code = 127;
    if (!strchr(name, '/')) {
        char *file = name[0] ? run_find_in_path(name, code) : NULL;
        return file ? file : fail_not_found(name, *code);
    }
    if (stat(name, &st) < 0) {
        log_line("run: %s: %s; nothing was run", name, strerror(errno));
        *code = errno == EACCES ? 126 : 127;
        return NULL;
    }
    *code = 126;
    if (!S_ISREG(st.st_mode)) {
        log_line("run: %s: not an executable file", name);
        return NULL;
    }
    if (access(name, X_OK) < 0) {
        log_line("run: %s: not executable; use 'chmod +x'", name);
        return NULL;
    }
    *code = 0;
    return joined(S(""), name);
}
