#include "linear/best_subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "common/parallel.hpp"

namespace statlearn::linear {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kTieSlack = 1e-12;  // a fit that is better by less than this is not worth a subtree
constexpr Index kRound = 32;         // subtrees that start from the same knowledge

// A set of columns: those in `fixed` must stay, the factor T of the others is a x a with the right-hand side as column
// a.
struct Node {
    std::uint64_t fixed = 0;
    int k = 0;  // number of fixed columns
    int a = 0;
    double rss = 0.0;  // of the whole set
    std::vector<int> vars;
    std::vector<double> T;  // column-major, leading dimension a

    double& at(int i, int j) { return T[i + j * a]; }
    double at(int i, int j) const { return T[i + j * a]; }
    void resize(int columns) {
        a = columns;
        vars.resize(a);
        T.resize(std::size_t(a) * std::size_t(a + 1));
    }
};

// What is kept: for each size the best subsets found, and the fit that a newcomer must beat.
class Incumbents {
public:
    Incumbents(int p, int max_size, int n_best) : lists_(max_size), room_(max_size) {
        double count = 1.0;  // subsets of this size, as far as it matters
        for (int s = 1; s <= max_size; ++s) {
            count = count * double(p - s + 1) / double(s);
            room_[s - 1] = std::size_t(std::min(double(n_best), std::round(count)));
        }
    }

    int max_size() const { return int(lists_.size()); }

    double to_beat(int size) const {
        const auto& list = lists_[size - 1];
        return list.size() < room_[size - 1] ? kInf : list.back().rss;
    }

    void offer(int size, std::uint64_t columns, double rss) {
        if (size > max_size() || rss >= to_beat(size)) return;
        auto& list = lists_[size - 1];
        const auto place = std::upper_bound(list.begin(), list.end(), rss,
                                            [](double value, const Subset& s) { return value < s.rss; });
        list.insert(place, {columns, rss});
        if (list.size() > room_[size - 1]) list.pop_back();
    }

    void merge(const Incumbents& other) {
        for (int s = 1; s <= max_size(); ++s)
            for (const auto& subset : other.lists_[s - 1]) {
                const auto& own = lists_[s - 1];
                const bool known =
                    std::any_of(own.begin(), own.end(), [&](const Subset& o) { return o.columns == subset.columns; });
                if (!known) offer(s, subset.columns, subset.rss);
            }
    }

    // Whether a set with this residual sum of squares may contain something new of a size in [from, to].
    bool hopeful(double rss, int from, int to) const {
        for (int s = from; s <= std::min(to, max_size()); ++s)
            if (rss * (1.0 + kTieSlack) < to_beat(s)) return true;
        return false;
    }

    std::vector<std::vector<Subset>> release() { return std::move(lists_); }

private:
    std::vector<std::vector<Subset>> lists_;
    std::vector<std::size_t> room_;
};

// Rotates rows i and i + 1 of the columns from..to so that entry (i + 1, from) becomes 0.
void rotate(double* T, int ld, int i, int from, int to) {
    const double x = T[i + from * ld], y = T[i + 1 + from * ld];
    if (y == 0.0) return;
    const double r = std::sqrt(x * x + y * y), c = x / r, s = y / r;
    for (int j = from; j < to; ++j) {
        double* col = T + j * ld + i;
        const double u = col[0], v = col[1];
        col[0] = c * u + s * v;
        col[1] = c * v - s * u;
    }
}

struct Scratch {
    std::vector<double> loss, inverse, T, child;
    std::vector<int> order, vars;
};

// How much the residual sum of squares grows when each column is dropped: b_i^2 / (T'T)^-1_ii.
void drop_losses(const Node& node, Scratch& work) {
    const int a = node.a;
    work.loss.assign(a, 0.0);
    work.inverse.assign(std::size_t(a) * std::size_t(a), 0.0);
    double* U = work.inverse.data();  // inverse of T, column by column; row i of it gives b_i and the variance
    for (int j = 0; j < a; ++j) {
        double* u = U + j * a;
        u[j] = 1.0 / node.at(j, j);
        for (int l = j - 1; l >= 0; --l) {
            double sum = 0.0;
            for (int m = l + 1; m <= j; ++m) sum += node.at(l, m) * u[m];
            u[l] = -sum / node.at(l, l);
        }
    }
    for (int i = 0; i < a; ++i) {
        double b = 0.0, v = 0.0;
        for (int j = i; j < a; ++j) {
            b += U[i + j * a] * node.at(j, a);
            v += U[i + j * a] * U[i + j * a];
        }
        work.loss[i] = b * b / v;
    }
}

// Puts the columns whose loss is largest first: the big subtrees, which lack them, are then cut early.
void reorder(Node& node, Scratch& work) {
    const int a = node.a;
    work.order.resize(a);
    std::iota(work.order.begin(), work.order.end(), 0);
    std::stable_sort(work.order.begin(), work.order.end(), [&](int i, int j) { return work.loss[i] > work.loss[j]; });
    if (std::is_sorted(work.order.begin(), work.order.end())) return;
    work.T = node.T;
    work.vars = node.vars;
    const auto loss = work.loss;
    std::vector<int> height(a);  // last non-zero row of each moved column
    for (int j = 0; j < a; ++j) {
        const int from = work.order[j];
        std::copy_n(work.T.data() + from * a, a, node.T.data() + j * a);
        node.vars[j] = work.vars[from];
        work.loss[j] = loss[from];
        height[j] = from;
    }
    int fill = 0;  // rotations of earlier columns reach down to this row
    for (int j = 0; j < a; ++j) {
        fill = std::max(fill, height[j]);
        for (int i = fill - 1; i >= j; --i) rotate(node.T.data(), a, i, j, a + 1);
        for (int i = j + 1; i <= fill; ++i) node.at(i, j) = 0.0;
    }
}

// Drops active column i; the columns before it become fixed.
void make_child(const Node& node, int i, Scratch& scratch, Node& child) {
    const int a = node.a, rest = a - 1 - i;
    child.resize(rest);
    child.k = node.k + i;
    child.fixed = node.fixed;
    for (int j = 0; j < i; ++j) child.fixed |= std::uint64_t{1} << node.vars[j];
    for (int j = 0; j < rest; ++j) child.vars[j] = node.vars[i + 1 + j];
    // Rows i..a-1 of columns i+1..a: Hessenberg, one row more than the child keeps.
    const int ld = rest + 1;
    std::vector<double>& work = scratch.child;
    work.resize(std::size_t(ld) * std::size_t(rest + 1));
    for (int j = 0; j <= rest; ++j) std::copy_n(node.T.data() + i + (i + 1 + j) * a, ld, work.data() + j * ld);
    for (int j = 0; j < rest; ++j) rotate(work.data(), ld, j, j, rest + 1);
    for (int j = 0; j <= rest; ++j) std::copy_n(work.data() + j * ld, rest, child.T.data() + j * rest);
    const double last = work[rest + rest * ld];
    child.rss = node.rss + last * last;
}

// Orders the node, offers its leading subsets and calls visit(i) for every child that may hold something better.
template <class F>
void expand(Node& node, Scratch& work, Incumbents& kept, F&& visit) {
    drop_losses(node, work);
    reorder(node, work);
    std::uint64_t columns = node.fixed;
    for (const int v : node.vars) columns |= std::uint64_t{1} << v;
    double rss = node.rss;
    for (int i = node.a - 1; i >= 0; --i) {
        kept.offer(node.k + i + 1, columns, rss);
        columns &= ~(std::uint64_t{1} << node.vars[i]);
        rss += node.at(i, node.a) * node.at(i, node.a);
    }
    const auto loss = work.loss;  // the visit may use the scratch again
    for (int i = node.a - 2; i >= 0; --i)
        if (kept.hopeful(node.rss + loss[i], node.k + i + 1, node.k + node.a - 1)) visit(i);
}

class Search {
public:
    Search(const Incumbents& kept, const Interrupt& interrupt) : kept_(kept), interrupt_(interrupt) {}

