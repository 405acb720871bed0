internal import CFFmpeg

/// What a stream or a picture says of its greatest luminance, in nit.
package struct LightMetadata: Hashable, Sendable {
    /// The mastering display's (SMPTE ST 2086).
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

extension Frame {
    /// What the picture itself says (supplemental messages).
    package var lightMetadata: LightMetadata {
        LightMetadata(
            mastering: sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
            content: sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self))
    }

    private func sideData<Value: BitwiseCopyable>(_ type: AVFrameSideDataType, _: Value.Type) -> Value? {
        guard let data = av_frame_get_side_data(pointer, type), data.pointee.size >= MemoryLayout<Value>.size,
            let bytes = data.pointee.data
        else { return nil }
        return UnsafeRawPointer(bytes).loadUnaligned(as: Value.self)
    }
}

extension CodecDescription {
    /// What the container says.
    package var lightMetadata: LightMetadata {
        LightMetadata(
            mastering: sideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AVMasteringDisplayMetadata.self),
            content: sideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AVContentLightMetadata.self))
    }

    private func sideData<Value: BitwiseCopyable>(_ type: AVPacketSideDataType, _: Value.Type) -> Value? {
        guard let data = sideData.first(where: { $0.type == type.rawValue }),
            data.bytes.count >= MemoryLayout<Value>.size
        else { return nil }
        return data.bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
    }
}
