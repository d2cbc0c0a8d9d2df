#include "cluster/constrained_linkage.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace statlearn::cluster {

namespace {

struct Later {
    bool operator()(const Edge& x, const Edge& y) const {
        if (x.length != y.length) return x.length > y.length;
        return x.a != y.a ? x.a > y.a : x.b > y.b;
    }
};

struct Neighbour {
    int node;
    double length;
};

class Constrained {
public:
    Constrained(Index items, Linkage kind, Span<const double> X, Index cols, Index merges)
        : n(items), p(cols), linkage(kind), size(n + merges, 0.0), around(n + merges), place(n + merges, -1) {
        std::fill_n(size.begin(), n, 1.0);
        if (linkage == Linkage::ward) {
            sums.assign(X.begin(), X.end());
            sums.resize((n + merges) * p);
        }
    }

    void start(const std::vector<Edge>& edges) {
        std::vector<Edge> heap(edges);
        for (Edge& e : heap) {
            if (linkage == Linkage::ward) e.length = rise(e.a, e.b);
            around[e.a].push_back({e.b, e.length});
            around[e.b].push_back({e.a, e.length});
        }
        queue = Queue(Later{}, std::move(heap));
    }

    // The next merge, which makes node `made`; false if nothing is adjacent any more.
    bool merge(int made, std::vector<Index>& children, std::vector<double>& heights) {
        while (!queue.empty() && !(alive(queue.top().a) && alive(queue.top().b))) queue.pop();
        if (queue.empty()) return false;
        const Edge edge = queue.top();
        queue.pop();
        children.push_back(edge.b);
        children.push_back(edge.a);
        heights.push_back(linkage == Linkage::ward ? std::sqrt(2.0 * edge.length) : edge.length);
        const double size_a = size[edge.a], size_b = size[edge.b];
        size[edge.a] = size[edge.b] = 0.0;
        size[made] = size_a + size_b;
        if (linkage == Linkage::ward)
            for (Index j = 0; j < p; ++j) sum(made)[j] = sum(edge.a)[j] + sum(edge.b)[j];
        gather(edge, made, size_a, size_b);
        for (const Neighbour& other : around[made]) {
            around[other.node].push_back({made, other.length});
            queue.push({made, other.node, other.length});
        }
        return true;
    }

private:
    using Queue = std::priority_queue<Edge, std::vector<Edge>, Later>;

    bool alive(int node) const { return size[node] > 0.0; }
    double* sum(int node) { return sums.data() + Index(node) * p; }

    // Rise of the sum of squares if two clusters become one.
    double rise(int a, int b) {
        const double size_a = size[a], size_b = size[b];
        double square = 0.0;
        for (Index j = 0; j < p; ++j) {
            const double t = sum(a)[j] / size_a - sum(b)[j] / size_b;
            square += t * t;
        }
        return square * size_a * size_b / (size_a + size_b);
    }

    // The living neighbours of both parts become those of the union, each once.
    void gather(const Edge& edge, int made, double size_a, double size_b) {
        auto& all = around[made];
        for (const Neighbour& other : around[edge.a]) {
            if (!alive(other.node) || place[other.node] >= 0) continue;
            place[other.node] = int(all.size());
            all.push_back(other);
        }
        const auto shared = int(all.size());
        for (const Neighbour& other : around[edge.b]) {
            if (!alive(other.node)) continue;
            int& at = place[other.node];
            if (at < 0) {
                at = int(all.size());
                all.push_back(other);
            } else if (at < shared) {
                double& length = all[at].length;
                length = linkage == Linkage::complete ? std::max(length, other.length)
                                                      : (size_a * length + size_b * other.length) / (size_a + size_b);
            }
        }
        for (Neighbour& other : all) {
            place[other.node] = -1;
            if (linkage == Linkage::ward) other.length = rise(made, other.node);
        }
        around[edge.a] = {};
        around[edge.b] = {};
    }

    Index n, p;
    Linkage linkage;
    std::vector<double> size;  // 0 for clusters that are no more
    std::vector<double> sums;  // of the rows of each cluster, for Ward
    std::vector<std::vector<Neighbour>> around;
    std::vector<int> place;  // in the list being made
    Queue queue;
};

}  // namespace

std::vector<Index> constrained_merges(Index n, const std::vector<Edge>& edges, Linkage linkage, Span<const double> X,
                                      Index p, Index count, const Interrupt& interrupt, std::vector<double>& heights) {
    Constrained clusters(n, linkage, X, p, count);
    clusters.start(edges);
    std::vector<Index> children;
    for (Index k = 0; k < count && !interrupt.requested(); ++k)
        if (!clusters.merge(int(n + k), children, heights)) break;
    return children;
}

}  // namespace statlearn::cluster
