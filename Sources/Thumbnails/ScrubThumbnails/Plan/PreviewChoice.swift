/// Which of a set's thumbnails its moving preview shows.
enum PreviewChoice {
    /// How long each is shown.
    static let milliseconds = 500

    /// At most 16, spread evenly. The same picture twice running would look like a stop, and is there once.
    ///
    /// - Parameter frames: the frame that each thumbnail shows.
    static func numbers(_ frames: [Int]) -> [Int] {
        let count = min(16, frames.count)
        var numbers: [Int] = []
        for place in 0..<count {
            let number = (2 * place + 1) * frames.count / (2 * count)
            if let last = numbers.last, frames[last] == frames[number] { continue }
            numbers.append(number)
        }
        return numbers
    }
}
