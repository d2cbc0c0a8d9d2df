#include "bayes/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "common/parallel.hpp"
#include "common/samplers.hpp"
#include "common/union_find.hpp"

namespace statlearn::bayes {
namespace {

using Size = std::size_t;
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kSmall = 0x1p-128;  // tables whose largest cell is smaller are multiplied by a power of two

// Brings the largest cell of a table to 1/2..1 if all are small, which loses no bit; the logarithm of the factor that
// was taken out.
double rescale(std::vector<double>& table) {
    double largest = 0.0;
    for (const double cell : table) largest = std::max(largest, cell);
    if (largest >= kSmall || !(largest > 0.0)) return 0.0;
    int exponent;
    std::frexp(largest, &exponent);
    for (double& cell : table) cell = std::ldexp(cell, -exponent);
    return exponent * std::numbers::ln2;
}

// Calls body(cell, index) for all cells of a table in C order, where index follows other strides over the same axes.
template <class F>
void walk(const std::vector<Index>& dims, const Index* strides, Index cells, std::vector<Index>& counter, F&& body) {
    const Index rank = Index(dims.size());
    if (rank == 0) {
        body(Index{0}, Index{0});
        return;
    }
    const Index inner = dims[rank - 1], step = strides[rank - 1];
    counter.assign(rank, 0);
    Index base = 0;
    for (Index cell = 0; cell < cells;) {
        for (Index t = 0; t < inner; ++t) body(cell + t, base + t * step);
        cell += inner;
        for (Index a = rank - 2; a >= 0; --a) {
            base += strides[a];
            if (++counter[a] < dims[a]) break;
            base -= strides[a] * dims[a];
            counter[a] = 0;
        }
    }
}

// Clique tables of one thread. All lengths follow the evidence: an observed node has no axis.
class Propagator {
public:
    Propagator(const Network& network, const CliqueTree& tree)
        : net_(network),
          tree_(tree),
          dims_(tree.cliques()),
          belief_(tree.cliques()),
          message_(tree.cliques()),
          log_factor_(tree.cliques()),
          cells_(tree.cliques()),
          place_(network.nodes(), -1),
          homes_(tree.cliques()) {
        for (Index v = 0; v < net_.nodes(); ++v) homes_[tree.home[v]].push_back(int(v));
    }

    // Multiplies the tables into the cliques, and passes messages to the roots; log P(evidence), or with `by_max` the
    // logarithm of the largest joint probability.
    double collect(const int* evidence, bool by_max) {
        evidence_ = evidence;
        for (Index q = 0; q < tree_.cliques(); ++q) start(q);
        double log_probability = 0.0;
        for (Index k = tree_.cliques() - 1; k >= 0; --k) {
            const Index q = tree_.order[k];
            const Index up = tree_.up[q];
            auto& message = message_[q];
            std::vector<Index>& to = separator_strides(q, up);
            message.assign(separator_cells_, 0.0);
            const auto& belief = belief_[q];
            if (by_max)
                walk(dims_[q], to.data(), cells_[q], counter_,
                     [&](Index cell, Index at) { message[at] = std::max(message[at], belief[cell]); });
            else
                walk(dims_[q], to.data(), cells_[q], counter_,
                     [&](Index cell, Index at) { message[at] += belief[cell]; });
            double total = 0.0;
            for (const double m : message) total = by_max ? std::max(total, m) : total + m;
            if (!(total > 0.0)) return kNever;
            log_probability += std::log(total) + log_factor_[q];
            for (double& m : message) m /= total;
            if (up < 0) {
                for (double& b : belief_[q]) b /= total;
            } else {
                multiply(up, q, message);
            }
        }
        return log_probability;
    }

