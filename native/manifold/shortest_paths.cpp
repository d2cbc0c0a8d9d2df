#include "manifold/shortest_paths.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::manifold {
namespace {

// A 4-ary heap of nodes with the lengths of their paths, shortest first. It knows where each node is, so that a shorter
// path moves the node up; the lengths lie in the heap itself, so that comparing children reads one cache line.
class Heap {
public:
    explicit Heap(Index n) : place_(std::size_t(n), -1) { entries_.reserve(std::size_t(n)); }

    bool empty() const { return entries_.empty(); }

    void push_or_raise(int node, double length) {
        int at = place_[std::size_t(node)];
        if (at < 0) {
            at = int(entries_.size());
            entries_.push_back({length, node});
        }
        while (at > 0) {
            const int above = (at - 1) / 4;
            if (entries_[std::size_t(above)].length <= length) break;
            put(at, entries_[std::size_t(above)]);
            at = above;
        }
        put(at, {length, node});
    }

    int pop() {
        const int top = entries_[0].node;
        const Entry last = entries_.back();
        entries_.pop_back();
        place_[std::size_t(top)] = -1;
        const int size = int(entries_.size());
        if (size == 0) return top;
        int at = 0;
        for (;;) {
            const int first = 4 * at + 1, end = std::min(first + 4, size);
            if (first >= size) break;
            int best = first;
            for (int c = first + 1; c < end; ++c)
                best = entries_[std::size_t(c)].length < entries_[std::size_t(best)].length ? c : best;
            if (entries_[std::size_t(best)].length >= last.length) break;
            put(at, entries_[std::size_t(best)]);
            at = best;
        }
        put(at, last);
        return top;
    }

private:
    struct Entry {
        double length;
        int node;
    };

    void put(int at, const Entry& entry) {
        entries_[std::size_t(at)] = entry;
        place_[std::size_t(entry.node)] = at;
    }

    std::vector<Entry> entries_;
    std::vector<int> place_;
};

void from_source(const Graph& graph, int source, Heap& heap, double* distance) {
    std::fill_n(distance, graph.n, std::numeric_limits<double>::infinity());
    distance[source] = 0.0;
    heap.push_or_raise(source, 0.0);
    while (!heap.empty()) {
        const int node = heap.pop();
        const auto end = std::size_t(graph.starts[std::size_t(node) + 1]);
        for (auto k = std::size_t(graph.starts[std::size_t(node)]); k < end; ++k) {
            const double length = distance[node] + graph.lengths[k];
            const int next = graph.ends[k];
            if (length < distance[next]) {  // never again for a node that was popped: lengths are not negative
                distance[next] = length;
                heap.push_or_raise(next, length);
            }
        }
    }
}

}  // namespace

void shortest_paths(const Graph& graph, std::span<const int> sources, const Interrupt& interrupt,
                    MatrixView<double> distance) {
    const Blocks blocks(Index(sources.size()), 16);
    parallel_for(blocks.count(), Work(10.0 * double(sources.size()) * double(graph.ends.size() + graph.starts.size())),
                 [&](Index b) {
                     if (interrupt.requested()) return;
                     Heap heap(graph.n);
                     for (Index r = blocks.begin(b); r < blocks.end(b); ++r)
                         from_source(graph, sources[std::size_t(r)], heap, distance.row(r));
                 });
}

}  // namespace statlearn::manifold
