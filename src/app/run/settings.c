// settings.c - parses the text options of `ttprof run` and rejects conflicting options.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text/log.h"
#include "base/text/num.h"

#include "app/run/options.h"
#include "ttprof/recording.h"

// Of TRACY_PORT: behind the ports of clients that are not told any.
enum { PORT_FIRST = 8106, PORT_LAST = 8499, PORT_MOST = 65535 };
static const uint64_t ring_least = 1 << 16, ring_most = 1 << 30, stream_least = 1 << 16;

// --- texts -----------------------------------------------------------------------------
int run_parse_signal(const char *text)
{
    str s = str_of(text), rest = {0};
    int64_t n = 0;
    if (num_int(s, &n))
        return n > 0 && n < NSIG ? (int)n : 0;
    if (s.n > 3 && str_eq_nocase((str){s.p, 3}, S("SIG")))
        s = str_from(s, 3);
    for (int i = 1; i < NSIG; i++)
        if (sigabbrev_np(i) && str_eq_nocase(s, str_of(sigabbrev_np(i))))
            return i;
    if (str_eq_nocase(s, S("RTMIN")))
        return SIGRTMIN;
    if (str_after(s, S("RTMIN+"), &rest) && num_int(rest, &n) && n >= 0 &&
        n <= SIGRTMAX - SIGRTMIN)
        return SIGRTMIN + (int)n;
    return 0;
}

// --- invalid values --------------------------------------------------------------------
static bool check_numbers(const struct run_values *v, struct err *e)
{
    if (v->port != RUN_NOT_GIVEN && (v->port < 1 || v->port > PORT_MOST))
        return err_set(e, ERR_USAGE, "--port must be between 1 and 65535, got %lld",
                       (long long)v->port);
    // The viewer's WebSocket uses the next port.
    if (v->web_app_port != RUN_NOT_GIVEN &&
        (v->web_app_port < 1 || v->web_app_port >= PORT_MOST))
        return err_set(e, ERR_USAGE, "--web-app-port must be between 1 and 65534, got %lld",
                       (long long)v->web_app_port);
    if (v->op_support_count != RUN_NOT_GIVEN && v->op_support_count < 0)
        return err_set(e, ERR_USAGE, "--op-support-count must not be negative, got %lld",
                       (long long)v->op_support_count);
    if (v->skip != RUN_NOT_GIVEN && v->skip < 0)
        return err_set(e, ERR_USAGE, "--skip must not be negative, got %lld",
                       (long long)v->skip);
    if (v->python_depth != RUN_NOT_GIVEN &&
        (v->python_depth < 1 || v->python_depth >= UINT32_MAX))
        return err_set(e, ERR_USAGE, "--python-depth must be at least 1, got %lld",
                       (long long)v->python_depth);
    if (!(v->seconds >= 0) || v->seconds > 1e9)
        return err_set(e, ERR_USAGE, "--for must be positive seconds, such as 10 or 0.25");
    return true;
}

static bool check_header(const char *option, const char *header, struct err *e)
{
    if (!header || (header[0] && strlen(header) < TT_HEADER_MOST))
        return true;
    return err_set(e, ERR_USAGE, "--%s: the header of a signpost must have 1 to %d bytes",
                   option, TT_HEADER_MOST - 1);
}

bool run_options_check(const struct run_values *v, struct err *e)
{
    if (v->report && v->accumulate)
        return err_set(
            e, ERR_USAGE,
            "-r (ops report) cannot be used with --enable-accumulate-profiling: accumulate mode does not store per-op IDs, so no ops report can be generated");
    if (v->check_exit_code && v->ignore_exit_code)
        return err_set(e, ERR_USAGE,
                       "--check-exit-code and --ignore-exit-code exclude each other");
    if (v->flight && v->policy && strcmp(v->policy, "drop-oldest") != 0)
        return err_set(e, ERR_USAGE,
                       "--flight is --policy drop-oldest; use only one of them");
    return check_numbers(v, e) && check_header("start-at", v->start_at, e) &&
           check_header("stop-at", v->stop_at, e);
}

