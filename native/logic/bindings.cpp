// The logic family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_automaton(nanobind::module_& m);
void bind_prolog(nanobind::module_& m);
void bind_stable(nanobind::module_& m);

void bind_logic(nanobind::module_& m) {
    bind_automaton(m);
    bind_prolog(m);
    bind_stable(m);
}

}  // namespace statlearn
