// Four numbers at once, with choices among them: vector registers where the compiler has them, plain loops elsewhere.
#pragma once

#include "common/view.hpp"

namespace statlearn {

#if defined(__GNUC__)
typedef double Pack4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long Mask4 __attribute__((vector_size(32)));

inline Pack4 broadcast(double x) { return Pack4{} + x; }
inline Mask4 positive(Pack4 x) { return x > 0.0; }
inline Pack4 select(Mask4 which, Pack4 a, Pack4 b) { return which ? a : b; }
#else
struct Pack4 {
    double v[4];
    Pack4& operator+=(const Pack4& b) {
        for (int i = 0; i < 4; ++i) v[i] += b.v[i];
        return *this;
    }
};
struct Mask4 {
    bool v[4];
};

inline Pack4 operator*(const Pack4& a, const Pack4& b) {
    return {{a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]}};
}
inline Pack4 operator-(const Pack4& a, const Pack4& b) {
    return {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]}};
}
inline Pack4 operator*(double a, const Pack4& b) { return {{a * b.v[0], a * b.v[1], a * b.v[2], a * b.v[3]}}; }
inline Pack4 broadcast(double x) { return {{x, x, x, x}}; }
inline Mask4 positive(const Pack4& x) { return {{x.v[0] > 0, x.v[1] > 0, x.v[2] > 0, x.v[3] > 0}}; }
inline Pack4 select(const Mask4& which, const Pack4& a, const Pack4& b) {
    Pack4 c;
    for (int i = 0; i < 4; ++i) c.v[i] = which.v[i] ? a.v[i] : b.v[i];
    return c;
}
#endif

inline Pack4* packs(double* p) { return reinterpret_cast<Pack4*>(p); }
inline const Pack4* packs(const double* p) { return reinterpret_cast<const Pack4*>(p); }

}  // namespace statlearn