    void run(Node& node, std::size_t depth = 0) {
        if (++nodes_ % 256 == 0 && interrupt_.requested()) stopped_ = true;
        if (stopped_) return;
        if (depth >= pool_.size()) pool_.push_back(std::make_unique<Node>());
        expand(node, work_, kept_, [&](int i) {
            Node& child = *pool_[depth];
            make_child(node, i, work_, child);
            run(child, depth + 1);
        });
    }

    const Incumbents& kept() const { return kept_; }
    std::int64_t nodes() const { return nodes_; }
    bool stopped() const { return stopped_; }

private:
    Incumbents kept_;
    const Interrupt& interrupt_;
    Scratch work_;
    std::vector<std::unique_ptr<Node>> pool_;  // one node per depth; addresses stay valid as the vector grows
    std::int64_t nodes_ = 0;
    bool stopped_ = false;
};

}  // namespace

BestSubsets best_subsets(Matrix<const double> R, Span<const double> z, double rss, int max_size, int n_best,
                         const Interrupt& interrupt) {
    const int p = int(R.cols);
    BestSubsets result;
    Incumbents kept(p, max_size, n_best);
    Node root;
    root.resize(p);
    root.rss = rss;
    for (int j = 0; j < p; ++j) {
        root.vars[j] = j;
        for (int i = 0; i < p; ++i) root.at(i, j) = i <= j ? R(i, j) : 0.0;
        root.at(j, p) = z[j];
    }

    // Two levels of the tree become independent subtrees.
    std::vector<Node> tasks{root};
    Scratch work;
    for (int level = 0; level < 2; ++level) {
        std::vector<Node> next;
        for (auto& node : tasks) {
            ++result.n_nodes;
            expand(node, work, kept, [&](int i) {
                next.emplace_back();
                make_child(node, i, work, next.back());
            });
        }
        tasks = std::move(next);
    }

    bool stopped = false;
    for (Index begin = 0; begin < Index(tasks.size()) && !stopped; begin += kRound) {
        const Index count = std::min(kRound, Index(tasks.size()) - begin);
        std::vector<Search> searches;
        for (Index t = 0; t < count; ++t) searches.emplace_back(kept, interrupt);
        parallel_for(count, [&](Index t) {
            Node& node = tasks[begin + t];
            if (kept.hopeful(node.rss, node.k + 1, node.k + node.a)) searches[t].run(node);
        });
        for (const auto& search : searches) {
            kept.merge(search.kept());
            result.n_nodes += search.nodes();
            stopped = stopped || search.stopped();
        }
    }
    if (stopped || interrupt.requested()) result.status = Status::interrupted;
    result.by_size = kept.release();
    return result;
}

}  // namespace statlearn::linear
