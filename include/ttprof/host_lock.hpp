// host_lock.hpp - recorded locks, for host.hpp and tracy/Tracy.hpp.
#ifndef TTPROF_HOST_LOCK_HPP
#define TTPROF_HOST_LOCK_HPP

#include <atomic>

#include "ttprof/host.h"

namespace ttprof {
namespace detail {

// A lock as the recording knows it. Texts are literals. It gets its number at first use, so
// locks may be globals that other globals use during initialisation.
class lock_record {
  public:
    constexpr lock_record(const char *name, const char *function, const char *file,
                          uint32_t line)
        : place_{name, function, file, line, 0, 0}, number_(0)
    {
    }
    ~lock_record()
    {
        if (uint32_t number = number_.load(std::memory_order_relaxed))
            ttprof_lock_end(number);
    }
    lock_record(const lock_record &) = delete;
    lock_record &operator=(const lock_record &) = delete;

    bool wait(bool is_shared) // true if recorded
    {
        if (!ttprof_is_on())
            return false;
        ttprof_lock_wait(number(), is_shared);
        return true;
    }
    void obtain(bool is_shared)
    {
        if (ttprof_is_on())
            ttprof_lock_obtain(number(), is_shared);
    }
    void release(bool is_shared)
    {
        if (ttprof_is_on())
            ttprof_lock_release(number(), is_shared);
    }
    void mark(struct ttprof_location *place)
    {
        if (ttprof_is_on())
            ttprof_lock_mark(number(), place);
    }
    void rename(const char *name, size_t bytes)
    {
        if (uint32_t lock = number())
            ttprof_lock_name(lock, name, bytes);
    }

  private:
    uint32_t number()
    {
        uint32_t known = number_.load(std::memory_order_relaxed);
        return known ? known : make();
    }
    // Two threads may race here: the first number wins.
    uint32_t make()
    {
        struct ttprof_location place = place_;
        uint32_t fresh = ttprof_lock_make(&place), known = 0;
        if (number_.compare_exchange_strong(known, fresh, std::memory_order_relaxed))
            return fresh;
        ttprof_lock_end(fresh);
        return known;
    }

    struct ttprof_location place_;
    std::atomic<uint32_t> number_;
};

// Same when recording is compiled out.
struct no_lock_record {
    constexpr no_lock_record(const char *, const char *, const char *, uint32_t) {}
    static bool wait(bool) { return false; }
    static void obtain(bool) {}
    static void release(bool) {}
};

// A lock and its record. Members that only some locks support are instantiated when called.
// A release is recorded before it happens, so no two threads hold the lock in the
// recording.
template <class T, class Record> class recorded_lock : private Record {
  public:
    constexpr explicit recorded_lock(const char *name = nullptr,
                                     const char *file = __builtin_FILE(),
                                     uint32_t line = uint32_t(__builtin_LINE()))
        : Record(name, "lock", file, line), lock_()
    {
    }
    recorded_lock(const recorded_lock &) = delete;
    recorded_lock &operator=(const recorded_lock &) = delete;

    void lock()
    {
        Record::wait(false);
        lock_.lock();
        Record::obtain(false);
    }
    bool try_lock()
    {
        bool is_mine = lock_.try_lock();
        if (is_mine)
            Record::obtain(false);
        return is_mine;
    }
    void unlock()
    {
        Record::release(false);
        lock_.unlock();
    }
    void lock_shared()
    {
        Record::wait(true);
        lock_.lock_shared();
        Record::obtain(true);
    }
    bool try_lock_shared()
    {
        bool is_mine = lock_.try_lock_shared();
        if (is_mine)
            Record::obtain(true);
        return is_mine;
    }
    void unlock_shared()
    {
        Record::release(true);
        lock_.unlock_shared();
    }

  protected:
    constexpr recorded_lock(const char *name, const char *function, const char *file,
                            uint32_t line)
        : Record(name, function, file, line), lock_()
    {
    }
    Record &record() { return *this; }

  private:
    T lock_;
};

} // namespace detail
} // namespace ttprof

#endif
