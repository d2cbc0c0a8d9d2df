// The assignment step of k-means in its variants: an internal header of kmeans.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/kmeans.hpp"
#include "cluster/nearest_centre.hpp"

namespace statlearn::cluster {

// What the assignment step needs to know of the centres: where they are and how far each has moved since the last one.
template <class T>
struct CentreState {
    CentreState(Index k, Index p, bool sparse);

    CentreSet<T> set;
    std::vector<double> moved;  // distance from the previous position, rounded up
    Index farthest = 0;         // the centre that moved most, by
    double most = 0.0;          // this much;
    double next = 0.0;          // all others by at most this
    std::vector<double> apart;  // k x k distances between centres, rounded down; empty unless asked for
    std::vector<double> half;   // half the distance to the nearest other centre, rounded down
    std::int64_t n_distances = 0;

    void measure_moves(const double* before, const double* now);
    void measure_distances(bool keep_all);
};

struct Change {
    Index row;
    int from;  // -1 in the first assignment
    int to;
};

template <class T>
class Assigner {
public:
    virtual ~Assigner() = default;
    // Whether it reads CentreState::half, and ::apart.
    virtual bool wants_half() const { return false; }
    virtual bool wants_apart() const { return false; }
    // Brings the labels of rows begin..end up to date with the centres; appends what changed. Returns the number of
    // distances evaluated. Rows must be covered once between two movements of the centres.
    virtual std::int64_t assign(const RowsView<T>& X, const CentreState<T>& centres, Index begin, Index end,
                                int* labels, std::vector<Change>& changes) = 0;
    // The label of this row was changed from outside.
    virtual void forget(Index) {}
};

template <class T>
std::unique_ptr<Assigner<T>> make_full();
template <class T>
std::unique_ptr<Assigner<T>> make_hamerly(Index n);
template <class T>
std::unique_ptr<Assigner<T>> make_elkan(Index n, Index k);

}  // namespace statlearn::cluster
