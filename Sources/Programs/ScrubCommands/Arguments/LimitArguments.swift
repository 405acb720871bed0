#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// The limits on files, for all commands that open media.
struct LimitArguments: ParsableArguments {
    @Option(
        name: .customLong("limit"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Raise or lower a resource limit for each file, such as pixels=200M or request-time=60. Limits: \(MediaLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name=value"))
    var typed: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help:
            "Decode in separate processes that can neither open files nor reach the network, for untrusted files. Default: only for addresses and playlists."
    )
    var sandbox: Bool?

    @Option(help: ArgumentHelp("The program to start as the sandbox's worker.", visibility: .hidden))
    var sandboxWorker: String?

    /// It is here because all commands that open media have these arguments.
    @OptionGroup var quiet: QuietArgument

    init() {}

    func validate() throws {
        for word in typed where LimitArguments.read(word) == nil {
            throw ValidationError("--limit '\(word)' \(LimitArguments.fault(of: word))")
        }
    }

    /// Starts the sandbox if it was requested.
    func begin() throws {
        guard sandbox == true || sandboxWorker != nil else { return }
        do throws(ScrubError) {
            try MediaSandbox.begin(program: sandboxWorker, limits: choice)
            if sandboxWorker == nil { try MediaSandbox.check() }
        } catch {
            Terminal.complain(error.wording)
            throw ExitCode(error.code.exitStatus)
        }
    }

    /// Starts the sandbox if no option says otherwise and the system supports it. If it does not, a message says so.
    package func beginByDefault() {
        guard sandbox == nil, !MediaSandbox.isOn else { return }
        do throws(ScrubError) {
            try MediaSandbox.begin(limits: choice)
            try MediaSandbox.check()
        } catch {
            MediaSandbox.end()
            Terminal.say("warning: \(error.causeWording), so files are decoded without a sandbox")
        }
    }

    /// The limits as they were given; the last value of each counts.
    var choice: MediaLimits {
        var limits = MediaLimits()
        for word in typed { if let (name, value) = LimitArguments.read(word) { limits[name] = value } }
        return limits
    }

    /// Returns the error for a word that ``read(_:)`` rejects, and the correct form.
    private static func fault(of word: String) -> String {
        let text = String(word.prefix { $0 != "=" })
        guard let name = MediaLimits.Name(rawValue: text) else {
            let known = MediaLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")
            return "does not name a limit: use one of \(known), followed by = and a number, such as pixels=200M"
        }
        let amount = name.isTime ? "a whole number of seconds" : "a whole number, optionally with K, M or G,"
        let most = name.isTime ? "1000000000" : "17 trillion"
        return
            "does not have a valid number: use \(amount) from 1 to \(most), such as \(text)=\(name.isTime ? "60" : "200M")"
    }

    /// Returns a limit as it would be typed.
    private static func read(_ word: String) -> (MediaLimits.Name, Int)? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = MediaLimits.Name(rawValue: String(parts[0])) else { return nil }
        var digits = parts[1]
        var unit = 1
        if !name.isTime, let last = digits.last, let shift = ["K": 10, "M": 20, "G": 30][last.uppercased()] {
            // Pictures and pixels are counted in powers of ten, memory is not.
            let isBytes = name.rawValue.hasSuffix("bytes")
            unit = isBytes ? 1 << shift : [10: 1000, 20: 1_000_000, 30: 1_000_000_000][shift] ?? 1
            digits = digits.dropLast()
        }
        guard let number = Int(digits), number > 0 else { return nil }
        let (value, isMany) = number.multipliedReportingOverflow(by: unit)
        // Products of these stay far within 64 bits.
        return isMany || value > (name.isTime ? 1_000_000_000 : 1 << 44) ? nil : (name, value)
    }
}
#endif
