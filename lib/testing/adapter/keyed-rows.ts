import assert from 'node:assert/strict'
import { randomHex } from '../../kernel/random.js'
import {
  type AdapterCalls,
  assertKept,
  assertListed,
  assertNull,
  type Checks,
  type Level,
  type Method,
  newUserId,
} from './check.js'
import { lookalikes, type Samples, SEPARATORS } from './samples.js'

type Call<Row, Answer = unknown> = (adapter: AdapterCalls, row: Row) => Promise<Answer>

/** Rows that a store finds by a key. */
interface KeyedRows<Row extends object> {
  /** What titles call one of them: `token session`. */
  readonly noun: string
  /** The members of the key, each with what titles call it: `an id`. */
  readonly key: Readonly<Partial<Record<keyof Row & string, string>>>
  /** What titles call the keys, `ids of sessions`, where they may be any text. */
  readonly keys?: string
  /** The methods that store a row. With `createUser`, its owner is a user of the store. */
  readonly creation: readonly Method[]
  /**
   * What happens to a row whose key another one has: the call that stores it fails, or does nothing. By default it depends
   * on the store.
   */
  readonly taken?: 'refused' | 'kept'
  /** The method that finds a row. */
  readonly method: Method
  /** The level of the checks that every sign-in needs. */
  readonly level: Level
  sample(samples: Samples, owner: string, members?: Partial<Row>): Row
  readonly store: Call<Row>
  /** Looks for what has the key of a row. */
  readonly find: Call<Row, object | null | undefined>
  /** What is found; by default the row. */
  shown?(row: Row): object
  /** What changes a row. Each asserts what its method gives where no row has the key. */
  readonly changes?: Partial<Record<Method, Call<Row>>>
  readonly list?: RowList<Row>
}

/** A list of the rows of one owner. */
interface RowList<Row extends object> {
  readonly method: Method
  /** The level of the check that it gives all rows of its owner, and no others; `strict` by default. */
  readonly level?: Level
  /** The members by which rows are listed, the owner first. */
  readonly by: readonly [keyof Row & string, ...(keyof Row & string)[]]
  /** What titles call the owner, where these members may be any text. */
  readonly text?: string
  readonly rowsOf: Call<Row, readonly Row[]>
  /** What takes a row from the list, and what titles call the row then: `revoked`. */
  readonly end: readonly [method: Method, what: string, call: Call<Row>]
}

/** Replaces all texts and dates of an object. */
export function spoil(copy: object): void {
  for (const [name, value] of Object.entries(copy)) {
    if (value instanceof Date) value.setTime(0)
    if (typeof value === 'string') Object.assign(copy, { [name]: 'Mallory' })
  }
}

