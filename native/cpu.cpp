// Tells which of the compiled instruction-set levels this processor can run.
#include <nanobind/nanobind.h>

namespace {

const char* best_level() {
#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
    return v3 ? "v3" : "v2";
#else
    return "plain";
#endif
}

}  // namespace

NB_MODULE(_cpu, m) { m.def("best_level", &best_level); }
