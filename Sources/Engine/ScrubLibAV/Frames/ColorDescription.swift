internal import CScrubFFmpeg

/// The color tags of a stream or of a picture: code points of ISO/IEC 23091-2, and libav's additions to them.
package struct ColorDescription: Sendable, Hashable {
    /// ColourPrimaries, TransferCharacteristics, MatrixCoefficients; 2 means "unspecified".
    package var primaries: UInt32 = 2
    package var transfer: UInt32 = 2
    package var matrix: UInt32 = 2
    /// `AVColorRange`: 0 unspecified, 1 limited, 2 full.
    package var range: UInt32 = 0
    /// `AVChromaLocation`: 0 unspecified.
    package var chromaLocation: UInt32 = 0

    package init() {}

    package init(_ codec: CodecDescription) {
        (primaries, transfer, matrix) = (codec.colorPrimaries, codec.colorTransfer, codec.colorMatrix)
        (range, chromaLocation) = (codec.colorRange, codec.chromaLocation)
    }

    package init(_ frame: borrowing Frame) {
        (primaries, transfer, matrix) = (frame.colorPrimaries, frame.colorTransfer, frame.colorMatrix)
        (range, chromaLocation) = (frame.colorRange, frame.chromaLocation)
    }

    /// Returns the tags, with those of another description where one is unspecified.
    package func completed(by other: ColorDescription) -> ColorDescription {
        var all = self
        if ColorDescription.isUnspecified(primaries) { all.primaries = other.primaries }
        if ColorDescription.isUnspecified(transfer) { all.transfer = other.transfer }
        // A matrix of 0 means RGB.
        if matrix == 2 { all.matrix = other.matrix }
        if range == 0 { all.range = other.range }
        if chromaLocation == 0 { all.chromaLocation = other.chromaLocation }
        return all
    }

    private static func isUnspecified(_ code: UInt32) -> Bool { code == 2 || code == 0 }

    /// libav's names, which ffmpeg uses; `nil` for unspecified values.
    package var primariesName: String? {
        unsafe ColorDescription.text(av_color_primaries_name(AVColorPrimaries(rawValue: primaries)))
    }
    package var transferName: String? {
        unsafe ColorDescription.text(av_color_transfer_name(AVColorTransferCharacteristic(rawValue: transfer)))
    }
    package var matrixName: String? {
        unsafe ColorDescription.text(av_color_space_name(AVColorSpace(rawValue: matrix)))
    }
    package var chromaLocationName: String? {
        unsafe ColorDescription.text(av_chroma_location_name(AVChromaLocation(rawValue: chromaLocation)))
    }
    /// Whether black is 0 and white the maximum code; `nil` if unspecified.
    package var isFullRange: Bool? {
        switch AVColorRange(rawValue: range) {
        case AVCOL_RANGE_JPEG: true
        case AVCOL_RANGE_MPEG: false
        default: nil
        }
    }

    private static func text(_ name: UnsafePointer<CChar>?) -> String? {
        guard let name = unsafe name.map({ unsafe String(cString: $0) }) else { return nil }
        return ["unknown", "unspecified", "reserved"].contains(name) ? nil : name
    }
}
