internal import FileIO
internal import ScrubBase
internal import ScrubIndex

extension FrameIndex {
    /// Whether the packet after a picture is its second field.
    package func hasSecondField(_ picture: Int) -> Bool {
        picture + 1 < pictures.count && pictures.flags[picture + 1].contains(.secondField)
    }

    /// Whether a picture has a frame number.
    func isPresented(_ picture: Int) -> Bool {
        ranks[picture] >= 0 && pictures.flags[picture].isDisjoint(with: .notPresented)
    }

    /// The first restart, claimed or verified, behind a picture.
    func nextRestart(after picture: Int) -> Int? {
        let place = restarts.partitioningIndex { Int($0) > picture }
        return place < restarts.count ? Int(restarts[place]) : nil
    }
}
