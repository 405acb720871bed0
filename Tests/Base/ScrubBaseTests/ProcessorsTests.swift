import Foundation
import ScrubBase
import Testing

@Suite struct ProcessorsTests {
    /// `nproc` counts those that the process may use, when no variable tells it otherwise.
    @Test func areThoseThatMayBeUsed() throws {
        let told = Process()
        (told.executableURL, told.environment) = (URL(fileURLWithPath: "/usr/bin/nproc"), [:])
        let pipe = Pipe()
        told.standardOutput = pipe
        try told.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        told.waitUntilExit()
        #expect(text.split(separator: "\n").first.flatMap { Int($0) } == Processors.count)
    }
}
