// The discriminant family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_gaussian_scores(nanobind::module_& m);
void bind_group_scatter(nanobind::module_& m);

void bind_discriminant(nanobind::module_& m) {
    bind_gaussian_scores(m);
    bind_group_scatter(m);
}

}  // namespace statlearn
