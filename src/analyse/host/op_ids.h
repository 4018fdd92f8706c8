// op_ids.h - the numbers of programs and traces in the texts of a runtime: finds them, and
// replaces them.
//
// Every process counts its programs and traces from the start. Files that hold the ops of
// several processes need numbers that are unique.
#ifndef TTP_ANALYSE_HOST_OP_IDS_H
#define TTP_ANALYSE_HOST_OP_IDS_H

#include "base/text/buf.h"
#include "base/text/str.h"

enum op_id_kind { OP_ID_PROGRAM, OP_ID_RUN, OP_ID_TRACE }; // run: program and chip
enum { OP_IDS_MOST = 2 };

struct op_id_place {
    enum op_id_kind kind;
    size_t at, n; // of the digits
    uint64_t number;
};

// Of a message about an op or a trace; returns how many, 0 for any other text.
size_t op_ids_in_message(str text, struct op_id_place places[OP_IDS_MOST]);
// Of the text of an op's zone, "id:1024".
size_t op_ids_in_zone(str text, struct op_id_place places[OP_IDS_MOST]);

// The program of a run id: its number without chip and flags.
uint32_t op_id_program(uint64_t run_id);

// The text with these numbers raised, in the buffer; the text itself if nothing is added.
str op_ids_raised(str text, const struct op_id_place *places, size_t n,
                  int64_t more_programs, int64_t more_traces, struct buf *b);

#endif
