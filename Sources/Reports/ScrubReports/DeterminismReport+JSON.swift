package import ScrubBase
package import ScrubMedia

extension DeterminismReport {
    /// The value of `determinism` in the JSON object about a file.
    package var json: JSONText {
        var object = JSONText()
        object.add("frames", frames)
        object.add("runs", runs)
        object.add("settings", .array(settings.map { .string($0.description) }))
        object.add("differences", differences.count)
        object.add("dependentFrames", dependentFrames)
        object.add("examples", .array(differences.prefix(20).map { .string($0.text) }))
        return object
    }
}

extension DeterminismReport.Difference {
    /// The difference, for people.
    package var text: String { "frame \(frame) with \(setting): \(reason)" }
}
