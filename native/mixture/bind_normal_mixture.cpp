#include "common/gate.hpp"
#include "mixture/normal_mixture.hpp"

namespace statlearn {
namespace {

using mixture::Components;
using mixture::Moments;
using mixture::Order;
using mixture::Shape;

Components only_means(const In<double, 2>& means, std::size_t columns) {
    const auto k = means.shape(0), p = means.shape(1);
    require(k > 0 && p > 0 && p == columns, "mixture: X and the means have different numbers of columns");
    return {Index(k), Index(p), Shape::diag, {means.data(), k * p}, {}, {}, {}};
}

struct Parameters {
    int shape;
    In<double, 2> means;
    In<double> factor, scale, dof;

    Components view_for(std::size_t columns) const {
        auto components = only_means(means, columns);
        const auto k = means.shape(0), p = means.shape(1);
        require(0 <= shape && shape <= 2, "mixture: unknown shape");
        const std::size_t size[] = {k * p * p, p * p, k * p};
        require(factor.shape(0) == size[shape] && scale.shape(0) == k, "mixture: the parameters have the wrong shape");
        require(dof.shape(0) == 0 || dof.shape(0) == k, "mixture: pass one number of degrees of freedom per component");
        components.shape = Shape(shape);
        components.factor = view(factor);
        components.scale = view(scale);
        components.dof = view(dof);
        return components;
    }
};

struct Results {
    int order;
    Out<double> total, precision, log_gap;
    Out<double, 2> first;
    Out<double> second;

    Moments view_for(const Components& c) const {
        const auto k = std::size_t(c.k), p = std::size_t(c.p);
        require(0 <= order && order <= 2, "mixture: unknown order of moments");
        const std::size_t size[] = {0, k * p, k * p * p};
        require(total.shape(0) == k && precision.shape(0) == k && log_gap.shape(0) == k && first.shape(0) == k &&
                    first.shape(1) == p && second.shape(0) == size[order],
                "mixture: the moments have the wrong shape");
        return {Order(order), view(total), view(precision), view(log_gap), {first.data(), k * p}, view(second)};
    }
};

template <class T>
void def_normal_mixture(nb::module_& m) {
    m.def(
        "mixture_pass",
        [](InAny<T> X, In<double> weights, int shape, In<double, 2> means, In<double> factor, In<double> scale,
           In<double> dof, int order, Out<double> total, Out<double> precision, Out<double> log_gap,
           Out<double, 2> first, Out<double> second) {
            const auto components = Parameters{shape, means, factor, scale, dof}.view_for(X.shape(1));
            const auto moments = Results{order, total, precision, log_gap, first, second}.view_for(components);
            require(weights.shape(0) == 0 || weights.shape(0) == X.shape(0),
                    "mixture_pass: the arrays have different numbers of rows");
            const auto info = run_native([&](const Interrupt& stop) {
                return mixture::mixture_pass<T>(view(X), view(weights), components, stop, moments);
            });
            return nb::make_tuple(info.log_likelihood, info.entropy);
        },
        "X"_array, "weights"_array, "shape"_a, "means"_array, "factor"_array, "scale"_array, "dof"_array, "order"_a,
        "total"_array, "precision"_array, "log_gap"_array, "first"_array, "second"_array);
    m.def(
        "mixture_moments",
        [](InAny<T> X, In<double> weights, InAny<double> responsibilities, In<double, 2> means, int order,
           Out<double> total, Out<double> precision, Out<double> log_gap, Out<double, 2> first, Out<double> second) {
            const auto components = only_means(means, X.shape(1));
            const auto moments = Results{order, total, precision, log_gap, first, second}.view_for(components);
            require(weights.shape(0) == 0 || weights.shape(0) == X.shape(0),
                    "mixture_moments: the arrays have different numbers of rows");
            require(responsibilities.shape(0) == X.shape(0) && responsibilities.shape(1) == means.shape(0),
                    "mixture_moments: the responsibilities have the wrong shape");
            run_native([&](const Interrupt& stop) {
                mixture::mixture_moments<T>(view(X), view(weights), view(responsibilities), components, stop, moments);
            });
        },
        "X"_array, "weights"_array, "responsibilities"_array, "means"_array, "order"_a, "total"_array,
        "precision"_array, "log_gap"_array, "first"_array, "second"_array);
    m.def(
        "mixture_log_density",
        [](InAny<T> X, int shape, In<double, 2> means, In<double> factor, In<double> scale, In<double> dof,
           Out<double, 2> out) {
            const auto components = Parameters{shape, means, factor, scale, dof}.view_for(X.shape(1));
            require(out.shape(0) == X.shape(0) && out.shape(1) == means.shape(0),
                    "mixture_log_density: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt& stop) { mixture::mixture_log_density<T>(view(X), components, stop, view(out)); });
        },
        "X"_array, "shape"_a, "means"_array, "factor"_array, "scale"_array, "dof"_array, "out"_array);
}

}  // namespace

void bind_normal_mixture(nb::module_& m) {
    def_normal_mixture<double>(m);
    def_normal_mixture<float>(m);
}

}  // namespace statlearn
