// The logarithm of the gamma function, for threads: the standard library's may write its sign to a global variable.
#pragma once

#include <cmath>

namespace statlearn {

inline double log_gamma(double x) {
#if defined(__unix__) || defined(__APPLE__)
    int sign;
    return lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

}  // namespace statlearn
