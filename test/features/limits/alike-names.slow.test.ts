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

const UNACCENTED = `
  select chr(i) as text, unaccent(chr(i)) as plain
  from generate_series(1, 131071) i where i not between ${0xd800} and ${0xf8ff} and unaccent(chr(i)) <> chr(i)`

/**
 * By what a name is counted: as it is, without accents, and without what needs more than two bytes. Letters of which each may stand for
 * several others would make as many names of one.
 */
const keysOf = (text: string) =>
  [/(?!)/, /\p{M}/gu, /[\u{10000}-\u{10ffff}]/gu].map(
    (each) => accountName('staff', `x${text.replace(each, '')}y`).like[0],
  )

/** Lists what a database takes for the same, and the limits do not. */
function apartIn(rows: readonly Record<string, unknown>[]): readonly (readonly string[])[] {
  const groups = new Map<unknown, number[]>()
  for (const { code, weight } of rows)
    if (isAssigned(Number(code))) groups.get(weight)?.push(Number(code)) ?? groups.set(weight, [Number(code)])
  return [...groups.values()].flatMap((group) => {
    const keys = group.map((code) => keysOf(String.fromCodePoint(code)))
    const isCounted = [0, 1, 2].some((place) => new Set(keys.map((each) => each[place])).size === 1)
    const apart = new Map(group.map((code, index) => [keys[index]?.join(), `U+${code.toString(16)}`]))
    return isCounted ? [] : [[...apart].map(([key, code]) => `${code}: ${key}`)]
  })
}

/** Lists the characters that a database takes for several others, and the limits do not. */
function longerIn(rows: readonly Record<string, unknown>[]): readonly string[] {
  // Without those of `x` and `y`.
  const units = rows
    .filter(({ code }) => isAssigned(Number(code)))
    .map(
      ({ code, weight }) =>
        [String.fromCodePoint(Number(code)), String(weight).slice(4, -4).match(/.{4}/g) ?? []] as const,
    )
  const single = new Map(
    units
      .filter(([, each]) => each.length === 1)
      .map(([text, [unit]]) => [unit, text] as const)
      .reverse(),
  )
  return units.flatMap(([text, each]) => {
    const several = each.map((unit) => single.get(unit))
    if (each.length < 2 || several.includes(undefined)) return []
    const [keys, others] = [keysOf(text), keysOf(several.join(''))]
    return keys.some((key, place) => key === others[place]) ? [] : [`${several.join('')}:${text}`]
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
        expect(longerIn(rows)).to.deep.equal([])
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

    it('without accents', async () => {
      const [, rows = []] = await rowsOf(postgres, ['create extension unaccent', UNACCENTED])
      expect(rows.length).to.be.greaterThan(1000)
      // Signs are left out of a name. Other databases see a k in the first of the two, and an h in the second.
      const letters = rows.filter(({ text }) => /^[^\P{L}ĸℌ]$/u.test(String(text)))
      const apart = letters.filter(({ text, plain }) => keysOf(String(text))[0] !== keysOf(String(plain))[0])
      expect(apart).to.deep.equal([])
    })
  })
})
