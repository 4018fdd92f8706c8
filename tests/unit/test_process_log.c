// test_process_log.c - processes of a run from their lines, whatever the order and damage.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/file.h"

#include "formats/host_run/process_log.h"
#include "record/process_log_write.h"
#include "test.h"
#include "trace/diags.h"

struct read {
    struct process_log log;
    struct arena arena;
    struct diag diag;
};

static const struct process *read_lines(struct read *r, str text)
{
    *r = (struct read){0};
    process_log_read(&r->log, text, &r->arena, &r->diag);
    return r->log.processes.v;
}

static void done(struct read *r)
{
    process_log_free(&r->log);
    arena_free(&r->arena);
}

static str word(const struct process *p, size_t program, size_t i)
{
    assert_true(program < p->programs.n && i < p->programs.v[program].words.n);
    return p->programs.v[program].words.v[i];
}

TEST(process_log_tells_the_port_of_a_tracy_client)
{
    struct read r;
    const struct process *p = read_lines(&r, S("start\t10\t100\t7\t99\t/bin/a\ta\n"
                                               "fork\t11\t101\t8\t100\n"
                                               "port\t12\t100\t7\t40009\n"));
    assert_int_equal(0, diag_total(&r.diag));
    assert_int_equal(40009, p[0].tracy_port);
    assert_int_equal(0, p[1].tracy_port);
    done(&r);
}

TEST(process_log_tells_when_captures_began)
{
    struct read r;
    const struct process *p =
        read_lines(&r, S("start\t10\t100\t7\t99\t/bin/a\ta\n"
                         "tracy\t12\t100\t7\t100.tracy\t5\traw\n"
                         "tracy\t15\t200\t0\t200.tracy\t9\tarrival\n"));
    assert_int_equal(0, diag_total(&r.diag));
    assert_int_equal(2, r.log.processes.n);
    assert_int_equal(15, p[1].start_ns); // known by its capture only
    const struct process_capture *c = process_log_capture(&r.log, S("200.tracy"));
    assert_non_null(c);
    assert_int_equal(1, c->process);
    assert_int_equal(15, c->begin_ns);
    assert_int_equal(9, c->error_ns);
    STR_IS(c->source, "arrival");
    assert_int_equal(0, process_log_capture(&r.log, S("100.tracy"))->process);
    assert_null(process_log_capture(&r.log, S("300.tracy")));
    done(&r);
}

TEST(process_log_tells_programs_parents_and_ends)
{
    struct read r;
    const struct process *p =
        read_lines(&r, S("start\t10\t100\t7\t99\t/bin/sh\tsh\t-c\tx y\n"
                         "fork\t20\t101\t8\t100\n"
                         "exec\t21\t101\t8\t/bin/ls\tls\n"
                         "start\t22\t101\t8\t100\t/usr/bin/ls\tls\n"
                         "exit\t30\t101\t8\t3\n"
                         "ended\t31\t101\t0\t768\t100\n"
                         "exit\t40\t100\t7\t0\n"));
    assert_int_equal(2, r.log.processes.n);
    assert_int_equal(7, r.log.n_lines);
    assert_int_equal(0, diag_total(&r.diag));
    assert_int_equal(PROCESS_NONE, p[0].parent);
    assert_int_equal(10, p[0].start_ns);
    assert_int_equal(40, p[0].end_ns);
    assert_int_equal(PROCESS_EXITED, p[0].end);
    assert_int_equal(3, p[0].programs.v[0].words.n);
    STR_IS(word(&p[0], 0, 2), "x y");
    assert_int_equal(0, p[1].parent);
    assert_int_equal(20, p[1].start_ns);
    assert_int_equal(1, p[1].programs.n); // executed and begun: one program
    STR_IS(p[1].programs.v[0].path, "/usr/bin/ls");
    assert_int_equal(22, p[1].programs.v[0].ns);
    assert_int_equal(30, p[1].end_ns); // its own word for when
    assert_int_equal(3, p[1].status);
    done(&r);
}

TEST(process_log_does_not_need_its_lines_in_order)
{
    struct read r;
    const struct process *p = read_lines(&r, S("ended\t31\t101\t0\t9\t100\n"
                                               "start\t22\t101\t8\t100\t/bin/b\tb\n"
                                               "start\t10\t100\t7\t99\t/bin/a\ta\n"));
    assert_int_equal(2, r.log.processes.n);
    assert_int_equal(100, p[0].pid);
    assert_int_equal(0, p[1].parent);
    assert_int_equal(PROCESS_SIGNALLED, p[1].end);
    assert_int_equal(9, p[1].status);
    assert_int_equal(31, p[1].end_ns);
    done(&r);
}

