// The rules family's list of methods; each bind_<method>.cpp translates the arguments of one.
#include <nanobind/nanobind.h>

namespace statlearn {

void bind_itemsets(nanobind::module_& m);
void bind_rule_search(nanobind::module_& m);

void bind_rules(nanobind::module_& m) {
    bind_itemsets(m);
    bind_rule_search(m);
}

}  // namespace statlearn
