import type { ForeignMember } from '../shapes/object-shape.js'

type Members = Readonly<Record<string, ForeignMember>>

const refused = (message: string): ForeignMember => ({ message })
const unused = (message: string): ForeignMember => ({ message, isUnused: true })

const OF_OTHER_VERSIONS = 'is of next-auth 3.'

/**
 * Members of a provider in Auth.js, next-auth and passport that mean nothing here. A member is refused where leaving it out could change what is asked for or who
 * gets in, and warned of where it did nothing that matters.
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
  callbackURL: refused('is no option: it follows from where Latchkey is mounted. Set `url`, or `redirectProxyUrl`.'),
  callbackUrl: refused('is no option: it follows from where Latchkey is mounted. Set `url`, or `redirectProxyUrl`.'),
  subdomain: refused('is of next-auth 3. Set `issuer`.'),
  domain: refused('is of next-auth 3. Set `issuer`.'),
  version: unused('is of next-auth 4, and has no effect: OAuth 2 is all that Latchkey speaks.'),
  httpOptions: unused(
    'is of next-auth 4, and has no effect: calls have ten seconds. A `fetch` of your own stands under `customFetch`.',
  ),
  headers: unused('has no effect. Set `token: { headers }` or `userinfo: { headers }`.'),
}

/** Of earlier releases of Auth.js, whose pages were dark by other colours. */
export const FOREIGN_STYLE: Members = Object.fromEntries(
  ['logoDark', 'bgDark', 'textDark'].map((name) => [
    name,
    unused('is of next-auth 4, and has no effect: colours of the dark pages follow from `brandColor`.'),
  ]),
)

/** Auth.js has one type for all endpoints, and calls these at none but token and userinfo. */
export const FOREIGN_AUTHORIZATION: Members = {
  request: unused('has no effect: the browser makes this request.'),
  conform: unused('has no effect: the browser makes this request.'),
  clientPrivateKey: refused('belongs into `token`.'),
}
