internal import CFFmpeg

extension CodecDescription {
    /// The Dolby Vision profile that the container announces (`AVDOVIDecoderConfigurationRecord.dv_profile`), if any.
    ///
    /// Profile 5 has no base layer that means anything without its reshaping metadata; the others do.
    package var dolbyVisionProfile: Int? {
        guard let record = sideData.first(where: { $0.type == AV_PKT_DATA_DOVI_CONF.rawValue }),
            record.bytes.count > 2
        else { return nil }
        return Int(record.bytes[2])
    }
}
