/* Eigenvalues and singular values on memory objects: results and infos in them, and what is around. Exits with 77
   without an OpenCL device that has fp64. */

#include "device_numbers.h"

enum { COL = AFFINIMATH_COL_MAJOR, LOW = AFFINIMATH_LOWER, NO = AFFINIMATH_NO_VECTORS, YES = AFFINIMATH_VECTORS };

static void symmetric(void)
{
  const double matrix[4] = {2, 1, 1, 2}, diagonal[4] = {2, 0, 0, 9}, factor[4] = {1, 0, 0, 3};
  const volatile double zero = 0;
  double bad[4] = {1, 1, 0, 1};
  const double values[2] = {1, 3}, quotients[2] = {2, 3}, half[4] = {0.70710678118654752, 0.70710678118654752,
                                                                     0.70710678118654752, 0.70710678118654752};
  cl_mem a = upload(matrix, 4), w = upload(NULL, 2), z = upload(NULL, 2), info = integer();
  cl_mem c = upload(diagonal, 4), b = upload(factor, 4), n;
  int32_t m = 0;
  cl_event event = NULL;
  bad[2] = 0.0 / zero;
  n = upload(bad, 4);
  CHECK(affinimathDsyevrCL(device.queue, COL, YES, AFFINIMATH_RANGE_INDICES, LOW, 2, a, 1, 2, 0, 0, 2, 2, 0, &m, w, 1,
                           z, 1, 2, info, 1, NULL) == 0 &&
          m == 1 && holds(z, 2, half),
        "syevr");
  CHECK(affinimathDsyevCL(device.queue, COL, YES, LOW, 2, a, 1, 2, w, 1, info, 1, &event) == 0, "syev");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "its event");
  CHECK(holds(w, 2, values) && holds(a, 4, half) && info_of(info) == 0, "its results");
  CHECK(affinimathDsygvCL(device.queue, COL, 1, NO, LOW, 2, c, 1, 2, b, 1, 2, w, 1, info, 1, NULL) == 0 &&
          holds(w, 2, quotients) && info_of(info) == 0,
        "sygv");
  CHECK(affinimathDsyevCL(device.queue, COL, NO, LOW, 2, n, 1, 2, w, 1, info, 1, NULL) == 0 && info_of(info) == 0,
        "the other triangle is not read");
  CHECK(affinimathDsyevCL(device.queue, COL, NO, AFFINIMATH_UPPER, 2, n, 1, 2, w, 1, info, 1, NULL) == 0 &&
          info_of(info) > 0,
        "NaN");
  CHECK(affinimathDsyevCL(device.queue, COL, NO, LOW, 3, a, 1, 3, w, 1, info, 1, NULL) == -6,
        "memory that is too small");
}

static void others(void)
{
  const double tall[6] = {3, 4, 0, 0, 0, 2}, rotation[4] = {0, 1, -1, 0}, ones[6] = {1, 1, 1, 1, 1, 1};
  const double twos[3] = {2, 2, 2}, values[2] = {5, 2}, zeros[2] = {0, 0}, units[2] = {1, 1}, of_ones[2] = {1, 1};
  cl_mem a = upload(tall, 6), s = upload(NULL, 2), u = upload(NULL, 6), vt = upload(NULL, 4), info = integer();
  cl_mem r = upload(rotation, 4), wr = upload(NULL, 2), wi = upload(NULL, 2), vr = upload(NULL, 4);
  cl_mem c = upload(ones, 6), b = upload(twos, 3);
  int32_t rank = -1;
  double x[5];
  CHECK(affinimathDgesvdCL(device.queue, COL, AFFINIMATH_THIN_VECTORS, AFFINIMATH_ALL_VECTORS, 3, 2, a, 1, 3, s, 1, u,
                           1, 3, vt, 1, 2, info, 1, NULL) == 0 &&
          holds(s, 2, values) && info_of(info) == 0,
        "gesvd");
  CHECK(affinimathDgesddCL(device.queue, COL, NO, 3, 2, a, 1, 3, s, 1, u, 1, 1, vt, 1, 1, info, 1, NULL) == 0 &&
          holds(s, 2, values),
        "gesdd");
  CHECK(affinimathDgeevCL(device.queue, COL, NO, YES, 2, r, 1, 2, wr, 1, wi, 1, r, 1, 1, vr, 1, 2, info, 1, NULL) ==
            0 &&
          holds(wr, 2, zeros) && holds(wi, 2, units) && info_of(info) == 0,
        "geev");
  CHECK(affinimathDgelsdCL(device.queue, COL, 3, 2, 1, c, 1, 3, b, 1, 3, s, 1, 1e-14, &rank, info, 1, NULL) == 0 &&
          rank == 1 && info_of(info) == 0,
        "gelsd");
  CHECK(clEnqueueReadBuffer(device.queue, b, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) == CL_SUCCESS &&
          fabs(x[1] - of_ones[0]) < 1e-13 && fabs(x[2] - of_ones[1]) < 1e-13 && x[4] == -77.0,
        "its solution");
}

int main(void)
{
  if (!open_device(&device) || !device.fp64) {
    printf("no OpenCL device with doubles\n");
    return 77;
  }
  symmetric();
  others();
  close_device(&device);
  return report("spectral_device");
}
