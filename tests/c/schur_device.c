/* Hessenberg and Schur forms on memory objects: results and infos in them, and what is around. Exits with 77 without an
   OpenCL device that has fp64. */

#include "device_numbers.h"

enum { COL = AFFINIMATH_COL_MAJOR, NT = AFFINIMATH_NO_TRANS, NO = AFFINIMATH_NO_VECTORS, YES = AFFINIMATH_VECTORS };

static void pencils(void)
{
  const double diagonal[4] = {1, 0, 0, 2}, turned[4] = {2, 0, 0, 1}, identity[4] = {1, 0, 0, 1}, zeros[2] = {0, 0};
  const double values[2] = {1, 2}, reversed[2] = {2, 1}, ones[2] = {1, 1}, band[4] = {3, 0, 1, 0};
  const double ascending[2] = {1, 3};
  int32_t select[2] = {0, 1}, m = -1;
  cl_mem a = upload(diagonal, 4), b = upload(identity, 4), q = upload(NULL, 4), z = upload(NULL, 4);
  cl_mem re = upload(NULL, 2), im = upload(NULL, 2), beta = upload(NULL, 2), info = integer(), ab = upload(band, 4);
  CHECK(affinimathDggevCL(device.queue, COL, NO, YES, 2, a, 1, 2, b, 1, 2, re, 1, im, 1, beta, 1, q, 1, 1, z, 1, 2,
                          info, 1, NULL) == 0 &&
          holds(re, 2, values) && holds(im, 2, zeros) && holds(beta, 2, ones) && holds(z, 4, identity) &&
          info_of(info) == 0,
        "ggev");
  CHECK(affinimathDggesCL(device.queue, COL, YES, YES, 2, a, 1, 2, b, 1, 2, re, 1, im, 1, beta, 1, q, 1, 2, z, 1, 2,
                          info, 1, NULL) == 0 &&
          holds(a, 4, diagonal) && holds(q, 4, identity) && info_of(info) == 0,
        "gges");
  CHECK(affinimathDtgsenCL(device.queue, COL, NO, NO, select, 2, a, 1, 2, b, 1, 2, re, 1, im, 1, beta, 1, q, 1, 1, z,
                           1, 1, &m, info, 1, NULL) == 0 &&
          m == 1 && holds(a, 4, turned) && holds(re, 2, reversed) && info_of(info) == 0,
        "tgsen");
  CHECK(affinimathDsbevCL(device.queue, COL, NO, AFFINIMATH_LOWER, 2, 1, ab, 1, 2, re, 1, z, 1, 1, info, 1, NULL) ==
          0 &&
          holds(re, 2, ascending) && info_of(info) == 0,
        "sbev");
}

