import type { Call } from './recorder.js'

/** How often the folder or the file changes from one call to the next, in the order of time. */
interface Changes {
  /**
   * The first folder below `lib/`: `flows` for `flows/oauth/metadata.ts`. Files without a folder count as one folder.
   */
  readonly topFolder: number
  /** The whole path of the folder: `flows/oauth`. */
  readonly folder: number
  readonly file: number
}

/** What one request costs a reader who follows it from call to call. */
export interface Figures {
  /** Calls of all functions. */
  readonly calls: number
  /** Calls of functions that have a name. */
  readonly namedCalls: number
  readonly functions: number
  readonly files: number
  /** Counted over the calls of functions that have a name. A return counts nothing. */
  readonly changes: Changes
  /** The same, counted over all calls: a callback that another folder calls leads back to the folder that wrote it. */
  readonly changesWithCallbacks: Changes
}

export function figuresOf(calls: readonly Call[]): Figures {
  const named = calls.filter(({ isCallback }) => !isCallback)
  return {
    calls: calls.length,
    namedCalls: named.length,
    functions: new Set(calls.map(({ file, name, line }) => `${file}:${line} ${name}`)).size,
    files: new Set(calls.map(({ file }) => file)).size,
    changes: changesIn(named),
    changesWithCallbacks: changesIn(calls),
  }
}

const changesIn = (calls: readonly Call[]): Changes => ({
  topFolder: countChanges(calls.map(({ file }) => folderOf(file).split('/', 1)[0])),
  folder: countChanges(calls.map(({ file }) => folderOf(file))),
  file: countChanges(calls.map(({ file }) => file)),
})

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))

const countChanges = (places: readonly (string | undefined)[]): number =>
  places.filter((place, index) => index > 0 && place !== places[index - 1]).length
