import Foundation

/// The bytes of a file. An app's own FileIO: Scrub's targets all begin with Scrub, so they don't meet.
public func fileSize(path: String) throws -> Int {
    try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe).count
}
