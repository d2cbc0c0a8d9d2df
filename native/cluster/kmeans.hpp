// k-means: Lloyd's iteration, with the distances that bounds prove unnecessary left out.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// How the nearest centres are found; all give the same labels, hence the same iterates, to the last bit.
//   full     every distance in every iteration
//   lloyd    the same until few rows change, then hamerly
//   hamerly  an upper bound for the own centre and one lower bound for all others (Hamerly, 2010)
//   elkan    a lower bound for every centre (Elkan, 2003): fewest distances, n k floats of memory
enum class KMeansAlgorithm : int { full = 0, lloyd = 1, hamerly = 2, elkan = 3 };

struct KMeansInfo {
    int n_iter;                // assignments of all rows, each followed by new centres
    bool strict;               // no row changed in the last one
    Status status;             // ok | max_iter | interrupted
    double inertia;            // weighted sum of squared distances, at the end
    double shift;              // summed squared movement of the centres in the last iteration
    std::int64_t n_distances;  // distances evaluated, between rows and centres and between centres
};

// Minimises sum_i w_i |x_i - c_(label i)|^2 from the given centres (k x p, row-major; replaced by the result).
//
// Stops when no row changes its centre or when the summed squared movement of the centres is at most stop.tol (an
// absolute value). An empty cluster takes the row farthest from its centre that is not alone in its cluster; without
// such a row it stays empty and its centre where it was. Centres are rounded to the precision of X, and labels at the
// end are those of the final centres. `history` gets the objective after every half step: rows assigned, centres moved.
// `origin` is a point near the middle of the data (zero for sparse rows), `scatter` the weighted sum of squared
// distances to it. Weights are positive, `weights` empty means 1. Same bits for any number of threads.
template <class T>
KMeansInfo kmeans_fit(const RowsView<T>& X, Span<const double> weights, KMeansAlgorithm algorithm, StopRule stop,
                      Span<const double> origin, double scatter, const Interrupt& interrupt, Span<double> centres,
                      Index k, Span<int> labels, std::vector<double>& history);

}  // namespace statlearn::cluster
