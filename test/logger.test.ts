import { expect } from 'chai'
import { resolveConfig } from '../lib/config/resolve-config.js'
import { AccessDenied, AuthError } from '../lib/errors.js'
import { completeLogger } from '../lib/logger.js'
import { testConfig } from './support/app.js'

/** What is written to the console meanwhile. */
function written(work: () => void): string[] {
  const methods = ['error', 'warn', 'debug'] as const
  const original = methods.map((method) => console[method])
  const lines: string[] = []
  for (const method of methods) console[method] = (line: string) => lines.push(`${method}: ${line}`)
  try {
    work()
  } finally {
    for (const [index, method] of methods.entries()) console[method] = original[index] as typeof console.error
  }
  return lines
}

describe('config.logger', () => {
  const reportAll = (logger: ReturnType<typeof completeLogger>) => {
    logger.error(new AccessDenied('no'))
    logger.warn('weak-secret', { bytes: 3 })
    logger.debug('details', { at: 'all' })
  }

  it('is the console by default, with debug lines only where debug is set', () => {
    const silent = ['error: [latchkey][error] AccessDenied: no', 'warn: [latchkey][warn] weak-secret {"bytes":3}']
    expect(written(() => reportAll(completeLogger(undefined, false)))).to.deep.equal(silent)
    expect(written(() => reportAll(completeLogger(undefined, true)))).to.deep.equal([
      ...silent,
      'debug: [latchkey][debug] details {"at":"all"}',
    ])
  })

  it('is replaced member by member, and decides on debug lines itself', () => {
    const told: string[] = []
    const lines = written(() => reportAll(completeLogger({ debug: (message) => told.push(message) }, false)))
    expect([told, lines.map((line) => line.split(':', 1)[0])]).to.deep.equal([['details'], ['error', 'warn']])
  })

  it('that throws changes nothing, and is told of', () => {
    const broken = () => {
      throw new Error('disk full')
    }
    const lines = written(() => reportAll(completeLogger({ error: broken, warn: broken, debug: broken }, false)))
    expect(lines).to.have.length(3)
    for (const line of lines) expect(line).to.match(/^error: .*disk full/)
  })

  it('is shown a fault with what caused it, and what a visitor did in one line', () => {
    const fault = new AuthError('It broke.', { err: new Error('the store is down') })
    const lines = written(() => {
      completeLogger(undefined, false).error(fault)
      completeLogger(undefined, false).error(new AccessDenied('no'))
    })
    expect(lines[0]).to.match(/It broke\.[\s\S]*\n {2}caused by Error: the store is down\n/)
    expect(lines[1]).to.not.contain('\n')
  })

  it('makes debug count for nothing, so there is no warning of it then', () => {
    const { logger: _, ...config } = testConfig({ debug: true })
    expect(written(() => void resolveConfig(config))).to.deep.equal(['warn: [latchkey][warn] debug-enabled'])
    expect(written(() => void resolveConfig(testConfig({ debug: true })))).to.deep.equal([])
  })
})