    // Passes messages back, after collect(.., false): every table is then P(members | evidence).
    void distribute() {
        std::vector<double> back;
        for (Index k = 0; k < tree_.cliques(); ++k) {
            const Index q = tree_.order[k], up = tree_.up[q];
            if (up < 0) continue;
            auto& message = message_[q];
            back.assign(message.size(), 0.0);
            std::vector<Index>& from = strides_towards(up, q);
            const auto& belief = belief_[up];
            walk(dims_[up], from.data(), cells_[up], counter_, [&](Index cell, Index at) { back[at] += belief[cell]; });
            for (Size at = 0; at < back.size(); ++at) back[at] = message[at] > 0.0 ? back[at] / message[at] : 0.0;
            multiply(q, q, back);
            double total = 0.0;
            for (const double b : belief_[q]) total += b;
            for (double& b : belief_[q]) b /= total;
        }
    }

    void marginal(Index v, double* out) {
        const Index size = net_.sizes[v];
        std::fill(out, out + size, 0.0);
        if (evidence_[v] >= 0) {
            out[evidence_[v]] = 1.0;
            return;
        }
        const Index q = tree_.home[v];
        auto& to = scratch_;
        to.clear();
        for (Index at = tree_.clique_start[q]; at < tree_.clique_start[q + 1]; ++at) {
            const Index u = tree_.members[at];
            if (evidence_[u] < 0) to.push_back(u == v ? 1 : 0);
        }
        const auto& belief = belief_[q];
        walk(dims_[q], to.data(), cells_[q], counter_, [&](Index cell, Index at) { out[at] += belief[cell]; });
    }

    void add_family(Index v, double weight, double* counts) {
        const Index q = tree_.home[v];
        const Index base = family_strides(v, q);
        const auto& belief = belief_[q];
        walk(dims_[q], scratch_.data(), cells_[q], counter_,
             [&](Index cell, Index at) { counts[base + at] += weight * belief[cell]; });
    }

    // The states of the largest cells, after collect(.., true).
    void decode(int* states) {
        for (Index v = 0; v < net_.nodes(); ++v) states[v] = evidence_[v];
        for (Index k = 0; k < tree_.cliques(); ++k) {
            const Index q = tree_.order[k];
            const auto& belief = belief_[q];
            const auto& dims = dims_[q];
            Index best = -1;
            free_members(q);
            for (Index cell = 0; cell < cells_[q]; ++cell) {
                if (best >= 0 && belief[cell] <= belief[best]) continue;
                Index rest = cell;
                bool agrees = true;
                for (Index a = Index(dims.size()) - 1; a >= 0 && agrees; --a) {
                    const int chosen = states[free_[a]];
                    agrees = chosen < 0 || chosen == rest % dims[a];
                    rest /= dims[a];
                }
                if (agrees) best = cell;
            }
            for (Index a = Index(dims.size()) - 1; a >= 0; --a) {
                states[free_[a]] = int(best % dims[a]);
                best /= dims[a];
            }
        }
    }

private:
    void free_members(Index q) {
        free_.clear();
        for (Index at = tree_.clique_start[q]; at < tree_.clique_start[q + 1]; ++at)
            if (evidence_[tree_.members[at]] < 0) free_.push_back(tree_.members[at]);
    }

    // Axes of clique q under the evidence, and the product of the tables at home in it.
    void start(Index q) {
        free_members(q);
        auto& dims = dims_[q];
        dims.clear();
        Index cells = 1;
        for (const int v : free_) {
            dims.push_back(net_.sizes[v]);
            cells *= net_.sizes[v];
        }
        cells_[q] = cells;
        auto& belief = belief_[q];
        belief.assign(cells, 1.0);
        log_factor_[q] = 0.0;
        for (const int v : homes_[q]) {
            const Index base = family_strides(v, q);
            walk(dims, scratch_.data(), cells, counter_,
                 [&](Index cell, Index at) { belief[cell] *= net_.tables[base + at]; });
            log_factor_[q] += rescale(belief);
        }
    }

