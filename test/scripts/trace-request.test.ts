import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Figures } from '../../scripts/trace/figures.js'
import { instrument } from '../../scripts/trace/instrument.js'

const SCRIPT = fileURLToPath(new URL('../../scripts/trace-request.ts', import.meta.url))

const trace = async (...words: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, ['--import=tsx', SCRIPT, ...words])).stdout

describe('scripts/trace-request.ts', () => {
  it('gives figures of a callback and of a guarded request', async function () {
    this.timeout(60_000)
    const { callback, guarded } = JSON.parse(await trace('--json')) as Record<'callback' | 'guarded', Figures>
    for (const { calls, namedCalls, functions, files, changes, changesWithCallbacks } of [callback, guarded]) {
      expect(calls).to.be.greaterThan(namedCalls)
      expect(namedCalls).to.be.greaterThan(changes.file)
      expect(calls).to.be.greaterThan(functions)
      expect(functions).to.be.greaterThan(files)
      expect(files).to.be.greaterThan(5)
      expect(changes.topFolder).to.be.greaterThan(5)
      expect(changes.folder).to.be.at.least(changes.topFolder)
      expect(changes.file).to.be.at.least(changes.folder)
      expect(changesWithCallbacks.topFolder).to.be.at.least(changes.topFolder)
    }
    expect(callback.calls).to.be.greaterThan(guarded.calls)
  })
})

describe('instrument', () => {
  const calls: string[] = []
  const run = async (code: string) => {
    calls.length = 0
    Object.assign(globalThis, {
      __latchkeyTrace: {
        call(place: { name: string; isCallback: boolean; line: number }, body: () => unknown) {
          calls.push(`${place.line} ${place.isCallback ? `in ${place.name}` : place.name}`)
          return body()
        },
      },
    })
    try {
      const url = `data:text/javascript,${encodeURIComponent(instrument(code, 'sample.ts'))}`
      return (await import(url)).default
    } finally {
      Reflect.deleteProperty(globalThis, '__latchkeyTrace')
    }
  }

  it('leaves what functions give as it is, and names each', async () => {
    const result = await run(`
      class Base { constructor(value) { this.value = value } }
      class Point extends Base {
        constructor(value) { super(value + 1) }
        get double() { return this.value * 2 }
        #own() { return this.value }
        own() { return this.#own() }
      }
      function sum() { let sum = 0; for (const value of arguments) sum += value; return sum }
      const later = async (value) => ({ value: await value })
      const adder = (a) => (b) => a + b
      function* two() { yield 1; yield 2 }
      const point = new Point(1)
      export default [point.double, point.own(), sum(1, 2), await later(3), adder(1)(2), [...two()], [1].map((x) => x)]
    `)
    expect(result).to.deep.equal([4, 2, 3, { value: 3 }, 3, [1, 2], [1]])
    expect(calls).to.deep.equal([
      '4 constructor',
      '2 constructor',
      '5 double',
      '7 own',
      '6 #own',
      '9 sum',
      '10 later',
      '11 adder',
      '11 in adder',
      '12 two',
      '14 in ',
    ])
  })
})
