// The neighbours family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_ball_tree(nanobind::module_& m);
void bind_brute(nanobind::module_& m);
void bind_dtw(nanobind::module_& m);
void bind_kd_tree(nanobind::module_& m);
void bind_kernel_density(nanobind::module_& m);
void bind_line_density(nanobind::module_& m);
void bind_mixed(nanobind::module_& m);
void bind_panels(nanobind::module_& m);
void bind_sparse_search(nanobind::module_& m);

void bind_neighbors(nanobind::module_& m) {
    bind_ball_tree(m);
    bind_brute(m);
    bind_dtw(m);
    bind_kd_tree(m);
    bind_kernel_density(m);
    bind_line_density(m);
    bind_mixed(m);
    bind_panels(m);
    bind_sparse_search(m);
}

}  // namespace statlearn