int main(void)
{
  const double triangle[4] = {1, 0, 0, 2}, identity[4] = {1, 0, 0, 1}, values[2] = {1, 2}, reversed[2] = {2, 1};
  const double swapped[4] = {2, 0, 0, 1}, right[4] = {2, 3, 3, 4}, ones[4] = {1, 1, 1, 1}, zeros[2] = {0, 0};
  const double units[2] = {1, 1};
  int32_t select[2] = {0, 1}, m = -1, low = -1, high = -1, from = 2, to = 1;
  double s = -1, sep = -1, scale = -1, norm = -1;
  cl_mem a, z, wr, wi, info, tau, c, left, vectors;
  cl_event event = NULL;
  if (!open_device(&device) || !device.fp64) {
    printf("no OpenCL device with doubles\n");
    return 77;
  }
  a = upload(triangle, 4), z = upload(NULL, 4), wr = upload(NULL, 2), wi = upload(NULL, 2), info = integer();
  tau = upload(NULL, 1), c = upload(right, 4), left = upload(NULL, 4), vectors = upload(NULL, 4);
  CHECK(affinimathDgeesCL(device.queue, COL, YES, 2, a, 1, 2, wr, 1, wi, 1, z, 1, 2, info, 1, &event) == 0, "gees");
  CHECK(event != NULL && clWaitForEvents(1, &event) == CL_SUCCESS && clReleaseEvent(event) == CL_SUCCESS, "its event");
  CHECK(holds(a, 4, triangle) && holds(z, 4, identity) && holds(wr, 2, values) && holds(wi, 2, zeros) &&
          info_of(info) == 0,
        "its results");
  CHECK(affinimathDtrsylCL(device.queue, COL, NT, NT, 1, 2, 2, a, 1, 2, a, 1, 2, c, 1,
                           2, &scale, info, 1, NULL) == 0 &&
          scale == 1 && holds(c, 4, ones) && info_of(info) == 0,
        "trsyl");
  CHECK(affinimathDtrsylCL(device.queue, COL, NT, NT, -1, 2, 2, a, 1, 2, a, 1, 2, c, 1,
                           2, &scale, info, 1, NULL) == 0 &&
          info_of(info) == 1,
        "common eigenvalues");
  CHECK(affinimathDtrevcCL(device.queue, COL, AFFINIMATH_BOTH_VECTORS, AFFINIMATH_EIGENVECTORS_ALL, NULL, 2, a, 1, 2,
                           left, 1, 2, vectors, 1, 2, 2, &m, NULL) == 0 &&
          m == 2 && holds(left, 4, identity) && holds(vectors, 4, identity),
        "trevc");
  CHECK(affinimathDtrsnaCL(device.queue, COL, AFFINIMATH_SENSE_BOTH, AFFINIMATH_EIGENVECTORS_ALL, NULL, 2, a, 1, 2, wr,
                           1, wi, 1, 2, &m, NULL) == 0 &&
          m == 2 && holds(wr, 2, units) && holds(wi, 2, units),
        "trsna");
  CHECK(affinimathDtrsenCL(device.queue, COL, AFFINIMATH_SENSE_BOTH, YES, select, 2, a, 1, 2, z, 1, 2, wr, 1, wi, 1, &m,
                           &s, &sep, info, 1, NULL) == 0 &&
          m == 1 && s == 1 && sep > 0 && holds(a, 4, swapped) && holds(wr, 2, reversed) && info_of(info) == 0,
        "trsen");
  CHECK(affinimathDtrexcCL(device.queue, COL, NO, 2, a, 1, 2, z, 1, 1, &from, &to, info, 1, NULL) == 0 && to == 1 &&
          holds(a, 4, triangle) && info_of(info) == 0,
        "trexc");
  CHECK(affinimathDgehrdCL(device.queue, COL, 2, 1, 2, a, 1, 2, tau, 1, NULL) == 0 && holds(a, 4, triangle) &&
          holds(tau, 1, zeros),
        "gehrd");
  CHECK(affinimathDorghrCL(device.queue, COL, 2, 1, 2, z, 1, 2, tau, 1, NULL) == 0 && holds(z, 4, identity), "orghr");
  CHECK(affinimathDormhrCL(device.queue, COL, AFFINIMATH_LEFT, NT, 2, 2, 1, 2, z, 1, 2, tau, 1, a, 1, 2,
                           NULL) == 0 &&
          holds(a, 4, triangle),
        "ormhr");
  CHECK(affinimathDhseqrCL(device.queue, COL, AFFINIMATH_SCHUR_FORM, AFFINIMATH_TRIDIAGONAL_VECTORS, 2, 1, 2, a, 1, 2,
                           wr, 1, wi, 1, vectors, 1, 2, info, 1, NULL) == 0 &&
          holds(wr, 2, values) && holds(vectors, 4, identity) && info_of(info) == 0,
        "hseqr");
  CHECK(affinimathDgeevxCL(device.queue, COL, AFFINIMATH_BALANCE_BOTH, YES, YES, AFFINIMATH_SENSE_NONE, 2, a, 1, 2, wr,
                           1, wi, 1, left, 1, 2, vectors, 1, 2, &low, &high, tau, 2, &norm, wr, 1, wi, 1, info, 1,
                           NULL) == -23,
        "a vector that is too small");
  CHECK(affinimathDgebalCL(device.queue, COL, AFFINIMATH_BALANCE_BOTH, 2, a, 1, 2, &low, &high, wi, 1, NULL) == 0 &&
          low == 1 && high == 1,
        "gebal");
  CHECK(affinimathDgebakCL(device.queue, COL, AFFINIMATH_BALANCE_BOTH, AFFINIMATH_RIGHT, 2, 1, 1, wi, 1, 2, vectors, 1,
                           2, NULL) == 0 &&
          holds(vectors, 4, identity),
        "gebak");
  pencils();
  CHECK(affinimathDgeesCL(device.queue, COL, NO, 3, a, 1, 3, wr, 1, wi, 1, z, 1, 1, info, 1, NULL) == -5,
        "memory that is too small");
  close_device(&device);
  return report("schur_device");
}
