internal import ScrubPictures

/// Makes something of a plan's thumbnails, which come one after the other.
protocol ThumbnailMaker: AnyObject {
    /// Whether a thumbnail's picture is missing for it.
    func needs(_ slot: Int) -> Bool
    /// Takes a picture that it needs, in every size of the run. They come in the thumbnails' order.
    func take(_ slot: Int, _ images: [RasterImage]) throws(ScrubError)
}

/// Keeps something of some thumbnails in memory. A run that goes on decodes their pictures again.
final class PickedThumbnails<Value>: ThumbnailMaker {
    private let slots: Set<Int>
    private let size: Int
    private let make: (RasterImage) throws(ScrubError) -> Value
    /// The values made, by the thumbnail's number.
    private(set) var values: [Int: Value] = [:]

    /// - Parameter make: makes it of the picture in one size.
    init(_ slots: [Int], size: Int, make: @escaping (RasterImage) throws(ScrubError) -> Value) {
        (self.slots, self.size, self.make) = (Set(slots), size, make)
    }

    func needs(_ slot: Int) -> Bool { slots.contains(slot) }
    func take(_ slot: Int, _ images: [RasterImage]) throws(ScrubError) { values[slot] = try make(images[size]) }
}