    // scratch_: strides of the table of v along the axes of clique q; returns the offset due to observed nodes.
    Index family_strides(Index v, Index q) {
        Index stride = 1, base = net_.table_start[v];
        const auto visit = [&](Index u) {
            if (evidence_[u] >= 0)
                base += stride * evidence_[u];
            else
                place_[u] = stride;
            stride *= net_.sizes[u];
        };
        visit(v);
        const Index first = net_.parent_start[v], last = net_.parent_start[v + 1];
        for (Index k = last - 1; k >= first; --k) visit(net_.parents[k]);
        scratch_.clear();
        for (Index at = tree_.clique_start[q]; at < tree_.clique_start[q + 1]; ++at) {
            const Index u = tree_.members[at];
            if (evidence_[u] < 0) scratch_.push_back(std::max<Index>(place_[u], 0));
        }
        place_[v] = -1;
        for (Index k = first; k < last; ++k) place_[net_.parents[k]] = -1;
        return base;
    }

    // Strides of the separator between q and `up` along the axes of q; sets separator_cells_.
    std::vector<Index>& separator_strides(Index q, Index up) { return common_strides(q, q, up); }
    std::vector<Index>& strides_towards(Index up, Index q) { return common_strides(up, q, up); }

    // The separator of (q, up) has the axes common to both, in the order of q; strides along the axes of `of`.
    std::vector<Index>& common_strides(Index of, Index q, Index up) {
        separator_cells_ = 1;
        if (up >= 0) {
            for (Index at = tree_.clique_start[up]; at < tree_.clique_start[up + 1]; ++at)
                place_[tree_.members[at]] = 0;
            for (Index at = tree_.clique_start[q + 1] - 1; at >= tree_.clique_start[q]; --at) {
                const Index u = tree_.members[at];
                if (evidence_[u] >= 0 || place_[u] < 0) continue;
                place_[u] = separator_cells_;
                separator_cells_ *= net_.sizes[u];
            }
        }
        scratch_.clear();
        for (Index at = tree_.clique_start[of]; at < tree_.clique_start[of + 1]; ++at) {
            const Index u = tree_.members[at];
            if (evidence_[u] < 0) scratch_.push_back(std::max<Index>(place_[u], 0));
        }
        if (up >= 0)
            for (Index at = tree_.clique_start[up]; at < tree_.clique_start[up + 1]; ++at)
                place_[tree_.members[at]] = -1;
        return scratch_;
    }

    // Multiplies the message between q and its upper neighbour into clique `into`, which is one of the two.
    void multiply(Index into, Index q, const std::vector<double>& message) {
        std::vector<Index>& along = common_strides(into, q, tree_.up[q]);
        auto& belief = belief_[into];
        walk(dims_[into], along.data(), cells_[into], counter_,
             [&](Index cell, Index at) { belief[cell] *= message[at]; });
        log_factor_[into] += rescale(belief);
    }

    const Network& net_;
    const CliqueTree& tree_;
    const int* evidence_ = nullptr;
    std::vector<std::vector<Index>> dims_;
    std::vector<std::vector<double>> belief_, message_;
    std::vector<double> log_factor_;  // of each belief, taken out of it against underflow
    std::vector<Index> cells_;
    std::vector<Index> place_;  // stride of a node in the table at hand, -1 outside of it
    std::vector<std::vector<int>> homes_;
    std::vector<Index> scratch_, counter_;
    std::vector<int> free_;
    Index separator_cells_ = 1;
};

Blocks evidence_blocks(Index n) { return Blocks(n, std::max<Index>(1, (n + 63) / 64)); }

// Sums over the completions of groups of unobserved nodes of one row.
class Completer {
public:
    explicit Completer(const Network& network)
        : net_(network), group_(network.nodes()), stride_(), is_member_(network.nodes(), -1) {
        children_.resize(network.nodes());
        for (Index v = 0; v < network.nodes(); ++v)
            for (Index k = network.parent_start[v]; k < network.parent_start[v + 1]; ++k)
                children_[network.parents[k]].push_back(int(v));
    }

