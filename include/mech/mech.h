/* Mechanician, all of it. Each header stands alone: include only what you use if you like. */
#ifndef MECH_MECH_H
#define MECH_MECH_H

#include <mech/analyze.h>
#include <mech/assemble.h>
#include <mech/base.h>
#include <mech/bodies.h>
#include <mech/easy.h>
#include <mech/ensemble.h>
#include <mech/expr.h>
#include <mech/figure.h>
#include <mech/fmu.h>
#include <mech/fundamental.h>
#include <mech/import.h>
#include <mech/instant.h>
#include <mech/lanes.h>
#include <mech/lang.h>
#include <mech/model.h>
#include <mech/motion.h>
#include <mech/outline.h>
#include <mech/output.h>
#include <mech/show.h>
#include <mech/simulate.h>
#include <mech/slopes.h>
#include <mech/system.h>

#endif
