/* The failing twin of base/mem.c: counts allocations and fails the k-th. */
#ifndef TESTS_MEM_FAULT_H
#define TESTS_MEM_FAULT_H

#include <stddef.h>

void mem_fault_set(size_t fail_at); /* fail the fail_at-th call from now (1 = next); 0: never */
size_t mem_fault_calls(void);       /* calls since mem_fault_set                              */
int mem_fault_hit(void);            /* whether the k-th call was reached                      */
size_t mem_fault_live(void);        /* blocks allocated and not freed                         */

#endif