    // Whether every group of the row has at most `limit` completions; finds the groups.
    bool find_groups(const int* row, std::int64_t limit) {
        missing_.clear();
        for (Index v = 0; v < net_.nodes(); ++v)
            if (row[v] < 0) {
                missing_.push_back(int(v));
                group_[v] = int(v);
            }
        for (const int v : missing_) {
            join_family(row, v);
            for (const int child : children_[v]) join_family(row, child);
        }
        for (const int v : missing_) group_[v] = find_root(group_, v);
        for (const int v : missing_)
            if (group_[v] == v) {
                double cells = 1.0;
                for (const int u : missing_)
                    if (group_[u] == v) cells *= net_.sizes[u];
                if (cells > double(limit)) return false;
            }
        return true;
    }

    // Adds the expected counts of the row; returns its log probability.
    double add(const int* row, double weight, double* counts) {
        double log_probability = 0.0, product = 1.0;
        for (Index v = 0; v < net_.nodes(); ++v) {
            const Index at = whole_index(row, v);
            if (at < 0) continue;
            product *= net_.tables[at];
            if (product < 1e-200) {  // one logarithm for many factors
                log_probability += std::log(product);
                product = 1.0;
            }
            counts[at] += weight;
        }
        log_probability += std::log(product);
        for (const int head : missing_)
            if (group_[head] == head) log_probability += add_group(row, head, weight, counts);
        return log_probability;
    }

private:
    void join_family(const int* row, Index child) {
        int first = row[child] < 0 ? find_root(group_, int(child)) : -1;
        for (Index k = net_.parent_start[child]; k < net_.parent_start[child + 1]; ++k) {
            const int u = net_.parents[k];
            if (row[u] >= 0) continue;
            const int r = find_root(group_, u);
            if (first < 0) {
                first = r;
            } else if (r != first) {
                join_sets(group_, first, r);
                first = std::min(first, r);
            }
        }
    }

    // Position of the row in the table of v, or -1 if the node or a parent is unobserved.
    Index whole_index(const int* row, Index v) const {
        if (row[v] < 0) return -1;
        Index at = 0;
        for (Index k = net_.parent_start[v]; k < net_.parent_start[v + 1]; ++k) {
            const Index u = net_.parents[k];
            if (row[u] < 0) return -1;
            at = at * net_.sizes[u] + row[u];
        }
        return net_.table_start[v] + at * net_.sizes[v] + row[v];
    }

    double add_group(const int* row, int head, double weight, double* counts) {
        members_.clear();
        families_.clear();
        for (const int v : missing_)
            if (group_[v] == head) {
                is_member_[v] = int(members_.size());
                members_.push_back(v);
            }
        Index cells = 1;
        for (const int v : members_) {
            cells *= net_.sizes[v];
            note_family(v);
            for (const int child : children_[v]) note_family(child);
        }
        // For every family: its position with all members in state 0, and the stride of each member.
        const Size m = members_.size(), f = families_.size();
        base_.assign(f, 0);
        stride_.assign(f * m, 0);
        for (Size g = 0; g < f; ++g) {
            const Index v = families_[g];
            Index step = 1, base = net_.table_start[v];
            const auto visit = [&](Index u) {
                if (row[u] >= 0)
                    base += step * row[u];
                else
                    stride_[g * m + Size(is_member_[u])] = step;
                step *= net_.sizes[u];
            };
            visit(v);
            for (Index k = net_.parent_start[v + 1] - 1; k >= net_.parent_start[v]; --k) visit(net_.parents[k]);
            base_[g] = base;
        }
        joint_.resize(cells);
        double total = 0.0;
        each_completion(cells, [&](Index cell) {
            double product = 1.0;
            for (Size g = 0; g < f; ++g) product *= net_.tables[base_[g]];
            joint_[cell] = product;
            total += product;
        });
        double log_total = std::log(total);
        if (total < kSmall) {
            // The products of many families may underflow: the logarithms do not.
            double largest = kNever;
            each_completion(cells, [&](Index cell) {
                double sum = 0.0;
                for (Size g = 0; g < f; ++g) sum += std::log(net_.tables[base_[g]]);
                largest = std::max(largest, joint_[cell] = sum);
            });
            total = 0.0;
            if (largest > kNever)
                for (double& joint : joint_) total += joint = std::exp(joint - largest);
            log_total = largest + std::log(total);
        }
        if (total > 0.0) {
            const double scale = weight / total;
            each_completion(cells, [&](Index cell) {
                const double share = joint_[cell] * scale;
                for (Size g = 0; g < f; ++g) counts[base_[g]] += share;
            });
        }
        for (const int v : members_) is_member_[v] = -1;
        return log_total;
    }

