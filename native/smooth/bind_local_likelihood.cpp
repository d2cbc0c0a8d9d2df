#include "common/gate.hpp"
#include "smooth/local_likelihood.hpp"

namespace statlearn {

namespace {

using namespace smooth;

void check_rows(const In<double, 2>& X, const In<double, 2>& Z, const In<double>& y, const In<double>& w,
                const In<double, 2>& at, const In<double, 2>& at_z, const In<double>& bandwidth, int profile,
                int degree, Index neighbors, std::size_t outputs, bool leave_out) {
    const auto n = X.shape(0), q = at.shape(0);
    require(n >= 1 && Z.shape(0) == n && y.shape(0) == n && (w.shape(0) == 0 || w.shape(0) == n),
            "local likelihood: the arrays have different numbers of rows");
    require(at.shape(1) == X.shape(1) && at_z.shape(1) == Z.shape(1) && at_z.shape(0) == q,
            "local likelihood: the queries have the wrong shape");
    require(outputs == q, "local likelihood: the outputs have different lengths");
    require(neighbors > 0 || bandwidth.shape(0) == q, "local likelihood: pass one bandwidth per query");
    require(0 <= profile && profile <= 3 && 0 <= degree && degree <= 2, "local likelihood: unknown rule");
    require(!leave_out || q == n, "local likelihood: the queries must be the rows");
}

}  // namespace

void bind_local_likelihood(nb::module_& m) {
    m.def(
        "local_likelihood",
        [](In<double, 2> X, In<double, 2> Z, In<double> y, In<double> w, In<double, 2> at, In<double, 2> at_z,
           In<double> bandwidth, int profile, int degree, double exponent, Index neighbors, int family, int link,
           double parameter, double link_power, double alpha, double fallback, double tol, int max_iter, bool leave_out,
           double centre, double mean, Out<double> eta, Out<double> std_error, Out<double> information,
           Out<int> ended) {
            check_rows(X, Z, y, w, at, at_z, bandwidth, profile, degree, neighbors, eta.shape(0), leave_out);
            require(std_error.shape(0) == eta.shape(0) && information.shape(0) == eta.shape(0) &&
                        ended.shape(0) == eta.shape(0),
                    "local_likelihood: the outputs have different lengths");
            require(0 <= family && family <= 6 && 0 <= link && link <= 5, "local_likelihood: unknown family or link");
            const GlmTerms terms{Family(family), Link(link), parameter, link_power};
            run_native([&](const Interrupt& interrupt) {
                return smooth::local_likelihood(
                    {view(X), view(Z), view(y), view(w)}, {view(at), view(at_z), view(bandwidth)},
                    {Profile(profile), degree, exponent, neighbors}, terms, {alpha, fallback, tol, max_iter, leave_out},
                    centre, mean, interrupt, view(eta), view(std_error), view(information), view(ended));
            });
        },
        "X"_array, "Z"_array, "y"_array, "w"_array, "at"_array, "at_z"_array, "bandwidth"_array, "profile"_a,
        "degree"_a, "exponent"_a, "neighbors"_a, "family"_a, "link"_a, "parameter"_a, "link_power"_a, "alpha"_a,
        "fallback"_a, "tol"_a, "max_iter"_a, "leave_out"_a, "centre"_a, "mean"_a, "eta"_array, "std_error"_array,
        "information"_array, "ended"_array);
    m.def(
        "local_multinomial",
        [](In<double, 2> X, In<double, 2> Z, In<double> y, In<double> w, In<double, 2> at, In<double, 2> at_z,
           In<double> bandwidth, int profile, int degree, double exponent, Index neighbors, In<double> centre,
           double alpha, double fallback, double tol, int max_iter, bool leave_out, Out<double, 2> eta,
           Out<int> ended) {
            check_rows(X, Z, y, w, at, at_z, bandwidth, profile, degree, neighbors, eta.shape(0), leave_out);
            const Index classes = Index(centre.shape(0)) + 1;
            require(classes >= 2 && Index(eta.shape(1)) == classes - 1 && ended.shape(0) == eta.shape(0),
                    "local_multinomial: pass one score per class except the first");
            for (const double k : view(y))
                require(k >= 0.0 && k < double(classes), "local_multinomial: a class code is out of range");
            run_native([&](const Interrupt& interrupt) {
                return smooth::local_multinomial(
                    {view(X), view(Z), view(y), view(w)}, {view(at), view(at_z), view(bandwidth)},
                    {Profile(profile), degree, exponent, neighbors}, classes,
                    {alpha, fallback, tol, max_iter, leave_out}, view(centre), interrupt, view(eta), view(ended));
            });
        },
        "X"_array, "Z"_array, "y"_array, "w"_array, "at"_array, "at_z"_array, "bandwidth"_array, "profile"_a,
        "degree"_a, "exponent"_a, "neighbors"_a, "centre"_array, "alpha"_a, "fallback"_a, "tol"_a, "max_iter"_a,
        "leave_out"_a, "eta"_array, "ended"_array);
}

}  // namespace statlearn
