// Compiled by `npm run lint`, never run: what the providers' functions take, and what their profiles have.
import type { AuthConfig } from '../../../lib/index.js'
import Apple from '../../../lib/providers/catalogue/apple.js'
import Asgardeo from '../../../lib/providers/catalogue/asgardeo.js'
import Authentik from '../../../lib/providers/catalogue/authentik.js'
import AzureAD from '../../../lib/providers/catalogue/azure-ad.js'
import AzureADB2C from '../../../lib/providers/catalogue/azure-ad-b2c.js'
import BoxyHQSAML from '../../../lib/providers/catalogue/boxyhq-saml.js'
import Bungie from '../../../lib/providers/catalogue/bungie.js'
import Cognito from '../../../lib/providers/catalogue/cognito.js'
import Discord, { type DiscordProfile } from '../../../lib/providers/catalogue/discord.js'
import Facebook from '../../../lib/providers/catalogue/facebook.js'
import Gitea from '../../../lib/providers/catalogue/gitea.js'
import GitLab from '../../../lib/providers/catalogue/gitlab.js'
import Google from '../../../lib/providers/catalogue/google.js'
import Keycloak from '../../../lib/providers/catalogue/keycloak.js'
import Mastodon from '../../../lib/providers/catalogue/mastodon.js'
import NetSuite from '../../../lib/providers/catalogue/netsuite.js'
import OneLogin from '../../../lib/providers/catalogue/onelogin.js'
import PayPal from '../../../lib/providers/catalogue/paypal.js'
import SailPoint from '../../../lib/providers/catalogue/sailpoint.js'
import Shikimori from '../../../lib/providers/catalogue/shikimori.js'
import Tiktok from '../../../lib/providers/catalogue/tiktok.js'
import WorkOS from '../../../lib/providers/catalogue/workos.js'
import Zoom from '../../../lib/providers/catalogue/zoom.js'
import { customFetch } from '../../../lib/providers/provider.js'

export const right: AuthConfig = {
  providers: [
    // Bare: everything comes from the environment.
    Discord,
    Apple,
    Mastodon,
    Bungie,
    Cognito,
    Discord({ clientId: 'id', clientSecret: 'secret', scope: 'identify', checks: ['state'] }),
    Discord({ profile: (profile: DiscordProfile) => ({ id: profile.id, name: profile.global_name }) }),
    Discord({ allowDangerousEmailAccountLinking: true, style: { brandColor: '#000000' }, [customFetch]: fetch }),
    Apple({ teamId: 'T', keyId: 'K', privateKey: 'pem' }),
    Apple({ clientSecret: 'made elsewhere' }),
    Asgardeo({ organization: 'acme' }),
    Asgardeo({ issuer: 'https://api.asgardeo.io/t/acme' }),
    Authentik({ domain: 'id.example', slug: 'web' }),
    Authentik({ issuer: 'https://id.example/application/o/web/' }),
    AzureADB2C({ tenant: 'contoso', tenantId: 'uuid', policy: 'B2C_1_in' }),
    AzureADB2C({ issuer: 'https://contoso.b2clogin.com/uuid/v2.0/', wellKnown: 'https://contoso.b2clogin.com/x' }),
    AzureAD({ tenantId: 'uuid', profilePhotoSize: 0 }),
    Cognito({ region: 'eu-central-1', userPoolId: 'pool' }),
    GitLab({ baseUrl: new URL('https://git.example') }),
    Google({ hostedDomain: 'example.com', authorization: { params: { access_type: 'offline' } } }),
    Keycloak({ issuer: 'https://id.example/realms/main' }),
    Mastodon({ issuer: 'https://social.example' }),
    NetSuite({ accountId: '1', userinfoUrl: 'https://1.restlets.api.netsuite.com/x' }),
    PayPal({ environment: 'sandbox' }),
    WorkOS({ organization: 'org_1' }),
  ],
}

// A required option is missing.
// @ts-expect-error: issuer
Mastodon({ clientId: 'id' })
// @ts-expect-error: issuer
BoxyHQSAML({ tenant: 'acme' })
// @ts-expect-error: issuer
OneLogin({})
// @ts-expect-error: baseUrl
Gitea({ clientId: 'id' })
// @ts-expect-error: tenantId
AzureADB2C({ tenant: 'contoso', policy: 'B2C_1_in' })
// @ts-expect-error: wellKnown
AzureADB2C({ issuer: 'https://contoso.b2clogin.com/uuid/v2.0/' })
// @ts-expect-error: organization or issuer
Asgardeo({})
// @ts-expect-error: domain
Authentik({ slug: 'web' })
// @ts-expect-error: userPoolId
Cognito({ region: 'eu-central-1' })
// @ts-expect-error: privateKey
Apple({ teamId: 'T', keyId: 'K' })
// @ts-expect-error: apiKey
Bungie({ clientId: 'id' })
// @ts-expect-error: appName
Shikimori({})
// @ts-expect-error: tenant
SailPoint({ clientId: 'id' })
// @ts-expect-error: userinfoUrl
NetSuite({ accountId: '1' })
// @ts-expect-error: a function with required options is not called without any
Mastodon()

// An option is misspelt, or has a value that it cannot have.
// @ts-expect-error: clientSecret
Discord({ clientSecrets: 'secret' })
// @ts-expect-error: configId
Facebook({ configurationId: '1' })
// @ts-expect-error: hostedDomain
Google({ hostDomain: 'example.com' })
// @ts-expect-error: live or sandbox
PayPal({ environment: 'test' })
// @ts-expect-error: plain OAuth has no nonce
Discord({ checks: ['nonce'] })
// @ts-expect-error: one of the three
WorkOS({ organization: 'org_1', connection: 'conn_1' })
// @ts-expect-error: one of the sizes
AzureAD({ profilePhotoSize: 100 })

// A profile has no such field, or the field is of another type.
// @ts-expect-error: global_name
Discord({ profile: (profile) => ({ id: profile.id, name: profile.globalName }) })
// @ts-expect-error: data.user
Tiktok({ profile: ({ user }) => ({ id: user.open_id }) })
// @ts-expect-error: the flag is 0 or 1, and no text
Zoom({ profile: (profile) => ({ id: profile.id, name: profile.verified }) })
// @ts-expect-error: an unknown claim is not known to be an address
Keycloak({ profile: (profile) => ({ id: profile.sub, email: profile['emial'] }) })
// @ts-expect-error: an id is a text
GitLab({ profile: (profile) => ({ id: profile.id }) })
