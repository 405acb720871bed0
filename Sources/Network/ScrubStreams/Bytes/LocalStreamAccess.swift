internal import ScrubSourcesLogic
package import ScrubFileIO
package import ScrubBase
package import ScrubSources

/// Access for a playlist on disk: files below its own folder, and URLs if the caller can open them.
package final class LocalStreamAccess: StreamAccess {
    /// Creates the access that opens URLs, when the first one is needed.
    package typealias Network = @Sendable () throws(ScrubError) -> any StreamAccess

    private let folder: ConfinedFolder
    private let makeNetwork: Network?
    private let network = Locked<(any StreamAccess)?>(nil)

    /// Creates an access.
    ///
    /// - Parameters:
    ///   - folder: the folder of the playlist that the caller named. No name leads out of it.
    ///   - network: creates the access that opens URLs; `nil` rejects them.
    package init(folder: ConfinedFolder, network: Network? = nil) { (self.folder, makeNetwork) = (folder, network) }

    package var cost: NetworkCost? { network.withLock { $0 }?.cost }

    package func resolve(_ reference: String, from base: StreamAddress) throws(ScrubError) -> StreamAddress {
        guard case .file(let playlist) = base else {
            // Content from the network never leads back to files.
            return try overNetwork(reference).resolve(reference, from: base)
        }
        switch StreamReference(reference) {
        case .web:
            do throws(ScrubError) {
                return .url(try RemoteURL(reference))
            } catch {
                throw error.inFile(playlist)
            }
        case .otherScheme(let scheme):
            throw ScrubError(
                .unavailable, "'\(reference.prefix(80))' cannot be opened: \(scheme) addresses are not supported",
                file: playlist,
                advice: "a playlist on disk may refer only to files below its folder and to http and https addresses")
        case .relative:
            let above = playlist.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(playlist[...$0]) } ?? ""
            guard reference.utf8.first != UInt8(ascii: "/") else {
                throw ScrubError(
                    .badData, "'\(reference)' is outside the playlist's folder", file: playlist,
                    advice: "a playlist on disk may refer only to files below its folder")
            }
            do throws(ScrubError) {
                return .file(try ConfinedFolder.components(of: above + reference).joined(separator: "/"))
            } catch {
                throw error.inFile(playlist)
            }
        }
    }

    package func open(_ address: StreamAddress, for purpose: StreamPurpose) throws(ScrubError) -> StreamResource {
        guard case .file(let name) = address else {
            return try overNetwork(address.name).open(address, for: purpose)
        }
        do throws(ScrubError) {
            let file = try folder.open(name)
            file.noteAsRead()
            return StreamResource(source: file, address: address)
        } catch {
            // Writers leave file names there unencoded, although the standard requires percent-encoding.
            guard error.code == .noInput, let decoded = StreamReference.decoded(name), decoded != name,
                let file = try? folder.open(decoded)
            else { throw error.code == .noInput ? missing(error, name) : error.inFile(name) }
            file.noteAsRead()
            return StreamResource(source: file, address: address)
        }
    }

    /// Returns the error for a missing file that a playlist names, because the user did not type that name.
    private func missing(_ error: ScrubError, _ name: String) -> ScrubError {
        var error = error.inFile(name)
        // The line already names the file.
        let quoted = "'\(name)' "
        if error.cause.hasPrefix(quoted) { error.cause.removeFirst(quoted.count) }
        error.advice =
            "put the file at that path below \(folder.path), or correct the playlist"
        return error
    }

    private func overNetwork(_ reference: String) throws(ScrubError) -> any StreamAccess {
        if let made = network.withLock({ $0 }) { return made }
        guard let makeNetwork else {
            throw ScrubError(
                .unavailable, "'\(reference.prefix(80))' is on the network, but only local files can be opened",
                advice: "download it first, then open the file")
        }
        let made = try makeNetwork()
        return network.withLock { network in
            network = network ?? made
            return network ?? made
        }
    }
}

/// The kind of a playlist's reference, determined from its prefix (RFC 3986, 3.1 and 4.1).
enum StreamReference: Equatable {
    case web
    case otherScheme(String)
    case relative

    init(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
            self = .relative
            return
        }
        let scheme = bytes[..<colon]
        let isScheme =
            scheme.first.map { StreamReference.isLetter($0) } ?? false
            && scheme.allSatisfy {
                StreamReference.isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            }
        guard isScheme else {
            self = .relative
            return
        }
        let name = Substring(scheme).lowercased()
        self = name == "http" || name == "https" ? .web : .otherScheme(name)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

    /// Returns the percent-decoded text; `nil` if it is not valid UTF-8.
    static func decoded(_ text: String) -> String? {
        PercentEncoding.bytes(of: text, keepsBroken: true).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
