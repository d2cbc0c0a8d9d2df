#include <algorithm>

#include "common/parallel.hpp"
#include "logic/machine.hpp"

namespace statlearn::logic {

Outcome cover(const Program& program, Span<const Code> goal, std::int32_t heap, std::int32_t n_variables,
              Span<const Code> rows, std::int32_t arity, Span<const std::uint8_t> active, const Limits& limits,
              const Interrupt& interrupt, Span<std::uint8_t> covered, Span<std::int64_t> exceeded, std::string& message,
              std::int32_t& culprit) {
    const Index n = Index(covered.size());
    constexpr Index kBlock = 256;
    const Index blocks = (n + kBlock - 1) / kBlock;
    struct Part {
        std::int64_t deep = 0, long_ = 0;
        Outcome error = Outcome::solution;
        std::string message;
        std::int32_t culprit = 0;
    };
    std::vector<Part> parts(blocks, Part{});
    parallel_for(blocks, threads_for(Work(double(n) * 2000.0)), [&](Index b) {
        Machine machine(program, limits);
        auto& part = parts[b];
        const auto last = std::min(n, (b + 1) * kBlock);
        for (auto r = b * kBlock; r < last; ++r) {
            covered[r] = 0;
            if (!active[r]) continue;
            machine.start(goal, heap, n_variables, rows.subspan(std::size_t(r) * std::size_t(arity), arity));
            const auto outcome = machine.next(interrupt);
            if (machine.depth_hit && outcome != Outcome::solution) ++part.deep;
            if (outcome == Outcome::solution) {
                covered[r] = 1;
            } else if (outcome == Outcome::inferences) {
                ++part.long_;
            } else if (outcome != Outcome::failed) {
                part.error = outcome;
                part.message = machine.message;
                part.culprit = machine.culprit;
                return;
            }
            if (interrupt.requested()) {
                part.error = Outcome::interrupted;
                return;
            }
        }
    });
    for (const auto& part : parts) {
        exceeded[0] += part.deep;
        exceeded[1] += part.long_;
        if (part.error != Outcome::solution) {
            message = part.message;
            culprit = part.culprit;
            return part.error;
        }
    }
    return Outcome::failed;
}

}  // namespace statlearn::logic