    void note_family(int v) {
        if (std::find(families_.begin(), families_.end(), v) == families_.end()) families_.push_back(v);
    }

    // Runs through the states of the members, with base_ at the position of each family; leaves base_ as it was.
    template <class F>
    void each_completion(Index cells, F&& body) {
        const Size m = members_.size(), f = families_.size();
        state_.assign(m, 0);
        for (Index cell = 0; cell < cells; ++cell) {
            body(cell);
            for (Size a = m; a-- > 0;) {
                const Index size = net_.sizes[members_[a]];
                const bool wraps = ++state_[a] == size;
                const Index move = wraps ? 1 - size : 1;
                for (Size g = 0; g < f; ++g) base_[g] += move * stride_[g * m + a];
                if (!wraps) break;
                state_[a] = 0;
            }
        }
    }

    const Network& net_;
    std::vector<int> group_, missing_, members_, families_;
    std::vector<Index> stride_, base_, state_;
    std::vector<int> is_member_;
    std::vector<double> joint_;
    std::vector<std::vector<int>> children_;
};

}  // namespace

void propagate(const Network& network, const CliqueTree& tree, Matrix<const int> evidence, const Interrupt& interrupt,
               Span<double> log_probability, Matrix<double> marginals) {
    const Blocks blocks = evidence_blocks(evidence.rows);
    parallel_for(blocks.count(), [&](Index b) {
        Propagator propagator(network, tree);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            const double log_p = propagator.collect(evidence.row(i), false);
            log_probability[i] = log_p;
            if (marginals.cols == 0) continue;
            double* out = marginals.row(i);
            if (log_p == kNever) {
                std::fill(out, out + marginals.cols, 0.0);
                continue;
            }
            propagator.distribute();
            for (Index v = 0; v < network.nodes(); out += network.sizes[v], ++v) propagator.marginal(v, out);
        }
    });
}

void explain(const Network& network, const CliqueTree& tree, Matrix<const int> evidence, const Interrupt& interrupt,
             Span<double> log_probability, Matrix<int> completion) {
    const Blocks blocks = evidence_blocks(evidence.rows);
    parallel_for(blocks.count(), [&](Index b) {
        Propagator propagator(network, tree);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            log_probability[i] = propagator.collect(evidence.row(i), true);
            if (log_probability[i] == kNever)
                std::fill(completion.row(i), completion.row(i) + completion.cols, -1);
            else
                propagator.decode(completion.row(i));
        }
    });
}

