import type { JWTPayload } from 'jose'

/**
 * The claims of a JWT, without a look at its signature, its issuer or its age: for a stored ID token, which was verified when it
 * came, and for one that is verified after this. Empty if there is none, or it is no JWT.
 */
export async function unverifiedClaims(jwt: string | null): Promise<JWTPayload> {
  const { decodeJwt } = await import('jose')
  try {
    return decodeJwt(jwt ?? '')
  } catch {
    return {}
  }
}
