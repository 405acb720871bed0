#if CommandLine
internal import Scrub
internal import ScrubReports

/// A measurement as a table and as JSON.
extension BenchMeasurement {
    /// A table for people.
    var table: String {
        var rows = [["", "p50 ms", "p95 ms", "p99 ms", "max ms", "decoded, mean", "most"]]
        for section in sections {
            rows.append(
                [section.meaning]
                    + [0.5, 0.95, 0.99, 1].map { Clock.rounded(section.percentile($0), 2) }
                    + [Clock.rounded(section.meanDecoded, 1), String(section.decoded.max() ?? 0)])
        }
        let lines = [rows, drags.isEmpty ? [] : [BenchDrag.columns] + drags.map(\.row)].flatMap(BenchMeasurement.lines)
        return """
            \(file.shown): \(Amount.of(frameCount, "frame"))
            open: \(Clock.rounded(coldOpen, 2)) ms cold (\(Amount.of(bytesRead, "byte")) read), \
            \(Clock.rounded(savedOpen, 2)) ms with a saved index
            \(lines.joined(separator: "\n"))
            memory: at most \(peakPictureBytes >> 20) MiB of pictures (cache limit \(cacheByteLimit >> 20) MiB), \
            \(peakResidentBytes >> 20) MiB resident
            """
    }

    /// Returns rows with aligned columns.
    private static func lines(_ rows: [[String]]) -> [String] {
        let columns = rows.first?.indices ?? 0..<0
        let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let room = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + room : room + text
            }.joined(separator: "  ")
        }
    }

    /// One JSON object.
    var json: String {
        var line = JSONText()
        line.add(path: file)
        line.add("frameCount", frameCount)
        line.add(missing: missing)
        var open = JSONText()
        open.add("coldMs", coldOpen)
        open.add("savedMs", savedOpen)
        open.add("bytesRead", bytesRead)
        line.add("open", .object(open))
        for section in sections {
            var object = JSONText()
            object.add("requests", section.milliseconds.count)
            for (key, part) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1)] {
                object.add(key, section.percentile(part))
            }
            object.add("decodedMean", section.meanDecoded)
            object.add("decodedMax", section.decoded.max() ?? 0)
            line.add(section.name, .object(object))
        }
        if !drags.isEmpty { line.add("drag", BenchDrag.json(drags)) }
        var memory = JSONText()
        memory.add("peakPictureBytes", peakPictureBytes)
        memory.add("cacheByteLimit", cacheByteLimit)
        memory.add("peakResidentBytes", peakResidentBytes)
        line.add("memory", .object(memory))
        return line.text
    }
}
#endif
