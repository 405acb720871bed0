internal import CScrubFFmpeg

/// A container's announcement of Dolby Vision (AVDOVIDecoderConfigurationRecord).
package struct DolbyVisionDescription: Hashable, Sendable {
    package var profile: Int
    package var level: Int
    /// The compatibility of the base layer: 0 none, 1 HDR10, 2 SDR, 4 HLG.
    package var compatibility: Int
    package var hasEnhancementLayer: Bool
}

extension CodecDescription {
    package var dolbyVision: DolbyVisionDescription? {
        guard let record = sideData.first(where: { $0.type == AV_PKT_DATA_DOVI_CONF.rawValue })?.bytes,
            record.count >= 8
        else { return nil }
        return DolbyVisionDescription(
            profile: Int(record[2]), level: Int(record[3]), compatibility: Int(record[7]),
            hasEnhancementLayer: record[5] != 0)
    }

    /// The Dolby Vision profile that the container announces, if its base layer cannot be shown without reshaping
    /// metadata. These are 5, and 10 (AV1) if it is not compatible with any other format.
    ///
    /// The base layers of other profiles (7, 8, and so on) are HDR10, HLG, or SDR.
    package var unreadableDolbyVisionProfile: Int? {
        // AVDOVIDecoderConfigurationRecord: two bytes of version, profile, level, three flags, compatibility.
        guard let record = sideData.first(where: { $0.type == AV_PKT_DATA_DOVI_CONF.rawValue })?.bytes,
            record.count >= 8
        else { return nil }
        let (profile, compatibility) = (Int(record[2]), record[7])
        return profile == 5 || (profile == 10 && compatibility == 0) ? profile : nil
    }

    /// Whether the container announces an enhancement layer of Dolby Vision without a base layer, which cannot be shown
    /// alone.
    package var isEnhancementLayer: Bool {
        // The three flags: RPU, enhancement layer, base layer.
        guard let record = sideData.first(where: { $0.type == AV_PKT_DATA_DOVI_CONF.rawValue })?.bytes,
            record.count >= 8
        else { return false }
        return record[5] != 0 && record[6] == 0
    }
}
