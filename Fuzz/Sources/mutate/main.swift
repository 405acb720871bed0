import Foundation
import Mutation

// Writes damaged files. Each line of standard input asks for one: the seed's name, its path, a number, and the target
// path, with tabs between. Each is answered by a line that describes the change. The name, not the path, decides what
// comes.
var seeds: [String: Mutator] = [:]
while let line = readLine() {
    let parts = line.split(separator: "\t").map(String.init)
    guard parts.count == 4, let number = UInt64(parts[2]) else {
        print("error: NAME, PATH, NUMBER and OUTPUT, with tabs between")
        continue
    }
    do {
        if seeds[parts[1]] == nil {
            seeds[parts[1]] = Mutator(Array(try Data(contentsOf: URL(filePath: parts[1]))))
        }
        guard let mutator = seeds[parts[1]] else { continue }
        let (bytes, what) = mutator.mutant(name: parts[0], number: number)
        try Data(bytes).write(to: URL(filePath: parts[3]))
        print(what)
    } catch {
        print("error: \(error)")
    }
    fflush(nil)
}
