internal import ScrubPictures

/// An object that makes something from a plan's thumbnails, which arrive in order.
protocol ThumbnailMaker: AnyObject {
    /// Returns whether it needs a thumbnail's picture.
    func needs(_ slot: Int) -> Bool
    /// Handles a picture that it needs, in every size of the run. Pictures arrive in the thumbnails' order.
    func take(_ slot: Int, _ images: [RasterImage]) throws(ScrubError)
}

/// Values made from some thumbnails, kept in memory. A resumed run decodes their pictures again.
final class SelectedThumbnails<Value>: ThumbnailMaker {
    private let slots: Set<Int>
    private let size: Int
    private let make: (RasterImage) throws(ScrubError) -> Value
    /// The values, by thumbnail number.
    private(set) var values: [Int: Value] = [:]

    /// Creates a maker.
    ///
    /// - Parameter make: makes a value from the picture in one size.
    init(_ slots: [Int], size: Int, make: @escaping (RasterImage) throws(ScrubError) -> Value) {
        (self.slots, self.size, self.make) = (Set(slots), size, make)
    }

    func needs(_ slot: Int) -> Bool { slots.contains(slot) }
    func take(_ slot: Int, _ images: [RasterImage]) throws(ScrubError) { values[slot] = try make(images[size]) }
}
