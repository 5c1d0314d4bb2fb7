import { types } from 'node:util'
import { isError } from '../../kernel/describe-value.js'
import { AdapterError, InvalidConfiguration } from '../../kernel/errors.js'
import { membersOf } from '../../kernel/objects.js'
import { requireRow } from '../failures.js'
import type { RedisClient, Script } from './client.js'
import * as scripts from './scripts.js'

/** What a session is known by at a provider. */
export type ProviderName = 'subject' | 'sid'

/** Keys that SCAN searches. */
export interface KeyKind {
  readonly pattern: string
  /** The owner of a key, and which of the keys of this owner it is; null for another key. */
  read(key: string): { readonly owner: string; readonly list: string } | null
}

/**
 * The keys below a prefix. On a cluster, the text in the first braces decides the slot: all keys of one user share a
 * slot, and every other row has its own. Parts are percent-encoded, so no value can close a brace, or look like two
 * parts.
 */
export function createKeys(prefix: string) {
  if (/[{}]/.test(prefix)) {
    throw new InvalidConfiguration(`The prefix of redisAdapter() must not contain braces, and "${prefix}" does.`)
  }
  const ofUser = (id: string) => `${prefix}{user:${part(id)}}`
  const kind = (pattern: string, form: RegExp): KeyKind => ({
    pattern: literally(prefix) + pattern,
    read(key) {
      const [, encoded = '', list = ''] = (key.startsWith(prefix) && form.exec(key.slice(prefix.length))) || []
      const owner = decode(encoded)
      return owner ? { owner, list } : null
    },
  })
  return {
    user: ofUser,
    /** The provider accounts of a user, as a set of keys. */
    accountsOf: (userId: string) => `${ofUser(userId)}:accounts`,
    /** The ids of a user's passkeys, as a set. */
    authenticatorsOf: (userId: string) => `${ofUser(userId)}:authenticators`,
    /** The tokens of a user's sessions, sorted by their expiry. */
    sessionsOf: (userId: string) => `${ofUser(userId)}:sessions`,
    /** The ids of a user's token sessions, sorted by the end of their rows. */
    tokenSessionsOf: (userId: string) => `${ofUser(userId)}:token-sessions`,
    /** The tokens of the sessions that began at a provider with a name there, sorted by their expiry. */
    sessionsAt: (provider: string, name: ProviderName, value: string) =>
      `${prefix}sessions-at:${part(provider)}:${name}:${part(value)}`,
    /** In the same way the ids of token sessions, sorted by the end of their rows. */
    tokenSessionsAt: (provider: string, name: ProviderName, value: string) =>
      `${prefix}token-sessions-at:${part(provider)}:${name}:${part(value)}`,
    /** The marker of a deletion: it exists from the deletion of a user until all rows of the user are deleted. */
    deletion: (userId: string) => `${ofUser(userId)}:deletion`,
    /** The announcement that a user will get an address. It expires soon. */
    emailMove: (userId: string, email: string) => `${ofUser(userId)}:email-move:${part(email)}`,
    /** Who has an address: `nonce:id`. */
    email: (email: string) => `${prefix}email:${part(email)}`,
    account: (provider: string, providerAccountId: string) =>
      `${prefix}account:${part(provider)}:${part(providerAccountId)}`,
    session: (sessionToken: string) => `${prefix}session:${part(sessionToken)}`,
    tokenSession: (id: string) => `${prefix}token-session:${part(id)}`,
    record: (kind: string, key: string) => `${prefix}record:${part(kind)}:${part(key)}`,
    /** The keys of a user's records, sorted by their expiry. */
    recordsOf: (owner: string) => `${ofUser(owner)}:records`,
    verificationToken: (identifier: string, token: string) =>
      `${prefix}verification-token:${part(identifier)}:${part(token)}`,
    authenticator: (credentialID: string) => `${prefix}authenticator:${part(credentialID)}`,
    /** The sets of users. */
    lists: kind('{user:*}:*', /^\{user:([^{}:]*)\}:([a-z]+)$/),
    /** The reservations of addresses. */
    emails: kind('email:*', /^email:([^{}:]*)$/),
  }
}

/** Decodes a text that {@link part} encoded; empty for another text. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** A pattern of SCAN that matches this text only. */
const literally = (text: string) => text.replace(/[\\*?[\]]/g, '\\$&')

