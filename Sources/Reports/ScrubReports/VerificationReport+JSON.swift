package import ScrubBase
package import ScrubMedia

extension VideoAsset.VerificationReport {
    /// Returns the report for programs, without the missing media and the network cost.
    package func json(of asset: VideoAsset, film: String) -> JSONText {
        var line = JSONText()
        line.add(path: film)
        line.add("pictures", comparedFrameCount)
        line.add("wrong", faults.count)
        line.add("damaged", damagedFrameCount)
        line.add("frameCount", asset.frames.count)
        line.add("linearPictures", linearPictureCount)
        line.add("orders", .array(orders.map { .string($0.rawValue) }))
        line.add("comparisons", .array(orders.map { .integer(Int64(comparedFrameCounts[$0] ?? 0)) }))
        line.add(
            "faults",
            .array(
                faults.prefix(100).map { fault in
                    var object = JSONText()
                    object.add("order", fault.order?.rawValue ?? "linear")
                    object.add("frame", fault.frame)
                    object.add("reason", fault.reason)
                    return .object(object)
                }))
        return line
    }
}

extension VideoAsset.VerificationOrder {
    /// Returns the orders in a comma-separated list; `nil` if one is unknown or the list is empty.
    package static func named(_ text: String) -> [VideoAsset.VerificationOrder]? {
        let found = text.split(separator: ",").map { VideoAsset.VerificationOrder(rawValue: String($0)) }
        return found.contains(nil) || found.isEmpty ? nil : found.compactMap(\.self)
    }
}

extension ScrubError {
    /// Pictures that a comparison with the linear decode found wrong.
    package static func wrongPictures(_ count: Int) -> ScrubError {
        ScrubError(
            .badData,
            "\(PlainText.amount(count, "picture was", "pictures were")) different from the linear decode",
            advice: "this is a bug in scrub: please report it, and include the file if you may share it")
    }
}
