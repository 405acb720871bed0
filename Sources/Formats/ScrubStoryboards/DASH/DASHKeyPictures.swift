package import ScrubBase

extension Storyboard {
    /// Key pictures of a fragmented MP4 file as a trick mode adaptation set of a DASH presentation (DASH-IF IOP 4.3,
    /// 3.2.9). Players show them during fast forward and rewind. This is the counterpart of
    /// ``Storyboard/HLSIFramePlaylist``.
    ///
    /// Thread safety: a value type.
    package struct DASHKeyPictures: Hashable, Sendable {
        /// A key picture.
        package struct Segment: Hashable, Sendable {
            /// The time at which the picture is shown, in units of the timescale.
            package var time: Int
            /// The time until the next key picture or the end, in units of the timescale.
            package var duration: Int
            /// The bytes from the start of the picture's movie fragment to the end of its sample.
            package var byteRange: Range<Int>

            /// Creates a segment.
            package init(time: Int, duration: Int, byteRange: Range<Int>) {
                (self.time, self.duration, self.byteRange) = (time, duration, byteRange)
            }
        }

        /// The media file's URL, as written in the presentation.
        package var url: String
        /// The codec string (RFC 6381).
        package var codecs: String
        /// A picture's width in pixels.
        package var width: Int
        /// A picture's height in pixels.
        package var height: Int
        /// The maximum speed, as a multiple of the film's, at which a decoder for the film can play the pictures.
        package var maxPlayoutRate: Int
        /// Time units per second.
        package var timescale: Int
        /// The byte range of the file type and movie boxes in the media file.
        package var initialization: Range<Int>
        /// The key pictures in time order.
        package var segments: [Segment]

        /// The identifier of the trick mode property.
        static let property = "http://dashif.org/guidelines/trickmode"

        /// Creates a set from values.
        ///
        /// - Parameter path: the media file's path, relative to the presentation's folder.
        /// - Throws: ``ScrubError/Code/usage`` for an empty range or duration, or for times out of order.
        package init(
            path: String, codecs: String, width: Int, height: Int, maxPlayoutRate: Int, timescale: Int,
            initialization: Range<Int>, segments: [Segment]
        ) throws(ScrubError) {
            self.init(
                url: try SheetURL.reference(path, base: nil), codecs: codecs, width: width, height: height,
                maxPlayoutRate: maxPlayoutRate, timescale: timescale, initialization: initialization, segments: segments
            )
            guard isValid else {
                throw ScrubError(
                    .usage, "key pictures are empty or out of order",
                    advice: "pass them in the order of their offsets, each with at least one byte")
            }
        }

        init(
            url: String, codecs: String, width: Int, height: Int, maxPlayoutRate: Int, timescale: Int,
            initialization: Range<Int>, segments: [Segment]
        ) {
            (self.url, self.codecs, self.width, self.height) = (url, codecs, width, height)
            (self.maxPlayoutRate, self.timescale) = (maxPlayoutRate, timescale)
            (self.initialization, self.segments) = (initialization, segments)
        }

        var isValid: Bool {
            guard !segments.isEmpty, timescale > 0, !initialization.isEmpty, initialization.lowerBound >= 0 else {
                return false
            }
            var end = 0
            for segment in segments {
                guard segment.time >= end, segment.duration > 0, segment.time <= Int.max - segment.duration,
                    !segment.byteRange.isEmpty, segment.byteRange.lowerBound >= 0
                else { return false }
                end = segment.time + segment.duration
            }
            return true
        }

        /// The maximum bit rate of any picture, in bits per second.
        package var bandwidth: Int {
            PlaylistTimes.bandwidth(
                segments.map {
                    ($0.byteRange.count, Rational(checked: Int64($0.duration), Int64(timescale)) ?? .one)
                })
        }

        /// Returns the adaptation set, for inclusion in another presentation's period.
        ///
        /// - Parameters:
        ///   - number: its identifier, which must be unique in the period.
        ///   - main: the identifier of the set to which these key pictures belong.
        package func adaptationSet(id number: Int, main: Int) -> String {
            let file = PlainText.markup(url)
            func range(_ bytes: Range<Int>) -> String { "\(bytes.lowerBound)-\(bytes.upperBound - 1)" }
            var text = """
                    <AdaptationSet id="\(number)" contentType="video" mimeType="video/mp4" codecs="\(PlainText.markup(codecs))" \
                width="\(width)" height="\(height)" maxPlayoutRate="\(maxPlayoutRate)" codingDependency="false" startWithSAP="1">
                      <EssentialProperty schemeIdUri="\(DASHKeyPictures.property)" value="\(main)"/>
                      <Representation id="keyframes" bandwidth="\(bandwidth)">
                        <SegmentList timescale="\(timescale)">
                          <Initialization sourceURL="\(file)" range="\(range(initialization))"/>
                          <SegmentTimeline>

                """
            for segment in segments { text += "            <S t=\"\(segment.time)\" d=\"\(segment.duration)\"/>\n" }
            text += "          </SegmentTimeline>\n"
            for segment in segments {
                text += "          <SegmentURL media=\"\(file)\" mediaRange=\"\(range(segment.byteRange))\"/>\n"
            }
            return text + """
                        </SegmentList>
                      </Representation>
                    </AdaptationSet>

                """
        }
    }
}
