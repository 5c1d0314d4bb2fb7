import { type IssuerOption, oidcProvider, present } from '../oauth-provider.js'
import { firstText, standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Amazon Cognito beyond those of OpenID Connect. */
export interface CognitoProfile extends OpenIDProfile {
  username?: string
  'cognito:username'?: string
}

/** Options of the Cognito provider: `issuer`, or the two it is made of. */
export type CognitoOptions = {
  /** Identity provider of the pool to go to at once, past the hosted page. */
  identityProvider?: string
} & (
  | {
      /** AWS region: `eu-central-1`. */
      region: string
      /** Id of the user pool: `eu-central-1_Ab1Cd2Ef3`. */
      userPoolId: string
    }
  | (IssuerOption & { region?: undefined; userPoolId?: undefined })
)

/**
 * Sign-in with Amazon Cognito.
 *
 * All endpoints are on the domain of the user pool, and not at the issuer. Discovery finds them.
 *
 * A client without a secret sets `client: { token_endpoint_auth_method: "none" }`.
 *
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-userpools-server-contract-reference.html
 */
export default oidcProvider<CognitoProfile, CognitoOptions>(({ issuer, region, userPoolId, identityProvider }) => ({
  id: 'cognito',
  name: 'Amazon Cognito',
  issuer: region && userPoolId ? `https://cognito-idp.${region}.amazonaws.com/${userPoolId}` : issuer,
  requires: !issuer && (region || userPoolId) ? { region, userPoolId } : {},
  authorization: { params: present({ identity_provider: identityProvider }) },
  profile: (profile) => ({
    ...standardClaims(profile),
    name: firstText(profile.name, profile.given_name, profile.username, profile['cognito:username']),
  }),
  /** @see https://docs.aws.amazon.com/cognito/latest/developerguide/revocation-endpoint.html */
  tokenFacts: {
    refresh: 'always',
    rotates: 'setting',
    graceSeconds: 'setting',
    accessTokenSeconds: 3600,
    revocation: { url: 'metadata', dialect: 'rfc7009', only: 'refresh' },
    endSession: { url: 'metadata', returnParam: 'logout_uri' },
  },
  style: { brandColor: '#c17b9e' },
}))
