import CFuzzer
import Foundation
import ScrubFuzzBodies
import Mutation

// libFuzzer with the body that SCRUB_FUZZ_ENTRY names: its options are this program's. Without one it says which there
// are. The name is not an argument, because libFuzzer starts this program again with arguments of its own.
let name = ProcessInfo.processInfo.environment["SCRUB_FUZZ_ENTRY"] ?? ""
guard let entry = FuzzEntry(rawValue: name) else {
    print(FuzzEntry.allCases.map(\.rawValue).joined(separator: "\n"))
    exit(name.isEmpty ? 0 : 64)
}
let check: @Sendable ([UInt8]) throws -> Void = entry.check

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do {
        try check(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}

/// Half of the changes know the format, as those of the damaged files do; the others are libFuzzer's own.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: CUnsignedInt) -> Int {
    guard seed % 2 == 0, size > 0 else { return LLVMFuzzerMutate(data, size, limit) }
    let changed = Mutator.changed(Array(UnsafeBufferPointer(start: data, count: size)), number: UInt64(seed))
    let count = min(changed.count, limit)
    guard count > 0 else { return LLVMFuzzerMutate(data, size, limit) }
    for index in 0..<count { data[index] = changed[index] }
    return count
}

var argumentCount = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&argumentCount, &arguments, testOneInput))
