/// One line: a label, a bar, and notes. Notes for which a narrow terminal has no room are left out, the least important
/// first; a line that wraps could not be written over.
package struct BarLine {
    private let label: String
    private let fraction: Double
    private let notes: [String]

    /// - Parameter notes: the most important first.
    package init(_ label: String, _ fraction: Double, _ notes: [String]) {
        self.label = label
        self.fraction = min(1, max(0, fraction))
        self.notes = notes
    }

    /// Returns the line in fewer columns than there are: in the last one the cursor would be on the next line.
    package func text(columns: Int) -> String {
        let room = columns - 1
        let (widest, narrowest) = (30, 5)
        var kept = notes
        while kept.count > 1, label.count + 1 + narrowest + width(kept) > room { kept.removeLast() }
        let bar = min(widest, room - label.count - 1 - width(kept))
        guard bar >= narrowest else {
            // Not even a short bar: the first note alone says it too.
            return String((notes.first ?? label).drop { $0 == " " }.prefix(max(0, room)))
        }
        let filled = Int(fraction * Double(bar))
        return label + " " + String(repeating: "█", count: filled) + String(repeating: "░", count: bar - filled)
            + kept.joined()
    }

    private func width(_ notes: [String]) -> Int { notes.reduce(0) { $0 + $1.count } }
}
