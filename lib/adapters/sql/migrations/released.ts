/** What a column holds; each engine has a type for it. */
export type ColumnKind = 'id' | 'key' | 'email' | 'account' | 'credential' | 'text' | 'date' | 'integer' | 'boolean'

/** A column of a table. */
export interface Field {
  readonly kind: ColumnKind
  /** The column is `not null`. A table that exists already must have it. */
  readonly required?: true
  /** The column must be there, and may be empty. */
  readonly expected?: true
  /** The fewest characters that the column must hold. */
  readonly atLeast?: number
  /** The tables of Auth.js have no such column. Without a value it is left out of what is read. */
  readonly added?: true
}

export type Fields = Readonly<Record<string, Field>>

/** A table. Fields have the names of the members in the adapter contract. */
export interface Model {
  /** The name of the table, unless the application chooses another. */
  readonly table: string
  readonly fields: Fields
  readonly key: readonly string[]
  /** Groups of fields that no two rows may share, apart from the key. */
  readonly unique: readonly (readonly string[])[]
  /** Further fields by which rows are looked up together, such as the expiry, by which expired rows are found. */
  readonly indexes: readonly (readonly string[])[]
  /** Rows refer to a user by `userId`, and are deleted with the user. */
  readonly ofUser: boolean
  /** Columns without a value are left out of what is read, rather than given as null. */
  readonly omitsNull?: true
}

/** What a later migration adds to tables. */
export type Additions<Name extends string> = Readonly<
  Partial<Record<Name, { readonly fields?: Fields; readonly indexes?: Model['indexes'] }>>
>

/** The tables with what a further migration adds to them. */
export function withAdditions<Name extends string>(
  tables: Readonly<Record<Name, Model>>,
  additions: Additions<Name>,
): Readonly<Record<Name, Model>> {
  const entries = (Object.entries(tables) as [Name, Model][]).map(([name, table]) => {
    const { fields = {}, indexes = [] } = additions[name] ?? {}
    return [name, { ...table, fields: { ...table.fields, ...fields }, indexes: [...table.indexes, ...indexes] }]
  })
  return Object.fromEntries(entries)
}

/*
 * The data below is released: it never changes. What is new goes into data of its own, for a migration of its own.
 */

const text: Field = { kind: 'text' }
const requiredText: Field = { kind: 'text', required: true }
const requiredId: Field = { kind: 'id', required: true }
const requiredKey: Field = { kind: 'key', required: true }
const requiredDate: Field = { kind: 'date', required: true }
const addedText: Field = { kind: 'text', added: true }
const addedDate: Field = { kind: 'date', added: true }
const addedKey: Field = { kind: 'key', added: true }

type FirstModel = 'users' | 'accounts' | 'sessions' | 'verificationTokens' | 'authenticators'

/** The five tables of Auth.js's SQL adapters. Users come first: the other tables refer to them. */
export const TABLES: Readonly<Record<FirstModel, Model>> = {
  users: {
    table: 'users',
    fields: { id: requiredId, name: text, email: { kind: 'email' }, emailVerified: { kind: 'date' }, image: text },
    key: ['id'],
    unique: [['email']],
    indexes: [],
    ofUser: false,
  },
  accounts: {
    table: 'accounts',
    fields: {
      userId: requiredId,
      type: requiredText,
      provider: requiredKey,
      providerAccountId: { kind: 'account', required: true },
      refresh_token: text,
      access_token: text,
      expires_at: { kind: 'integer' },
      id_token: text,
      scope: text,
      session_state: text,
      token_type: text,
    },
    key: ['provider', 'providerAccountId'],
    unique: [],
    indexes: [['userId']],
    ofUser: true,
    omitsNull: true,
  },
  sessions: {
    table: 'sessions',
    fields: {
      // A prefix and a digest. The columns that the documentation of Auth.js suggests are longer; those of some
      // applications have 64 characters.
      sessionToken: { ...requiredKey, atLeast: 71 },
      userId: requiredId,
      expires: requiredDate,
    },
    key: ['sessionToken'],
    unique: [],
    indexes: [['userId']],
    ofUser: true,
  },
  verificationTokens: {
    table: 'verification_token',
    fields: {
      identifier: { kind: 'email', required: true },
      token: { ...requiredKey, atLeast: 64 },
      expires: requiredDate,
    },
    key: ['identifier', 'token'],
    unique: [],
    indexes: [],
    ofUser: false,
  },
  authenticators: {
    table: 'authenticators',
    fields: {
      credentialID: { kind: 'credential', required: true },
      userId: requiredId,
      providerAccountId: requiredText,
      credentialPublicKey: requiredText,
      counter: { kind: 'integer', required: true },
      credentialDeviceType: requiredText,
      credentialBackedUp: { kind: 'boolean', required: true },
      transports: text,
    },
    key: ['credentialID'],
    unique: [],
    indexes: [['userId']],
    ofUser: true,
  },
}

