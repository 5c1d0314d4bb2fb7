// Compiled by `npm run lint`, never run: the functions of `latchkey/jwt` as applications call them.
import type { IncomingMessage } from 'node:http'
import type * as authJs from '@auth/core/jwt'
import type express from 'express'
import type { AuthConfig } from '../../lib/index.js'
import { decode, encode, type GetTokenParams, getToken, type JWT } from '../../lib/jwt/index.js'

interface Claims {
  sub: string
  scope: readonly string[]
}

export async function calls(
  config: AuthConfig,
  secret: string,
  node: IncomingMessage,
  req: express.Request,
  web: Request,
  handshake: { headers: NodeJS.Dict<string | string[]> },
  cookies: Partial<Record<string, string>>,
) {
  const claims: (JWT | null)[] = [
    await getToken(node, config),
    await getToken(req, config),
    await getToken(web, config),
    await getToken(handshake, config),
    await getToken({ headers: new Headers() }, config),
    await getToken(req, ({ hostname }) => ({ ...config, url: `https://${hostname}` })),
    await getToken(web, async ({ url }) => ({ ...config, url })),
    await getToken({ req, secret }),
    await getToken({ req: node, secret: [secret, secret], secureCookie: true, cookieName: 'a', salt: 'b' }),
    await getToken({ req: handshake, secret, decode: async () => null, logger: console }),
    await decode({ token: cookies['a'], secret, salt: 'a' }),
  ]
  const raw: string | null = await getToken({ req: web, secret, raw: true })
  // @ts-expect-error a token that is not valid is null
  const certain: string = await getToken({ req: web, secret, raw: true })
  // @ts-expect-error a text is not a set of claims
  const wrong: JWT | null = await getToken({ req: web, secret, raw: true })

  const own = await encode<Claims>({ token: { sub: '1', scope: [] }, secret, salt: 'a', maxAge: 60 })
  const scope: readonly string[] | undefined = (await decode<Claims>({ token: own, secret, salt: 'a' }))?.scope
  // @ts-expect-error the salt decides on the key
  await encode({ token: {}, secret })
  // @ts-expect-error the secret is not taken from the environment
  await decode({ token: own, salt: 'a' })

  return [claims, raw, certain, wrong, scope]
}

/** What an application gives to the functions of Auth.js fits those of Latchkey. */
export const sameParameters = (
  encoding: authJs.JWTEncodeParams,
  decoding: authJs.JWTDecodeParams,
  getting: Omit<authJs.GetTokenParams, 'decode'>,
) => [encode(encoding), decode(decoding), getToken(getting satisfies GetTokenParams)]

export const config: AuthConfig = {
  providers: [],
  jwt: { encode, decode },
}

export const inFull: AuthConfig = {
  providers: [],
  jwt: { encode: (params) => encode(params), decode: (params) => decode(params) },
}
