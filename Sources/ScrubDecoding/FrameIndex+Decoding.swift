internal import FileIO
internal import ScrubIndex

extension FrameIndex {
    /// Whether the packet after a picture is its second field.
    func hasSecondField(_ picture: Int) -> Bool {
        picture + 1 < pictures.count && pictures.flags[picture + 1].contains(.secondField)
    }

    /// Whether a picture has a frame number.
    func isPresented(_ picture: Int) -> Bool {
        ranks[picture] >= 0 && pictures.flags[picture].isDisjoint(with: .notPresented)
    }

    /// The first restart, claimed or verified, behind a picture.
    func nextRestart(after picture: Int) -> Int? {
        var (low, high) = (0, restarts.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(restarts[middle]) <= picture { low = middle + 1 } else { high = middle }
        }
        return low < restarts.count ? Int(restarts[low]) : nil
    }
}