/** Names, dates and user handles of passkeys. */
export const PASSKEY_DETAILS: Additions<FirstModel> = {
  authenticators: {
    fields: {
      name: addedText,
      createdAt: addedDate,
      lastUsedAt: addedDate,
      userHandle: addedText,
      aaguid: addedText,
      userVerified: { kind: 'boolean', added: true },
      attestationObject: addedText,
    },
  },
}

/** When the user of a session signed in. */
export const SIGN_IN_TIME: Additions<FirstModel> = { sessions: { fields: { authenticatedAt: addedDate } } }

/** How many characters a column can hold after it was widened. */
export const WIDENED_LENGTH = 255

/** Expired sessions and mailed links are found by an index. */
export const EXPIRY_INDEXES: Additions<FirstModel> = {
  sessions: { indexes: [['expires']] },
  verificationTokens: { indexes: [['expires']] },
}

/** The tables as they are after the fifth migration. */
export const TABLES_0005 = [PASSKEY_DETAILS, SIGN_IN_TIME, EXPIRY_INDEXES].reduce(withAdditions, TABLES)

/** What a user sees of their sessions. */
const DETAILS: Fields = {
  createdAt: addedDate,
  lastSeenAt: addedDate,
  userAgent: addedText,
  network: addedText,
  kind: addedText,
  name: addedText,
  scope: addedText,
  instance: addedText,
}

export const SESSION_DETAILS: Additions<FirstModel> = { sessions: { fields: DETAILS } }

/** Sessions whose tokens are in cookies. Their users may be in another store, so no column refers to the table of users. */
export const TOKEN_SESSIONS: Readonly<Record<'tokenSessions', Model>> = {
  tokenSessions: {
    table: 'token_sessions',
    fields: {
      id: { ...requiredKey, atLeast: 64 },
      userId: requiredKey,
      expires: requiredDate,
      // Without this column, a revoked session would count.
      revokedAt: { kind: 'date', expected: true },
      tokenIssuedAt: { kind: 'date', expected: true },
      ...DETAILS,
    },
    key: ['id'],
    unique: [],
    indexes: [['userId'], ['expires']],
    ofUser: false,
  },
}

/** The tables as they are after the sixth migration. */
export const TABLES_0006 = { ...withAdditions(TABLES_0005, SESSION_DETAILS), ...TOKEN_SESSIONS }

/**
 * At which provider a session began, and what it is called there. Sessions are found by their provider and either name.
 * Sessions and token sessions have the same columns.
 */
const AT_PROVIDER = {
  fields: { provider: addedKey, subject: addedKey, sid: addedKey },
  indexes: [
    ['provider', 'sid'],
    ['provider', 'subject'],
  ],
}

/** With `tokenLease`, no other process refreshes the tokens of an account while one does. */
export const PROVIDER_SESSIONS: Additions<keyof typeof TABLES_0006> = {
  accounts: { fields: { tokenLease: addedText } },
  sessions: AT_PROVIDER,
  tokenSessions: AT_PROVIDER,
}

/** The tables as they are after the seventh migration. */
export const TABLES_0007 = withAdditions(TABLES_0006, PROVIDER_SESSIONS)

/** What a user, or an application, has for a time beside all that. Their users may be in another store. */
export const RECORDS: Readonly<Record<'records', Model>> = {
  records: {
    table: 'latchkey_records',
    fields: {
      kind: { ...requiredKey, atLeast: 64 },
      key: { ...requiredKey, atLeast: 128 },
      owner: { kind: 'key' },
      value: requiredText,
      expires: { kind: 'date' },
      version: { kind: 'integer', required: true },
    },
    key: ['kind', 'key'],
    unique: [],
    indexes: [['owner'], ['expires']],
    ofUser: false,
  },
}

/** What a sign-in has decided about the lifetime of its session. */
export const LIFETIME_CHOICE: Additions<keyof typeof TABLES_0007> = { sessions: { fields: { lifetime: addedText } } }

/** The tables of before as they are after the eighth migration. */
export const TABLES_0008 = withAdditions(TABLES_0007, LIFETIME_CHOICE)

/** How the user of a session has proved who they are. */
export const AUTHENTICATION: Additions<keyof typeof TABLES_0008> = {
  sessions: { fields: { authentication: addedText } },
}
