/// Which of a set's thumbnails its moving preview shows.
enum PreviewChoice {
    /// The time that each is shown.
    static let milliseconds = 500
    /// The most that it shows.
    static let most = 16

    /// At most ``most``, spread evenly. The same picture twice running would look like a stop, and is there once.
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

    /// Numbers of thumbnails, at most so many, spread evenly.
    static func spread(_ most: Int, over total: Int) -> [Int] {
        let count = min(most, total)
        return (0..<count).map { (2 * $0 + 1) * total / (2 * count) }
    }
}
