import type { ForeignMember } from '../shapes/object-shape.js'

type Members = Readonly<Record<string, ForeignMember>>

const refused = (message: string): ForeignMember => ({ message })
const unused = (message: string): ForeignMember => ({ message, isUnused: true })

const OF_OTHER_VERSIONS = 'is of next-auth 3.'

/**
 * Members of a provider in Auth.js, next-auth and passport that Latchkey does not have. A member is refused if a provider
 * without it could ask for other data or let other people in. Otherwise Latchkey logs a warning.
 */
export const FOREIGN_MEMBERS: Members = {
  accessTokenUrl: refused(`${OF_OTHER_VERSIONS} Set \`token\`.`),
  authorizationUrl: refused(`${OF_OTHER_VERSIONS} Set \`authorization\`.`),
  profileUrl: refused(`${OF_OTHER_VERSIONS} Set \`userinfo\`.`),
  requestTokenUrl: refused('is of OAuth 1, which Latchkey does not speak.'),
  params: refused(`${OF_OTHER_VERSIONS} Set \`authorization: { params }\` or \`token: { params }\`.`),
  state: refused(`${OF_OTHER_VERSIONS} Set \`checks: ["state"]\`.`),
  protection: refused(`${OF_OTHER_VERSIONS} Set \`checks\`.`),
  scope: refused('has no effect here. Set `authorization: { params: { scope } }`.'),
  callbackURL: refused('is not an option: it depends on the mount of Latchkey. Set `url`, or `redirectProxyUrl`.'),
  callbackUrl: refused('is not an option: it depends on the mount of Latchkey. Set `url`, or `redirectProxyUrl`.'),
  redirectUri: unused('is of Auth.js, and has no effect: Latchkey sends the address of its own callback.'),
  subdomain: refused('is of next-auth 3. Set `issuer`.'),
  domain: refused('is of next-auth 3. Set `issuer`.'),
  version: unused('is of next-auth 4, and has no effect: OAuth 2 is all that Latchkey speaks.'),
  httpOptions: unused(
    'is of next-auth 4, and has no effect: calls have ten seconds. Set `[customFetch]` to use a `fetch` of your own.',
  ),
  headers: unused('has no effect. Set `token: { headers }` or `userinfo: { headers }`.'),
}

/** Members of earlier releases of Auth.js, in which the dark pages had other colours. */
export const FOREIGN_STYLE: Members = Object.fromEntries(
  ['logoDark', 'bgDark', 'textDark'].map((name) => [
    name,
    unused('is of next-auth 4, and has no effect: the colours of dark pages are made from `brandColor`.'),
  ]),
)

/** Auth.js has one type for all endpoints, but calls these hooks for the token and userinfo endpoints only. */
export const FOREIGN_AUTHORIZATION: Members = {
  request: unused('has no effect: the browser makes this request.'),
  conform: unused('has no effect: the browser makes this request.'),
  clientPrivateKey: refused('belongs in `token`.'),
}
