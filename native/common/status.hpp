// How an iterative kernel ended, and the rule that ends it.
#pragma once

namespace statlearn {

enum class Status : int { ok = 0, max_iter = 1, interrupted = 2, diverged = 3 };

struct StopRule {
    double tol;
    int max_iter;
};

}  // namespace statlearn
