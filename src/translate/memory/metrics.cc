#include "translate/memory/metrics.h"

namespace hymt::translate::memory {
namespace {

constexpr const char* kHits = "hymt_memory_hits_total";
constexpr const char* kHitsHelp = "Paragraphs answered from memory, by where it lies.";

}  // namespace

Metrics::Metrics(metrics::Registry& registry)
    : hits(registry.counter(kHits, kHitsHelp, {{"store", "process"}})),
      shared_hits(registry.counter(kHits, kHitsHelp, {{"store", "redis"}})),
      misses(registry.counter("hymt_memory_misses_total",
                              "Paragraphs that no memory held and nobody was computing.")),
      joins(registry.counter("hymt_memory_joined_total",
                             "Paragraphs that joined an equal one being computed.")),
      bypassed(registry.counter("hymt_memory_bypassed_total",
                                "Paragraphs for which no memory was asked: sampled without a "
                                "seed, or their request forbade it.")),
      evictions(registry.counter("hymt_memory_evictions_total",
                                 "Answers forgotten, still valid, to make room.")),
      foreign(registry.counter("hymt_memory_foreign_records_total",
                               "Records of the shared store that were not what was asked for.")),
      entries(registry.gauge("hymt_memory_entries", "Answers remembered in the process.")),
      bytes_used(registry.gauge("hymt_memory_used_bytes", "Bytes that these take.")),
      bytes(registry.gauge("hymt_memory_bytes", "Bytes set aside for them.")) {}

}  // namespace hymt::translate::memory
