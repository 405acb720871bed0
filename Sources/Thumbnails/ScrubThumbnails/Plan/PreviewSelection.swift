/// The choice of a set's thumbnails for its moving preview.
enum PreviewSelection {
    /// The duration of each thumbnail.
    static let milliseconds = 500
    /// The maximum number of thumbnails.
    static let most = 16

    /// Returns at most ``most`` numbers, evenly spread. Consecutive equal pictures would look like a pause, and are
    /// included once.
    ///
    /// - Parameter frames: the frame that each thumbnail shows.
    static func numbers(_ frames: [Int]) -> [Int] {
        var numbers: [Int] = []
        for number in spread(most, over: frames.count) {
            if let last = numbers.last, frames[last] == frames[number] { continue }
            numbers.append(number)
        }
        return numbers
    }

    /// Returns at most the given number of thumbnail numbers, evenly spread.
    static func spread(_ most: Int, over total: Int) -> [Int] {
        let count = min(most, total)
        return (0..<count).map { (2 * $0 + 1) * total / (2 * count) }
    }
}
