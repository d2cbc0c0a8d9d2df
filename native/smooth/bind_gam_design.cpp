#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "smooth/gam_design.hpp"

namespace statlearn {
namespace {

template <class Code>
using Rows = smooth::GamDesign<Code>;

// Rows, and the tables that they look at: another thread may take these out of the caller's list.
template <class Code>
struct HeldRows : Rows<Code> {
    std::vector<In<double, 2>> tables;
};

// codes: n x c, Fortran order. spec: one row for each part, (term, column of codes, place of its table). columns: the
// column of X that multiplies each term, or -1; and for a term with at most one column that is not 0 in each row, the
// code of its first column, or -1 (its table has one column, and a row for each code).
template <class Code>
HeldRows<Code> make_rows(const InF<Code>& codes, const nb::list& tables, const In<int, 2>& spec,
                         const In<int, 2>& columns, const InAny<double>& X) {
    HeldRows<Code> rows;
    rows.n = Index(X.shape(0));
    require(codes.shape(0) == X.shape(0), "gam_design: the arrays have different numbers of rows");
    require(spec.shape(1) == 3, "gam_design: pass three numbers per part");
    require(columns.shape(1) == 2, "gam_design: pass two numbers per term");
    const auto parts = view(spec);
    const auto variables = view(X);
    Index part = 0;
    for (Index t = 0; t < Index(columns.shape(0)); ++t) {
        typename Rows<Code>::Term term{part, part, nullptr, 0, rows.width, 1, -1};
        for (; part < parts.rows && parts(part, 0) == t; ++part) {
            const int column = parts(part, 1), place = parts(part, 2);
            require(0 <= column && std::size_t(column) < codes.shape(1),
                    "gam_design: a column index of the codes is out of range");
            require(0 <= place && std::size_t(place) < nb::len(tables), "gam_design: a table index is out of range");
            const auto& table = rows.tables.emplace_back(nb::cast<In<double, 2>>(tables[place], false));
            require(table.shape(0) > 0 && table.shape(1) > 0, "gam_design: a table is empty");
            rows.parts.push_back({codes.data() + std::size_t(column) * codes.shape(0), view(table)});
            term.width *= Index(table.shape(1));
        }
        term.last = part;
        const int column = columns.data()[2 * t], hot = columns.data()[2 * t + 1];
        if (hot >= 0) {
            require(term.last - term.first == 1, "gam_design: an indicator term must have exactly one table");
            term.hot = hot;
            term.width = rows.parts.back().table.rows - hot;
            require(term.width > 0, "gam_design: a table is empty");
        }
        require(column < Index(X.shape(1)), "gam_design: a column index of X is out of range");
        if (column >= 0) {
            term.multiplier = variables.col(column);
            term.step = variables.row_stride;
        }
        rows.width += term.width;
        rows.terms.push_back(term);
    }
    require(part == parts.rows, "gam_design: parts must come in the order of their terms");
    return rows;
}

// A code that is no row of its table would read foreign memory: looked at in every call, by its threads.
template <class Code>
void check_codes(const Rows<Code>& rows) {
    for (const auto& part : rows.parts)
        require(all_below(part.codes, rows.n, std::uint64_t(part.table.rows)), "gam_design: a code is out of range");
}

template <class Code>
void def_rows(nb::module_& m) {
    m.def(
        "gam_check",
        [](InF<Code> codes, nb::list tables, In<int, 2> spec, In<int, 2> columns, InAny<double> X) {
            const auto rows = make_rows<Code>(codes, tables, spec, columns, X);
            run_native([&](const Interrupt&) {
                check_codes(rows);
                return true;
            });
        },
        "codes"_array, "tables"_a, "spec"_array, "columns"_array, "X"_array);
    m.def(
        "gam_gram",
        [](InF<Code> codes, nb::list tables, In<int, 2> spec, In<int, 2> columns, InAny<double> X, In<double> w,
           Out<double, 2> G) {
            const auto rows = make_rows<Code>(codes, tables, spec, columns, X);
            require((w.shape(0) == 0 || Index(w.shape(0)) == rows.n) && Index(G.shape(0)) == rows.width &&
                        G.shape(0) == G.shape(1),
                    "gam_gram: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                check_codes(rows);
                smooth::gam_gram<Code>(rows, view(w), interrupt, view(G));
                return true;
            });
        },
        "codes"_array, "tables"_a, "spec"_array, "columns"_array, "X"_array, "w"_array, "G"_array);
    m.def(
        "gam_products",
        [](InF<Code> codes, nb::list tables, In<int, 2> spec, In<int, 2> columns, InAny<double> X, In<double> v,
           Out<double> out) {
            const auto rows = make_rows<Code>(codes, tables, spec, columns, X);
            require(Index(v.shape(0)) == rows.n && Index(out.shape(0)) == rows.width,
                    "gam_products: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                check_codes(rows);
                smooth::gam_products<Code>(rows, view(v), interrupt, view(out));
                return true;
            });
        },
        "codes"_array, "tables"_a, "spec"_array, "columns"_array, "X"_array, "v"_array, "out"_array);
    m.def(
        "gam_values",
        [](InF<Code> codes, nb::list tables, In<int, 2> spec, In<int, 2> columns, InAny<double> X, In<double> beta,
           Out<double> out) {
            const auto rows = make_rows<Code>(codes, tables, spec, columns, X);
            require(Index(out.shape(0)) == rows.n && Index(beta.shape(0)) == rows.width,
                    "gam_values: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                check_codes(rows);
                smooth::gam_values<Code>(rows, view(beta), interrupt, view(out));
                return true;
            });
        },
        "codes"_array, "tables"_a, "spec"_array, "columns"_array, "X"_array, "beta"_array, "out"_array);
    m.def(
        "gam_quadratic",
        [](InF<Code> codes, nb::list tables, In<int, 2> spec, In<int, 2> columns, InAny<double> X, In<double, 2> A,
           Out<double> out) {
            const auto rows = make_rows<Code>(codes, tables, spec, columns, X);
            require(Index(out.shape(0)) == rows.n && Index(A.shape(0)) == rows.width && A.shape(0) == A.shape(1),
                    "gam_quadratic: the shapes of the arrays do not match");
            run_native([&](const Interrupt& interrupt) {
                check_codes(rows);
                smooth::gam_quadratic<Code>(rows, view(A), interrupt, view(out));
                return true;
            });
        },
        "codes"_array, "tables"_a, "spec"_array, "columns"_array, "X"_array, "A"_array, "out"_array);
    m.def(
        "nearest_codes",
        [](InAny<double> X, int column, In<double> values, Out<Code> codes) {
            require(0 <= column && std::size_t(column) < X.shape(1) && codes.shape(0) == X.shape(0),
                    "nearest_codes: the shapes of the arrays do not match");
            require(values.shape(0) > 0, "nearest_codes: there are no values");
            const auto x = view(X);
            run_native([&](const Interrupt& interrupt) {
                smooth::nearest_codes<Code>(x.col(column), x.rows, x.row_stride, view(values), interrupt, view(codes));
                return true;
            });
        },
        "X"_array, "column"_a, "values"_array, "codes"_array);
}

}  // namespace

void bind_gam_design(nb::module_& m) {
    def_rows<std::uint16_t>(m);
    def_rows<std::uint32_t>(m);
    m.def(
        "distinct_values",
        [](InAny<double> X, int column, int most) {
            require(0 <= column && std::size_t(column) < X.shape(1) && most > 0,
                    "distinct_values: a column index is out of range");
            const auto x = view(X);
            auto found = run_native(
                [&](const Interrupt&) { return smooth::distinct_values(x.col(column), x.rows, x.row_stride, most); });
            const std::size_t size = found.size();
            return to_numpy(std::move(found), {size});
        },
        "X"_array, "column"_a, "most"_a);
}

}  // namespace statlearn
