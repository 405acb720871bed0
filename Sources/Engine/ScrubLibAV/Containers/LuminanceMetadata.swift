internal import CScrubFFmpeg

/// The maximum luminance of a stream or a picture, in nits.
package struct LuminanceMetadata: Hashable, Sendable {
    /// The peak of the mastering display (SMPTE ST 2086).
    package var displayPeak: Double?
    /// The brightest pixel of the content: MaxCLL (CTA-861-H, 6.9).
    package var contentPeak: Double?

    package init(displayPeak: Double? = nil, contentPeak: Double? = nil) {
        (self.displayPeak, self.contentPeak) = (displayPeak, contentPeak)
    }

    fileprivate init(mastering: AVMasteringDisplayMetadata?, content: AVContentLightMetadata?) {
        if let mastering, mastering.has_luminance != 0, mastering.max_luminance.den > 0 {
            displayPeak = Double(mastering.max_luminance.num) / Double(mastering.max_luminance.den)
        }
        if let content { contentPeak = Double(content.MaxCLL) }
    }
}

/// The display on which a video was graded (SMPTE ST 2086): chromaticities in CIE 1931 x and y, luminances in nits.
package struct MasteringDescription: Hashable, Sendable {
    /// Red x, red y, green x, green y, blue x, blue y, white x, white y; empty if unspecified.
    package var chromaticities: [Double] = []
    package var minimumLuminance: Double?
    package var maximumLuminance: Double?

    package init() {}

    fileprivate init(_ data: AVMasteringDisplayMetadata) {
        let number = { (value: AVRational) in value.den == 0 ? 0 : Double(value.num) / Double(value.den) }
        if data.has_primaries != 0 {
            let (red, green, blue) = data.display_primaries
            chromaticities = [red, green, blue, data.white_point].flatMap { [number($0.0), number($0.1)] }
        }
        if data.has_luminance != 0 {
            (minimumLuminance, maximumLuminance) = (number(data.min_luminance), number(data.max_luminance))
        }
    }
}

/// The light levels of the content in nits (CTA-861-H, 6.9): MaxCLL and MaxFALL; 0 means unknown.
package struct ContentLight: Hashable, Sendable {
    package var maximum: Int
    package var maximumFrameAverage: Int

    package init(maximum: Int, maximumFrameAverage: Int) {
        (self.maximum, self.maximumFrameAverage) = (maximum, maximumFrameAverage)
    }

    fileprivate init(_ data: AVContentLightMetadata) {
        (maximum, maximumFrameAverage) = (Int(data.MaxCLL), Int(data.MaxFALL))
    }
}

extension Frame {
    package var mastering: MasteringDescription? {
        sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self)
            .map { MasteringDescription($0) }
    }
    package var contentLight: ContentLight? {
        sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self).map { ContentLight($0) }
    }

    /// The metadata of the picture itself (supplemental messages).
    package var lightMetadata: LuminanceMetadata {
        LuminanceMetadata(
            mastering: sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
            content: sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self))
    }

    private func sideData<Value: BitwiseCopyable>(_ type: AVFrameSideDataType, _: Value.Type) -> Value? {
        guard let data = unsafe av_frame_get_side_data(pointer, type),
            unsafe data.pointee.size >= MemoryLayout<Value>.size,
            let bytes = unsafe data.pointee.data
        else { return nil }
        return unsafe UnsafeRawPointer(bytes).loadUnaligned(as: Value.self)
    }
}

extension CodecDescription {
    package var mastering: MasteringDescription? {
        sideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self)
            .map { MasteringDescription($0) }
    }
    package var contentLight: ContentLight? {
        sideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self).map { ContentLight($0) }
    }

    /// The metadata of the container.
    package var lightMetadata: LuminanceMetadata {
        LuminanceMetadata(
            mastering: sideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
            content: sideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self))
    }

    private func sideData<Value: BitwiseCopyable>(_ type: AVPacketSideDataType, _: Value.Type) -> Value? {
        guard let data = sideData.first(where: { $0.type == type.rawValue }),
            data.bytes.count >= MemoryLayout<Value>.size
        else { return nil }
        return unsafe data.bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: Value.self) }
    }
}
