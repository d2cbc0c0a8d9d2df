// The linear family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_best_subset(nanobind::module_& m);
void bind_elastic_net(nanobind::module_& m);
void bind_factorization(nanobind::module_& m);
void bind_glm(nanobind::module_& m);
void bind_group_lasso(nanobind::module_& m);
void bind_lars(nanobind::module_& m);
void bind_logistic(nanobind::module_& m);
void bind_multi_task(nanobind::module_& m);
void bind_nonconvex(nanobind::module_& m);
void bind_perceptron(nanobind::module_& m);
void bind_quadratic_lasso(nanobind::module_& m);
void bind_quantile(nanobind::module_& m);
void bind_recursive(nanobind::module_& m);
void bind_ridge_loo(nanobind::module_& m);
void bind_stagewise(nanobind::module_& m);

void bind_linear(nanobind::module_& m) {
    bind_best_subset(m);
    bind_elastic_net(m);
    bind_factorization(m);
    bind_glm(m);
    bind_group_lasso(m);
    bind_lars(m);
    bind_logistic(m);
    bind_multi_task(m);
    bind_nonconvex(m);
    bind_perceptron(m);
    bind_quadratic_lasso(m);
    bind_quantile(m);
    bind_recursive(m);
    bind_ridge_loo(m);
    bind_stagewise(m);
}

}  // namespace statlearn
