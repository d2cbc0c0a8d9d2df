#include "common/quota.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace statlearn {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
    return parts;
}

bool contains(const std::vector<std::string>& words, const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

double ratio(double quota, double period) { return quota > 0.0 && period > 0.0 ? quota / period : kNone; }

// Version 2: "max 100000" or "200000 100000".
double cpus_v2(const std::string& folder) {
    std::ifstream file(folder + "/cpu.max");
    double quota = -1.0, period = -1.0;
    return file >> quota >> period ? ratio(quota, period) : kNone;
}

// Version 1: the quota is -1 if there is none.
double cpus_v1(const std::string& folder) {
    std::ifstream first(folder + "/cpu.cfs_quota_us"), second(folder + "/cpu.cfs_period_us");
    double quota = -1.0, period = -1.0;
    return first >> quota && second >> period ? ratio(quota, period) : kNone;
}

// Where a hierarchy of groups is seen in the file system, and which of its groups is seen there.
struct Mount {
    std::string group, folder;
    bool v2;
};

// A line of mountinfo: "36 35 0:31 /group /folder options ... - type source super-options".
std::vector<Mount> mounts(const std::string& root) {
    std::vector<Mount> found;
    std::ifstream file(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        const auto dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        const auto left = split(line.substr(0, dash), ' '), right = split(line.substr(dash + 3), ' ');
        if (left.size() < 5 || right.empty()) continue;
        const bool v2 = right[0] == "cgroup2";
        if (v2 || (right[0] == "cgroup" && right.size() > 2 && contains(split(right[2], ','), "cpu")))
            found.push_back({left[3], left[4], v2});
    }
    return found;
}

// The least quota of a group and those around it, as far up as the mount shows them.
double least_quota(const std::string& root, const Mount& mount, std::string group) {
    // Seen from inside a container, the group's name may be the host's: what the mount hides of it is cut off.
    if (mount.group != "/" && (group == mount.group || group.rfind(mount.group + "/", 0) == 0))
        group.erase(0, mount.group.size());
    double least = kNone;
    for (;;) {
        while (!group.empty() && group.back() == '/') group.pop_back();
        const std::string folder = root + mount.folder + group;
        least = std::min(least, mount.v2 ? cpus_v2(folder) : cpus_v1(folder));
        if (group.empty()) return least;
        group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
}

}  // namespace

int quota_threads([[maybe_unused]] const std::string& root) {
    double least = kNone;
#if defined(__linux__)
    const auto places = mounts(root);
    std::ifstream file(root + "/proc/self/cgroup");  // "0::/group" (version 2) or "1:cpu,cpuacct:/group" (version 1)
    for (std::string line; std::getline(file, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const bool v2 = second == first + 1;
        if (!v2 && !contains(split(line.substr(first + 1, second - first - 1), ','), "cpu")) continue;
        for (const Mount& mount : places)
            if (mount.v2 == v2) least = std::min(least, least_quota(root, mount, line.substr(second + 1)));
    }
#endif
    return least < 1e6 ? std::max(1, static_cast<int>(least + 0.5)) : 0;
}

}  // namespace statlearn
