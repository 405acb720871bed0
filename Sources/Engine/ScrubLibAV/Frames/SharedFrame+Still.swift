extension SharedFrame {
    /// Returns the picture of a still that accompanies a file, such as cover art; `nil` if no decoder can decode it.
    package static func still(_ bytes: [UInt8], _ description: CodecDescription) -> SharedFrame? {
        do {
            var decoder = try Decoder(description)
            var packet = try Packet()
            try unsafe packet.fill(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
            _ = try decoder.send(packet)
            try decoder.sendEnd()
            var frame = try Frame()
            guard case .done = try decoder.receive(into: &frame), !frame.isDamaged else { return nil }
            return SharedFrame(frame)
        } catch {
            // A picture that no decoder can decode can still be copied.
            return nil
        }
    }
}
