#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// The limits of files, as all commands that open media take them.
struct LimitArguments: ParsableArguments {
    @Option(
        name: .customLong("limit"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Raise or lower what one file may cost, such as pixels=200M or request-time=60: \(MediaLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "name=value"))
    var typed: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help:
            "Decode in separate processes that can neither open files nor reach the network, for files that you do not trust. Default: for addresses and playlists only."
    )
    var sandbox: Bool?

    @Option(help: ArgumentHelp("A program that is started as the sandbox's worker.", visibility: .hidden))
    var sandboxWorker: String?

    /// It is here because all commands that open media have these arguments.
    @OptionGroup var quiet: QuietArgument

    init() {}

    func validate() throws {
        for word in typed where LimitArguments.read(word) == nil {
            throw ValidationError("--limit '\(word)' \(LimitArguments.fault(of: word))")
        }
    }

    /// Begins the sandbox if it was asked for.
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

    /// Begins the sandbox, where nothing was said about it and the system can. If the system cannot, a sentence says
    /// so.
    package func beginByDefault() {
        guard sandbox == nil, !MediaSandbox.isOn else { return }
        do throws(ScrubError) {
            try MediaSandbox.begin(limits: choice)
            try MediaSandbox.check()
        } catch {
            MediaSandbox.end()
            Terminal.say("warning: \(error.causeWording), so what is opened is decoded without one")
        }
    }

    /// The limits as they were said; the last word about each counts.
    var choice: MediaLimits {
        var limits = MediaLimits()
        for word in typed { if let (name, value) = LimitArguments.read(word) { limits[name] = value } }
        return limits
    }

    /// Returns the fault of a word that ``read(_:)`` does not take, and the right form.
    private static func fault(of word: String) -> String {
        let text = String(word.prefix { $0 != "=" })
        guard let name = MediaLimits.Name(rawValue: text) else {
            let known = MediaLimits.Name.allCases.map(\.rawValue).joined(separator: ", ")
            return "names no limit: write one of \(known), and a number, such as pixels=200M"
        }
        let amount = name.isTime ? "whole seconds, from 1" : "a whole number above 0, which may end in K, M or G"
        let most = name.isTime ? "1000000000" : "17 million million"
        return
            "has no number that fits: write \(amount) and at most \(most), such as \(text)=\(name.isTime ? "60" : "200M")"
    }

    /// Returns a limit as it is typed.
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
#endif
