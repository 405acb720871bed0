package import ScrubBase

/// The outcome of checking everything in the cache.
package struct CacheVerification: Hashable, Sendable {
    /// Pieces and saved files that were read and compared with their checksums.
    package var checked = 0
    /// Those that are wrong; they are gone now.
    package var damaged = 0
    /// Media whose pieces were inspected.
    package var media = 0
    /// Saved files that were inspected.
    package var savedFiles = 0
    /// Bytes that were read.
    package var bytes: Int64 = 0
    /// Bytes that killed processes and lost catalogues had left; they are free now.
    package var leftBytes: Int64 = 0
    /// The problems, a line each, at most a hundred.
    package var problems: [String] = []

    /// Whether nothing was wrong.
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
