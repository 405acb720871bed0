package import ScrubBase

extension Storyboard {
    /// A line of a master playlist that names a playlist of pictures.
    ///
    /// Thread safety: a value type.
    package struct HLSStream: Hashable, Sendable {
        /// The kind of playlist.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A ``Storyboard/HLSImagePlaylist``.
            case image = "#EXT-X-IMAGE-STREAM-INF"
            /// A ``Storyboard/HLSIFramePlaylist``.
            case iFrame = "#EXT-X-I-FRAME-STREAM-INF"
        }

        /// The kind of playlist.
        package var kind: Kind
        /// The maximum bit rate of any segment, in bits per second.
        package var bandwidth: Int
        /// The average bit rate over all segments, in bits per second; `nil` if the line does not specify it.
        package var averageBandwidth: Int?
        /// The codec, as RFC 6381 or the image playlist's specification names it: `avc1.64001f`, `mjpg`, `jpeg`.
        package var codecs: String
        /// The width of a picture, or of a tile on a sheet, in pixels.
        package var width: Int
        /// The height of a picture, or of a tile on a sheet, in pixels.
        package var height: Int
        /// The playlist's URL, as written in the file.
        package var uri: String

        /// Creates a line.
        package init(kind: Kind, bandwidth: Int, codecs: String, width: Int, height: Int, uri: String) {
            (self.kind, self.bandwidth, self.codecs) = (kind, bandwidth, codecs)
            (self.width, self.height, self.uri) = (width, height, uri)
        }

        /// Creates the line for the image playlist of an evenly spaced set.
        ///
        /// - Parameter playlist: the path of the playlist, relative to the master playlist's folder.
        /// - Throws: the errors of ``Storyboard/HLSImagePlaylist/init(_:baseURL:)``.
        package init(_ storyboard: Storyboard, playlist: String) throws(ScrubError) {
            let segments = try Storyboard.HLSImagePlaylist(storyboard).segments
            let bandwidth = PlaylistTimes.bandwidth(
                zip(storyboard.sheets, segments).map { ($0.byteCount, $1.duration) })
            self.init(
                kind: .image, bandwidth: bandwidth, codecs: storyboard.format.hlsCodec, width: storyboard.tileWidth,
                height: storyboard.tileHeight, uri: SheetURL.encoded(playlist))
        }

        /// Creates the line for an I-frame playlist.
        ///
        /// - Parameters:
        ///   - frames: the playlist.
        ///   - codecs: the codec string (RFC 6381); `mjpg` for JPEG samples in MP4.
        ///   - width: a picture's width in pixels.
        ///   - height: a picture's height in pixels.
        ///   - playlist: the path of the playlist, relative to the master playlist's folder.
        package init(_ frames: Storyboard.HLSIFramePlaylist, codecs: String, width: Int, height: Int, playlist: String)
        {
            let segments = frames.segments.map { ($0.byteRange.count, $0.duration) }
            self.init(
                kind: .iFrame, bandwidth: PlaylistTimes.bandwidth(segments), codecs: codecs, width: width,
                height: height, uri: SheetURL.encoded(playlist))
            averageBandwidth = PlaylistTimes.averageBandwidth(segments)
        }

        /// Returns the maximum bit rate of any segment in bits per second, rounded up: the value that a line for these
        /// segments must declare.
        package static func bandwidth(of segments: some Sequence<(byteCount: Int, duration: Rational)>) -> Int {
            PlaylistTimes.bandwidth(segments)
        }

        /// The line, with its line feed.
        package var text: String {
            kind.rawValue + ":BANDWIDTH=\(bandwidth)"
                + (averageBandwidth.map { ",AVERAGE-BANDWIDTH=\($0)" } ?? "")
                + ",RESOLUTION=\(width)x\(height),CODECS=\"\(codecs)\",URI=\"\(uri)\"\n"
        }

        /// Returns a master playlist that contains only these lines.
        package static func master(_ streams: [HLSStream]) -> String {
            "#EXTM3U\n#EXT-X-VERSION:7\n" + streams.map(\.text).joined()
        }

        /// Returns the picture streams of a master playlist; other lines are ignored.
        ///
        /// - Throws: ``ScrubError/Code/badData`` with the line if the text is not a playlist or if a stream lacks a
        ///   required attribute.
        package static func streams(parsing master: String) throws(ScrubError) -> [HLSStream] {
            var reader = try PlaylistReader(master)
            var streams: [HLSStream] = []
            while let line = reader.next() {
                guard case .tag(let name, let value) = line, let kind = Kind(rawValue: name) else { continue }
                let attributes = try reader.attributes(value)
                guard let bandwidth = attributes["BANDWIDTH"]?.naturalNumber, let codecs = attributes["CODECS"],
                    let (width, height) = attributes["RESOLUTION"]?.pair, Storyboard.sides.contains(width),
                    Storyboard.sides.contains(height),
                    let uri = attributes["URI"], !uri.isEmpty
                else { throw reader.fault("\(name) needs BANDWIDTH, CODECS, RESOLUTION and URI") }
                var stream = HLSStream(
                    kind: kind, bandwidth: bandwidth, codecs: codecs, width: width, height: height, uri: uri)
                if let text = attributes["AVERAGE-BANDWIDTH"] {
                    guard let number = text.naturalNumber else {
                        throw reader.fault("'\(text)' is not a valid AVERAGE-BANDWIDTH")
                    }
                    stream.averageBandwidth = number
                }
                streams.append(stream)
            }
            return streams
        }
    }
}
