// options_known.c - names of variables that are no mistakes though the profiler does not
// read them, and the nearest name to one that is.
//
// Those of tt-metal are listed as of 2026-08; a new one costs a needless warning, no more.
#include "collect/readout/options_table.h"

// Suffixes of "TT_METAL_".
static const char metal_names[] =
    "ALLOCATOR_MODE_HYBRID ARC_DEBUG_BUFFER_SIZE ASIC_MAPPING_GOLDEN_OPTIONAL "
    "ASIC_MAPPING_GOLDEN_PATH BACKEND_DUMP_RUN_CMD BUILD_DIR BUILD_TESTS CACHE "
    "CCACHE_KERNEL_SUPPORT CHECKPOINT CLEAR_DRAM CLEAR_L1 "
    "CORE_GRID_OVERRIDE_TODEPRECATE CQ_SIZE_OVERRIDE DEVICE_ARCH DEVICE_PRINT "
    "DEVICE_PRINT_DISPATCH_FULL_US DEVICE_PRINT_DISPATCH_L1_CACHE_BYTES "
    "DEVICE_PRINT_DISPATCH_STALL_US DISABLE_DMA_OPS DISABLE_FABRIC_TWO_ERISC "
    "DISABLE_MULTI_AERISC DISABLE_PRECOMPILED_FW DISABLE_RELAXED_MEM_ORDERING "
    "DISABLE_SFPLOADMACRO DISABLE_XIP_DUMP DISPATCH_DATA_COLLECTION "
    "DISPATCH_PROGRESS_UPDATE_MS DISPATCH_TELEMETRY_DISABLE "
    "DISPATCH_TIMEOUT_COMMAND_TO_EXECUTE DRAM_BACKED_CQ "
    "ENABLE_BLACKHOLE_DRAM_PROGRAMMABLE_CORES ENABLE_CHANNEL_TRIMMING_CAPTURE "
    "ENABLE_FABRIC_MESH_PASS_THROUGH ENABLE_FABRIC_VC2 ENABLE_GATHERING "
    "ENABLE_HW_CACHE_INVALIDATION ENABLE_L1_DATA_CACHE_RISCVS ENABLE_REMOTE_CHIP "
    "FABRIC_BW_TELEMETRY FABRIC_OPT_LEVEL FABRIC_ROUTER_SYNC_TIMEOUT_MS "
    "FABRIC_TELEMETRY FABRIC_TRIMMING_OVERRIDE FABRIC_TRIMMING_PROFILE "
    "FACTORY_SYSTEM_DESCRIPTOR_PATH FORCE_JIT_COMPILE FORCE_REINIT "
    "GTEST_ETH_DISPATCH GTEST_NUM_HW_CQS INSPECTOR INSTALL_ROOT JIT_ANALYTICS "
    "JIT_PREPROCESS KERNELS_EARLY_RETURN KERNEL_MAP KERNEL_PATH "
    "KERNEL_READBACK_ENABLE LIGHTWEIGHT_KERNEL_ASSERTS LLK_ASSERTS LLK_SANITIZER "
    "LOGGER_FILE LOGGER_LEVEL LOGS_PATH LOG_KERNELS_COMPILE_COMMANDS "
    "MEASURE_DFB_INIT_TIME MOCK_CLUSTER_DESC_PATH NULL_KERNELS NUMA_BASED_AFFINITY "
    "OPERATION_TIMEOUT_SECONDS PHYSICAL_GROUPING_DESCRIPTOR_PATH "
    "PINNED_MEMORY_CACHE_LIMIT_BYTES RECORD_NOC_TRANSFER_DATA REGOLDEN "
    "RELAX_PGD_SLOT_CONSTRAINTS RESET_DEVICE_AFTER_HANG RISCV_DEBUG_INFO ROOT "
    "RUNTIME_ROOT SHM_TRACKING_DISABLED SHM_VERBOSE SIMULATOR SIMULATOR_BASE "
    "SIMULATOR_DIRECT_TENSOR_WRITES SIMULATOR_HOME SKIP_ETH_CORES_WITH_RETRAIN "
    "SKIP_LOADING_FW STREAMING_PROFILER TDP_LIMIT_WATTS TENSIX_DISPATCH_CORES "
    "TRACE_ALLOC_REFERRER_DEPTH TRACE_ALLOC_SKIP_PROGRAM_CACHE "
    "TRACE_ALLOC_TRACEBACKS TRACE_ALLOC_TRACKING USE_EMULE USE_MGD_2_0 "
    "VALIDATE_PROGRAM_BINARIES VISIBLE_DEVICES WATCHER WATCHER_APPEND "
    "WATCHER_DEBUG_DELAY WATCHER_DISABLE_ASSERT WATCHER_DISABLE_CB_SANITIZE "
    "WATCHER_DISABLE_DISPATCH WATCHER_DISABLE_ETH WATCHER_DISABLE_ETH_LINK_STATUS "
    "WATCHER_DISABLE_NOC_SANITIZE WATCHER_DISABLE_PAUSE WATCHER_DISABLE_RING_BUFFER "
    "WATCHER_DISABLE_SANITIZE_NOC WATCHER_DISABLE_SANITIZE_READ_ONLY_L1 "
    "WATCHER_DISABLE_SANITIZE_WRITE_ONLY_L1 WATCHER_DISABLE_STACK_USAGE "
    "WATCHER_DISABLE_WAYPOINT WATCHER_DUMP_ALL "
    "WATCHER_ENABLE_NOC_SANITIZE_LINKED_TRANSACTION WATCHER_KEEP_ERRORS "
    "WATCHER_NOINLINE WATCHER_PHYS_COORDS WATCHER_SKIP_LOGGING WATCHER_TEST_MODE "
    "WATCHER_TEXT_START";

