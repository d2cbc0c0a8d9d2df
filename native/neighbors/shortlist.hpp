// Candidates of one query under inexact scores: thinned out whenever they become many, decided exactly at the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "neighbors/top_k.hpp"

namespace statlearn::neighbors {

// A number of the score's precision that is not below x.
template <class S>
S at_least(double x) {
    const S s = S(x);
    return double(s) >= x ? s : std::nextafter(s, std::numeric_limits<S>::infinity());
}

// The scores are lower bounds of distances, on a scale of their own. `Bounds` says the rest:
//     upper(score, row)   an upper bound of the same row's distance
//     accept(upper)       the largest score of a row whose distance may be at most that bound
//     accept_exact(r)     the same for an exact reduced distance
//     exact(row)          the reduced distance itself
template <class S, class Bounds>
class Shortlist {
public:
    // Lists of one thread share the scratch `upper`.
    Shortlist(const Bounds& bounds, Index k, std::vector<double>& upper)
        : bounds_(bounds), best_(k), k_(k), room_(2 * k_ + 64), upper_(&upper) {
        list_.reserve(room_);
    }

    // Takes a candidate and returns the largest score that is accepted from now on.
    S push(S score, int row, S accept) {
        list_.push_back({score, row});
        return list_.size() < room_ ? accept : thin(accept);
    }

    // Decides about a row at once.
    void offer(Index row) { best_.offer(bounds_.exact(row), int(row)); }

    template <class M>
    void write(const M& metric, double* distance, std::int64_t* row) {
        thin(std::numeric_limits<S>::max());
        settle();
        best_.write(metric, distance, row);
    }

private:
    struct Candidate {
        S score;
        int row;
    };

    // Keeps what may be among the k nearest of the list: lower bound at most the k-th smallest upper bound.
    S thin(S accept) {
        if (list_.size() > k_) {
            std::vector<double>& upper = *upper_;
            upper.resize(list_.size());
            for (std::size_t i = 0; i < list_.size(); ++i) upper[i] = bounds_.upper(list_[i].score, list_[i].row);
            std::nth_element(upper.begin(), upper.begin() + std::ptrdiff_t(k_ - 1), upper.end());
            accept = std::min(accept, at_least<S>(bounds_.accept(upper[k_ - 1])));
            std::erase_if(list_, [&](const Candidate& item) { return item.score > accept; });
        }
        if (list_.size() > room_ / 2) {  // many at about the same distance
            settle();
            accept = std::min(accept, at_least<S>(bounds_.accept_exact(best_.worst())));
        }
        return accept;
    }

    void settle() {
        for (const Candidate& item : list_) offer(item.row);
        list_.clear();
    }

    Bounds bounds_;
    TopK best_;
    std::size_t k_, room_;
    std::vector<Candidate> list_;
    std::vector<double>* upper_;
};

}  // namespace statlearn::neighbors
