package import ScrubBase

/// A fragmented movie of one picture track in which every fragment is one key picture (ISO/IEC 14496-12, 8.8).
///
/// This type creates only the boxes; the caller provides the samples. A fragment's head depends only on its own
/// sample's time and size, so a movie of any length can be written with one sample in memory. Every fragment, together
/// with the ``header``, is a playable file.
package struct KeyframeMovie: Sendable {
    /// The coding of the pictures.
    package let coding: KeyframeCoding
    /// The `ftyp` and `moov` boxes.
    package let header: [UInt8]

    /// The presentation of the pictures.
    package struct Geometry: Hashable, Sendable {
        /// The coded width in pixels.
        package var width: Int
        /// The coded height in pixels.
        package var height: Int
        /// The ratio of a sample's width to its height (`pasp`, 12.1.4); `nil` if unknown.
        package var sampleAspectRatio: Rational?
        /// The display matrix of the track (`tkhd`, 8.3.2), row by row; `nil` for upright pictures.
        package var displayMatrix: [Int32]?

        package init(width: Int, height: Int, sampleAspectRatio: Rational? = nil, displayMatrix: [Int32]? = nil) {
            (self.width, self.height) = (width, height)
            (self.sampleAspectRatio, self.displayMatrix) = (sampleAspectRatio, displayMatrix)
        }
    }

    /// The size in bytes of a fragment before its sample: the movie fragment box and the media data box's header.
    package static let fragmentHeadSize = 108

    /// Creates the header.
    ///
    /// - Parameters:
    ///   - timescale: the number of time units per second.
    ///   - duration: the end of the last picture, in these units.
    /// - Throws: ``ScrubError/Code/unavailable`` for a picture size, matrix or aspect that the boxes cannot represent.
    package init(
        coding: KeyframeCoding, geometry: Geometry, timescale: UInt32, duration: UInt64
    ) throws(ScrubError) {
        guard let width = UInt16(exactly: geometry.width), let height = UInt16(exactly: geometry.height), width > 0,
            height > 0, timescale > 0, geometry.displayMatrix.map({ $0.count == 9 }) != false
        else {
            throw ScrubError(
                .unavailable,
                "a movie cannot hold pictures of \(geometry.width)x\(geometry.height) at timescale \(timescale)")
        }
        var aspect: (UInt32, UInt32)?
        if let ratio = geometry.sampleAspectRatio, ratio > .zero {
            guard let h = UInt32(exactly: ratio.numerator), let v = UInt32(exactly: ratio.denominator) else {
                throw ScrubError(.unavailable, "a movie cannot store the sample aspect ratio \(ratio)")
            }
            aspect = (h, v)
        }
        self.coding = coding
        var writer = BoxWriter()
        writer.box(.ftyp) {
            $0.code("iso6")
            $0.u32(0)
            // iso6 allows everything that is written here (Annex E), including the fragments' version 1 times.
            for brand in ["iso5", "iso6", "mp41"] as [FourCC] { $0.code(brand) }
        }
        let shape = Shape(
            width: width, height: height, aspect: aspect, matrix: geometry.displayMatrix ?? Track.identityMatrix)
        writer.box(.moov) {
            KeyframeMovie.movieHeader(timescale, &$0)
            KeyframeMovie.track(coding, shape, timescale, &$0)
            $0.box(.mvex) {
                $0.fullBox("mehd", version: 1) { $0.u64(duration) }
                // Track 1, description 1; fragments specify everything else themselves.
                $0.fullBox(.trex) { for value in [1, 1, 0, 0, 0] as [UInt32] { $0.u32(value) } }
            }
        }
        header = writer.bytes
    }

    /// Returns the bytes of a fragment that come before its sample.
    ///
    /// - Parameters:
    ///   - number: the fragment's number, from 0.
    ///   - time: the time at which its picture appears on screen, in units of the timescale. There is no separate
    ///     decode time, because no picture depends on another.
    ///   - duration: the time until the next picture or the end.
    ///   - byteCount: the sample's size.
    /// - Throws: ``ScrubError/Code/unavailable`` for a sample or number that the boxes cannot represent.
    package func fragmentHead(
        number: Int, time: UInt64, duration: UInt32, byteCount: Int
    ) throws(ScrubError) -> [UInt8] {
        guard let size = UInt32(exactly: byteCount), size > 0, size <= UInt32.max - 8,
            let sequence = UInt32(exactly: number), sequence < .max
        else {
            throw ScrubError(
                .unavailable, "a movie fragment cannot hold \(byteCount) bytes", place: "key picture \(number)")
        }
        var writer = BoxWriter()
        writer.box(.moof) {
            $0.fullBox("mfhd") { $0.u32(sequence + 1) }
            $0.box(.traf) {
                // default-base-is-moof: offsets count from this box (8.8.7).
                $0.fullBox(.tfhd, flags: 0x2_0000) { $0.u32(1) }
                $0.fullBox(.tfdt, version: 1) { $0.u64(time) }
                // Data offset; duration, size and flags of the sample (8.8.8).
                $0.fullBox(.trun, flags: 0x701) {
                    $0.u32(1)
                    $0.u32(UInt32(KeyframeMovie.fragmentHeadSize))
                    $0.u32(duration)
                    $0.u32(size)
                    // sample_depends_on 2, and not non-sync, because it is independent (8.6.4.3, 8.8.3.1).
                    $0.u32(0x0200_0000)
                }
            }
        }
        writer.u32(size + 8)
        writer.code(.mdat)
        return writer.bytes
    }
}