// Each of these has all of the endings: TT_METAL_DPRINT_CORES and so on.
static const char features[] =
    "DPRINT READ_DEBUG_DELAY WRITE_DEBUG_DELAY ATOMIC_DEBUG_DELAY";
static const char feature_endings[] =
    "CORES ETH_CORES DRAM_CORES DISPATCH_CORES CHIPS NODES MESH_COORDS RISCVS FILE ONE_FILE_PER_RISC PREPEND_DEVICE_CORE_RISC";

// Whole families of names that only tests and tools of tt-metal read.
static const char metal_families[] =
    "COMPILE_STRESS_ EMULE_ FUSION_ HIGH_BW_ INSPECTOR_ JIT_ LLK_SANITIZER_ QSR_";

// Suffixes of "TTPROF_" that other parts of the product and its tests read.
static const char own_names[] =
    "CLOCK FOLLOW LIBRARY LOG PACKAGES PROFILE_SCENES PROP_ROUNDS PYTHON "
    "PYTHON_DEPTH PYTHON_EXCLUDE PYTHON_INCLUDE RUN SIM_SCENES SYNC_RUNS TRACY TRACY_PORT";

// --- every known name, one after the other ----------------------------------------------
typedef bool visit_name(void *context, str name); // false: enough

static bool visit_list(const char *prefix, const char *list, visit_name *visit,
                       void *context)
{
    struct buf name = {0};
    str rest = str_of(list);
    bool goes_on = true;
    while (rest.n && goes_on) {
        name.n = 0;
        buf_z(&name, prefix);
        buf_str(&name, str_cut(&rest, ' '));
        goes_on = visit(context, buf_view(&name));
    }
    buf_free(&name);
    return goes_on;
}

static void visit_all(visit_name *visit, void *context)
{
    for (size_t i = 0; i < n_variables; i++)
        if (!visit(context, str_of(variables[i].field.name)))
            return;
    str rest = str_of(features);
    while (rest.n) {
        str feature = str_cut(&rest, ' ');
        struct buf prefix = {0};
        buf_printf(&prefix, "TT_METAL_%.*s_%c", STR(feature), '\0');
        bool goes_on = visit_list(prefix.p, feature_endings, visit, context);
        buf_free(&prefix);
        if (!goes_on)
            return;
    }
    (void)(visit_list("TT_METAL_", metal_names, visit, context) &&
           visit_list("TTPROF_", own_names, visit, context));
}

struct search {
    str name;
    unsigned best;
    struct buf *nearest;
};

static bool is_other(void *context, str name)
{
    struct search *s = context;
    s->best = str_eq(name, s->name) ? 0 : s->best;
    return s->best != 0;
}

bool variable_is_known(str name)
{
    struct search s = {.name = name, .best = 1};
    str rest = str_of(metal_families), tail = {0};
    if (str_after(name, S("TT_METAL_"), &tail))
        while (rest.n)
            if (str_starts(tail, str_cut(&rest, ' ')))
                return true;
    visit_all(is_other, &s);
    return s.best == 0;
}

static bool keep_if_nearer(void *context, str name)
{
    struct search *s = context;
    unsigned d = str_distance(s->name, name, s->best);
    if (d < s->best) {
        s->best = d;
        s->nearest->n = 0;
        buf_str(s->nearest, name);
    }
    return true;
}

bool variable_suggest(str name, struct buf *nearest)
{
    // Up to four edits: names are long, and a forgotten "_SET" costs one edit per letter.
    struct search s = {.name = name, .best = 5, .nearest = nearest};
    nearest->n = 0;
    visit_all(keep_if_nearer, &s);
    return nearest->n != 0;
}