function part(value: unknown): string {
  try {
    return encodeURIComponent(String(value))
  } catch {
    // Half a surrogate pair has no bytes of its own: two such texts would share one key.
    throw new AdapterError('A value to look up is not well-formed Unicode.')
  }
}

/**
 * Encodes a row as the fields of a Redis hash. Each member is JSON, except dates, which are `@` and the date in ISO
 * 8601. JSON never begins with `@`. Undefined members are left out. Dates inside other values are read as text.
 */
export function encodeRow(row: object): string[] {
  return Object.entries(membersOf(row)).flatMap(([name, value]) =>
    value === undefined ? [] : [name, encodeValue(value)],
  )
}

/** One member of a row, as {@link encodeRow} writes it. */
export const encodeValue = (value: unknown): string =>
  types.isDate(value) ? `@${value.toISOString()}` : JSON.stringify(typeof value === 'bigint' ? String(value) : value)

/** The row of a hash; null if there is no hash. Redis has no hashes without fields. */
export function decodeRow<Row>(fields: Record<string, string>): Row | null {
  const entries = Object.entries(fields)
  if (entries.length === 0) return null
  return Object.fromEntries(entries.map(([name, text]) => [name, decodeValue(text)])) as Row
}

/** Decodes a row, as {@link decodeRow}, from the flat list of names and values that a script gives. */
export function decodeReply<Row>(reply: unknown): Row | null {
  const list = (reply ?? []) as string[]
  const fields = Object.fromEntries(list.flatMap((name, index) => (index % 2 ? [] : [[name, list[index + 1] ?? '']])))
  return decodeRow<Row>(fields)
}

const decodeValue = (text: string): unknown => (text.startsWith('@') ? new Date(text.slice(1)) : JSON.parse(text))

/** The command and the time that set an expiry, for the scripts that write rows. */
type Expiry = readonly [command: 'PEXPIRE' | 'PEXPIREAT' | '', milliseconds: string]

const NO_EXPIRY: Expiry = ['', '']

/** How long rows of a sign-up that is not finished live. The caller of the sign-up has no answer yet. */
export const UNSETTLED_MS = '60000'
export const UNSETTLED: Expiry = ['PEXPIRE', UNSETTLED_MS]

export const expiryCommand = (expires: Date | undefined): Expiry =>
  expires ? ['PEXPIREAT', String(expires.getTime())] : NO_EXPIRY

/** The row as a later read gives it. */
export const stored = <Row extends object>(row: Row): Row =>
  requireRow(decodeReply<Row>(encodeRow(row)), 'The row is empty.')

/** What the parts of the adapter use. */
export type RedisDependencies = ReturnType<typeof createDependencies>

export function createDependencies(client: RedisClient, keys: ReturnType<typeof createKeys>) {
  /** Runs a script by its digest. The text is sent only to a server that does not know it, as after a restart. */
  const run = async (script: Script, scriptKeys: string[], args: readonly string[] = []): Promise<unknown> => {
    const call = { keys: scriptKeys, arguments: [...args] }
    try {
      return await client.evalSha(script.digest, call)
    } catch (error) {
      if (!(isError(error) && error.message.startsWith('NOSCRIPT'))) throw error
      return client.eval(script.body, call)
    }
  }

  const rows = {
    /** Null when there is no row. */
    find: async <Row>(key: string): Promise<Row | null> => decodeRow<Row>(await client.hGetAll(key)),
    /** Writes a row if there is none. Gives false when there is one. */
    insert: async (key: string, row: object, expiry: Expiry = NO_EXPIRY): Promise<boolean> =>
      Boolean(await run(scripts.INSERT, [key], [...expiry, ...encodeRow(row)])),
    /** Changes members of a row, and gives the row; null when there is none. */
    update: async <Row>(key: string, changes: object, expiry: Expiry = NO_EXPIRY): Promise<Row | null> =>
      decodeReply<Row>(await run(scripts.UPDATE, [key], [...expiry, ...encodeRow(changes)])),
    /** Deletes a row and gives it. Of several calls at the same time, one gets it. */
    take: async <Row>(key: string): Promise<Row | null> => decodeReply<Row>(await run(scripts.TAKE, [key])),
    /** Deletes a row if it belongs to the user. Gives whether it did. */
    deleteOwned: async (key: string, userId: string): Promise<boolean> =>
      (await run(scripts.TAKE_OWNED, [key], ['userId', encodeValue(userId)])) !== null,
  }
  return { client, keys, run, rows }
}