/** What every store must do with rows that have a key. */
export function keyedRowChecks<Row extends object>(add: Checks, rows: KeyedRows<Row>): void {
  const { noun, key, keys, creation, method, level, sample, find, list, shown = (row: Row) => row } = rows
  const needs = [...creation, method]
  const [first, second] = Object.keys(key) as [keyof Row & string, (keyof Row & string)?]
  const members = second ? [first, second] : [first]
  const id = second ?? first

  /** A row that is not stored, with some members of its own. */
  const unstored = async (adapter: AdapterCalls, samples: Samples, own: object = {}) => {
    const owner = creation.includes('createUser') ? await newUserId(adapter, samples) : randomHex(16)
    return sample(samples, owner, own)
  }
  const stored = async (adapter: AdapterCalls, samples: Samples, own?: object) => {
    const row = await unstored(adapter, samples, own)
    await rows.store(adapter, row)
    return row
  }
  const keyIn = (row: Row) => Object.fromEntries(members.map((member) => [member, row[member]]))
  const assertFound: Call<Row> = async (adapter, row) => assertKept(await find(adapter, row), shown(row))
  const assertNone: Call<Row> = async (adapter, row) => assertNull(await find(adapter, row))

  add[level](`${method} gives null for an unknown ${noun}`, [method], async (adapter, samples) => {
    await assertNone(adapter, sample(samples, samples.absentUserId))
  })

  const copies = `${method} gives copies of ${noun}s: changing them, or what was given, changes no row`
  add.strict(copies, needs, async (adapter, samples) => {
    const given = await unstored(adapter, samples)
    const answer = await rows.store(adapter, given)
    const row = structuredClone(given)
    for (const copy of [given, answer]) if (copy instanceof Object) spoil(copy)
    const found = await find(adapter, row)
    assertKept(found, shown(row))
    spoil(found as object)
    const again = await find(adapter, row)
    // What is used once is gone.
    if (again) assertKept(again, shown(row))
  })

  if (rows.taken) {
    const title = `${creation.at(-1)} ${{ refused: 'refuses any', kept: 'stores no' }[rows.taken]} ${noun} whose key is taken`
    add.strict(title, needs, async (adapter, samples) => {
      const row = await stored(adapter, samples)
      for (const own of [keyIn(row), list ? { ...keyIn(row), [list.by[0]]: row[list.by[0]] } : row]) {
        const another = { ...(await unstored(adapter, samples)), ...own }
        const [outcome] = await Promise.allSettled([rows.store(adapter, another)])
        assert.equal(outcome.status, rows.taken === 'refused' ? 'rejected' : 'fulfilled', 'the second one with one key')
        await assertFound(adapter, row)
      }
    })
  }

  /** Adds the check that a call takes every character of some members as itself, and no text for one like it. */
  function exactly(title: string, call: Method, names: readonly (keyof Row)[], miss: Call<Row>, hit = assertFound) {
    add.strict(title, [...needs, call], async (adapter, samples) => {
      const unknown = await unstored(adapter, samples)
      await miss(adapter, unknown)
      await assertNone(adapter, unknown)
      for (const name of names) {
        for (const [what, text, asked] of lookalikes(String(unknown[name]).slice(0, 24))) {
          const row = await stored(adapter, samples, { [name]: text })
          await miss(adapter, { ...row, [name]: asked }).catch((cause) => {
            throw new Error(`confuses what differs in ${what}`, { cause })
          })
          await hit(adapter, row)
        }
      }
    })
  }

  /** Adds the check that no call takes the end of a text for the start of another. */
  function apart(title: string, needed: readonly Method[], start: keyof Row, end: keyof Row, miss: Call<Row>) {
    add.strict(`${method} never takes the end of ${title}`, needed, async (adapter, samples) => {
      for (const separator of SEPARATORS) {
        const given = await unstored(adapter, samples)
        const row = { ...given, [end]: `x${separator}${given[end]}` }
        await rows.store(adapter, row)
        await miss(adapter, { ...given, [start]: `${given[start]}${separator}x` })
      }
    })
  }

  if (second) {
    add[level](`${method} gives null unless the whole key matches`, needs, async (adapter, samples) => {
      const [row, other] = [await stored(adapter, samples), sample(samples, '')]
      for (const member of members) await assertNone(adapter, { ...row, [member]: `${row[member]}s` })
      await assertNone(adapter, { ...row, [second]: other[second] })
      await assertNone(adapter, { ...row, [first]: row[second], [second]: row[first] })
      await assertFound(adapter, row)
    })
    apart(`${key[first]} for the start of ${key[second]}`, needs, first, second, assertNone)
  }
  if (keys) exactly(`${method} compares ${keys} exactly`, method, members, assertNone)
  for (const [change, miss] of Object.entries(rows.changes ?? {}) as [Method, Call<Row>][]) {
    exactly(`${change} of an unknown ${noun} does nothing, also where another looks alike`, change, members, miss)
  }
  if (!list) return

  const { rowsOf, by } = list
  const [end, ended, endRow] = list.end
  const [owner] = by
  const listing = [...creation, list.method]
  const assertEmpty: Call<Row> = async (adapter, row) => assert.deepEqual(await rowsOf(adapter, row), [])
  const assertRows = async (adapter: AdapterCalls, given: readonly Row[]) =>
    assertListed(await rowsOf(adapter, given[0] as Row), given, id)
  const ofOneOwner = async (adapter: AdapterCalls, samples: Samples) => {
    const row = await stored(adapter, samples)
    const others: Row[] = []
    while (others.length < 11) others.push(await stored(adapter, samples, { [owner]: row[owner] }))
    return [row, others] as const
  }

  const all = `${list.method} gives all ${noun}s of one user, and an empty array for nobody`
  add[list.level ?? 'strict'](all, listing, async (adapter, samples) => {
    const [row, others] = await ofOneOwner(adapter, samples)
    const another = await stored(adapter, samples)
    await assertRows(adapter, [row, ...others])
    await assertRows(adapter, [another])
    await assertEmpty(adapter, await unstored(adapter, samples))
  })

  const copied = `${list.method} gives copies of ${noun}s, without ${ended} ones`
  add.strict(copied, [...needs, list.method, end], async (adapter, samples) => {
    const [row, others] = await ofOneOwner(adapter, samples)
    for (const copy of await rowsOf(adapter, row)) spoil(copy)
    await assertFound(adapter, row)
    await endRow(adapter, row)
    await assertRows(adapter, others)
    for (const other of others) await endRow(adapter, other)
    await assertEmpty(adapter, row)
  })

  const thief = `${list.method} gives no ${noun} to whoever stores one under its key again`
  add.strict(thief, listing, async (adapter, samples) => {
    const row = await stored(adapter, samples)
    const another = await unstored(adapter, samples, keyIn(row))
    await Promise.allSettled([rows.store(adapter, another)])
    await assertEmpty(adapter, another)
    await assertRows(adapter, [row])
  })

  if (!list.text) return
  const exact = `${list.method} lists ${noun}s of exactly the user whose id is given`
  exactly(exact, list.method, by, assertEmpty, (adapter, row) => assertRows(adapter, [row]))
  apart(`${list.text} for the start of ${key[id]}`, listing, owner, id, assertEmpty)
}
