// host.cpp - everything in ttprof/host.hpp once. What is recorded is checked by
// tests/e2e/test_fronts.py.
#include <cstdlib>
#include <mutex>
#include <string>
#include <ttprof/host.hpp>
#include <vector>
#if __cplusplus >= 201703L
#include <shared_mutex>
#include <string_view>
#endif

static ttprof::mutex guard("hpp guard");
static ttprof::recursive_mutex unnamed;
static ttprof::lockable<std::timed_mutex> timed("hpp timed");

// Locks are ready before anything runs.
static int used_early = [] {
    std::lock_guard<ttprof::mutex> held(guard);
    return 1;
}();

static void zones(const std::string &text)
{
    TTPROF_SCOPE(function, nullptr);
    TTPROF_SCOPE(zone, "hpp zone");
    zone.text(text).text("hpp literal").text(ttprof::view("hpp part", 3)).value(4711);
    zone.text(std::vector<char>(3, 'v'));
#if __cplusplus >= 201703L
    zone.text(std::string_view("hpp view"));
#endif
    {
        TTPROF_SCOPE_COLOURED(inner, "hpp coloured", 0x112233);
        inner.name("hpp renamed").colour(0x445566);
        if (inner.is_open() != ttprof::is_on())
            std::abort();
    }
    TTPROF_ZONE("hpp c zone");
    try {
        TTPROF_SCOPE(thrown, "hpp thrown");
        throw 1;
    } catch (int) {
        ttprof::message("hpp caught");
    }
}

static void locks()
{
    std::lock_guard<ttprof::recursive_mutex> first(unnamed);
    std::unique_lock<ttprof::lockable<std::timed_mutex>> second(timed, std::try_to_lock);
#if __cplusplus >= 201703L
    static ttprof::shared_mutex readers("hpp readers");
    std::shared_lock<ttprof::shared_mutex> shared(readers);
#endif
}

int main()
{
    char block[8];
    std::string text = "hpp text";
    ttprof::thread_name("hpp thread");
    ttprof::app_info("hpp app info");
    ttprof::signpost("hpp post");
    ttprof::signpost("hpp post", "with message");
    ttprof::signpost(text, text);
    zones(text);
    locks();
    ttprof::message(text);
    ttprof::message("hpp warning", ttprof::level::warning, 0xff0000);
    ttprof::frame();
    ttprof::frame("hpp frames");
    {
        ttprof::frame_scope part("hpp parts");
        ttprof::fiber_scope fiber("hpp fiber");
        zones(text);
    }
    ttprof::plot("hpp count", 3);
    ttprof::plot("hpp count", sizeof block);
    ttprof::plot("hpp plot", 1.5);
    ttprof::plot("hpp plot", 1.5f);
    ttprof::memory_alloc(block, sizeof block);
    ttprof::memory_free(block);
    ttprof::memory_alloc(block, sizeof block, "hpp pool");
    ttprof::memory_free(block, "hpp pool");
    ttprof::memory_free(nullptr);
    return used_early - 1;
}
