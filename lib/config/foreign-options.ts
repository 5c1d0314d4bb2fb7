import type { ForeignMember } from '../shapes/object-shape.js'

type Members = Readonly<Record<string, ForeignMember>>

const refused = (message: string): ForeignMember => ({ message })
const unused = (message: string): ForeignMember => ({ message, isUnused: true })

const TOKEN_FORM = refused(
  'is of next-auth 3. Session tokens are always encrypted, with `secret`; `jwt.encode` and `jwt.decode` replace that.',
)

/**
 * Options of Auth.js and next-auth that Latchkey does not have, each with what to write instead. An option is refused if a
 * configuration without it could let other people in. Otherwise Latchkey logs a warning.
 */
export const FOREIGN_OPTIONS = {
  config: {
    site: refused('is of next-auth 2. Set `url`, or AUTH_URL.'),
    database: refused('is of next-auth 3. Set `adapter`.'),
    prefix: refused('is of another integration of Auth.js. Set `basePath`.'),
    redirectUri: refused(
      'is not an option: the URL to register with a provider is that of the mount, with /callback/ and the id of the provider.',
    ),
  },
  session: {
    jwt: refused('is of next-auth 3. Set `session.strategy` to "jwt" or "database".'),
  },
  jwt: {
    signingKey: TOKEN_FORM,
    verificationKey: TOKEN_FORM,
    encryption: TOKEN_FORM,
    encryptionKey: TOKEN_FORM,
    decryptionKey: TOKEN_FORM,
    signingOptions: TOKEN_FORM,
    verificationOptions: TOKEN_FORM,
    encryptionOptions: TOKEN_FORM,
    decryptionOptions: TOKEN_FORM,
    raw: TOKEN_FORM,
  },
  events: {
    error: refused('is of next-auth 3. Faults go to `logger.error`.'),
  },
  pages: {
    credentials: refused('is not a page: the fields of credentials are on the page of `pages.signIn`.'),
    register: refused('is not a page: new users are sent to `pages.newUser`.'),
  },
  cookie: {
    encode: unused('has no effect: values that Latchkey writes need no encoding, or have the usual one.'),
  },
} satisfies Readonly<Record<string, Members>>
