import ArgumentParser
import ScrubCommands

ScrubCommand.main()
