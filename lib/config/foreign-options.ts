import type { ForeignMember } from '../shapes/object-shape.js'

type Members = Readonly<Record<string, ForeignMember>>

const refused = (message: string): ForeignMember => ({ message })
const unused = (message: string): ForeignMember => ({ message, isUnused: true })

const SEALED = refused(
  'is of next-auth 3. Session tokens are always encrypted, with `secret`; `jwt.encode` and `jwt.decode` replace that.',
)

/**
 * Options of Auth.js and next-auth that mean nothing here, each with what to write instead. An option is refused where leaving it out could change who gets
 * in, and warned of where it did nothing that matters.
 */
export const FOREIGN_OPTIONS = {
  config: {
    site: refused('is of next-auth 2. Set `url`, or AUTH_URL.'),
    database: refused('is of next-auth 3. Set `adapter`.'),
    prefix: refused('is of another integration of Auth.js. Set `basePath`.'),
    redirectUri: refused(
      'is no option: the URL that providers know is that of the mount, with /callback/ and the id of the provider.',
    ),
  },
  session: {
    jwt: refused('is of next-auth 3. Set `session.strategy` to "jwt" or "database".'),
  },
  jwt: {
    signingKey: SEALED,
    verificationKey: SEALED,
    encryption: SEALED,
    encryptionKey: SEALED,
    decryptionKey: SEALED,
    signingOptions: SEALED,
    verificationOptions: SEALED,
    encryptionOptions: SEALED,
    decryptionOptions: SEALED,
    raw: SEALED,
  },
  events: {
    error: refused('is of next-auth 3. Faults go to `logger.error`.'),
  },
  pages: {
    credentials: refused('is no page: the fields of credentials are on the page of `pages.signIn`.'),
    register: refused('is no page: people who are new are sent to `pages.newUser`.'),
  },
  cookie: {
    encode: unused('has no effect: values that Latchkey writes need no encoding, or have the usual one.'),
  },
} satisfies Readonly<Record<string, Members>>
