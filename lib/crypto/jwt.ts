/** Claims of a session token. */
export interface DefaultJWT extends Record<string, unknown> {
  name?: string | null | undefined
  email?: string | null | undefined
  picture?: string | null | undefined
  /** Id of the user. */
  sub?: string
  /** Issued at, seconds since the epoch. */
  iat?: number
  /** Expires at, seconds since the epoch. */
  exp?: number
  /** Id of this token. */
  jti?: string
}

/** Claims of a session token. An application can declare claims of its own by augmenting this interface. */
export interface JWT extends Record<string, unknown>, DefaultJWT {}
