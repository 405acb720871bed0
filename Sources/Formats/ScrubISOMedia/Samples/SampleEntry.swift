package import ScrubBase

/// A coding of samples in a track (ISO/IEC 14496-12, 8.5.2).
package struct SampleEntry: Sendable {
    /// The coding name as stored in the file; `encv` for an encrypted picture.
    package let format: FourCC
    /// The coding name under the protection (`frma`, 8.12.2); the same as `format` if nothing is protected.
    package let originalFormat: FourCC
    /// Whether samples may be encrypted.
    package let isProtected: Bool
    /// The protection scheme (`schm`, 8.12.5), such as `cenc` or `cbcs`.
    package let protectionScheme: FourCC?
    /// The coded width in pixels, zero if the entry is not a picture.
    package let width: Int
    /// The coded height in pixels, zero if the entry is not a picture.
    package let height: Int
    /// The QuickTime depth field, zero if the entry is not a picture.
    package let depth: Int
    /// The range of the `clap` box in the movie's bytes, if there is one, whatever its contents.
    let apertureBox: Range<Int>?
    /// The visible part of the picture (`clap`); `nil` for all of it.
    package let cleanAperture: CleanAperture?
    /// The purpose of an auxiliary picture (`auxi`, ISO/IEC 23008-12, 7.5.3.2); `nil` if the entry does not specify it.
    package let auxiliaryType: String?
    /// The range of the entry in the movie box, with its header.
    let range: Range<Int>

    /// Whether the pixels are indices into a colour table, which is stored separately from the samples and delivered
    /// with the first one. These are QuickTime depths of 1, 2, 4 and 8 bits, with 32 added for grey.
    package var hasPalette: Bool {
        [1, 2, 4, 8].contains(depth & 0x1F) && depth <= 40
    }

    /// Reads an `stsd` box.
    static func list(
        _ box: Box, in bytes: [UInt8], handler: FourCC, path: String, warnings: inout [String]
    ) throws(ScrubError) -> [SampleEntry] {
        guard box.body.count >= 8 else {
            throw ScrubError(.badData, "is too short for its entry count", place: .box("\(path)/stsd"))
        }
        let claimed = Int(bigEndian32(bytes.span, at: box.body.lowerBound + 4))
        let boxes = Box.children(
            of: bytes, in: box.body.lowerBound + 8..<box.body.upperBound, path: "\(path)/stsd",
            warnings: &warnings)
        if boxes.count < claimed {
            warnings.append("\(path)/stsd: claims \(claimed) entries but has \(boxes.count)")
        }
        return boxes.prefix(claimed).map { entry in
            SampleEntry(entry, in: bytes, handler: handler, path: "\(path)/stsd", warnings: &warnings)
        }
    }

    private init(_ box: Box, in bytes: [UInt8], handler: FourCC, path: String, warnings: inout [String]) {
        // A picture's entry has 78 bytes of fields before its boxes (12.1.3). From other kinds, only the protection is
        // read, so their field sizes do not matter as long as only pictures are decoded.
        let isVisual = handler == .vide && box.body.count >= 78
        let isAuxiliary = handler == "auxv" && box.body.count >= 78
        let at = box.body.lowerBound
        let span = bytes.span
        width = isVisual ? Int(bigEndian16(span, at: at + 24)) : 0
        height = isVisual ? Int(bigEndian16(span, at: at + 26)) : 0
        depth = isVisual ? Int(bigEndian16(span, at: at + 74)) : 0
        format = box.type
        range = box.range
        var original: FourCC?
        var scheme: FourCC?
        var hasProtection = false
        var aperture: CleanAperture?
        var apertureBox: Range<Int>?
        var auxiliary: String?
        var fields = 0
        if isVisual || isAuxiliary {
            fields = 78
        } else if handler == .soun {
            fields = 28
        }
        if fields > 0, box.body.count > fields {
            var quiet: [String] = []
            let boxes = Box.children(
                of: bytes, in: at + fields..<box.body.upperBound, path: "\(path)/\(box.type)",
                warnings: &quiet)
            if isVisual, let clap = boxes.first(where: { $0.type == .clap }) {
                apertureBox = clap.range
                do throws(ScrubError) {
                    aperture = try CleanAperture(clap.body, of: bytes, codedWidth: width, codedHeight: height)
                } catch {
                    warnings.append("\(path)/\(box.type)/clap: the clean aperture \(error.cause)")
                }
            }
            if isAuxiliary, let use = boxes.first(where: { $0.type == "auxi" }), use.body.count > 4 {
                let text = bytes[use.body.dropFirst(4)].prefix { $0 != 0 }
                auxiliary = String(decoding: text, as: UTF8.self)
            }
            for protection in boxes where protection.type == .sinf {
                hasProtection = true
                let parts = Box.children(
                    of: bytes, in: protection.body, path: "\(path)/\(box.type)/sinf", warnings: &quiet)
                for part in parts {
                    if part.type == .frma, part.body.count >= 4 {
                        original = FourCC(rawValue: bigEndian32(span, at: part.body.lowerBound))
                    } else if part.type == .schm, part.body.count >= 8 {
                        scheme = FourCC(rawValue: bigEndian32(span, at: part.body.lowerBound + 4))
                    }
                }
            }
        }
        cleanAperture = aperture
        auxiliaryType = auxiliary
        self.apertureBox = apertureBox
        originalFormat = original ?? box.type
        protectionScheme = scheme
        isProtected = hasProtection || ["encv", "enca", "drmi", "drms"].contains(box.type)
    }
}