TEST(process_log_tells_processes_of_one_pid_apart)
{
    struct read r;
    const struct process *p = read_lines(&r, S("start\t10\t100\t7\t99\t/bin/a\ta\n"
                                               "fork\t20\t101\t8\t100\n"
                                               "ended\t30\t101\t0\t256\t100\n"
                                               "fork\t40\t101\t9\t100\n"
                                               "fork\t45\t102\t9\t101\n"
                                               "ended\t50\t101\t0\t512\t100\n"
                                               // only its end was seen
                                               "ended\t60\t101\t0\t15\t100\n"));
    assert_int_equal(5, r.log.processes.n);
    assert_int_equal(1, p[1].status);
    assert_int_equal(2, p[2].status);
    assert_int_equal(2, p[3].parent); // the second one of its pid
    assert_int_equal(PROCESS_SIGNALLED, p[4].end);
    assert_int_equal(0, p[4].parent);
    assert_int_equal(1, process_log_find(&r.log, 101, 8));
    assert_int_equal(2, process_log_find(&r.log, 101, 9));
    assert_int_equal(4, process_log_find(&r.log, 101, 0)); // the last
    assert_int_equal(PROCESS_NONE, process_log_find(&r.log, 101, 5));
    assert_int_equal(PROCESS_NONE, process_log_find(&r.log, 1, 0));
    assert_int_equal(PROCESS_NONE, process_log_find(&r.log, UINT32_MAX, 0));
    done(&r);
}

TEST(process_log_keeps_a_program_that_says_nothing_and_drops_one_that_was_not_there)
{
    struct read r;
    const struct process *p =
        read_lines(&r, S("fork\t10\t100\t7\t99\n"
                         "exec\t11\t100\t7\t/a/tool\ttool\t1\n" // went on: it failed
                         "exec\t12\t100\t7\t/b/tool\ttool\t1\n"
                         "ended\t20\t100\t0\t0\t99\n"
                         "fork\t30\t200\t8\t99\n"
                         "exec\t31\t200\t8\t/no\tno\n"
                         "exit\t32\t200\t8\t127\n"
                         // a static program that executes another one
                         "start\t40\t300\t9\t99\t/bin/sh\tsh\n"
                         "exec\t41\t300\t9\t/bin/box\tbox\trun\tx\n"
                         "start\t42\t300\t9\t99\t/bin/x\tx\n"
                         // a script's words come behind its interpreter's
                         "exec\t43\t300\t9\t./s\t./s\t1\t2\n"
                         "start\t44\t300\t9\t99\t/bin/sh\t/bin/sh\t-e\t./s\t1\t2\n"));
    assert_int_equal(1, p[0].programs.n);
    STR_IS(p[0].programs.v[0].path, "/b/tool");
    assert_false(p[0].programs.v[0].has_begun);
    assert_int_equal(0, p[1].programs.n);
    assert_int_equal(127, p[1].status);
    assert_int_equal(4, p[2].programs.n);
    STR_IS(p[2].programs.v[1].path, "/bin/box");
    STR_IS(p[2].programs.v[2].path, "/bin/x");
    STR_IS(p[2].programs.v[3].path, "/bin/sh");
    assert_int_equal(5, p[2].programs.v[3].words.n);
    assert_int_equal(PROCESS_UNKNOWN, p[2].end);
    done(&r);
}

TEST(process_log_parent_is_who_started_it_not_who_took_it_over)
{
    struct read r;
    const struct process *p = read_lines(&r, S("start\t10\t100\t7\t1\t/bin/a\ta\n"
                                               "fork\t20\t101\t8\t100\n"
                                               "fork\t30\t102\t9\t101\n"
                                               "ended\t31\t101\t0\t0\t100\n"
                                               "start\t40\t102\t9\t100\t/bin/d\td\n"
                                               "ended\t50\t102\t9\t11\t1\n"));
    assert_int_equal(1, p[2].parent);
    assert_int_equal(PROCESS_SIGNALLED, p[2].end);
    assert_int_equal(11, p[2].status);
    done(&r);
}

TEST(process_log_gives_a_birth_to_a_process_that_was_told_without)
{
    struct read r;
    const struct process *p = read_lines(&r, S("fork\t10\t100\t0\t99\n"
                                               "exec\t10\t100\t0\t/bin/a\ta\n"
                                               "start\t11\t100\t7\t99\t/bin/a\ta\n"));
    assert_int_equal(1, r.log.processes.n);
    assert_int_equal(7, p[0].birth);
    assert_int_equal(1, p[0].programs.n);
    done(&r);
}

TEST(process_log_undoes_escapes_and_keeps_empty_words)
{
    struct read r;
    const struct process *p =
        read_lines(&r, S("start\t10\t100\t7\t99\t/a\\tb\tsh\t\t-c\ta\\nb\\\\n\\x\\\t\n"
                         "rank\t10\t100\t7\t3\t-1\tPMIX_RANK\n"));
    STR_IS(p[0].programs.v[0].path, "/a\tb");
    assert_int_equal(5, p[0].programs.v[0].words.n);
    STR_IS(word(&p[0], 0, 1), "");
    STR_IS(word(&p[0], 0, 3), "a\nb\\nx\\");
    STR_IS(word(&p[0], 0, 4), "");
    assert_int_equal(3, p[0].rank);
    assert_int_equal(-1, p[0].ranks);
    STR_IS(p[0].rank_from, "PMIX_RANK");
    done(&r);
}

