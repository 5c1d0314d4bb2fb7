/**
 * Shows what Latchkey does within four requests: the callback of an OpenID provider for a new and for a known user, and a
 * request of a guarded route with a session in a token, and in a row. Every function of `lib/` reports its calls: see `trace/instrument.ts`.
 *
 *     npx tsx scripts/trace-request.ts [--lib <folder>] [--json | --sequence]
 *
 * - `--lib`: the folder `lib/` of another checkout, for a comparison; its packages must be installed
 * - `--json`: the figures, readable by programs: {@link Figures} by request
 * - `--sequence`: every call in the order of time, indented below the call that it is within
 *
 * The figure to compare is `changes.topFolder`: how often the first folder below `lib/` changes from one call to the
 * next. It counts calls of functions with a name, in the order in which they begin. It counts neither returns nor work
 * that goes on after an `await`, and no callback that is written where it is handed to another function.
 */
import { register } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Figures, figuresOf } from './trace/figures.js'
import type { HookData } from './trace/load-hook.js'
import { type Call, installRecorder } from './trace/recorder.js'
import { traceCallback, traceGuardedRequest, traceKnownUser, traceStoredSession } from './trace/requests.js'

const { values } = parseArgs({
  options: {
    lib: { type: 'string', default: join(import.meta.dirname, '../lib') },
    json: { type: 'boolean', default: false },
    sequence: { type: 'boolean', default: false },
  },
})
const root = pathToFileURL(`${resolve(values.lib)}/`).href

installRecorder()
register<HookData>('./trace/load-hook.ts', import.meta.url, { data: { root } })
const traced = { latchkey: await import(`${root}index.ts`), memory: await import(`${root}adapters/memory.ts`) }

const requests = {
  callback: await traceCallback(traced),
  known: await traceKnownUser(traced),
  guarded: await traceGuardedRequest(traced),
  stored: await traceStoredSession(traced),
}
if (values.json)
  print(JSON.stringify(Object.fromEntries(Object.entries(requests).map(([name, calls]) => [name, figuresOf(calls)]))))
else
  for (const [request, calls] of Object.entries(requests)) {
    if (values.sequence) print(`${calls.map(lineOf).join('\n')}\n`)
    print(summaryOf(request, figuresOf(calls)))
  }

function lineOf({ depth, file, line, name, isCallback }: Call): string {
  return `${'  '.repeat(depth)}${file}:${line} ${isCallback ? `callback in ${name}` : name}`
}

function summaryOf(request: string, figures: Figures): string {
  const { calls, namedCalls, functions, files, changes, changesWithCallbacks } = figures
  return [
    `${request}: ${calls} calls (${namedCalls} of functions with a name), ${functions} functions, ${files} files`,
    `  changes of the top folder: ${changes.topFolder} (with callbacks ${changesWithCallbacks.topFolder})`,
    `  changes of the folder:     ${changes.folder} (with callbacks ${changesWithCallbacks.folder})`,
    `  changes of the file:       ${changes.file} (with callbacks ${changesWithCallbacks.file})`,
  ].join('\n')
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
