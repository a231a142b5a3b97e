/* Controls of the OpenCL loader in shim.c, found with dlsym or linked. */

#ifndef FAULTS_H
#define FAULTS_H

/* Objects that are counted. */
enum fault_kind { CONTEXTS, QUEUES, BUFFERS, PROGRAMS, KERNELS, EVENTS, FAULT_KINDS };

/* The nth call of the function from now on, and with `all` every one after it too, does nothing and gives this code. */
void fault_arm(const char *function, long nth, int code, int all);
/* No call fails any more. How many have. */
long fault_disarm(void);

/* Calls of a function since the last fault_restart. */
long fault_calls(const char *function);
void fault_restart(void);
/* The functions of the loader that can fail, by numbers from 0; NULL after the last. */
const char *fault_function(int number);

/* References to objects of a kind: what was made and retained, without what was released. */
long fault_live(enum fault_kind kind);

/* Queues with work on them of which nobody has made sure that it is done. In fault_settle the caller vouches for it. */
int fault_unfinished(void);
void fault_settle(void);

#endif
