package import ScrubSourcesLogic
package import ScrubBase
package import ScrubSources

/// The address of a resource that a playlist names.
package enum StreamAddress: Hashable, Sendable {
    /// A file, by its path from the folder that a local playlist may name files in.
    case file(String)
    /// An http or https URL.
    case url(RemoteURL)

    /// The name in errors: without credentials.
    package var name: String {
        switch self {
        case .file(let name): name
        case .url(let url): url.description
        }
    }
}

/// The purpose of a fetch: only media may be kept on disk.
package enum StreamPurpose: Hashable, Sendable { case playlist, key, media }

/// An opened resource and its real address: behind redirects another address is the base of relative ones.
package struct StreamResource: Sendable {
    package var source: any ByteSource
    package var address: StreamAddress

    package init(source: any ByteSource, address: StreamAddress) { (self.source, self.address) = (source, address) }
}

/// Opens the resources that playlists name. It decides which ones they may name at all.
///
/// Thread safety: called from several threads.
package protocol StreamAccess: Sendable {
    /// Returns the address that a reference in a playlist at `base` names.
    ///
    /// - Throws: `badData` for an address that that playlist may not name, `unavailable` for schemes that nothing here
    ///   opens.
    func resolve(_ reference: String, from base: StreamAddress) throws(ScrubError) -> StreamAddress

    /// Opens a resource. Blocks.
    func open(_ address: StreamAddress, for purpose: StreamPurpose) throws(ScrubError) -> StreamResource

    /// The network cost so far; nil if none was used.
    var cost: NetworkCost? { get }

    /// Makes all reads and openings over the network fail from now on, those that wait too.
    func cancel()
}

extension StreamAccess {
    /// Returns all bytes of a small resource.
    func contents(
        of address: StreamAddress, for purpose: StreamPurpose, limit: Int
    ) throws(ScrubError) -> (bytes: [UInt8], address: StreamAddress) {
        let opened = try open(address, for: purpose)
        guard opened.source.byteCount <= Int64(limit) else {
            let what = purpose == .key ? "is not an AES-128 key: it has" : "is too large:"
            throw ScrubError(
                .badData, "\(what) \(opened.source.byteCount) bytes, and \(limit) are the most", file: address.name,
                advice: "the playlist may name something else here: check it, or fetch it again")
        }
        do throws(ScrubError) {
            return (try opened.source.read(at: 0, count: Int(opened.source.byteCount)), opened.address)
        } catch {
            throw error.inFile(address.name)
        }
    }
}
