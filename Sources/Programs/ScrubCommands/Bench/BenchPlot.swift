#if CommandLine
internal import Glibc
internal import Scrub

/// Measurements as a standalone page, with one dot for each request, for every file and kind of access.
struct BenchPlot {
    let measurements: [BenchMeasurement]

    /// A self-contained page.
    var html: String {
        """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>scrub bench</title>
        <style>body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:860px;color:#222}\
        h2{font-size:1.1em;margin:2em 0 .3em;overflow-wrap:anywhere}svg{width:100%;height:auto}\
        table{border-collapse:collapse}td,th{padding:.15em .8em .15em 0;text-align:right}\
        td:first-child,th:first-child{text-align:left}.note{color:#666}</style>
        <h1>scrub bench</h1>
        <p class="note">Milliseconds from the request to the exact frame in memory. Each dot is one request, in order; the bar is the median. The scale is logarithmic.</p>
        \(measurements.map(chapter).joined(separator: "\n"))
        </html>
        """
    }

    /// The same as a drawing: a heading, a legend, and for each file its name, facts, plot and figures.
    var svg: String {
        var (parts, y) = ([String](), 30.0)
        func add(_ text: String, size: Int, _ style: String = "") {
            parts.append(
                "<text x=\"\(BenchPlot.margin)\" y=\"\(rounded(y))\" font-size=\"\(size)\" \(style)>\(PlainText.markup(text))</text>"
            )
            y += Double(size) * 1.4
        }
        add("scrub bench", size: 20, "font-weight=\"700\"")
        for line in BenchPlot.legend { add(line, size: 12, "fill=\"#666\"") }
        for measurement in measurements {
            y += 18
            for line in BenchPlot.wrapped(measurement.file) { add(line, size: 14, "font-weight=\"600\"") }
            add(BenchPlot.facts(measurement), size: 12, "fill=\"#444\"")
            parts.append(
                plot(
                    measurement.sections,
                    place:
                        "x=\"\(BenchPlot.margin)\" y=\"\(rounded(y - 8))\" width=\"\(BenchPlot.width)\" height=\"\(BenchPlot.height)\" "
                ))
            y += BenchPlot.height
            parts += figures(measurement.sections, y)
            y += 3 * 16
            for drag in measurement.drags {
                add(drag.sentence, size: 12, "fill=\"#444\"")
            }
        }
        let (width, height) = (Int(BenchPlot.width + 2 * BenchPlot.margin), Int(y + 12))
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\" "
            + "font-family=\"system-ui,sans-serif\"><title>scrub bench</title><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
            + parts.joined(separator: "\n") + "</svg>\n"
    }

    private static let legend = [
        "Milliseconds from the request to the exact frame in memory, on a logarithmic scale.",
        "Each blue dot is one request, in order; the red bar is the median. Below each plot: p50 / p95 / p99, and the average number of pictures decoded.",
    ]

    private static func facts(_ measurement: BenchMeasurement) -> String {
        "\(Amount.of(measurement.frameCount, "frame")); opened in \(Clock.rounded(measurement.coldOpen, 2)) ms, "
            + "\(Clock.rounded(measurement.savedOpen, 2)) ms with a saved index; "
            + "at most \(measurement.peakPictureBytes >> 20) MiB of pictures"
    }

    /// Returns the figures below a plot, with one column for each kind of access.
    private func figures(_ sections: [BenchSection], _ y: Double) -> [String] {
        let room = (BenchPlot.width - BenchPlot.left) / Double(max(1, sections.count))
        return sections.enumerated().flatMap { place, section in
            let middle = BenchPlot.margin + BenchPlot.left + (Double(place) + 0.5) * room
            let times =
                [0.5, 0.95, 0.99].map { Clock.rounded(section.percentile($0), 2) }.joined(separator: " / ") + " ms"
            return [times, "\(Clock.rounded(section.meanDecoded, 1)) decoded"].enumerated().map { line, text in
                "<text x=\"\(rounded(middle))\" y=\"\(rounded(y + 8 + Double(line) * 16))\" text-anchor=\"middle\" font-size=\"11\" "
                    + "fill=\"#444\">\(text)</text>"
            }
        }
    }

    /// Returns a name in lines that are certain to fit, because no font is measured here. An overlong name keeps its
    /// end.
    static func wrapped(_ name: String) -> [String] {
        let (columns, most) = (88, 5)
        var (lines, line, used) = ([String](), "", 0)
        for character in name {
            // Characters beyond Latin, Greek and Cyrillic are mostly wide.
            let width = character.unicodeScalars.allSatisfy { $0.value < 0x1100 } ? 1 : 2
            if used + width > columns {
                // After a slash or a space in the last third of the line, or else anywhere.
                let end = line.lastIndex { "/ ".contains($0) }.map { line.index(after: $0) } ?? line.endIndex
                let isLate = line.distance(from: line.startIndex, to: end) * 3 > line.count * 2
                let cut = isLate ? end : line.endIndex
                lines.append(String(line[..<cut]))
                line = String(line[cut...])
                used = line.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
            }
            line.append(character)
            used += width
        }
        lines.append(line)
        return lines.count <= most ? lines : [lines[0], "\u{2026}"] + lines.suffix(most - 2)
    }

