#include <nanobind/nanobind.h>

namespace statlearn {

void bind_bspline(nanobind::module_& m);
void bind_local_likelihood(nanobind::module_& m);
void bind_local_polynomial(nanobind::module_& m);
void bind_loess(nanobind::module_& m);
void bind_mars(nanobind::module_& m);
void bind_ridge(nanobind::module_& m);
void bind_smoothing_spline(nanobind::module_& m);
void bind_supersmoother(nanobind::module_& m);
void bind_varying_coefficients(nanobind::module_& m);
void bind_gam_design(nanobind::module_& m);

void bind_smooth(nanobind::module_& m) {
    bind_bspline(m);
    bind_local_likelihood(m);
    bind_local_polynomial(m);
    bind_loess(m);
    bind_mars(m);
    bind_ridge(m);
    bind_smoothing_spline(m);
    bind_supersmoother(m);
    bind_varying_coefficients(m);
    bind_gam_design(m);
}

}  // namespace statlearn
