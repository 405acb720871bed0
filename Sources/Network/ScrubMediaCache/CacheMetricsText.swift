internal import ScrubBase

extension CacheStatistics {
    /// Names, values, whether they only rise, and descriptions.
    private var numbers: [(name: String, value: Int64, rises: Bool, help: String)] {
        [
            ("entries", Int64(entries), false, "Media, indexes, previews and generated sets in the cache."),
            ("media", Int64(media), false, "Media in the cache."),
            ("saved_files", Int64(savedFiles), false, "Indexes, previews and generated sets in the cache."),
            ("bytes", bytes, false, "Bytes that are kept."),
            ("allocated_bytes", allocatedBytes, false, "Bytes that they take on the disk."),
            ("limit_bytes", limits.byteLimit, false, "The most bytes that they may take."),
            ("hits_total", hits, true, "Reads that the cache answered alone."),
            ("misses_total", misses, true, "Reads for which something was fetched."),
            ("saved_bytes_total", bytesSaved, true, "Bytes that were not fetched because they were there."),
            ("fetched_bytes_total", bytesFetched, true, "Bytes that were fetched."),
            ("evictions_total", evictions, true, "Media that were removed to make room."),
            ("damaged_pieces_total", damaged, true, "Pieces that were found to be wrong and dropped."),
        ]
    }

    /// Returns the numbers in the text format of Prometheus, version 0.0.4.
    ///
    /// - Parameter entries: media with numbers of their own, each as labels; their addresses have no credentials.
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
            ("bytes", false, "Bytes of a medium that are kept.", { $0.bytes }),
            ("hits_total", true, "Reads of a medium that the cache answered alone.", { $0.hits }),
            ("misses_total", true, "Reads of a medium for which something was fetched.", { $0.misses }),
            ("saved_bytes_total", true, "Bytes of a medium that were not fetched.", { $0.bytesSaved }),
            ("fetched_bytes_total", true, "Bytes of a medium that were fetched.", { $0.bytesFetched }),
        ]
        for (name, rises, help, value) in own {
            let full = "scrub_cache_medium_\(name)"
            text += "# HELP \(full) \(help)\n# TYPE \(full) \(rises ? "counter" : "gauge")\n"
            // Two media of one address, kept apart by their callers, would be one series twice.
            var seen: Set<String> = []
            for (place, entry) in media.enumerated() {
                let label = Self.label(entry.name)
                let other = seen.insert(label).inserted ? "" : ",other=\"\(place)\""
                text += "\(full){url=\"\(label)\"\(other)} \(value(entry))\n"
            }
        }
        return text
    }

    /// Returns a label's value: backslash, quotation mark and line feed are escaped.
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

    /// The numbers as lines for people and for `key: value` readers.
    package var text: String {
        numbers.map { "\($0.name.split(separator: "_").joined(separator: " ")): \($0.value)\n" }.joined()
    }
}
