// sample_log.h - small device logs, and the files that are made of them.
#ifndef TTP_TESTS_SAMPLE_LOG_H
#define TTP_TESTS_SAMPLE_LOG_H

#include "analyse/device/device_analysis.h"
#include "test.h"

struct sample_log {
    struct buf text;
    struct arena arena;
    struct trace trace;
    struct device_ops ops;
    struct dispatch_ops dispatch;
    struct setup setup;
    struct device_analysis analysis;
    struct buf written;
};

#define SAMPLE_CHIP "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"

// Reads a log of 15 columns and runs the default analyses. Rows are short:
// "chip,x,y,RISC time run[/trace/replay] zone type", the type without its ZONE_.
void sample_log_read(struct sample_log *s, const char *chip, const char *rows);
// Reads a log as it is given, and puts T0 markers into one of 2023.
void sample_log_read_text(struct sample_log *s, const char *text);
// What a function writes into a file.
str sample_log_file(struct sample_log *s, bool (*write)(const struct sample_log *s,
                                                        const char *path, struct err *e));
void sample_log_end(struct sample_log *s);

#endif
