import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { OURS, readTarget } from '../../lib/kernel/incoming.js'

const LIB = fileURLToPath(new URL('../../lib', import.meta.url))
const SOURCES = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  // The browser reads its own addresses.
  .filter((file) => file.endsWith('.ts') && !file.startsWith('client/'))
  .map((file) => ({ file, code: readFileSync(`${LIB}/${file}`, 'utf8') }))

/** Where an answer of a provider is read, whose parameters may be the query. */
const OF_ANSWERS = /^features\/oauth\/(authorization-response|handle-callback|oauth-flow|redirect-proxy)\.ts$/
/** Reads of the query, each with the name that is read in its only group. */
const READS = [
  /\bquery\??(?:\.parameters)?\.(?:get|has|getAll)\(([^()]*)\)/g,
  /\bonlyParameter\([\w.]*query, ([^()]*)\)/g,
  /\bpageWith\(visit, \w+, ([^()]*)\)/g,
]
const READS_OF_ANSWERS = [/\b(?:params|received)\.(?:get|has|getAll)\(([^()]*)\)/g]
/** Functions that get the name, with whose calls it is found. */
const GIVEN = [
  'kernel/urls.ts: name',
  'features/second-factor/dependencies.ts: name',
  'features/oauth/authorization-response.ts: name',
  // What the log hides.
  'features/oauth/oauth-flow.ts: name',
]

/** What is read, by its name; the place and the code of what is no plain name. */
function read(): readonly string[] {
  const constants = new Map(
    SOURCES.flatMap(({ code }) => [...code.matchAll(/^(?:export )?const ([A-Z_]+) = '(\w+)'$/gm)]).map(
      ([, constant, name]) => [constant, name] as const,
    ),
  )
  return SOURCES.flatMap(({ file, code }) =>
    (OF_ANSWERS.test(file) ? [...READS, ...READS_OF_ANSWERS] : READS)
      .flatMap((pattern) => [...code.matchAll(pattern)])
      .map(([, name = '']) => /^'(\w+)'$/.exec(name)?.[1] ?? constants.get(name) ?? `${file}: ${name}`),
  )
}

/** Read by the function that refuses a repeated one, and nowhere else. */
const REPEATED = /\[([^\]]*)\]\.find\(\(name\) => params/

describe('the names of the query', () => {
  it('are those that the code reads', () => {
    const found = new Set(read())
    for (const given of GIVEN) expect(found.delete(given), given).to.equal(true)
    const { code = '' } = SOURCES.find(({ file }) => file === 'features/oauth/authorization-response.ts') ?? {}
    for (const [, name = ''] of (REPEATED.exec(code)?.[1] ?? '').matchAll(/'(\w+)'/g)) found.add(name)
    // Words of a provider for the log alone, which come in any encoding.
    expect(found.delete('error_description')).to.equal(true)
    // Of a body, and passed on to a provider: whoever writes them into a query as well is refused what is refused there.
    const others = ['csrfToken', 'logout_token', 'scope']
    expect([...found, ...others].sort()).to.deep.equal([...OURS].sort())
  })

  it('are each there once, and well encoded', () => {
    for (const name of OURS) {
      expect(readTarget(`/auth/signin?${name}=1&${name}=2`).query.hasRepeatedNames, name).to.equal(true)
      expect(readTarget(`/auth/signin?${name}=%FF`).query.problem, name).to.include({ status: 400 })
    }
    expect(readTarget('/auth/signin?utm=1&utm=2&x=%FF').query).to.include({ hasRepeatedNames: false, problem: null })
  })
})
