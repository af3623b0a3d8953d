/* What the bindings need beyond the public headers: a right-hand side in one call, runs that Ctrl-C ends. */
typedef struct bridge_rhs bridge_rhs;
/* New, NULL when out of memory. uses_code: by mech_eval_motion, else by instants. */
bridge_rhs *bridge_rhs_create(const mech_system *system, mech_eval *eval, mech_instant *instant, int uses_code);
void bridge_rhs_free(bridge_rhs *rhs);
/* y = (q, v, z), y_dot = (v, q'', z'). */
mech_status bridge_rhs_at(const bridge_rhs *rhs, double t, const double *y, double *y_dot);

/* The run goes to `until`, or through to its end where that is NaN. flag: what the settings of the run look at.
   watches: a SIGINT on the way sets it; only one thread may do so at a time. */
mech_status bridge_run(mech_sim *sim, double until, volatile sig_atomic_t *flag, int watches);

/* The words of runs; numbers go to arrays of the caller. */
typedef struct bridge_runs bridge_runs;
/* New, NULL when out of memory. */
bridge_runs *bridge_runs_create(size_t runs, size_t columns, size_t measures);
void bridge_runs_free(bridge_runs *runs);
/* NULL: none. */
const char *bridge_runs_reason(const bridge_runs *runs, size_t run);
/* Is a measure one choice of many, in one run at least? */
int bridge_runs_is_choice(const bridge_runs *runs, size_t measure);
/* All runs of the plan: numbers (runs x (columns + measures)), status (runs). flag, watches: as of bridge_run. */
mech_status bridge_sweep(const mech_plan *plan, mech_ensemble_settings *settings, mech_ensemble_info *info,
                         double *numbers, int *status, bridge_runs *runs, volatile sig_atomic_t *flag, int watches);
