// The extension module: one submodule per family. Each family's bindings.cpp defines bind_<family>, which fills its
// own. families.inc, written by CMake, has a line FAMILY(name) for every folder of native/ with a bindings.cpp.
#include <nanobind/nanobind.h>

namespace statlearn {
#define FAMILY(name) void bind_##name(nanobind::module_& m);
#include "families.inc"
#undef FAMILY
}  // namespace statlearn

NB_MODULE(STATLEARN_MODULE, m) {
    m.attr("__version__") = STATLEARN_VERSION;
#define FAMILY(name)                          \
    {                                         \
        auto family = m.def_submodule(#name); \
        statlearn::bind_##name(family);       \
    }
#include "families.inc"
#undef FAMILY
}