TEST(process_log_counts_damaged_lines_and_goes_on)
{
    static const char *const damaged[] = {
        "",
        "start",
        "begin\t10\t100\t7\t99\t/bin/a",
        "start\tten\t100\t7\t99\t/bin/a",
        "start\t10\t0\t7\t99\t/bin/a",
        "start\t10\t-5\t7\t99\t/bin/a",
        "start\t10\t4294967296\t7\t99\t/bin/a",
        "start\t10\t100\t\t99\t/bin/a",
        "start\t10\t100\t7\tx\t/bin/a",
        "exec\t10\t100\t7",
        "fork\t10\t100\t7",
        "exit\t10\t100\t7\t",
        "ended\t10\t100\t7\t0",
        "ended\t10\t100\t7\t99999999999\t1",
        "rank\t10\t100\t7\t-1\t4\tX",
        "port\t10\t100\t7\t65536",
        "port\t10\t100\t7\t0",
        "tracy\t10\t100\t7\t100.tracy\t-1\traw",
        "tracy\t10\t100\t7\t\t1\traw",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct buf b = {0};
        buf_printf(&b, "start\t5\t1\t1\t0\t/a\ta\n%s\nexit\t20\t1\t1\t4\n", damaged[i]);
        struct read r;
        const struct process *p = read_lines(&r, buf_view(&b));
        assert_int_equal(1, r.diag.entry[DIAG_PROCESS_LINE].count);
        assert_int_equal(2, r.diag.entry[DIAG_PROCESS_LINE].line);
        assert_int_equal(1, r.log.processes.n);
        assert_int_equal(4, p[0].status);
        done(&r);
        buf_free(&b);
    }
}

TEST(process_log_leaves_out_a_last_line_that_is_cut)
{
    static const char text[] = "start\t5\t1\t1\t0\t/a\ta\nexit\t20\t1\t1\t45";
    struct read r;
    const struct process *p = read_lines(&r, S(text));
    assert_int_equal(1, r.diag.entry[DIAG_PROCESS_LINE].count);
    assert_int_equal(PROCESS_UNKNOWN, p[0].end);
    done(&r);
    (void)read_lines(&r, (str){NULL, 0});
    assert_int_equal(0, r.log.processes.n);
    done(&r);
}

// --- written and read again --------------------------------------------------------------
static struct file written;

static str log_text(const char *path)
{
    struct err e;
    assert_true(file_open(path, &written, &e));
    return written.text;
}

TEST(process_log_reads_what_the_recorder_writes)
{
    char folder[] = "/tmp/ttprof-unit-XXXXXX", log[64];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(log, sizeof log, "%s/%s", folder, PROCESS_LOG_NAME);
    struct process_self self = process_log_self();
    assert_int_equal(getpid(), self.pid);
    assert_int_equal(self.birth, process_log_birth(self.pid));
    assert_true(self.birth > 0);

    process_log_start(log, self); // no log, no line, no file
    assert_int_not_equal(0, access(log, F_OK));
    assert_true(process_log_create(log));
    (void)setenv("PMI_RANK", "2", 1);
    (void)setenv("PMI_SIZE", "x", 1);
    errno = 77;
    process_log_start(log, self);
    process_log_ended(log, 5, 6, 0x137F); // stopped: not an end
    process_log_ended(log, 5, 6, 9);
    process_log_exit(log, self, -1);
    assert_int_equal(77, errno);
    (void)unsetenv("PMI_RANK");
    (void)unsetenv("PMI_SIZE");

    struct read r;
    const struct process *p = read_lines(&r, log_text(log));
    file_close(&written);
    assert_int_equal(0, diag_total(&r.diag));
    assert_int_equal(2, r.log.processes.n);
    assert_int_equal(self.pid, p[0].pid);
    assert_int_equal(1, p[0].programs.n);
    assert_true(str_ends(p[0].programs.v[0].path, S("/unit")));
    assert_int_equal(2, p[0].rank);
    assert_int_equal(-1, p[0].ranks);
    assert_int_equal(255, p[0].status);
    assert_int_equal(5, p[1].pid);
    assert_int_equal(9, p[1].status);
    assert_int_equal(0, p[1].parent);
    done(&r);
    (void)unlink(log);
    (void)rmdir(folder);
}

TEST(process_log_lines_that_are_too_long_are_cut_between_words)
{
    char text[96];
    struct process_lines l = {.text = text, .room = sizeof text};
    char *words[] = {"tool", "a\tb", "0123456789012345678901234567890123456789", "tail",
                     NULL};
    process_line_begin(&l, "exec", 1, (struct process_self){2, 3});
    process_line_text(&l, "/a/b");
    process_line_words(&l, words);
    process_line_end(&l);
    STR_IS(((str){text, l.whole}),
           "exec\t1\t2\t3\t/a/"
           "b\ttool\ta\\tb\t0123456789012345678901234567890123456789\ttail\n");
    l = (struct process_lines){.text = text, .room = 60};
    process_line_begin(&l, "exec", 1, (struct process_self){2, 3});
    process_line_text(&l, "/a/b");
    process_line_words(&l, words);
    process_line_end(&l);
    STR_IS(((str){text, l.whole}), "exec\t1\t2\t3\t/a/b\ttool\ta\\tb\t...\n");
}
