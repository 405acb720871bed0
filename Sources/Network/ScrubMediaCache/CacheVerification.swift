package import ScrubBase

/// The result of checking the whole cache.
package struct CacheVerification: Hashable, Sendable {
    /// The number of pieces and saved files that were compared with their checksums.
    package var checked = 0
    /// The number of those that were damaged. They have been removed.
    package var damaged = 0
    /// The number of media whose pieces were checked.
    package var media = 0
    /// The number of saved files that were checked.
    package var savedFiles = 0
    /// The number of bytes read.
    package var bytes: Int64 = 0
    /// The bytes left behind by killed processes and lost catalogues. They have been freed.
    package var leftBytes: Int64 = 0
    /// The problems, one line each, at most a hundred.
    package var problems: [String] = []

    /// Whether there was no damage.
    package var isSound: Bool { damaged == 0 && problems.isEmpty }

    mutating func add(_ problem: String) {
        damaged += 1
        if problems.count < 100 { problems.append(problem) }
    }

    /// The object that `scrub cache verify --json` prints.
    package var json: JSONText {
        var object = JSONText()
        object.add("checked", checked)
        object.add("damaged", damaged)
        object.add("media", media)
        object.add("savedFiles", savedFiles)
        object.add("bytes", bytes)
        object.add("leftBytes", leftBytes)
        object.add("problems", .array(problems.map(JSONText.Value.string)))
        return object
    }
}

extension CacheRemoval {
    /// The object that `scrub cache prune --json` and `clear --json` print.
    package var json: JSONText {
        var object = JSONText()
        object.add("media", media)
        object.add("savedFiles", savedFiles)
        object.add("bytes", bytes)
        object.add("kept", kept)
        object.add("leftBytes", leftBytes)
        return object
    }
}
