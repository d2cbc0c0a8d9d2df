// Tells which of the compiled instruction-set levels this processor, and its operating system, can run.
#include <nanobind/nanobind.h>

#include <cstring>
#include <string>

#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__)
#define STATLEARN_X86
#include <cpuid.h>
#endif

namespace nb = nanobind;

namespace {

// What a compiler may use at a level (x86-64 psABI), as the bits of cpuid that announce it.
struct Feature {
    const char* name;
    const char* level;
    unsigned leaf;
    int word;  // of eax, ebx, ecx, edx
    int bit;
};

constexpr Feature features[] = {
    {"CMPXCHG16B", "v2", 1, 2, 13},    {"LAHF/SAHF", "v2", 0x80000001, 2, 0},
    {"POPCNT", "v2", 1, 2, 23},        {"SSE3", "v2", 1, 2, 0},
    {"SSSE3", "v2", 1, 2, 9},          {"SSE4.1", "v2", 1, 2, 19},
    {"SSE4.2", "v2", 1, 2, 20},        {"OSXSAVE", "v3", 1, 2, 27},
    {"AVX", "v3", 1, 2, 28},           {"AVX2", "v3", 7, 1, 5},
    {"BMI1", "v3", 7, 1, 3},           {"BMI2", "v3", 7, 1, 8},
    {"F16C", "v3", 1, 2, 29},          {"FMA", "v3", 1, 2, 12},
    {"LZCNT", "v3", 0x80000001, 2, 5}, {"MOVBE", "v3", 1, 2, 22},
};

bool has(const Feature& feature) {
#if defined(STATLEARN_X86)
    unsigned words[4] = {};
    if (!__get_cpuid_count(feature.leaf, 0, &words[0], &words[1], &words[2], &words[3])) return false;
    return (words[feature.word] >> feature.bit) & 1u;
#else
    (void)feature;
    return false;
#endif
}

// Whether the operating system keeps the wide registers of a thread: bits 1 and 2 of xcr0.
bool keeps_wide_registers() {
#if defined(STATLEARN_X86)
    unsigned low = 0, high = 0;
    asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));  // only where OSXSAVE is set
    return (low & 6u) == 6u;
#else
    return false;
#endif
}

// What is missing for a level. `masked` takes features away, as if the processor had not got them.
nb::list missing(const char* level, const nb::object& masked) {
    const bool v3 = std::strcmp(level, "v3") == 0;
    nb::list names;
    bool os = true;
    for (const Feature& feature : features) {
        if (!v3 && std::strcmp(feature.level, "v2") != 0) continue;
        const bool there =
            has(feature) && !(!masked.is_none() && PySequence_Contains(masked.ptr(), nb::str(feature.name).ptr()) == 1);
        if (!there) names.append(feature.name);
        if (std::strcmp(feature.name, "OSXSAVE") == 0) os = there;
    }
    if (v3 && os && !keeps_wide_registers()) names.append("AVX registers kept by the operating system");
    return names;
}

// The best level that can run here; None if there is none.
nb::object best_level(const nb::object& masked) {
#if defined(STATLEARN_X86)
    for (const char* level : {"v3", "v2"})
        if (nb::len(missing(level, masked)) == 0) return nb::str(level);
    return nb::none();
#else
    (void)masked;
    return nb::str("plain");
#endif
}

}  // namespace

NB_MODULE(_cpu, m) {
    m.def("best_level", &best_level, nb::arg("masked") = nb::none());
    m.def("missing", &missing, nb::arg("level"), nb::arg("masked") = nb::none());
}
