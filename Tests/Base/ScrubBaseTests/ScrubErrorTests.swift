import ScrubBase
import Testing

@Suite struct ScrubErrorTests {
    @Test(
        arguments: [
            (ScrubError.Code.usage, 64, "usage"), (.badData, 65, "badData"), (.noInput, 66, "noInput"),
            (.unavailable, 69, "unavailable"),
            (.inputOutput, 74, "inputOutput"),
        ] as [(ScrubError.Code, Int32, String)])
    func exitStatusIsTheContracts(code: ScrubError.Code, status: Int32, name: String) {
        #expect(code.exitStatus == status)
        #expect(code.description == name)
    }

    @Test func saysWhatWhereAndWhatToDo() {
        #expect(
            ScrubError(.usage, "is wrong").description
                == "is wrong (change the request)")
        let error = ScrubError(.badData, "is cut", file: "a.mp4", place: "moov", advice: "copy it again")
        #expect(error.description == "a.mp4: moov: is cut (copy it again)")
        #expect(error.inFile("b.mp4").file == "a.mp4")
        #expect(
            ScrubError(.badData, "x").inFile("b.mp4").description
                == "b.mp4: x (it may be damaged or truncated: try another copy)")
        #expect(ScrubError(.badData, "is none", file: "", advice: "give one").description == "'': is none (give one)")
        #expect(error.sentence == "a.mp4: moov: is cut" && error.errorDescription == error.sentence)
        #expect(error.recoverySuggestion == "copy it again")
    }

    @Test func verdictsSayWhy() {
        #expect(Verdict.exact.reason == nil)
        #expect(Verdict.exact.name == "exact")
        let others = [Verdict.damaged("d"), .approximate("a"), .undecodable("u")]
        #expect(others.map(\.name) == ["damaged", "approximate", "undecodable"])
        #expect(others.map(\.reason) == ["d", "a", "u"])
    }

    @Test func aLockedValueIsTouchedAlone() async {
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 8000)
    }
}
