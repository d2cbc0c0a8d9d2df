#include "bayes/network.hpp"
#include "common/gate.hpp"

namespace statlearn {
namespace {

using bayes::CliqueTree;
using bayes::Network;

// Arrays of a network as they come from Python. Every index is checked: a wrong one would read foreign memory.
struct NetworkArrays {
    In<int> sizes;
    In<std::int64_t> table_start;
    In<double> tables;
    In<int> parent_start, parents;

    Network checked() const {
        const Network net{view(sizes), view(table_start), view(tables), view(parent_start), view(parents)};
        const auto n = sizes.shape(0);
        require(net.table_start.size() == n + 1 && net.parent_start.size() == n + 1,
                "network: the arrays have different lengths");
        require(net.table_start[0] == 0 && net.parent_start[0] == 0, "network: starts must begin at 0");
        require(std::size_t(net.table_start[n]) == net.tables.size(), "network: tables do not fit");
        require(std::size_t(net.parent_start[n]) == net.parents.size(), "network: parents do not fit");
        for (std::size_t v = 0; v < n; ++v) {
            require(net.sizes[v] > 0, "network: a node needs a state");
            require(0 <= net.parent_start[v] && net.parent_start[v] <= net.parent_start[v + 1] &&
                        std::size_t(net.parent_start[v + 1]) <= net.parents.size(),
                    "network: starts of parents");
            std::int64_t cells = net.sizes[v];
            for (int k = net.parent_start[v]; k < net.parent_start[v + 1]; ++k) {
                const int u = net.parents[k];
                require(0 <= u && std::size_t(u) < n, "network: parent out of range");
                cells *= net.sizes[u];
            }
            require(net.table_start[v + 1] - net.table_start[v] == cells, "network: size of a table");
        }
        return net;
    }
};

struct TreeArrays {
    In<int> clique_start, members, up, order, home;