    private func chapter(_ measurement: BenchMeasurement) -> String {
        let rows = measurement.sections.map { section in
            "<tr><td>\(section.meaning)</td>"
                + [0.5, 0.95, 0.99].map { "<td>\(Clock.rounded(section.percentile($0), 2))</td>" }.joined()
                + "<td>\(Clock.rounded(section.meanDecoded, 1))</td></tr>"
        }
        return """
            <h2>\(PlainText.markup(measurement.file))</h2>
            <p>\(BenchPlot.facts(measurement)).</p>
            \(plot(measurement.sections))
            <table><tr><th></th><th>p50 ms</th><th>p95 ms</th><th>p99 ms</th><th>pictures decoded</th></tr>
            \(rows.joined(separator: "\n"))</table>\(drags(measurement.drags))
            """
    }

    /// Returns the table of drags, if any was played.
    private func drags(_ drags: [BenchDrag]) -> String {
        guard !drags.isEmpty else { return "" }
        let rows = drags.map { "<tr>" + $0.row.map { "<td>\($0)</td>" }.joined() + "</tr>" }
        return "\n<table><tr>" + BenchDrag.columns.map { "<th>\($0)</th>" }.joined() + "</tr>\n"
            + rows.joined(separator: "\n") + "</table>"
    }

    private static let (width, height, top, left) = (820.0, 260.0, 10.0, 56.0)
    private static let margin = 16.0
    /// Decades from ten microseconds to ten seconds.
    private static let decades = -2...4

    private func y(_ milliseconds: Double) -> Double {
        let (low, high) = (Double(BenchPlot.decades.lowerBound), Double(BenchPlot.decades.upperBound))
        let part = (log10(max(milliseconds, 0.01)) - low) / (high - low)
        return BenchPlot.top + (1 - min(1, max(0, part))) * (BenchPlot.height - 40)
    }

    /// - Parameter place: the place in another drawing.
    private func plot(_ sections: [BenchSection], place: String = "") -> String {
        var parts: [String] = []
        for decade in BenchPlot.decades {
            let line = y(pow(10, Double(decade)))
            parts.append(
                "<line x1=\"\(BenchPlot.left)\" x2=\"\(BenchPlot.width)\" y1=\"\(line)\" y2=\"\(line)\" stroke=\"#ddd\"/>"
                    + "<text x=\"\(BenchPlot.left - 6)\" y=\"\(line + 4)\" text-anchor=\"end\" font-size=\"11\" "
                    + "fill=\"#666\">\(label(decade))</text>")
        }
        let room = (BenchPlot.width - BenchPlot.left) / Double(max(1, sections.count))
        for (place, section) in sections.enumerated() {
            let start = BenchPlot.left + Double(place) * room
            let step = (room - 20) / Double(max(1, section.milliseconds.count))
            for (i, value) in section.milliseconds.enumerated() {
                let x = start + 10 + (Double(i) + 0.5) * step
                parts.append(
                    "<circle cx=\"\(rounded(x))\" cy=\"\(rounded(y(value)))\" r=\"2\" fill=\"#2563a8\" opacity=\".6\">"
                        + "<title>\(Clock.rounded(value, 3)) ms, \(section.decoded[i]) decoded</title></circle>")
            }
            let middle = y(section.percentile(0.5))
            parts.append(
                "<line x1=\"\(start + 10)\" x2=\"\(start + room - 10)\" y1=\"\(middle)\" y2=\"\(middle)\" "
                    + "stroke=\"#c2410c\" stroke-width=\"2\"/><text x=\"\(start + room / 2)\" "
                    + "y=\"\(BenchPlot.height - 8)\" text-anchor=\"middle\" font-size=\"12\">\(section.meaning)</text>")
        }
        return "<svg \(place)viewBox=\"0 0 \(Int(BenchPlot.width)) \(Int(BenchPlot.height))\" role=\"img\" "
            + "font-family=\"system-ui,sans-serif\">" + parts.joined() + "</svg>"
    }

    private func label(_ decade: Int) -> String {
        let milliseconds = pow(10, Double(decade))
        return decade >= 3 ? "\(Int(milliseconds / 1000)) s" : "\(Clock.rounded(milliseconds, 2)) ms"
    }

    private func rounded(_ value: Double) -> String { Clock.rounded(value, 1) }
}
#endif
