#include <nanobind/nanobind.h>

namespace statlearn {

void bind_cart(nanobind::module_& m);
void bind_cart_predict(nanobind::module_& m);
void bind_forest(nanobind::module_& m);
void bind_multiway(nanobind::module_& m);
void bind_exact_forest(nanobind::module_& m);
void bind_grow_forest(nanobind::module_& m);
void bind_boosting_tree(nanobind::module_& m);
void bind_oblique(nanobind::module_& m);
void bind_tree_shap(nanobind::module_& m);
void bind_row_walker(nanobind::module_& m);

void bind_trees(nanobind::module_& m) {
    bind_cart(m);
    bind_cart_predict(m);
    bind_forest(m);
    bind_multiway(m);
    bind_exact_forest(m);
    bind_grow_forest(m);
    bind_boosting_tree(m);
    bind_oblique(m);
    bind_tree_shap(m);
    bind_row_walker(m);
}

}  // namespace statlearn
