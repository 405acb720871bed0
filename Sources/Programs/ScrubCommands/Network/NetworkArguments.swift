#if CommandLine
internal import ArgumentParser
internal import ScrubSourcesLogic
internal import ScrubFileIO
package import Scrub
package import ScrubBase

/// The rules for requests to addresses, for all commands that open media.
package struct NetworkArguments: ParsableArguments {
    @Option(
        name: .customLong("header"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send the header 'Name: value' with each request to the address's host. @FILE reads headers from a file, one per line.",
            valueName: "line"))
    var headers: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Contact only this host: a name, *.name, an IP address, or a network such as 192.0.2.0/24. Default: any host.",
            valueName: "host"))
    var allow: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Never contact this host; 'private' means everything outside the public internet.",
            valueName: "host"))
    var deny: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many seconds one read may take, including all retries. Default: 30.", valueName: "seconds"))
    var timeout: String?

    @Option(
        help: ArgumentHelp(
            "The proxy to use, or '' for none. Default: taken from $http_proxy, $https_proxy, $all_proxy and $no_proxy.",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in this file (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var cacert: String?

    /// The limits on files, wherever they are; here because all commands that open media have both.
    @OptionGroup var limits: LimitArguments

    /// The limits on files.
    package var mediaLimits: MediaLimits { limits.choice }

    /// Whether to print only errors.
    package var isQuiet: Bool { limits.quiet.quiet }

    package init() {}

    /// Decodes in a sandbox from now on, unless an option says otherwise; for commands that show files from others.
    package func beginSandboxByDefault() { limits.beginByDefault() }

    package func validate() throws {
        // Now, because a command's first step may open a medium, and a worker takes some time to start.
        try limits.begin()
        if let timeout, TypedSeconds.read(timeout).map({ $0 > .zero && $0 <= Rational(86_400) }) != true {
            throw ValidationError(
                "--timeout '\(timeout)' is not a time above 0 (at most one day): use a value such as 30 (seconds), 500ms or 2m"
            )
        }
        // The schemes that libcurl accepts; it would mistake an unknown one for a host name.
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        if let proxy, let end = proxy.firstRange(of: "://"), !schemes.contains(proxy[..<end.lowerBound].lowercased()) {
            throw ValidationError(
                "--proxy does not support \(proxy[..<end.lowerBound]): use http://host:port or socks5h://host:port")
        }
    }

    /// Returns the same options in the library's form.
    ///
    /// - Throws: `usage` for an invalid header, without its value; `noInput` for a file of headers that cannot
    ///   be read.
    package func options(usesCache: Bool) throws(ScrubError) -> NetworkOptions {
        var options = NetworkOptions()
        options.usesCache = usesCache
        for line in headers {
            guard line.utf8.first == UInt8(ascii: "@") else {
                try NetworkArguments.add(line, to: &options)
                continue
            }
            let path = String(decoding: line.utf8.dropFirst(), as: UTF8.self)
            InputFileRegistry.note(path: path)
            let text = String(decoding: try FileSource(path: path).contents(limit: 1 << 20), as: UTF8.self)
            for line in text.split(whereSeparator: \.isNewline) {
                let line = line.trimmed
                guard !line.isEmpty, !line.hasPrefix("#") else { continue }
                do throws(ScrubError) {
                    try NetworkArguments.add(line, to: &options)
                } catch {
                    throw error.inFile(path)
                }
            }
        }
        options.allowedHosts = allow
        options.deniedHosts = deny.filter { $0 != "private" }
        options.isPublicOnly = deny.contains("private")
        // Not when the first connection fails, because the fault is in this name.
        if let cacert { try NetworkArguments.checkCertificates(cacert) }
        options.certificateFile = cacert
        if let proxy { options.proxy = proxy.isEmpty ? .none : .address(proxy) }
        if let timeout, let time = TypedSeconds.read(timeout) {
            let all = Duration.seconds(time.doubleValue)
            options.readTimeout = all
            options.connectTimeout = min(options.connectTimeout, all)
            options.answerTimeout = min(options.answerTimeout, all)
            options.stallTimeout = min(options.stallTimeout, all)
        }
        return options
    }

    /// Rejects a file without certificates, because the underlying library reports neither it nor the reason.
    private static func checkCertificates(_ path: String) throws(ScrubError) {
        InputFileRegistry.note(path: path)
        // Those that come with systems are all below half a mebibyte.
        let text = String(decoding: try FileSource(path: path).contents(limit: 64 << 20), as: UTF8.self)
        // RFC 7468, 5.1; OpenSSL's name for the same with trust information.
        guard text.contains("-----BEGIN CERTIFICATE-----") || text.contains("-----BEGIN TRUSTED CERTIFICATE-----")
        else {
            throw ScrubError(
                .badData, "does not contain a certificate", file: path,
                advice: "use a PEM file, which contains a BEGIN CERTIFICATE line")
        }
    }

    /// Adds a line `Name: value`; errors do not include the line, because it may be secret.
    private static func add(_ line: String, to options: inout NetworkOptions) throws(ScrubError) {
        let parts = line.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        // RFC 9110, 5.6.2.
        let marks = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        guard parts.count == 2, !name.isEmpty, name.utf8.allSatisfy(marks.contains) else {
            throw ScrubError(
                .usage, "a --header option, or a line in its file, does not begin with a name and a colon",
                advice: "use --header 'Name: value'")
        }
        let value = String(decoding: parts[1], as: UTF8.self).trimmed
        guard !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw ScrubError(
                .usage, "the value of the header \(name) contains a control character",
                advice: "write it on one line, without invisible characters")
        }
        if let refusal = RequestFields.refusal(name: name, value: value) {
            throw ScrubError(.usage, refusal, advice: "omit it: scrub sets this header itself")
        }
        options.headers[name] = value
    }
}

extension StringProtocol {
    /// Without leading and trailing spaces and tabs.
    fileprivate var trimmed: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = drop(while: isBlank)
        return String(start[..<(start.lastIndex { !isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex)])
    }
}
#endif
