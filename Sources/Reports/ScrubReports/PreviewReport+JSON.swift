internal import Scrub
package import ScrubBase
package import ScrubMedia

extension VideoAsset.PreviewReport {
    /// Bytes per minute of film; `nil` for a film without a duration.
    package func bytesPerMinute(of asset: VideoAsset) -> Int64? {
        let duration = asset.duration
        guard duration > .zero else { return nil }
        return Int64(clamping: Int128(byteCount) * 60 * Int128(duration.denominator) / Int128(duration.numerator))
    }

    /// Returns the report for programs.
    package func json(of asset: VideoAsset, film: String) -> JSONText {
        var line = JSONText()
        line.add(path: film)
        line.add("frames", frameCount)
        line.add("made", madeCount)
        line.add("missing", missingCount)
        line.add("side", longSide)
        line.add("bytes", byteCount)
        if let rate = bytesPerMinute(of: asset) { line.add("bytesPerMinute", rate) }
        line.add("milliseconds", Double(elapsed.wholeNanoseconds) / 1e6)
        line.add(missing: asset.missingMedia)
        line.add(network: asset.networkCost)
        return line
    }
}
