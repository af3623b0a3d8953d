/* Forced into every file of the mutated tree (-include): which mutant is alive, and which ones a test has met. */
#ifndef MECH_MUTANT_H
#define MECH_MUTANT_H
extern int mech_mutant;
extern volatile char *mech_mutants_met;
#define MUTANT(k) (mech_mutants_met[k] = 1, mech_mutant == (k))
#endif
