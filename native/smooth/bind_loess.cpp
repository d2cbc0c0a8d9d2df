#include "common/gate.hpp"
#include "smooth/loess_cells.hpp"
#include "smooth/loess_operator.hpp"

namespace statlearn {
namespace {

using namespace smooth;

// The arrays of LoessCells, in their order.
struct CellArrays {
    In<int> column;
    In<double> cut;
    In<int> low, high;
    In<int, 2> corners;
    In<double, 2> vertices;

    explicit CellArrays(const nb::tuple& arrays)
        : column(nb::cast<In<int>>(arrays[0])),
          cut(nb::cast<In<double>>(arrays[1])),
          low(nb::cast<In<int>>(arrays[2])),
          high(nb::cast<In<int>>(arrays[3])),
          corners(nb::cast<In<int, 2>>(arrays[4])),
          vertices(nb::cast<In<double, 2>>(arrays[5])) {
        const auto cells = column.shape(0), d = vertices.shape(1);
        require(cells >= 1 && cut.shape(0) == cells && low.shape(0) == cells && high.shape(0) == cells &&
                    corners.shape(0) == cells,
                "loess: the arrays of the cells have different lengths");
        require(d >= 1 && d <= std::size_t(kLoessColumns) && corners.shape(1) == std::size_t(1) << d,
                "loess: the cells have the wrong shape");
        for (std::size_t i = 0; i < cells; ++i) {
            require(view(column)[i] < int(d), "loess: a cell is split on a column out of range");
            if (view(column)[i] < 0) continue;
            // Parts come after the whole, so that a descent ends.
            for (const int part : {view(low)[i], view(high)[i]})
                require(part > int(i) && part < int(cells), "loess: an index of a half cell is out of range");
        }
        for (std::size_t i = 0; i < cells * corners.shape(1); ++i)
            require(0 <= corners.data()[i] && corners.data()[i] < int(vertices.shape(0)),
                    "loess: a corner index is out of range");
    }

    LoessCellsView cells() const {
        return {view(column), view(cut), view(low), view(high), view(corners), view(vertices)};
    }
};

struct FitArrays {
    InF<double> X;
    In<double> y, w, counts;
    In<int> squares;
    int degree;
    Index near;
    double neighbors, stretch;

    explicit FitArrays(const nb::tuple& a)
        : X(nb::cast<InF<double>>(a[0])),
          y(nb::cast<In<double>>(a[1])),
          w(nb::cast<In<double>>(a[2])),
          counts(nb::cast<In<double>>(a[3])),
          squares(nb::cast<In<int>>(a[4])),
          degree(nb::cast<int>(a[5])),
          near(nb::cast<Index>(a[6])),
          neighbors(nb::cast<double>(a[7])),
          stretch(nb::cast<double>(a[8])) {
        const auto n = X.shape(0), d = X.shape(1);
        require(n >= 1 && d >= 1 && y.shape(0) == n, "loess: the arrays have different numbers of rows");
        require((w.shape(0) == 0 || w.shape(0) == n) && (counts.shape(0) == 0 || counts.shape(0) == n),
                "loess: the weights have the wrong length");
        require(squares.shape(0) == d && near >= 1 && near <= Index(d), "loess: the number of columns is out of range");
        require(0 <= degree && degree <= 2 && neighbors >= 1.0 && stretch >= 1.0, "loess: the rule is out of range");
        require(counts.shape(0) > 0 || neighbors <= double(n), "loess: there are fewer rows than neighbours");
    }

