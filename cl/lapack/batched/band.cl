// A band matrix of a batch in LAPACK's storage: its rows are diagonals, its columns those of the matrix.
//
//   element (i, j) of A  ->  element (kl + ku + i - j, j) of the array; U has kl + ku diagonals above the main one
#pragma once

#include "common/divide.cl"
#include "blas/level3/batched/offsets.cl"

// Work-items of a team, which has a matrix.
#ifndef TEAM
#define TEAM 4
#endif

// Teams of a group.
#ifndef TEAMS
#define TEAMS 2
#endif

#define GROUP_SIZE __attribute__((reqd_work_group_size(TEAM * TEAMS, 1, 1)))

// A single work-item needs no barrier.
#if TEAM > 1
#define team_barrier(fence) barrier(fence)
#else
#define team_barrier(fence)
#endif

#if SCALAR_IS_COMPLEX
#define size_of(v) (fabs((v).x) + fabs((v).y))
#else
#define size_of(v) fabs(v)
#endif