double expected_counts(const Network& network, const CliqueTree& tree, Matrix<const int> rows,
                       Span<const double> weights, std::int64_t limit, const Interrupt& interrupt, Span<double> counts,
                       Index* impossible) {
    const Blocks blocks(rows.rows, std::max<Index>(1024, (rows.rows + 31) / 32));
    std::vector<std::vector<double>> parts(blocks.count());
    std::vector<double> logs(blocks.count(), 0.0);
    std::vector<Index> broken(blocks.count(), -1);
    parallel_for(blocks.count(), Work(double(rows.rows) * double(rows.cols) * 10.0), [&](Index b) {
        std::vector<double> part(counts.size(), 0.0);
        Completer completer(network);
        Propagator propagator(network, tree);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if ((i & 255) == 0 && interrupt.requested()) return;
            const double w = weights[i];
            if (w == 0.0) continue;
            double log_p = kNever;
            if (completer.find_groups(rows.row(i), limit)) {
                log_p = completer.add(rows.row(i), w, part.data());
            } else {
                log_p = propagator.collect(rows.row(i), false);
                if (log_p != kNever) {
                    propagator.distribute();
                    for (Index v = 0; v < network.nodes(); ++v) propagator.add_family(v, w, part.data());
                }
            }
            if (log_p == kNever && broken[b] < 0) broken[b] = i;
            logs[b] += w * log_p;
        }
        parts[b] = std::move(part);
    });
    double total = 0.0;
    *impossible = -1;
    for (Size b = 0; b < parts.size(); ++b) {
        total += logs[b];
        if (broken[b] >= 0 && *impossible < 0) *impossible = broken[b];
        for (Size at = 0; at < parts[b].size(); ++at) counts[at] += parts[b][at];
    }
    return total;
}

void sample(const Network& network, Span<const int> order, Span<const int> evidence, std::uint64_t seed,
            const Interrupt& interrupt, Matrix<int> rows, Span<double> log_weight) {
    const Blocks blocks(rows.rows, 1024);
    parallel_for(blocks.count(), Work(double(rows.rows) * double(rows.cols) * 10.0), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            Rng rng(seed, std::uint64_t(i));
            int* row = rows.row(i);
            double log_w = 0.0;
            for (const int v : order) {
                Index at = 0;
                for (Index k = network.parent_start[v]; k < network.parent_start[v + 1]; ++k) {
                    const Index u = network.parents[k];
                    at = at * network.sizes[u] + row[u];
                }
                const Index size = network.sizes[v];
                const double* p = network.tables.data() + network.table_start[v] + at * size;
                if (evidence[v] >= 0) {
                    row[v] = evidence[v];
                    log_w += std::log(p[row[v]]);
                    continue;
                }
                row[v] = draw_state(p, size, rng);
            }
            log_weight[i] = log_w;
        }
    });
}

void joint_counts(Matrix<const int> codes, Span<const double> weights, Span<const int> sizes, Span<const int> starts,
                  Span<const int> columns, Span<const std::int64_t> out_start, const Interrupt& interrupt,
                  Span<double> out) {
    const Index n = codes.rows, sets = Index(starts.size()) - 1;
    std::fill(out.begin(), out.end(), 0.0);
    parallel_for(sets, Work(double(n) * double(columns.size())), [&](Index s) {
        if (interrupt.requested()) return;
        double* counts = out.data() + out_start[s];
        const int first = starts[s], last = starts[s + 1];
        constexpr Index kChunk = 2048;
        std::int64_t cell[kChunk];
        for (Index begin = 0; begin < n; begin += kChunk) {
            const Index length = std::min(kChunk, n - begin);
            for (Index i = 0; i < length; ++i) cell[i] = 0;
            for (int k = first; k < last; ++k) {
                const int j = columns[k];
                const int* code = codes.col(j) + begin;
                const std::int64_t size = sizes[j];
                // A missing (or unknown) code makes the cell negative, and it remains so.
                for (Index i = 0; i < length; ++i) {
                    const bool lost = unsigned(code[i]) >= unsigned(size) || cell[i] < 0;
                    cell[i] = lost ? -1 : cell[i] * size + code[i];
                }
            }
            if (weights.empty()) {
                for (Index i = 0; i < length; ++i)
                    if (cell[i] >= 0) counts[cell[i]] += 1.0;
            } else {
                for (Index i = 0; i < length; ++i)
                    if (cell[i] >= 0) counts[cell[i]] += weights[begin + i];
            }
        }
    });
}

}  // namespace statlearn::bayes
