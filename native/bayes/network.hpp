// Discrete Bayesian networks: junction-tree propagation, expected counts, most probable explanations, sampling, and
// the counting behind scores of structures.
//
// Nodes are 0..n-1 with states 0..sizes[v]-1; evidence holds a state, or -1 for an unobserved node. The table of node v
// starts at table_start[v] and has the axes (parents of v in order, v), in C order.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::bayes {

struct Network {
    Span<const int> sizes;
    Span<const std::int64_t> table_start;  // n + 1
    Span<const double> tables;
    Span<const int> parent_start;  // n + 1
    Span<const int> parents;

    Index nodes() const { return Index(sizes.size()); }
};

// Cliques of a triangulated moral graph; every family (a node and its parents) lies in the clique home[node].
struct CliqueTree {
    Span<const int> clique_start;  // m + 1
    Span<const int> members;
    Span<const int> up;     // neighbour towards the root of the component, -1 at a root
    Span<const int> order;  // every clique after its neighbour towards the root
    Span<const int> home;

    Index cliques() const { return Index(up.size()); }
};

// For each row of evidence: log P(evidence), -inf if impossible, and all marginals, one after the other
// (rows x sum of sizes; zeros if the evidence is impossible). Cost: a few passes over all clique tables per row, with
// observed nodes taken out of the tables. Marginals may be empty (cols = 0) if only the probabilities are wanted.
void propagate(const Network& network, const CliqueTree& tree, Matrix<const int> evidence, const Interrupt& interrupt,
               Span<double> log_probability, Matrix<double> marginals);

// The most probable completion of each row, and the logarithm of its joint probability. Ties go to the lowest states.
void explain(const Network& network, const CliqueTree& tree, Matrix<const int> evidence, const Interrupt& interrupt,
             Span<double> log_probability, Matrix<int> completion);

// counts += sum_i w_i P(family | row i) for all families, laid out as the tables; returns sum_i w_i log P(row i), and
// -inf if some row of positive weight is impossible (its number in *impossible, else -1).
// Unobserved nodes of a row fall into independent groups, those that share a family with each other: a group is summed
// over its completions if there are at most `limit`, otherwise the row is propagated on the tree.
double expected_counts(const Network& network, const CliqueTree& tree, Matrix<const int> rows,
                       Span<const double> weights, std::int64_t limit, const Interrupt& interrupt, Span<double> counts,
                       Index* impossible);

// Draws rows from the network in topological order; observed nodes keep their state, and the log weight is the
// probability of these states given their parents (likelihood weighting).
void sample(const Network& network, Span<const int> order, Span<const int> evidence, std::uint64_t seed,
            const Interrupt& interrupt, Matrix<int> rows, Span<double> log_weight);

// Joint counts of several sets of columns at once: set s has the columns columns[starts[s]..starts[s + 1]), its counts
// begin at out_start[s], in C order. Rows with a code outside of a column's range are left out of the set.
void joint_counts(Matrix<const int> codes, Span<const double> weights, Span<const int> sizes, Span<const int> starts,
                  Span<const int> columns, Span<const std::int64_t> out_start, const Interrupt& interrupt,
                  Span<double> out);

}  // namespace statlearn::bayes