    LoessData data() const { return {view(X), view(y), view(w), view(counts)}; }
    LoessRule rule() const { return {degree, near, view(squares), neighbors, stretch}; }
    std::size_t functions() const {
        return std::size_t(LocalFunctions(Index(X.shape(1)), degree, view(squares)).size());
    }
};

void require_fits(const FitArrays& fit, const In<double, 2>& places, const In<double, 3>& coefs,
                  const In<double>& reach) {
    require(places.shape(1) == fit.X.shape(1), "loess: the places and the data have different numbers of columns");
    require(coefs.shape(0) == places.shape(0) && reach.shape(0) == places.shape(0) &&
                coefs.shape(1) <= 1 + fit.X.shape(1) && coefs.shape(2) == fit.functions(),
            "loess: the fits have the wrong shape");
}

void require_vertices(const CellArrays& cells, const In<double, 2>& places, const In<double, 3>& coefs) {
    require(cells.vertices.shape(0) == places.shape(0) && cells.vertices.shape(1) == places.shape(1) &&
                coefs.shape(1) == 1 + places.shape(1),
            "loess: the places must be the vertices of the cells");
}

LoessFits fits_of(const In<double, 2>& places, const In<double, 3>& coefs, const In<double>& reach) {
    return {view(places), {coefs.data(), coefs.size()}, view(reach), Index(coefs.shape(1))};
}

LoessBlends blends_of(const In<int, 2>& index, const In<double, 3>& shares, std::size_t vertices, std::size_t parts) {
    require(shares.shape(0) == index.shape(0) && shares.shape(1) == index.shape(1) && shares.shape(2) == parts,
            "loess: the blends have the wrong shape");
    for (std::size_t i = 0; i < index.size(); ++i)
        require(index.data()[i] < int(vertices), "loess: a vertex index is out of range");
    return {view(index), {shares.data(), shares.size()}};
}

void def_surface(nb::module_& m) {
    m.def(
        "loess_cells",
        [](InF<double> X, In<double> counts, Index near, double most) {
            const auto n = X.shape(0), d = X.shape(1);
            require(n >= 1 && d >= 1 && d <= std::size_t(kLoessColumns) && near >= 1 && near <= Index(d),
                    "loess_cells: the number of columns is out of range");
            require(counts.shape(0) == 0 || counts.shape(0) == n, "loess_cells: the counts have the wrong length");
            auto cells = run_native(
                [&](const Interrupt& stop) { return smooth::loess_cells(view(X), view(counts), near, most, stop); });
            const auto size = cells.column.size(), vertices = cells.vertices.size() / d;
            return nb::make_tuple(to_numpy(std::move(cells.column), {size}), to_numpy(std::move(cells.cut), {size}),
                                  to_numpy(std::move(cells.low), {size}), to_numpy(std::move(cells.high), {size}),
                                  to_numpy(std::move(cells.corners), {size, std::size_t(1) << d}),
                                  to_numpy(std::move(cells.vertices), {vertices, d}));
        },
        "X"_array, "counts"_array, "near"_a, "most"_a);
    m.def(
        "loess_surface",
        [](const nb::tuple& cells, In<double, 2> known, In<double, 2> at, Out<double> out) {
            const CellArrays arrays(cells);
            const auto d = arrays.vertices.shape(1);
            require(known.shape(0) == arrays.vertices.shape(0) && known.shape(1) == 1 + d && at.shape(1) == d &&
                        out.shape(0) == at.shape(0),
                    "loess_surface: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                return smooth::loess_surface(arrays.cells(), view(known), view(at), stop, view(out));
            });
        },
        "cells"_a, "known"_array, "at"_array, "out"_array);
    m.def(
        "loess_blends",
        [](const nb::tuple& cells, In<double, 2> at) {
            const CellArrays arrays(cells);
            const auto d = arrays.vertices.shape(1), rows = at.shape(0),
                       capacity = std::size_t(blend_capacity(Index(d)));
            require(at.shape(1) == d, "loess_blends: the shapes of the arrays do not match");
            std::vector<int> index(rows * capacity);
            std::vector<double> shares(rows * capacity * (1 + d));
            run_native([&](const Interrupt&) {
                smooth::loess_blends(arrays.cells(), view(at),
                                     {index.data(), Index(rows), Index(capacity), Index(capacity), 1}, shares);
            });
            return nb::make_tuple(to_numpy(std::move(index), {rows, capacity}),
                                  to_numpy(std::move(shares), {rows, capacity, 1 + d}));
        },
        "cells"_a, "at"_array);
}

void def_operator(nb::module_& m) {
    m.def(
        "loess_fit",
        [](const nb::tuple& fit, In<double, 2> places, Out<double, 2> values, Out<double, 3> coefs, Out<double> reach) {
            const FitArrays arrays(fit);
            require_fits(arrays, places, In<double, 3>(coefs), In<double>(reach));
            require(values.shape(0) == places.shape(0) && values.shape(1) == coefs.shape(1),
                    "loess_fit: the shapes of the arrays do not match");
            const auto data = arrays.data();
            const auto rule = arrays.rule();
            const auto info = run_native([&](const Interrupt& stop) {
                return smooth::loess_fit(data, rule, view(places), stop, view(values), {coefs.data(), coefs.size()},
                                         view(reach));
            });
            return nb::make_tuple(info.singular, info.first, info.rcond);
        },
        "fit"_a, "places"_array, "values"_array, "coefs"_array, "reach"_array);
    m.def(
        "loess_rows",
        [](const nb::tuple& fit, In<double, 2> places, In<double, 3> coefs, In<double> reach, In<int, 2> index,
           In<double, 3> shares, Out<double, 2> rows) {
            const FitArrays arrays(fit);
            require_fits(arrays, places, coefs, reach);
            const auto blends = blends_of(index, shares, places.shape(0), coefs.shape(1));
            require(rows.shape(0) == index.shape(0) && rows.shape(1) == arrays.X.shape(0),
                    "loess_rows: the shapes of the arrays do not match");
            const auto data = arrays.data();
            const auto rule = arrays.rule();
            const auto fits = fits_of(places, coefs, reach);
            run_native(
                [&](const Interrupt& stop) { return smooth::loess_rows(data, rule, fits, blends, stop, view(rows)); });
        },
        "fit"_a, "places"_array, "coefs"_array, "reach"_array, "index"_array, "shares"_array, "rows"_array);
    m.def(
        "loess_diagonal",
        [](const nb::tuple& fit, In<double, 2> places, In<double, 3> coefs, In<double> reach, const nb::tuple& cells,
           Out<double> diagonal) {
            const FitArrays arrays(fit);
            const CellArrays tree(cells);
            require_fits(arrays, places, coefs, reach);
            require_vertices(tree, places, coefs);
            require(diagonal.shape(0) == arrays.X.shape(0), "loess_diagonal: the shapes of the arrays do not match");
            const auto data = arrays.data();
            const auto rule = arrays.rule();
            const auto fits = fits_of(places, coefs, reach);
            run_native([&](const Interrupt& stop) {
                return smooth::loess_diagonal(data, rule, fits, tree.cells(), stop, view(diagonal));
            });
        },
        "fit"_a, "places"_array, "coefs"_array, "reach"_array, "cells"_a, "diagonal"_array);
    m.def(
        "loess_gram",
        [](const nb::tuple& fit, In<double, 2> places, In<double, 3> coefs, In<double> reach, const nb::tuple& cells,
           In<double> divide, Out<double, 2> G) {
            const FitArrays arrays(fit);
            const CellArrays tree(cells);
            require_fits(arrays, places, coefs, reach);
            require_vertices(tree, places, coefs);
            const auto r = places.shape(0) * coefs.shape(1);
            require((G.shape(0) == r || G.shape(0) == 2 * r) && G.shape(1) == G.shape(0) &&
                        (divide.shape(0) == 0 || divide.shape(0) == arrays.X.shape(0)),
                    "loess_gram: the shapes of the arrays do not match");
            const auto data = arrays.data();
            const auto rule = arrays.rule();
            const auto fits = fits_of(places, coefs, reach);
            run_native([&](const Interrupt& stop) {
                return smooth::loess_gram(data, rule, fits, tree.cells(), view(divide), stop, view(G));
            });
        },
        "fit"_a, "places"_array, "coefs"_array, "reach"_array, "cells"_a, "divide"_array, "G"_array);
    m.def(
        "loess_norms",
        [](In<int, 2> index, In<double, 3> shares, In<double, 2> S, Out<double> out) {
            require(shares.shape(2) >= 1 && S.shape(0) == S.shape(1) && S.shape(0) % shares.shape(2) == 0,
                    "loess_norms: the shapes of the arrays do not match");
            const auto blends = blends_of(index, shares, S.shape(0) / shares.shape(2), shares.shape(2));
            require(out.shape(0) == index.shape(0), "loess_norms: `out` has the wrong length");
            run_native([&](const Interrupt&) { smooth::loess_norms(blends, view(S), view(out)); });
        },
        "index"_array, "shares"_array, "S"_array, "out"_array);
}

}  // namespace

void bind_loess(nb::module_& m) {
    def_surface(m);
    def_operator(m);
}

}  // namespace statlearn
