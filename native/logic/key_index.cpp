#include "logic/key_index.hpp"

#include <unordered_map>

namespace statlearn::logic {

namespace {

std::size_t spread(Word key) { return std::size_t((key * 0x9E3779B97F4A7C15ull) >> 20); }

}  // namespace

void KeyIndex::build(Span<const Word> keys) {
    others_.clear();
    std::vector<std::vector<std::uint32_t>> buckets;
    std::unordered_map<Word, std::uint32_t> number;
    for (std::uint32_t c = 0; c < keys.size(); ++c) {
        if (keys[c] == 0) {
            for (auto& bucket : buckets) bucket.push_back(c);
            others_.push_back(c);
            continue;
        }
        const auto [at, fresh] = number.try_emplace(keys[c], std::uint32_t(buckets.size()));
        if (fresh) buckets.push_back(others_);
        buckets[at->second].push_back(c);
    }
    keys_ = buckets.size();
    std::size_t size = 16;
    while (size < 2 * keys_) size *= 2;
    table_.assign(size, {});
    places_.clear();
    for (const auto& [key, bucket] : number) {
        auto at = spread(key) & (size - 1);
        while (table_[at].key != 0) at = (at + 1) & (size - 1);
        table_[at] = {key, std::uint32_t(places_.size()), std::uint32_t(buckets[bucket].size())};
        places_.insert(places_.end(), buckets[bucket].begin(), buckets[bucket].end());
    }
}

Span<const std::uint32_t> KeyIndex::find(Word key) const {
    for (auto at = spread(key) & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
        const auto& slot = table_[at];
        if (slot.key == key) return {places_.data() + slot.begin, slot.size};
        if (slot.key == 0) return others_;
    }
}

}  // namespace statlearn::logic
