internal import ScrubBase

extension CacheStatistics {
    /// The names, values, whether they are counters, and descriptions.
    private var numbers: [(name: String, value: Int64, rises: Bool, help: String)] {
        [
            ("entries", Int64(entries), false, "Media, indexes, previews and generated sets in the cache."),
            ("media", Int64(media), false, "Media in the cache."),
            ("saved_files", Int64(savedFiles), false, "Indexes, previews and generated sets in the cache."),
            ("bytes", bytes, false, "Bytes in the cache."),
            ("allocated_bytes", allocatedBytes, false, "Bytes of disk space that the cache uses."),
            ("limit_bytes", limits.byteLimit, false, "The maximum disk space of the cache, in bytes."),
            ("hits_total", hits, true, "Reads served entirely from the cache."),
            ("misses_total", misses, true, "Reads that required a fetch."),
            ("saved_bytes_total", bytesSaved, true, "Bytes served from the cache, not the network."),
            ("fetched_bytes_total", bytesFetched, true, "Bytes fetched."),
            ("evictions_total", evictions, true, "Media removed to make room."),
            ("damaged_pieces_total", damaged, true, "Damaged pieces that were dropped."),
        ]
    }

    /// Returns the numbers in the text format of Prometheus, version 0.0.4.
    ///
    /// - Parameter entries: media with separate numbers, each with labels; their addresses contain no credentials.
    package func prometheus(_ entries: [CacheEntry] = []) -> String {
        var text = ""
        for number in numbers {
            let name = "scrub_cache_\(number.name)"
            text += "# HELP \(name) \(number.help)\n# TYPE \(name) \(number.rises ? "counter" : "gauge")\n"
            text += "\(name) \(number.value)\n"
        }
        let media = entries.filter { $0.total != nil }
        guard !media.isEmpty else { return text }
        let own: [(String, Bool, String, (CacheEntry) -> Int64)] = [
            ("bytes", false, "Bytes of a medium in the cache.", { $0.bytes }),
            ("hits_total", true, "Reads of a medium served entirely from the cache.", { $0.hits }),
            ("misses_total", true, "Reads of a medium that required a fetch.", { $0.misses }),
            ("saved_bytes_total", true, "Bytes of a medium served from the cache, not the network.", { $0.bytesSaved }),
            ("fetched_bytes_total", true, "Bytes fetched for a medium.", { $0.bytesFetched }),
        ]
        for (name, rises, help, value) in own {
            let full = "scrub_cache_medium_\(name)"
            text += "# HELP \(full) \(help)\n# TYPE \(full) \(rises ? "counter" : "gauge")\n"
            // Two media with the same address, kept separate by their callers, would be the same series twice.
            var seen: Set<String> = []
            for (place, entry) in media.enumerated() {
                let label = Self.label(entry.name)
                let other = seen.insert(label).inserted ? "" : ",other=\"\(place)\""
                text += "\(full){url=\"\(label)\"\(other)} \(value(entry))\n"
            }
        }
        return text
    }

    /// Returns a label's value with backslash, quotation mark and line feed escaped.
    private static func label(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }

    /// The numbers as lines for people and for `key: value` parsers.
    package var text: String {
        numbers.map { "\($0.name.split(separator: "_").joined(separator: " ")): \($0.value)\n" }.joined()
    }
}
