extension CostModel {
    /// The measurements on one core of a server of the 2020s; a machine is assumed to be like it until it has processed
    /// files itself.
    ///
    /// docs/scale.md has the files and the errors.
    package static let measured = CostModel(
        decoding: [
            "av1": Decoding(pixel: 7.1e-10, byte: 5.6e-8),
            "h264": Decoding(pixel: 1.3e-9, byte: 5.6e-8),
            "hevc": Decoding(pixel: 1.1e-9, byte: 2.1e-7),
            "mjpeg": Decoding(pixel: 6.8e-10, byte: 8.1e-9),
            "mpeg2video": Decoding(pixel: 5.3e-10, byte: 3.3e-8),
            "mpeg4": Decoding(pixel: 4.6e-10, byte: 1.7e-8),
            "prores": Decoding(pixel: 2.4e-9, byte: 7.6e-9),
            "vp8": Decoding(pixel: 1.0e-9, byte: 3.2e-8),
            "vp9": Decoding(pixel: 1.2e-9, byte: 7.7e-8),
            otherCodec: Decoding(pixel: 1.4e-9, byte: 5.6e-8),
        ],
        shownPixel: 9.1e-10, file: 0.019, outputPixel: 7.8e-9, indexByte: 5.6e-10)
}
