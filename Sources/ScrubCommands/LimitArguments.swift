internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// What files may cost, as all commands that open media take it.
struct LimitArguments: ParsableArguments {
    @Option(
        name: .customLong("limit"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What a file may cost: \(MediaLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")). Bytes may end in K, M or G; times are seconds.",
            valueName: "name=value"))
    var typed: [String] = []

    @Flag(
        help:
            "Decode in processes of their own that can open, write, connect and start nothing, for files that nobody vouches for."
    )
    var sandbox = false

    @Option(help: ArgumentHelp("A program that is started as the sandbox's worker.", visibility: .hidden))
    var sandboxWorker: String?

    init() {}

    func validate() throws {
        for word in typed where LimitArguments.read(word) == nil {
            throw ValidationError(
                "--limit '\(word)': write a name and a number above 0, such as pixels=200M; the names are "
                    + MediaLimits.Name.allCases.map(\.rawValue).joined(separator: ", "))
        }
    }

    /// Begins the sandbox if it was asked for.
    func begin() throws(ScrubError) {
        guard sandbox || sandboxWorker != nil else { return }
        try MediaSandbox.begin(program: sandboxWorker, limits: choice)
    }

    /// The limits as they were said; the last word about each counts.
    var choice: MediaLimits {
        var limits = MediaLimits()
        for word in typed { if let (name, value) = LimitArguments.read(word) { limits[name] = value } }
        return limits
    }

    /// A limit as it is typed.
    private static func read(_ word: String) -> (MediaLimits.Name, Int)? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = MediaLimits.Name(rawValue: String(parts[0])) else { return nil }
        var digits = parts[1]
        var unit = 1
        if !name.isTime, let last = digits.last, let shift = ["K": 10, "M": 20, "G": 30][last.uppercased()] {
            // Pictures and pixels are counted in tens, memory is not.
            let isBytes = name.rawValue.hasSuffix("bytes")
            unit = isBytes ? 1 << shift : [10: 1000, 20: 1_000_000, 30: 1_000_000_000][shift] ?? 1
            digits = digits.dropLast()
        }
        guard let number = Int(digits), number > 0 else { return nil }
        let (value, isMany) = number.multipliedReportingOverflow(by: unit)
        // Products of these stay far inside 64 bits.
        return isMany || value > (name.isTime ? 1_000_000_000 : 1 << 44) ? nil : (name, value)
    }
}
