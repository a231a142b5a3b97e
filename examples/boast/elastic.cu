// Runs the printed CUDA of the elastic kernel on arguments that `boast elastic --cuda DIR` wrote, compares the forces
// with those of OpenCL bit by bit, and prints the milliseconds of a run.
//
//   nvcc -O3 -arch=native --fmad=false -DELEMENTS=1 -DKERNEL='"DIR/elastic_forces_1.cu"' elastic.cu -o elastic
//   nvcc ... --maxrregcount=64 -DLIMIT=64      names the limit of registers in the output
//   ./elastic DIR

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include KERNEL

#ifndef LIMIT
#define LIMIT 0
#endif

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// A file's bytes.
static std::vector<char> contents(const std::string &path) {
    FILE *file = fopen(path.c_str(), "rb");
    if (file == nullptr) {
        fprintf(stderr, "cannot read %s\n", path.c_str());
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    std::vector<char> bytes(ftell(file));
    rewind(file);
    if (fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) {
        fprintf(stderr, "cannot read %s\n", path.c_str());
        exit(1);
    }
    fclose(file);
    return bytes;
}

template <typename T> static T *on_device(const std::vector<char> &bytes) {
    void *memory;
    check(cudaMalloc(&memory, bytes.size()));
    check(cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return static_cast<T *>(memory);
}

int main(int count, char **arguments) {
    const std::string folder = std::string(count > 1 ? arguments[1] : ".") + "/";
    FILE *file = fopen((folder + "sizes.txt").c_str(), "r");
    int elements, points, colours;
    if (file == nullptr || fscanf(file, "%d %d %d", &elements, &points, &colours) != 3) {
        fprintf(stderr, "cannot read sizes.txt\n");
        return 1;
    }
    std::vector<int> sizes(colours);
    for (int &size : sizes) {
        if (fscanf(file, "%d", &size) != 1) {
            return 1;
        }
    }
    fclose(file);
    const int *order = on_device<int>(contents(folder + "order.bin"));
    const int *numbers = on_device<int>(contents(folder + "numbers.bin"));
    const float *factors = on_device<float>(contents(folder + "factors.bin"));
    const float *rule = on_device<float>(contents(folder + "rule.bin"));
    const float *displacement = on_device<float>(contents(folder + "displacement.bin"));
    const std::vector<char> expected = contents(folder + "forces.bin");
    float *forces = on_device<float>(std::vector<char>(expected.size(), 0));

    const auto run = [&] {
        int first = 0;
        for (int size : sizes) {
            elastic_forces<<<(size + ELEMENTS - 1) / ELEMENTS, dim3(128, ELEMENTS, 1)>>>(
                first, size, order, numbers, factors, rule, displacement, forces);
            first += size;
        }
    };
    run();
    std::vector<char> found(expected.size());
    check(cudaMemcpy(found.data(), forces, found.size(), cudaMemcpyDeviceToHost));
    size_t different = 0;
    for (size_t i = 0; i < found.size(); i += sizeof(float)) {
        different += memcmp(&found[i], &expected[i], sizeof(float)) != 0;
    }
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    float best = 1e30f;
    for (int part = 0; part < 7; part++) {
        check(cudaEventRecord(begin));
        for (int i = 0; i < 20; i++) {
            run();
        }
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        best = milliseconds / 20 < best ? milliseconds / 20 : best;
    }
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, elastic_forces));
    printf("cuda limit=%d elements=%d registers=%d ms=%.4f different=%zu of %zu\n", LIMIT, ELEMENTS,
           attributes.numRegs, best, different, found.size() / sizeof(float));
    return different != 0;
}
