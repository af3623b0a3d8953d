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