extension KeyframeMovie {
    fileprivate struct Shape {
        let width: UInt16
        let height: UInt16
        let aspect: (UInt32, UInt32)?
        let matrix: [Int32]

        /// The width on screen in 16.16 fixed point, clamped to what this can represent (8.3.2).
        var shownWidth: UInt32 {
            guard let (h, v) = aspect else { return UInt32(width) << 16 }
            return UInt32(clamping: UInt64(width) * 65536 * UInt64(h) / UInt64(v))
        }
    }

    private static func matrix(_ matrix: [Int32], _ writer: inout BoxWriter) {
        for value in matrix { writer.u32(UInt32(bitPattern: value)) }
    }

    /// Writes `mvhd` (8.2.2), without a duration, because all samples are in fragments.
    private static func movieHeader(_ timescale: UInt32, _ writer: inout BoxWriter) {
        writer.fullBox("mvhd") {
            $0.zeros(8)
            $0.u32(timescale)
            $0.u32(0)
            $0.u32(0x1_0000)  // rate
            $0.u16(0x100)  // volume
            $0.zeros(10)
            matrix(Track.identityMatrix, &$0)
            $0.zeros(24)
            $0.u32(2)  // next track
        }
    }

    /// Writes `trak` (8.3) with empty tables, because the samples are in fragments.
    private static func track(
        _ coding: KeyframeCoding, _ shape: Shape, _ timescale: UInt32, _ writer: inout BoxWriter
    ) {
        writer.box(.trak) {
            // Enabled, in the movie, in the preview.
            $0.fullBox(.tkhd, flags: 7) {
                $0.zeros(8)
                $0.u32(1)
                $0.zeros(8 + 16)
                matrix(shape.matrix, &$0)
                $0.u32(shape.shownWidth)
                $0.u32(UInt32(shape.height) << 16)
            }
            $0.box(.mdia) {
                $0.fullBox(.mdhd) {
                    $0.zeros(8)
                    $0.u32(timescale)
                    $0.u32(0)
                    $0.u16(0x55C4)  // und
                    $0.u16(0)
                }
                $0.fullBox(.hdlr) {
                    $0.u32(0)
                    $0.code(.vide)
                    $0.zeros(12)
                    $0.raw(Array("Key pictures".utf8) + [0])
                }
                $0.box(.minf) {
                    $0.fullBox("vmhd", flags: 1) { $0.zeros(8) }
                    $0.box("dinf") {
                        $0.fullBox("dref") {
                            $0.u32(1)
                            $0.fullBox("url ", flags: 1) { _ in }  // in this file
                        }
                    }
                    $0.box(.stbl) {
                        $0.fullBox(.stsd) {
                            $0.u32(1)
                            sampleEntry(coding, shape, &$0)
                        }
                        for table in [.stts, .stsc, .stco] as [FourCC] { $0.fullBox(table) { $0.u32(0) } }
                        $0.fullBox(.stsz) { $0.zeros(8) }
                    }
                }
            }
        }
    }

    /// Writes a visual sample entry (12.1.3) with the decoder's configuration, the aspect (12.1.4) and the colours
    /// (12.1.5).
    private static func sampleEntry(_ coding: KeyframeCoding, _ shape: Shape, _ writer: inout BoxWriter) {
        writer.box(coding.format) {
            $0.zeros(6)
            $0.u16(1)  // data reference
            $0.zeros(16)
            $0.u16(shape.width)
            $0.u16(shape.height)
            $0.u32(0x48_0000)  // 72 dpi, both ways
            $0.u32(0x48_0000)
            $0.u32(0)
            $0.u16(1)  // frames in a sample
            $0.zeros(32)
            $0.u16(0x18)  // depth
            $0.u16(0xFFFF)
            if let type = coding.configurationType { $0.box(type) { $0.raw(coding.configuration) } }
            if coding.colors.isKnown {
                $0.box("colr") {
                    $0.code("nclx")
                    $0.u16(coding.colors.primaries)
                    $0.u16(coding.colors.transfer)
                    $0.u16(coding.colors.matrix)
                    $0.u8(coding.colors.isFullRange ? 0x80 : 0)
                }
            }
            if let (h, v) = shape.aspect {
                $0.box("pasp") {
                    $0.u32(h)
                    $0.u32(v)
                }
            }
        }
    }
}
