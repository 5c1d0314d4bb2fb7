import { expect } from 'chai'
import { accountName } from '../../../lib/features/limits/account.js'
import { type Engine, mariadb, postgres } from '../../adapters/sql/databases.js'

const MARIADB = ['general_ci', 'unicode_ci', 'unicode_520_ci', 'uca1400_ai_ci'].map(
  (name) => `
    select seq as code, hex(weight_string(concat('x', convert(char(seq using utf32) using utf8mb4), 'y') collate utf8mb4_${name})) as weight
    from seq_1_to_131071 where seq not between 0xd800 and 0xf8ff`,
)
const POSTGRES = `
  select i as code, dense_rank() over (order by ('x' || chr(i) || 'y') collate alike) as weight
  from generate_series(1, 131071) i where i not between ${0xd800} and ${0xf8ff}`

/** Letters of which each may stand for several others make as many names of one. */
const keysOf = (code: number) => {
  const { like } = accountName('staff', `x${String.fromCodePoint(code)}y`)
  return [like[0], like.at(-1)]
}

/** Lists what a database takes for the same, and the limits do not. */
function apartIn(rows: readonly Record<string, unknown>[]): readonly (readonly string[])[] {
  const groups = new Map<unknown, number[]>()
  for (const { code, weight } of rows)
    if (isAssigned(Number(code))) groups.get(weight)?.push(Number(code)) ?? groups.set(weight, [Number(code)])
  return [...groups.values()].flatMap((group) => {
    const keys = group.map(keysOf)
    const isCounted = [0, 1].some((place) => new Set(keys.map((each) => each[place])).size === 1)
    const apart = new Map(group.map((code, index) => [keys[index]?.join(), `U+${code.toString(16)}`]))
    return isCounted ? [] : [[...apart].map(([key, code]) => `${code}: ${key}`)]
  })
}

const isAssigned = (code: number) => !/\p{Cn}/u.test(String.fromCodePoint(code))

async function rowsOf(engine: Engine, statements: readonly string[]) {
  const database = await engine.create()
  try {
    const all = []
    for (const statement of statements) all.push(await database.run(statement))
    return all
  } finally {
    await database.drop()
  }
}

describe('RATE-01: names that a database takes for the same are counted together', () => {
  describe('in MariaDB', () => {
    before(mariadb.requireServer)
    it('with each collation that knows neither case nor accents', async () => {
      for (const rows of await rowsOf(mariadb, MARIADB)) {
        expect(rows.length).to.be.greaterThan(100_000)
        expect(apartIn(rows)).to.deep.equal([])
      }
    })
  })

  describe('in PostgreSQL', () => {
    before(postgres.requireServer)
    it('with the root collation of ICU at its first level', async () => {
      const collation = "create collation alike (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
      const [, rows = []] = await rowsOf(postgres, [collation, POSTGRES])
      expect(rows.length).to.be.greaterThan(100_000)
      expect(apartIn(rows)).to.deep.equal([])
    })
  })
})