    CliqueTree checked(const Network& net) const {
        const CliqueTree tree{view(clique_start), view(members), view(up), view(order), view(home)};
        const auto m = tree.up.size(), n = net.sizes.size();
        require(tree.clique_start.size() == m + 1 && tree.order.size() == m && tree.home.size() == n,
                "tree: the arrays have different lengths");
        require(tree.clique_start[0] == 0 && std::size_t(tree.clique_start[m]) == tree.members.size(),
                "tree: starts do not fit");
        std::vector<char> seen(m, 0);
        for (std::size_t k = 0; k < m; ++k) {
            require(tree.clique_start[k] <= tree.clique_start[k + 1], "tree: starts must not decrease");
            const int q = tree.order[k];
            require(0 <= q && std::size_t(q) < m && !seen[q], "tree: order out of range");
            const int above = tree.up[q];
            require(above == -1 || (0 <= above && std::size_t(above) < m && seen[above]),
                    "tree: a clique comes after its neighbour towards the root");
            seen[q] = 1;
        }
        for (const int v : tree.members) require(0 <= v && std::size_t(v) < n, "tree: member out of range");
        for (std::size_t v = 0; v < n; ++v) {
            const int q = tree.home[v];
            require(0 <= q && std::size_t(q) < m, "tree: home out of range");
            const auto inside = [&](int u) {
                for (int at = tree.clique_start[q]; at < tree.clique_start[q + 1]; ++at)
                    if (tree.members[at] == u) return true;
                return false;
            };
            require(inside(int(v)), "tree: a family must lie in its clique");
            for (int k = net.parent_start[v]; k < net.parent_start[v + 1]; ++k)
                require(inside(net.parents[k]), "tree: a family must lie in its clique");
        }
        return tree;
    }
};

void check_states(const Network& net, const In<int, 2>& rows) {
    require(rows.shape(1) == net.sizes.size(), "network: one column of evidence per node");
    const auto states = view(rows);
    for (Index i = 0; i < states.rows; ++i)
        for (Index v = 0; v < states.cols; ++v)
            require(states(i, v) >= -1 && states(i, v) < net.sizes[v], "network: a state is out of range");
}

}  // namespace

void bind_network(nb::module_& m) {
    m.def("propagate", [](In<int> sizes, In<std::int64_t> table_start, In<double> tables, In<int> parent_start,
                          In<int> parents, In<int> clique_start, In<int> members, In<int> up, In<int> order,
                          In<int> home, In<int, 2> evidence, Out<double> log_probability, Out<double, 2> marginals) {
        const auto net = NetworkArrays{sizes, table_start, tables, parent_start, parents}.checked();
        const auto tree = TreeArrays{clique_start, members, up, order, home}.checked(net);
        check_states(net, evidence);
        std::size_t states = 0;
        for (const int size : net.sizes) states += std::size_t(size);
        require(log_probability.shape(0) == evidence.shape(0) && marginals.shape(0) == evidence.shape(0) &&
                    (marginals.shape(1) == 0 || marginals.shape(1) == states),
                "propagate: the shapes of the arrays do not match");
        run_native([&](const Interrupt& stop) {
            bayes::propagate(net, tree, view(evidence), stop, view(log_probability), view(marginals));
        });
    });
    m.def("explain", [](In<int> sizes, In<std::int64_t> table_start, In<double> tables, In<int> parent_start,
                        In<int> parents, In<int> clique_start, In<int> members, In<int> up, In<int> order, In<int> home,
                        In<int, 2> evidence, Out<double> log_probability, Out<int, 2> completion) {
        const auto net = NetworkArrays{sizes, table_start, tables, parent_start, parents}.checked();
        const auto tree = TreeArrays{clique_start, members, up, order, home}.checked(net);
        check_states(net, evidence);
        require(log_probability.shape(0) == evidence.shape(0) && completion.shape(0) == evidence.shape(0) &&
                    completion.shape(1) == evidence.shape(1),
                "explain: the shapes of the arrays do not match");
        run_native([&](const Interrupt& stop) {
            bayes::explain(net, tree, view(evidence), stop, view(log_probability), view(completion));
        });
    });
    m.def("expected_counts", [](In<int> sizes, In<std::int64_t> table_start, In<double> tables, In<int> parent_start,
                                In<int> parents, In<int> clique_start, In<int> members, In<int> up, In<int> order,
                                In<int> home, In<int, 2> rows, In<double> weights, std::int64_t limit,
                                Out<double> counts) {
        const auto net = NetworkArrays{sizes, table_start, tables, parent_start, parents}.checked();
        const auto tree = TreeArrays{clique_start, members, up, order, home}.checked(net);
        check_states(net, rows);
        require(weights.shape(0) == rows.shape(0) && counts.shape(0) == net.tables.size(),
                "expected_counts: the shapes of the arrays do not match");
        Index impossible = -1;
        const double log_likelihood = run_native([&](const Interrupt& stop) {
            return bayes::expected_counts(net, tree, view(rows), view(weights), limit, stop, view(counts), &impossible);
        });
        return nb::make_tuple(log_likelihood, impossible);
    });
    m.def("sample",
          [](In<int> sizes, In<std::int64_t> table_start, In<double> tables, In<int> parent_start, In<int> parents,
             In<int> order, In<int> evidence, std::uint64_t seed, Out<int, 2> rows, Out<double> log_weight) {
              const auto net = NetworkArrays{sizes, table_start, tables, parent_start, parents}.checked();
              const auto n = net.sizes.size();
              require(order.shape(0) == n && evidence.shape(0) == n && rows.shape(1) == n &&
                          log_weight.shape(0) == rows.shape(0),
                      "sample: the shapes of the arrays do not match");
              std::vector<char> drawn(n, 0);
              for (const int v : view(order)) {
                  require(0 <= v && std::size_t(v) < n && !drawn[v], "sample: order out of range");
                  for (int k = net.parent_start[v]; k < net.parent_start[v + 1]; ++k)
                      require(drawn[net.parents[k]], "sample: parents come before children");
                  drawn[v] = 1;
                  require(view(evidence)[v] < net.sizes[v], "sample: a state is out of range");
              }
              run_native([&](const Interrupt& stop) {
                  bayes::sample(net, view(order), view(evidence), seed, stop, view(rows), view(log_weight));
              });
          });
    m.def("joint_counts", [](InF<int> codes, In<double> weights, In<int> sizes, In<int> starts, In<int> columns,
                             In<std::int64_t> out_start, Out<double> out) {
        const auto at = view(starts);
        const auto size = view(sizes);
        const auto sets = at.size() - 1;
        require(at.size() > 0 && at[0] == 0 && std::size_t(at[sets]) == columns.shape(0) &&
                    out_start.shape(0) == sets + 1 && sizes.shape(0) == codes.shape(1),
                "joint_counts: the arrays have different lengths");
        require(weights.shape(0) == 0 || weights.shape(0) == codes.shape(0), "joint_counts: pass one weight per row");
        const auto ends = view(out_start);
        require(ends[0] == 0 && std::size_t(ends[sets]) == out.shape(0), "joint_counts: room for the counts");
        for (std::size_t s = 0; s < sets; ++s) {
            require(at[s] <= at[s + 1], "joint_counts: starts must not decrease");
            std::int64_t cells = 1;
            for (int k = at[s]; k < at[s + 1]; ++k) {
                const int j = view(columns)[k];
                require(0 <= j && std::size_t(j) < codes.shape(1), "joint_counts: column out of range");
                cells *= size[j];
            }
            require(ends[s + 1] - ends[s] == cells, "joint_counts: room for the counts");
        }
        const auto data = view(codes);
        run_native([&](const Interrupt& stop) {
            bayes::joint_counts(data, view(weights), size, at, view(columns), ends, stop, view(out));
        });
    });
}

}  // namespace statlearn
