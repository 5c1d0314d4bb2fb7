import type {
  AdapterAccount,
  AdapterAuthenticator,
  AdapterRecord,
  AdapterSession,
  AdapterTokenSession,
  AdapterUser,
  SessionDetails,
  VerificationToken,
} from '../../adapters/adapter.js'
import { randomHex, randomId, randomToken } from '../../kernel/random.js'

/** What the suite must know about the rows of an adapter's store. */
export interface SampleOptions {
  /** Further members of rows that the store keeps beside those of the contract; they are given and must come back. */
  extra?: { user?: Record<string, unknown>; account?: Record<string, unknown>; session?: Record<string, unknown> }
  /** An id, in the store's own form, that no user has; a random UUID by default. */
  absentUserId?: string
  /**
   * Longest id of a passkey that the store takes, in characters: 1364 by default, which is all of WebAuthn's 1023
   * bytes.
   */
  longestCredentialId?: number
}

export const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** A date `ms` from now whose milliseconds are not zero, so that a store that rounds to seconds shows. */
export function dateFromNow(ms: number): Date {
  const date = new Date(Date.now() + ms)
  date.setUTCMilliseconds(789)
  return date
}

/** Text in base64 of as many characters as asked for, all of them random. */
export const base64Text = (characters: number): string =>
  Buffer.from(randomHex(characters), 'hex').toString('base64').slice(0, characters)

/** An e-mail address that nobody has. */
export const anyEmail = (): string => `${randomHex(8)}@adapter.example`

/** As a browser can send it, in all of the 512 characters that are kept of it. */
const anyUserAgent = (): string => `Mozilla/5.0 (X11; caf\u00e9 'a"\\%_*{b}) ${randomHex(8)} `.padEnd(512, 'Gecko/')

const sessionDetails = (): Required<SessionDetails> => ({
  createdAt: dateFromNow(-DAY_MS),
  lastSeenAt: dateFromNow(-HOUR_MS),
  userAgent: anyUserAgent(),
  network: '2001:db8:ffff::/48',
  kind: 'token',
  name: 'Läufer für CI 李 🗝️',
  scope: 'papers:read papers:write',
  instance: 'shop',
  provider: 'acme',
  subject: `subject|${randomHex(8)}`,
  sid: `sid-${randomHex(8)}`,
})

/** What makes rows to store: each has values that no other row has. */
export type Samples = ReturnType<typeof createSamples>

export function createSamples({ extra, absentUserId, longestCredentialId }: SampleOptions) {
  return {
    absentUserId: absentUserId ?? randomId(),
    longestCredentialId: longestCredentialId ?? 1364,
    user: (members?: Partial<AdapterUser>): AdapterUser => ({
      id: randomId(),
      name: 'Ada Lovelace',
      email: anyEmail(),
      emailVerified: null,
      image: 'https://images.example/ada.png',
      ...extra?.user,
      ...members,
    }),
    account: (userId: string, members?: Partial<AdapterAccount>): AdapterAccount => ({
      userId,
      type: 'oidc',
      provider: 'acme',
      providerAccountId: randomToken(),
      access_token: randomToken(768),
      refresh_token: randomToken(),
      id_token: [randomToken(), randomToken(1500), randomToken()].join('.'),
      token_type: 'bearer',
      scope: 'openid profile email',
      expires_at: 1_795_000_000,
      session_state: randomToken(),
      ...extra?.account,
      ...members,
    }),
    session: (userId: string, members?: Partial<AdapterSession>): AdapterSession => ({
      sessionToken: `sha256:${randomHex()}`,
      userId,
      expires: dateFromNow(30 * DAY_MS),
      ...extra?.session,
      ...members,
    }),
    /** What is known of a session: every member has a value. */
    sessionDetails,
    tokenSession: (userId: string, members?: Partial<AdapterTokenSession>): AdapterTokenSession => ({
      ...sessionDetails(),
      id: randomHex(16),
      userId,
      expires: dateFromNow(30 * DAY_MS),
      revokedAt: null,
      tokenIssuedAt: dateFromNow(-HOUR_MS),
      ...members,
    }),
    record: (members?: Partial<AdapterRecord>): AdapterRecord => ({
      kind: 'example',
      key: randomHex(),
      owner: randomHex(16),
      value: base64Text(4000),
      expires: dateFromNow(DAY_MS),
      version: 1,
      ...members,
    }),
    verificationToken: (members?: Partial<VerificationToken>): VerificationToken => ({
      identifier: anyEmail(),
      token: randomHex(),
      expires: dateFromNow(DAY_MS),
      ...members,
    }),
    authenticator: (userId: string, members?: Partial<AdapterAuthenticator>): AdapterAuthenticator => {
      const credentialID = base64Text(44)
      return {
        credentialID,
        userId,
        providerAccountId: credentialID,
        credentialPublicKey: base64Text(104),
        counter: 0,
        credentialBackedUp: true,
        credentialDeviceType: 'multiDevice',
        transports: 'internal,hybrid',
        ...members,
      }
    },
  }
}

/** A text with the characters of separators, patterns, quotes and escapes. */
export const awkwardText = (stem: string): string => `${stem} {a}:b/c\\d%_*?'"\`--;#&=<é漢🗝️>`

/** Texts with which a store may join the members of a key. */
export const SEPARATORS = [':', '/', '-', '_', '.', ',', '|', ' ', '%3A', '","', '}:']

/**
 * Pairs of texts that look alike. A store must distinguish them: a look-up with one never finds a row of the other.
 * Stores with a collation that folds letters or ignores trailing spaces do not, and then the id of one person finds the
 * account of another.
 */
export function lookalikes(stem: string): readonly (readonly [what: string, stored: string, asked: string])[] {
  return [
    ['case', `${stem}-Case`, `${stem}-case`],
    ['an accent', `${stem}-cafe`, `${stem}-café`],
    ['the form of an accent', `${stem}-caf\u00e9`, `${stem}-cafe\u0301`],
    ['a trailing blank', `${stem}-end`, `${stem}-end `],
    ['a dotless i', `${stem}-mike`, `${stem}-m\u0131ke`],
    ['the width of a letter', `${stem}-a`, `${stem}-\uff41`],
    ['sharp s', `${stem}-strasse`, `${stem}-straße`],
    ['every character', awkwardText(stem), awkwardText(stem).replace('é', 'e')],
    ['its end', `${stem}-long`, `${stem}-`],
    ...['', '%', '*', '_', `${stem}%`, `${stem}*`, "' OR 1=1 --"].map(
      (pattern, index) => ['a pattern', `${stem}-${index}`, pattern] as const,
    ),
  ]
}
