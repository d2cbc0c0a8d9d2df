// A balanced tree of boxes over points in few dimensions, in flat arrays, with leaves made for vector registers.
//
// Node 0 is the root, the children of node k are 2k+1 and 2k+2, and all leaves lie on the last level. A leaf has kLeaf
// slots, its points stored dimension by dimension; empty slots hold infinity, which is farther than anything.
//
// The KD-tree of neighbors/kd_tree.hpp is another design, for another use. That one is fitted state: arrays of Python,
// of any leaf size, in single or double precision, never changed, searched from one side under any metric. This one
// lives for the length of one fit: pairs of nodes are walked together, leaves are whole registers, nodes are numbered
// as in a heap so that a slot finds its parents, and points move (`replace`) as clusters merge. Bounds are Euclidean,
// and exact without a margin for rounding, on which spanning trees of equal distances rely. A common tree would have to
// be either at run time, in the innermost loops of both.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "common/pack.hpp"
#include "common/view.hpp"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace statlearn::cluster {

constexpr Index kLeaf = 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class BoxTree {
public:
    Index n = 0, p = 0, leaves = 0;
    std::vector<double> box;    // of node k: p lower bounds from 2pk, then p upper bounds
    std::vector<double> block;  // of leaf l: coordinate j of slot s at (l p + j) kLeaf + s
    std::vector<int> row;       // the row in slot l kLeaf + s, -1 if empty
    std::vector<int> slot;      // the slot of a row

    // X is n x p, row-major, finite, n >= 1. Splits the widest side of each box at its median; cost n log(n) (p + 1).
    void build(const double* X, Index rows, Index cols);

    Index first_leaf() const { return leaves - 1; }
    Index nodes() const { return 2 * leaves - 1; }

    // Squared distance of a point to a box: never above that of a point inside, not even by rounding, because both add
    // the same squares in the same order.
    double box_distance(Index node, const double* x) const {
        const double* low = box.data() + 2 * p * node;
        const double* high = low + p;
        double sum = 0.0;
        for (Index j = 0; j < p; ++j) {
            const double below = low[j] - x[j], above = x[j] - high[j];
            const double away = below > above ? below : above;
            const double t = away > 0.0 ? away : 0.0;
            sum += t * t;
        }
        return sum;
    }

    // Squared distance of two boxes, in the same sense.
    double box_gap(Index a, Index b) const {
        const double *low = box.data() + 2 * p * a, *high = low + p;
        const double *other_low = box.data() + 2 * p * b, *other_high = other_low + p;
        double sum = 0.0;
        for (Index j = 0; j < p; ++j) {
            const double below = other_low[j] - high[j], above = low[j] - other_high[j];
            const double away = below > above ? below : above;
            const double t = away > 0.0 ? away : 0.0;
            sum += t * t;
        }
        return sum;
    }

    // The slots of a leaf, as bits, whose squared distance to a box is at most that slot's `reach`.
    unsigned slots_near(Index leaf, Index node, const double* reach) const {
        const double* values = block.data() + leaf * p * kLeaf;
        const double *low = box.data() + 2 * p * node, *high = low + p;
        Pack4 sum[4] = {broadcast(0.0), broadcast(0.0), broadcast(0.0), broadcast(0.0)};
        for (Index j = 0; j < p; ++j, values += kLeaf) {
            const Pack4 l = broadcast(low[j]), h = broadcast(high[j]);
            for (int v = 0; v < 4; ++v) {
                const Pack4 x = packs(values)[v], below = l - x, above = x - h;
                const Pack4 t = select(positive(below), below, select(positive(above), above, broadcast(0.0)));
                sum[v] += t * t;
            }
        }
        double squared[kLeaf];
        for (int v = 0; v < 4; ++v) packs(squared)[v] = sum[v];
        return at_most(squared, reach);
    }

    // Squared distances of x to the slots of a leaf.
    void leaf_distances(Index leaf, const double* x, double* out) const {
        const double* values = block.data() + leaf * p * kLeaf;
        Pack4 a = broadcast(0.0), b = a, c = a, d = a;
        for (Index j = 0; j < p; ++j, values += kLeaf) {
            const Pack4 q = broadcast(x[j]);
            const Pack4 ta = packs(values)[0] - q, tb = packs(values)[1] - q;
            const Pack4 tc = packs(values)[2] - q, td = packs(values)[3] - q;
            a += ta * ta;
            b += tb * tb;
            c += tc * tc;
            d += td * td;
        }
        packs(out)[0] = a;
        packs(out)[1] = b;
        packs(out)[2] = c;
        packs(out)[3] = d;
    }

    // The slots of a leaf at a squared distance of at most `limit`, as bits, and all distances.
    unsigned leaf_within(Index leaf, const double* x, double limit, double* out) const {
        leaf_distances(leaf, x, out);
        const double same[kLeaf] = {limit, limit, limit, limit, limit, limit, limit, limit,
                                    limit, limit, limit, limit, limit, limit, limit, limit};
        return at_most(out, same);
    }

    // The point of a slot, written to x.
    void point(Index at, double* x) const {
        const double* values = block.data() + (at / kLeaf) * p * kLeaf + at % kLeaf;
        for (Index j = 0; j < p; ++j) x[j] = values[j * kLeaf];
    }

    // Puts another point (or, with row -1, none) into a slot. Boxes only grow, so they stay valid bounds.
    void replace(Index at, const double* x, int new_row);

private:
    // Where values are at most their limits, as bits.
    static unsigned at_most(const double* values, const double* limits) {
        unsigned bits = 0;
#if defined(__AVX2__)
        for (int v = 0; v < 4; ++v)
            bits |= unsigned(_mm256_movemask_pd(
                        _mm256_cmp_pd(_mm256_loadu_pd(values + 4 * v), _mm256_loadu_pd(limits + 4 * v), _CMP_LE_OQ)))
                    << (4 * v);
#else
        for (Index s = 0; s < kLeaf; ++s) bits |= unsigned(values[s] <= limits[s]) << s;
#endif
        return bits;
    }

    void place(const double* X, const std::vector<int>& order);
};

// Calls leaf(l) for the leaves that may matter, near ones first: bound(node) is a lower bound for all below the node,
// limit() the value that nothing of interest exceeds (bounds equal to it are followed).
template <class Bound, class Limit, class Leaf>
void visit_leaves(const BoxTree& tree, Bound&& bound, Limit&& limit, Leaf&& leaf) {
    struct Entry {
        Index node;
        double bound;
    };
    Entry stack[64];
    int top = 0;
    stack[top++] = {0, bound(0)};
    while (top > 0) {
        auto [node, here] = stack[--top];
        while (!(here > limit())) {
            if (node >= tree.first_leaf()) {
                leaf(node - tree.first_leaf());
                break;
            }
            const Index left = 2 * node + 1, right = left + 1;
            const double to_left = bound(left), to_right = bound(right);
            if (to_right < to_left) {
                stack[top++] = {left, to_left};
                node = right, here = to_right;
            } else {
                stack[top++] = {right, to_right};
                node = left, here = to_left;
            }
        }
    }
}

}  // namespace statlearn::cluster
