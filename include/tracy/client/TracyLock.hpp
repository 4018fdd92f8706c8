// TracyLock.hpp - locks that record who waits for them and who holds them.
#ifndef TTPROF_TRACY_LOCK_HPP
#define TTPROF_TRACY_LOCK_HPP

#include <cstddef>

#include "tracy/client/TracyScoped.hpp"
#include "ttprof/host_lock.hpp"

namespace tracy {

// For classes with their own way of locking. The location must be permanent.
class LockableCtx {
  public:
    explicit LockableCtx(const SourceLocationData *srcloc)
        : record_(srcloc->name, srcloc->function, srcloc->file, srcloc->line)
    {
    }
    bool BeforeLock() { return record_.wait(false); }
    void AfterLock() { record_.obtain(false); }
    void AfterUnlock() { record_.release(false); }
    void AfterTryLock(bool acquired)
    {
        if (acquired)
            record_.obtain(false);
    }
    bool BeforeLockShared() { return record_.wait(true); }
    void AfterLockShared() { record_.obtain(true); }
    void AfterUnlockShared() { record_.release(true); }
    void AfterTryLockShared(bool acquired)
    {
        if (acquired)
            record_.obtain(true);
    }
    void Mark(struct ttprof_location *place) { record_.mark(place); }
    void CustomName(const char *name, size_t size) { record_.rename(name, size); }

  private:
    ttprof::detail::lock_record record_;
};
typedef LockableCtx SharedLockableCtx;

template <class T>
class Lockable : public ttprof::detail::recorded_lock<T, ttprof::detail::lock_record> {
  public:
    explicit Lockable(const SourceLocationData *srcloc)
        : ttprof::detail::recorded_lock<T, ttprof::detail::lock_record>(
              srcloc->name, srcloc->function, srcloc->file, srcloc->line)
    {
    }
    void Mark(struct ttprof_location *place) { this->record().mark(place); }
    void CustomName(const char *name, size_t size) { this->record().rename(name, size); }
};
template <class T> using SharedLockable = Lockable<T>;

} // namespace tracy

#endif
