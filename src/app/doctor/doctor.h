// doctor.h - `ttprof doctor`: shows the variables in effect and checks the machine.
#ifndef TTP_APP_DOCTOR_DOCTOR_H
#define TTP_APP_DOCTOR_DOCTOR_H

#include "base/text/err.h"

#include "app/options.h"

struct doctor_values {
    bool json;
};

// Returns the exit code; a set error decides it when there is one.
int doctor_command(const struct doctor_values *v, struct words words, struct err *e);

#endif
