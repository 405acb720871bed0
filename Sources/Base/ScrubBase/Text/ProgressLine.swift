/// A line with a label, a bar, and notes. In a narrow terminal, notes are dropped, starting with the least important,
/// because a line that wraps could not be overwritten.
package struct ProgressLine {
    private let label: String
    private let fraction: Double
    private let notes: [String]

    /// Creates a line.
    ///
    /// - Parameter notes: the notes, the most important first.
    package init(_ label: String, _ fraction: Double, _ notes: [String]) {
        self.label = label
        self.fraction = min(1, max(0, fraction))
        self.notes = notes
    }

    /// Returns the line in fewer columns than the terminal has, because in the last column the cursor would wrap to the
    /// next line.
    package func text(columns: Int) -> String {
        let room = columns - 1
        let (widest, narrowest) = (30, 5)
        var kept = notes
        while kept.count > 1, label.count + 1 + narrowest + width(kept) > room { kept.removeLast() }
        let bar = min(widest, room - label.count - 1 - width(kept))
        guard bar >= narrowest else {
            // There is no room even for a short bar. The first note alone also shows the progress.
            return String((notes.first ?? label).drop { $0 == " " }.prefix(max(0, room)))
        }
        let filled = Int(fraction * Double(bar))
        return label + " " + String(repeating: "█", count: filled) + String(repeating: "░", count: bar - filled)
            + kept.joined()
    }

    private func width(_ notes: [String]) -> Int { notes.reduce(0) { $0 + $1.count } }
}
