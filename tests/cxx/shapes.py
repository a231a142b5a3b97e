"""Compares the sizes that affinimath.hpp asks of containers with those that the library asks of memory objects.

    tests/cxx/shapes.py INCLUDE >shapes.cpp

INCLUDE is the folder of the headers. The program that is written calls each routine in double precision and in
complex numbers of double, on memory objects that are as large as the header needs, and with one element fewer in each
of them: the library accepts the first, and refuses the others by their index. Exits with 77 without a device.
"""

import pathlib
import re
import sys

# Values of arguments. Sizes differ, so that an exchange of two shows; leading dimensions and strides leave gaps.
VALUES = {
    "layout": "layout", "trans": "op", "transa": "op", "transb": "op", "side": "side", "uplo": "Uplo::Upper",
    "diag": "Diag::NonUnit", "norm": "Norm::One", "direction": "Transform::Forward", "extent": "ConvolutionMode::Full",
    "m": 5, "n": 4, "k": 3, "nrhs": 2, "kl": 2, "ku": 1, "rows": 5, "cols": 4, "batch_count": 3, "batch": 3, "k1": 1,
    "k2": 2, "incx": 2, "incy": -2, "jobz": "Job::Vectors", "jobvl": "Job::Vectors", "jobvr": "Job::Vectors",
    "jobu": "Job::AllVectors", "jobvt": "Job::ThinVectors", "range": "Range::RangeAll", "itype": 1, "il": 1, "iu": 2,
    "vl": 0, "vu": 1, "abstol": 0, "compz": "Job::Vectors", "vect": "Job::FactorQ", "ncvt": 3, "nru": 2, "ncc": 1,
    "balanc": "Balance::Both", "sense": "Sense::Both", "job": "SchurJob::SchurForm", "howmny": "Eigenvectors::Selected",
    "sides": "Sides::BothVectors", "compq": "Job::Vectors", "jobvs": "Job::Vectors", "jobvsl": "Job::Vectors",
    "jobvsr": "Job::Vectors", "ilo": 1, "ihi": 3, "isgn": 1, "mm": 4, "ifst": 1, "ilst": 2,
    "transr": "Op::NoTrans",
}  # fmt: skip
# A pivot's increment of laswp; k of the others is a count of reflections or of diagonals. Vectors are singular ones.
SPECIAL = {
    ("laswp", "incx"): 1, ("gesdd", "jobz"): "Job::AllVectors", ("gesvdStridedBatched", "jobz"): "Job::AllVectors",
    ("sbtrd", "vect"): "Job::Vectors", ("hbtrd", "vect"): "Job::Vectors",
}  # fmt: skip

OPENING = """\
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <affinimath.hpp>

using namespace affinimath;

static cl_context context;
static cl_command_queue queue;
static int checks = 0, failures = 0;

struct Memory {
  // Zeros, or pivots that exchange no rows.
  Memory(int64_t elements, std::size_t size, bool are_pivots)
  {
    std::vector<char> values(static_cast<std::size_t>(elements < 1 ? 1 : elements) * size);
    for (int64_t row = 1; are_pivots && row <= elements; ++row) {
      std::memcpy(&values[static_cast<std::size_t>(row - 1) * size], &row, size);
    }
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size(), values.data(), nullptr);
  }
  Memory(const Memory &) = delete;
  ~Memory() { clReleaseMemObject(memory); }
  cl_mem memory;
};

static void expect(const char *function, const char *operand, int status, int expected)
{
  ++checks;
  if (status == expected) return;
  ++failures;
  std::printf("%s, %s: %d in place of %d: %s\\n", function, operand, status, expected, affinimathLastError());
}
"""

CLOSING = """
int main()
{
  cl_platform_id platform;
  cl_device_id device;
  cl_uint count = 0;
  if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
    std::printf("no OpenCL device\\n");
    return 77;
  }
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueue(context, device, 0, nullptr);
  for (Layout layout : {Layout::ColMajor, Layout::RowMajor}) {
    all(layout, Op::NoTrans, Side::Left);
    all(layout, Op::ConjTrans, Side::Right);
  }
  affinimathShutdown();
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  std::printf("shapes: %d checks, %d failures\\n", checks, failures);
  return failures != 0;
}
"""