// --- settled for a run -----------------------------------------------------------------
static bool settle_sizes(const struct run_values *v, struct run_settings *s, struct err *e)
{
    uint64_t bytes = 4 << 20;
    if (v->ring_size && (!num_size(str_of(v->ring_size), &bytes) || bytes < ring_least ||
                         bytes > ring_most))
        return err_set(e, ERR_USAGE, "--ring-size must be between 64K and 1G, got '%s'",
                       v->ring_size);
    uint64_t ring = ring_least;
    while (ring < bytes)
        ring *= 2;
    s->ring_bytes = (uint32_t)ring;
    if (v->max_size &&
        (!num_size(str_of(v->max_size), &s->most_bytes) || s->most_bytes < stream_least))
        return err_set(e, ERR_USAGE, "--max-size must be at least 64K, got '%s'",
                       v->max_size);
    return true;
}

static bool settle_policy(const struct run_values *v, struct run_settings *s, struct err *e)
{
    static const char *const policies[] = {[TT_DROP_NEWEST] = "drop-newest",
                                           [TT_DROP_OLDEST] = "drop-oldest",
                                           [TT_BLOCK] = "block"};
    const char *policy = v->flight ? "drop-oldest" : v->policy ? v->policy : "drop-newest";
    while (strcmp(policies[s->policy], policy) != 0)
        s->policy++;
    const char *on = v->snapshot_on;
    if (!on && s->policy == TT_DROP_OLDEST)
        on = "USR1";
    if (!on)
        return true;
    s->snapshot_signal = run_parse_signal(on);
    static const int taken[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGSEGV,
                                SIGBUS,  SIGILL,  SIGFPE,  SIGABRT};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (s->snapshot_signal == taken[i])
            s->snapshot_signal = 0;
    return s->snapshot_signal ||
           err_set(
               e, ERR_USAGE,
               "--snapshot-on: signal '%s' cannot be used; use USR1, USR2, WINCH or RTMIN",
               on);
}

// Whether a server could listen there now.
static bool port_is_free(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    int on = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_ANY)};
    bool is_free = bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    (void)close(fd);
    return is_free;
}

static bool settle_port(const struct run_values *v, struct run_settings *s, struct err *e)
{
    if (v->port != RUN_NOT_GIVEN) {
        s->port = (int)v->port;
        if (!port_is_free(s->port))
            log_line(
                "run: port %d is in use or not allowed, so the Tracy client of a static program cannot listen there; others get a port of their own",
                s->port);
    }
    // Each run begins elsewhere: nothing holds the port until a client needs it.
    enum { PORTS = PORT_LAST - PORT_FIRST + 1 };
    for (int i = 0; !s->port && i < PORTS; i++) {
        int port = PORT_FIRST + (getpid() + i) % PORTS;
        if (port_is_free(port))
            s->port = port;
    }
    if (!s->port)
        return err_set(e, ERR_FAILED, "No available port found");
    if (!v->quiet && (v->verbose || v->port != RUN_NOT_GIVEN))
        log_line("run: Using port %d", s->port);
    return true;
}

bool run_options_settle(const struct run_values *v, struct run_settings *s, struct err *e)
{
    *s = (struct run_settings){0};
    if (!settle_sizes(v, s, e) || !settle_policy(v, s, e))
        return false;
    if (v->mid_run_dump && v->trace_only)
        return err_set(
            e, ERR_FAILED,
            "Cannot use --dump-device-data-mid-run and --device-trace-profiler together");
    if (v->mid_run_dump && v->dispatch_cores)
        return err_set(
            e, ERR_FAILED,
            "Cannot use --dump-device-data-mid-run and --profile-dispatch-cores together");
    return (!v->counters || run_counters_settle(v, s, e)) && settle_port(v, s, e);
}
