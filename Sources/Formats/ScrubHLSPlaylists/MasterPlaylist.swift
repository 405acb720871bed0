package import ScrubBase

/// A master playlist (RFC 8216, 4.3.4): the same presentation in several renditions.
package struct MasterPlaylist: Hashable, Sendable {
    /// `EXT-X-STREAM-INF`: a rendition with pictures, or with only sound.
    package struct Rendition: Hashable, Sendable {
        package var uri: String
        /// The peak bit rate, in bits per second.
        package var bandwidth: Int64
        package var averageBandwidth: Int64?
        package var width: Int?
        package var height: Int?
        /// The codec strings (RFC 6381), as written.
        package var codecs: [String]
        /// The number of frames per second, as written.
        package var frameRate: String?
        package var line: Int

        /// Whether the codecs show that the rendition has no pictures.
        package var isSoundOnly: Bool {
            let sound = ["mp4a", "ac-3", "ec-3", "opus", "Opus", "flac", "fLaC", "mp3", "alac", "stpp", "wvtt"]
            return width == nil && !codecs.isEmpty
                && codecs.allSatisfy { codec in sound.contains { codec.hasPrefix($0) } }
        }
    }

    /// `EXT-X-I-FRAME-STREAM-INF`: only key pictures.
    package struct KeyPictures: Hashable, Sendable {
        package var uri: String
        package var bandwidth: Int64
        package var width: Int?
        package var height: Int?
        package var codecs: [String] = []
        package var line: Int

        /// Whether the pictures are JPEG, which means thumbnails of the film rather than its own pictures.
        package var isJPEG: Bool { codecs == ["mjpg"] }

        /// The same information as a rendition with pictures.
        package var rendition: Rendition {
            Rendition(uri: uri, bandwidth: bandwidth, width: width, height: height, codecs: codecs, line: line)
        }
    }

    /// `EXT-X-MEDIA`: an alternative of sound, pictures or subtitles.
    package struct Media: Hashable, Sendable {
        package var type: String
        package var group: String
        package var name: String
        package var uri: String?
        package var line: Int
    }

    package var renditions: [Rendition] = []
    package var keyPictures: [KeyPictures] = []
    package var media: [Media] = []
    package var hasIndependentSegments = false

    /// The renditions to choose from. If there is no video, its key pictures may be available, as in this library's own
    /// thumbnail sets. JPEG thumbnails are used only if there is nothing else.
    package var choices: [Rendition] {
        guard renditions.isEmpty else { return renditions }
        let own = keyPictures.filter { !$0.isJPEG }
        return (own.isEmpty ? keyPictures : own).map(\.rendition)
    }

    /// Parses a master playlist.
    ///
    /// - Throws: `badData` with the line if the text is not a master playlist, `unavailable` for variables.
    package init(parsing text: [UInt8]) throws(ScrubError) {
        var lines = try PlaylistLines(text)
        var pending: Rendition?
        while let line = try lines.next() {
            switch line {
            case .uri(let uri):
                guard var rendition = pending else { throw lines.fault("'\(uri.prefix(80))' has no EXT-X-STREAM-INF") }
                (rendition.uri, pending) = (String(uri), nil)
                renditions.append(rendition)
            case .tag("#EXT-X-STREAM-INF", let value):
                guard pending == nil else { throw lines.fault("the EXT-X-STREAM-INF before this one has no URI") }
                pending = try Rendition(AttributeList(value, lines), lines)
            case .tag("#EXT-X-I-FRAME-STREAM-INF", let value):
                keyPictures.append(try KeyPictures(AttributeList(value, lines), lines))
            case .tag("#EXT-X-MEDIA", let value): media.append(try Media(AttributeList(value, lines), lines))
            case .tag("#EXT-X-INDEPENDENT-SEGMENTS", _): hasIndependentSegments = true
            case .tag("#EXT-X-DEFINE", _): throw lines.fault("variables (EXT-X-DEFINE) are not supported", .unavailable)
            case .tag("#EXTINF", _), .tag("#EXT-X-TARGETDURATION", _), .tag("#EXT-X-MEDIA-SEQUENCE", _):
                throw lines.fault("a master playlist cannot contain segments")
            case .tag: break
            }
            guard max(renditions.count, keyPictures.count, media.count) <= PlaylistLimits.renditions else {
                throw lines.fault("the playlist has more than \(PlaylistLimits.renditions) renditions")
            }
        }
        guard pending == nil else {
            throw lines.fault("the last EXT-X-STREAM-INF has no URI: the playlist is truncated")
        }
    }
}

extension MasterPlaylist.Rendition {
    fileprivate init(_ list: AttributeList, _ lines: borrowing PlaylistLines) throws(ScrubError) {
        guard let bandwidth = list.number("BANDWIDTH") else { throw lines.fault("EXT-X-STREAM-INF has no BANDWIDTH") }
        let size = list.resolution("RESOLUTION")
        let codecs = (list["CODECS"] ?? "").split(separator: ",").map { String($0.trimmed) }
        self.init(
            uri: "", bandwidth: bandwidth, averageBandwidth: list.number("AVERAGE-BANDWIDTH"), width: size?.width,
            height: size?.height, codecs: codecs, frameRate: list["FRAME-RATE"], line: lines.number)
    }
}

extension MasterPlaylist.KeyPictures {
    fileprivate init(_ list: AttributeList, _ lines: borrowing PlaylistLines) throws(ScrubError) {
        guard let bandwidth = list.number("BANDWIDTH"), let uri = list.text("URI") else {
            throw lines.fault("EXT-X-I-FRAME-STREAM-INF needs BANDWIDTH and URI")
        }
        let size = list.resolution("RESOLUTION")
        let codecs = (list["CODECS"] ?? "").split(separator: ",").map { String($0.trimmed) }
        self.init(
            uri: uri, bandwidth: bandwidth, width: size?.width, height: size?.height, codecs: codecs, line: lines.number
        )
    }
}

extension MasterPlaylist.Media {
    fileprivate init(_ list: AttributeList, _ lines: borrowing PlaylistLines) throws(ScrubError) {
        guard let type = list.text("TYPE"), let group = list.text("GROUP-ID") else {
            throw lines.fault("EXT-X-MEDIA needs TYPE and GROUP-ID")
        }
        self.init(type: type, group: group, name: list["NAME"] ?? "", uri: list["URI"], line: lines.number)
    }
}