def prototypes(header):
    """The C functions: the type and the name of each argument."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
    found = re.findall(r"^int (affinimath\w+)\(([^;]*)\);", text, flags=re.M)
    arguments = {name: [" ".join(argument.split()) for argument in list_.split(",")] for name, list_ in found}
    split = re.compile(r"(.*?)(\w+)$").fullmatch
    return {name: [split(argument).groups() for argument in list_] for name, list_ in arguments.items()}


def checked(header):
    """The C functions that the C++ header calls, with the elements that each operand needs."""
    text = header.read_text(encoding="utf-8")
    for body in re.findall(r"^\[\[nodiscard\]\] inline int .*?\n\{\n(.*?)\n\}", text, flags=re.M | re.S):
        body = " ".join(body.split())
        called = re.search(r"detail::told\((affinimath\w+)\(", body)
        needs = re.findall(r"detail::lacks\((\w+), (.*?)\)\) return detail::refused\(", body)
        if called and needs:
            yield called[1], dict(needs)


def value(name, type_, argument):
    routine = re.sub(r"^affinimath(?:I[dz]|[DZ])", "", name)
    if argument in VALUES or argument.startswith(("ld", "stride")):
        default = 9 if argument.startswith("ld") else 200
        return SPECIAL.get((routine, argument), VALUES.get(argument, default))
    # A factor of 0 or 1 would leave operands unread.
    return "{2, 0}" if "affinimath_c" in type_ else 2


def function(name, host, device, needs):
    """A function that calls the routine on memory of the right sizes, and on memory that is too small."""
    lines = [f"\nstatic void {name}Shapes([[maybe_unused]] Layout layout, [[maybe_unused]] Op op, "
             "[[maybe_unused]] Side side)", "{"]  # fmt: skip
    pointers = {}
    for type_, argument in host:
        if argument.startswith("offsets"):
            lines.append(f"  const std::vector<int64_t> {argument} = {{0, 250, 100}};")
        elif "*" in type_:
            pointers[argument] = re.sub(r"const|\*", "", type_).strip()
        elif argument not in ("layout", "side"):
            auto = "auto" if type_.strip() == "int" else type_.strip()
            lines.append(f"  [[maybe_unused]] const {auto} {argument} = {value(name, type_, argument)};")
    memories = [argument for type_, argument in device if argument in pointers and "_cl_mem" in type_]
    for argument in memories:
        need = needs.get(argument, "1")
        if "at_offsets" in need:
            # Only a container's offsets are looked at.
            lines.append(f"  const std::vector<char> counted_{argument}(1);")
            need = need.replace(f"at_offsets({argument},", f"at_offsets(Elements<const char>(counted_{argument}),")
        lines.append(f"  const int64_t need_{argument} = detail::Count({need}).value();")
    lines.append(f"  const auto call = [&]({', '.join(f'int64_t size_{argument}' for argument in memories)}) {{")
    values = []
    for type_, argument in device:
        if argument in memories or "_cl_mem" in type_:
            size = f"size_{argument}, sizeof({pointers[argument]})" if argument in memories else "8, 8"
            are_pivots = "true" if argument == "ipiv" else "false"
            lines.append(f"    const Memory memory_{argument}({size}, {are_pivots});")
            values.append(f"memory_{argument}.memory")
        elif argument in pointers:
            lines.append(f"    {pointers[argument]} result_{argument}[8] = {{1, 1, 1, 1, 1, 1, 1, 1}};")
            values.append(f"result_{argument}")
        elif argument.startswith("offsets"):
            values.append(f"{argument}.data()")
        elif argument.startswith("off"):
            values.append("0")
        elif argument == "event":
            values.append("nullptr")
        else:
            values.append(f"static_cast<int>({argument})" if type_.strip() == "int" else argument)
    lines.append(f"    const int status = {name}CL({', '.join(values)});")
    lines += ["    clFinish(queue);", "    return status;", "  };"]
    names = [argument for _, argument in device]
    for small in memories:
        sizes = ", ".join(f"need_{argument} {'- 1' if argument == small else '+ 50'}" for argument in memories)
        status = f"call({sizes}), -{names.index(small) + 1}"
        lines.append(f'  if (need_{small} > 1) expect("{name}", "{small}", {status});')
    exact = ", ".join(f"need_{argument}" for argument in memories)
    # A matrix of zeros is singular, which is LAPACK's to say.
    lines += [f"  const int status = call({exact});", f'  expect("{name}", "all", status > 0 ? 0 : status, 0);', "}"]
    return "\n".join(lines) + "\n"


def main():
    include = pathlib.Path(sys.argv[1]) / "affinimath"
    print(OPENING, end="")
    names = []
    for part in ("blas", "lapack", "fft"):
        functions = prototypes(include / f"{part}.h")
        for name, needs in checked(include / f"{part}.hpp"):
            if name + "CL" in functions and re.match(r"affinimath(D|Z|Id|Iz)[a-z]", name) and name not in names:
                print(function(name, functions[name], functions[name + "CL"], needs), end="")
                names.append(name)
    if len(names) < 100:
        sys.exit(f"only {len(names)} functions were found")
    calls = "\n".join(f"  {name}Shapes(layout, op, side);" for name in names)
    print(f"\nstatic void all(Layout layout, Op op, Side side)\n{{\n{calls}\n}}\n{CLOSING}", end="")


main()
