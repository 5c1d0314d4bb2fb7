/** What a command may use of the process it runs in. */
export interface CommandDependencies {
  /** The version of the package. */
  readonly version: string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Whether the standard output shows colours. */
  readonly colours: boolean
  /** Writes a line to the standard output. */
  print(line: string): void
  /** Writes a line to the standard error output. */
  complain(line: string): void
}

/** A command did what it was asked, has said what is left to do, and ends with an exit code that is not that of a failure. */
export class WorkLeft extends Error {}

/** A command line that makes no sense. */
export class UsageError extends Error {
  /** The help text of the command. */
  readonly help: string

  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}
