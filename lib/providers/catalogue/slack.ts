import { oidcProvider, present } from '../oauth-provider.js'
import { standardClaims } from '../profile-mapping.js'
import type { OpenIDProfile } from '../provider.js'

/** Claims of Slack beyond those of OpenID Connect. */
export interface SlackProfile extends OpenIDProfile {
  'https://slack.com/user_id'?: string
  'https://slack.com/team_id'?: string
}

/** Options of the Slack provider. */
export interface SlackOptions {
  /** Id of a workspace to choose beforehand. */
  team?: string
}

/**
 * Sign-in with Slack.
 *
 * The callback must be on https.
 *
 * @see https://docs.slack.dev/authentication/sign-in-with-slack/
 */
export default oidcProvider<SlackProfile, SlackOptions>(({ team }) => ({
  id: 'slack',
  name: 'Slack',
  issuer: 'https://slack.com',
  authorization: { params: present({ team }) },
  client: { token_endpoint_auth_method: 'client_secret_post' },
  profile: standardClaims,
  /** @see https://docs.slack.dev/authentication/using-token-rotation */
  tokenFacts: {
    // Without token rotation, a token does not expire.
    refresh: 'setting',
    rotates: true,
    accessTokenSeconds: 'setting',
    revocation: { url: 'https://slack.com/api/auth.revoke', dialect: 'bearer', only: 'access' },
    endSession: 'none',
  },
  style: { brandColor: '#611f69' },
}))
