// Processor quotas of Linux control groups, by which containers are limited.
#pragma once

#include <string>

namespace statlearn {

// Whole CPUs granted to this process, 0 if there is no quota: the least over the groups that the process is in and all
// groups around them, of both versions of control groups. `root` stands before every path that is read.
int quota_threads(const std::string& root = "");

}  // namespace statlearn
