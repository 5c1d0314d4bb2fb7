import { membersOf } from '../../shapes/objects.js'
import {
  type AccountChanges,
  type AccountExpectation,
  type AdapterAccount,
  CHANGING_ACCOUNT_MEMBERS,
  MOST_LISTED,
} from '../adapter.js'

/** One text of two texts, different for every two: the length shows where the first text ends. */
export const pairKey = (first: string, second: string): string => `${first.length}:${first}${second}`

export const copyOrNull = <Row extends object>(row: Row | undefined): Row | null => (row ? copy(row) : null)

/** A copy that shares nothing with the row, without its undefined members: they mean "not given". */
export function copy<Row extends object>(row: Row): Row {
  const made = { ...membersOf(row) } as Record<string, unknown>
  for (const name in made) {
    const value = made[name]
    if (value === undefined) delete made[name]
    else if (value instanceof Date) made[name] = new Date(value)
    else if (typeof value === 'object' && value !== null) made[name] = structuredClone(value)
  }
  return made as Row
}

/** Copies of the sessions with these keys, those that end last first, as many as the contract allows. */
export const listed = <Row extends { expires: Date }>(
  keys: ReadonlySet<string> | undefined,
  sessions: ReadonlyMap<string, Row>,
): Row[] =>
  [...(keys ?? [])]
    .flatMap((key) => sessions.get(key) ?? [])
    .sort((one, other) => other.expires.getTime() - one.expires.getTime())
    .slice(0, MOST_LISTED)
    .map(copy)

/** The keys of the rows that fit. A demo has few rows, so all of them are looked at. */
export const keysOf = <Row>(rows: ReadonlyMap<string, Row>, fits: (row: Row) => boolean): Set<string> =>
  new Set([...rows].filter(([, row]) => fits(row)).map(([key]) => key))

/** Whether each expected member has its value. */
export const hasExpected = (account: AdapterAccount, expected: AccountExpectation): boolean =>
  Object.entries(expected).every(([name, value]) => (account[name as keyof AccountExpectation] ?? null) === value)

/** The account with its changes. Only members that may change are taken; null deletes a member. */
export function withAccountChanges(account: AdapterAccount, changes: AccountChanges): AdapterAccount {
  const given = CHANGING_ACCOUNT_MEMBERS.filter((name) => changes[name] !== undefined)
  const kept = Object.entries(account).filter(([name]) => !given.some((each) => each === name))
  const set = given.filter((name) => changes[name] !== null).map((name) => [name, changes[name]])
  return Object.fromEntries([...kept, ...set]) as AdapterAccount
}
