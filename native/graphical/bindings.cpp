// The graphical family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_boltzmann(nanobind::module_& m);
void bind_glasso(nanobind::module_& m);
void bind_known_graph(nanobind::module_& m);

void bind_graphical(nanobind::module_& m) {
    bind_boltzmann(m);
    bind_glasso(m);
    bind_known_graph(m);
}

}  // namespace statlearn
