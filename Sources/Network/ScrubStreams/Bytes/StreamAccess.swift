package import ScrubSourcesLogic
package import ScrubBase
package import ScrubSources

/// The address of a resource in a playlist.
package enum StreamAddress: Hashable, Sendable {
    /// A file, by its path relative to the folder in which a local playlist may name files.
    case file(String)
    /// An http or https URL.
    case url(RemoteURL)

    /// The name in errors, without credentials.
    package var name: String {
        switch self {
        case .file(let name): name
        case .url(let url): url.description
        }
    }
}

/// The purpose of a fetch. Only media may be cached on disk.
package enum StreamPurpose: Hashable, Sendable { case playlist, key, media }

/// An opened resource with its actual address: after redirects, that is the base of relative addresses.
package struct StreamResource: Sendable {
    package var source: any ByteSource
    package var address: StreamAddress

    package init(source: any ByteSource, address: StreamAddress) { (self.source, self.address) = (source, address) }
}

/// An object that opens the resources in playlists, and decides which ones they may refer to.
///
/// Thread safety: called from several threads.
package protocol StreamAccess: Sendable {
    /// Returns the address for a reference in a playlist at `base`.
    ///
    /// - Throws: `badData` for an address to which that playlist may not refer, `unavailable` for unsupported schemes.
    func resolve(_ reference: String, from base: StreamAddress) throws(ScrubError) -> StreamAddress

    /// Opens a resource. It blocks, and stops if the work on this thread is cancelled.
    func open(_ address: StreamAddress, for purpose: StreamPurpose) throws(ScrubError) -> StreamResource

    /// The network cost so far; `nil` if the network was not used.
    var cost: NetworkCost? { get }
}

extension StreamAccess {
    /// Returns the contents of a small resource. It stops if the work on this thread is cancelled.
    func contents(
        of address: StreamAddress, for purpose: StreamPurpose, limit: Int
    ) throws(ScrubError) -> (bytes: [UInt8], address: StreamAddress) {
        let opened = try open(address, for: purpose)
        guard opened.source.byteCount <= Int64(limit) else {
            let what = purpose == .key ? "is not an AES-128 key: it has" : "is too large:"
            throw ScrubError(
                .badData, "\(what) \(opened.source.byteCount) bytes, but the limit is \(limit)", file: address.name,
                advice: "the address in the playlist may be wrong: check the playlist, or download it again")
        }
        do throws(ScrubError) {
            let bytes = try opened.source.endingWithWork.read(at: 0, count: Int(opened.source.byteCount))
            return (bytes, opened.address)
        } catch {
            throw error.inFile(address.name)
        }
    }
}
