#include "manifold/shortest_paths.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/pack.hpp"
#include "common/parallel.hpp"

namespace statlearn::manifold {
namespace {

constexpr Index kSide = 8;  // sources side by side
constexpr double kNone = std::numeric_limits<double>::infinity();

// A 4-ary heap of nodes with keys, smallest first. It knows where each node is, so that a node can be moved; the keys
// lie in the heap itself, so that comparing children reads one cache line.
class Heap {
public:
    explicit Heap(Index n) : place_(n, -1) { entries_.reserve(n); }

    bool empty() const { return entries_.empty(); }

    // Adds the node, or changes its key.
    void put(int node, double key) {
        int at = place_[node];
        if (at < 0) {
            entries_.push_back({key, node});
            return rise(int(entries_.size()) - 1, {key, node});
        }
        if (key <= entries_[at].key)
            rise(at, {key, node});
        else
            sink(at, {key, node});
    }

    int pop() {
        const int top = entries_[0].node;
        const Entry last = entries_.back();
        entries_.pop_back();
        place_[top] = -1;
        if (!entries_.empty()) sink(0, last);
        return top;
    }

private:
    struct Entry {
        double key;
        int node;
    };

    void rise(int at, const Entry& entry) {
        while (at > 0) {
            const int above = (at - 1) / 4;
            if (entries_[above].key <= entry.key) break;
            set(at, entries_[above]);
            at = above;
        }
        set(at, entry);
    }

    void sink(int at, const Entry& entry) {
        const int size = int(entries_.size());
        for (;;) {
            const int first = 4 * at + 1, end = std::min(first + 4, size);
            if (first >= size) break;
            int best = first;
            for (int c = first + 1; c < end; ++c) best = entries_[c].key < entries_[best].key ? c : best;
            if (entries_[best].key >= entry.key) break;
            set(at, entries_[best]);
            at = best;
        }
        set(at, entry);
    }

    void set(int at, const Entry& entry) {
        entries_[at] = entry;
        place_[entry.node] = at;
    }

    std::vector<Entry> entries_;
    std::vector<int> place_;
};

// The lengths of the paths from kSide sources; `lengths` is n x kSide.
void from_sources(const Graph& graph, const int* sources, Heap& heap, double* lengths) {
    std::fill_n(lengths, graph.n * kSide, kNone);
    for (Index lane = 0; lane < kSide; ++lane) {
        lengths[sources[lane] * kSide + lane] = 0.0;
        heap.put(sources[lane], 0.0);
    }
    const Pack4 none = broadcast(kNone), nothing = {};
    while (!heap.empty()) {
        const int node = heap.pop();
        const Pack4* own = packs(lengths + node * kSide);
        const Pack4 here[2] = {own[0], own[1]};
        const Index end = graph.starts[node + 1];
        for (Index k = graph.starts[node]; k < end; ++k) {
            const double length = graph.lengths[k];
            const int next = graph.ends[k];
            Pack4* there = packs(lengths + next * kSide);
            const Pack4 a = here[0] + length, b = here[1] + length;
            const Mask4 shorter_a = a < there[0], shorter_b = b < there[1];
            if (!(bits_of(shorter_a) | bits_of(shorter_b))) continue;
            const Pack4 now_a = shorter_a ? a : there[0], now_b = shorter_b ? b : there[1];
            there[0] = now_a;
            there[1] = now_b;
            // A node waits for the last of its paths: by then, the others have hardly anything to wait for.
            const Pack4 longest = largest(now_a < none ? now_a : nothing, now_b < none ? now_b : nothing);
            heap.put(next, std::max(std::max(longest[0], longest[1]), std::max(longest[2], longest[3])));
        }
    }
}

// The places of the sources in groups of kSide that are near one another: the first free one, and those that a search
// around it meets first. The last place fills up a group that remains incomplete.
std::vector<Index> near_groups(const Graph& graph, Span<const int> sources) {
    constexpr std::size_t kLook = 16 * kSide;  // nodes around the first one that are looked at
    std::vector<Index> free_at(graph.n, -1), following(sources.size(), -1);
    for (Index r = Index(sources.size()) - 1; r >= 0; --r) {  // a list of the places of each node, in order
        Index& head = free_at[sources[r]];
        following[r] = head;
        head = r;
    }
    std::vector<char> done(sources.size());
    std::vector<Index> groups;
    std::vector<int> queue;
    std::vector<Index> met(graph.n, -1);  // the last search that met a node
    Index open = -1;                      // the first place of the present group in `groups`
    for (Index r = 0; r < Index(sources.size()); ++r) {
        if (done[r]) continue;
        open = Index(groups.size());
        queue.assign(1, sources[r]);
        met[queue[0]] = r;
        for (std::size_t q = 0; q < queue.size() && Index(groups.size()) - open < kSide; ++q) {
            const Index node = queue[q];
            Index& head = free_at[node];
            while (head >= 0 && Index(groups.size()) - open < kSide) {
                done[head] = 1;
                groups.push_back(head);
                head = following[head];
            }
            const Index end = graph.starts[node + 1];
            for (Index k = graph.starts[node]; k < end && queue.size() < kLook; ++k) {
                const int next = graph.ends[k];
                if (met[next] == r) continue;
                met[next] = r;
                queue.push_back(next);
            }
        }
        while (Index(groups.size()) - open < kSide) groups.push_back(groups.back());
    }
    return groups;
}

}  // namespace

void shortest_paths(const Graph& graph, Span<const int> sources, const Interrupt& interrupt, Matrix<double> distance) {
    const std::vector<Index> places = near_groups(graph, sources);
    const Blocks blocks(Index(places.size()), 4 * kSide);
    parallel_for(blocks.count(), Work(10.0 * double(places.size()) * double(graph.ends.size() + graph.starts.size())),
                 [&](Index b) {
                     Heap heap(graph.n);
                     std::vector<double> lengths(graph.n * kSide);
                     for (Index first = blocks.begin(b); first < blocks.end(b); first += kSide) {
                         if (interrupt.requested()) return;
                         int group[kSide];
                         for (Index lane = 0; lane < kSide; ++lane) group[lane] = sources[places[first + lane]];
                         from_sources(graph, group, heap, lengths.data());
                         for (Index lane = 0; lane < kSide; ++lane) {
                             double* to = distance.row(places[first + lane]);
                             for (Index j = 0; j < graph.n; ++j) to[j] = lengths[j * kSide + lane];
                         }
                     }
                 });
}

}  // namespace statlearn::manifold
