// test_tracy_places.c - places of Tracy's symbols are found again by their address.
#include <pthread.h>
#include <string.h>

#include "record/tracy_places.h"

#define TRACY_ENABLE
#include "test.h"
#include "tracy/common/TracyCFunctions.h"

enum { PLACES = 2500 }; // more than one chunk holds

static struct ___tracy_source_location_data places[PLACES];

TEST(a_tracy_place_is_found_again_with_what_it_says)
{
    struct ___tracy_source_location_data one = {"name", "function", "file", 7, 0x112233};
    struct ttprof_location *place = tracy_place(&one);
    assert_non_null(place);
    assert_ptr_equal(tracy_place(&one), place);
    assert_string_equal(place->name, "name");
    assert_string_equal(place->function, "function");
    assert_string_equal(place->file, "file");
    assert_int_equal(place->line, 7);
    assert_int_equal(place->colour, 0x112233);
    assert_int_equal(place->id, 0);
}

TEST(a_tracy_place_at_the_address_of_another_is_not_taken_for_it)
{
    struct ___tracy_source_location_data one = {"before", "function", "file", 7, 0};
    struct ttprof_location *before = tracy_place(&one);
    one.name = "after";
    struct ttprof_location *after = tracy_place(&one);
    assert_string_equal(after->name, "after");
    assert_string_equal(before->name, "before");
    assert_ptr_equal(tracy_place(&one), after);
}

static void *find_all(void *found)
{
    struct ttprof_location **out = found;
    for (size_t i = 0; i < PLACES; i++)
        out[i] = tracy_place(&places[i]);
    return NULL;
}

TEST(tracy_places_of_several_threads_are_all_kept)
{
    enum { THREADS = 4 };
    static struct ttprof_location *found[THREADS][PLACES];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < PLACES; i++)
        places[i].line = (uint32_t)i;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, find_all, found[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t t = 0; t < THREADS; t++) {
        for (size_t i = 0; i < PLACES; i++) {
            assert_non_null(found[t][i]);
            assert_int_equal(found[t][i]->line, i);
        }
    }
    for (size_t i = 0; i < PLACES; i++)
        assert_ptr_equal(tracy_place(&places[i]), tracy_place(&places[i]));
}
