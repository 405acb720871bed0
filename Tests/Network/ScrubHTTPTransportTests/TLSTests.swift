import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubTestSupport
import Testing

/// Over OpenSSL's own server, where it is installed.
@Suite(.enabled(if: TLSServer.isThere)) struct TLSTests {
    @Test func trustedAndNot() throws {
        let server = try TLSServer()
        try server.answer("a", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\nETag: \"x\"\r\n\r\nhello")
        let trusting = try testClient { $0.certificateFile = server.certificate }
        let answer = try trusting.get(server.url("a"))
        #expect(String(decoding: answer.bytes, as: UTF8.self) == "hello", "\(String(describing: answer.failure))")
        #expect(answer.head?.validator.entityTag == "\"x\"")
        // The certificate is for the address and not for this name.
        let named = try trusting.get(server.url("a").replacing("127.0.0.1", with: "localhost")).failure
        let unknown = try testClient().get(server.url("a")).failure
        for failure in [named, unknown] {
            guard case .tls(let text)? = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(!text.isEmpty)
        }
        let missing = try testClient { $0.certificateFile = "/nothing/there.pem" }.get(server.url("a")).failure
        guard case .tls? = missing else {
            Issue.record("\(String(describing: missing))")
            return
        }
    }

    @Test func redirectsToPlainHTTP() throws {
        let plain = try FaultServer()
        plain.serve([1, 2], as: "b")
        let server = try TLSServer()
        try server.answer(
            "a", "HTTP/1.1 302 F\r\nLocation: \(plain.url("b"))\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        let client = try testClient { $0.certificateFile = server.certificate }
        #expect(
            try client.get(server.url("a")).failure?.description
                == "not allowed: a redirect from https to http on 127.0.0.1")
        #expect(plain.log.isEmpty)
        let lax = try testClient {
            $0.certificateFile = server.certificate
            $0.allowsInsecureRedirects = true
        }
        #expect(try lax.get(server.url("a")).bytes == [1, 2])
    }

    @Test func manyAtOnce() throws {
        let server = try TLSServer()
        try server.answer("a", "HTTP/1.0 200 OK\r\n\r\nhello")
        let client = try testClient { $0.certificateFile = server.certificate }
        let collectors = try (0..<12).map { _ in
            let collector = Collector()
            client.start(HTTPRequest(url: try RemoteURL(server.url("a"))), collector)
            return collector
        }
        for collector in collectors { #expect(collector.bytes.count == 5 || collector.succeeded) }
    }
}

/// `openssl s_server`, which sends files that are whole answers, to one connection at a time.
private final class TLSServer {
    private let folder: TemporaryFolder
    private let process = Process()
    private let port: Int
    let certificate: String

    static let isThere = (try? run(["version"])) != nil

    init() throws {
        folder = try TemporaryFolder()
        certificate = folder.path(of: "certificate.pem")
        let key = folder.path(of: "key.pem")
        _ = try TLSServer.run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=scrub tests", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ])
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-HTTP",
        ]
        process.currentDirectoryURL = URL(filePath: folder.path)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // "ACCEPT 127.0.0.1:41234"
        var text = ""
        while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            text += String(decoding: data, as: UTF8.self)
        }
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("ACCEPT") }),
            let number = line.split(separator: ":").last.flatMap({ Int($0) })
        else { throw CocoaError(.fileReadUnknown) }
        port = number
    }

    deinit {
        // Threads of tests keep other signals from processes that they start.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func url(_ name: String) -> String { "https://127.0.0.1:\(port)/\(name)" }

    func answer(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.path(of: name)))
    }

    private static func run(_ words: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + words
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        return data
    }
}
