// Compiled by `npm run lint`, never run: what the providers' functions take, and what their profiles have.
import type { AuthConfig } from '../../../lib/index.js'
import Apple from '../../../lib/providers/catalogue/apple.js'
import Asgardeo from '../../../lib/providers/catalogue/asgardeo.js'
import Auth0 from '../../../lib/providers/catalogue/auth0.js'
import Authentik from '../../../lib/providers/catalogue/authentik.js'
import AzureAD from '../../../lib/providers/catalogue/azure-ad.js'
import AzureADB2C from '../../../lib/providers/catalogue/azure-ad-b2c.js'
import BeyondIdentity from '../../../lib/providers/catalogue/beyondidentity.js'
import BoxyHQSAML from '../../../lib/providers/catalogue/boxyhq-saml.js'
import Bungie from '../../../lib/providers/catalogue/bungie.js'
import Cognito from '../../../lib/providers/catalogue/cognito.js'
import Discord, { type DiscordProfile } from '../../../lib/providers/catalogue/discord.js'
import DuendeIdentityServer6 from '../../../lib/providers/catalogue/duende-identity-server6.js'
import Facebook from '../../../lib/providers/catalogue/facebook.js'
import Frontegg from '../../../lib/providers/catalogue/frontegg.js'
import FusionAuth from '../../../lib/providers/catalogue/fusionauth.js'
import Gitea from '../../../lib/providers/catalogue/gitea.js'
import GitLab from '../../../lib/providers/catalogue/gitlab.js'
import Google from '../../../lib/providers/catalogue/google.js'
import IdentityServer4 from '../../../lib/providers/catalogue/identity-server4.js'
import Keycloak from '../../../lib/providers/catalogue/keycloak.js'
import Kinde from '../../../lib/providers/catalogue/kinde.js'
import Logto from '../../../lib/providers/catalogue/logto.js'
import Mastodon from '../../../lib/providers/catalogue/mastodon.js'
import Mattermost from '../../../lib/providers/catalogue/mattermost.js'
import NetSuite from '../../../lib/providers/catalogue/netsuite.js'
import Nextcloud from '../../../lib/providers/catalogue/nextcloud.js'
import Okta from '../../../lib/providers/catalogue/okta.js'
import OneLogin from '../../../lib/providers/catalogue/onelogin.js'
import OryHydra from '../../../lib/providers/catalogue/ory-hydra.js'
import PayPal from '../../../lib/providers/catalogue/paypal.js'
import PingID from '../../../lib/providers/catalogue/ping-id.js'
import SailPoint from '../../../lib/providers/catalogue/sailpoint.js'
import Shikimori from '../../../lib/providers/catalogue/shikimori.js'
import Synology from '../../../lib/providers/catalogue/synology.js'
import Tiktok from '../../../lib/providers/catalogue/tiktok.js'
import UnitedEffects from '../../../lib/providers/catalogue/united-effects.js'
import WorkOS from '../../../lib/providers/catalogue/workos.js'
import Zitadel from '../../../lib/providers/catalogue/zitadel.js'
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
    Auth0({ domain: 'acme.eu.auth0.com', audience: 'https://api.example' }),
    Auth0({ issuer: 'https://acme.eu.auth0.com/' }),
    AzureADB2C({ tenant: 'contoso', tenantId: 'uuid', policy: 'B2C_1_in' }),
    AzureADB2C({ issuer: 'https://contoso.b2clogin.com/uuid/v2.0/', wellKnown: 'https://contoso.b2clogin.com/x' }),
    AzureADB2C({ issuer: 'https://contoso.b2clogin.com/tfp/uuid/b2c_1_in/v2.0/' }),
    AzureAD({ tenantId: 'uuid', profilePhotoSize: 0 }),
    Cognito({ region: 'eu-central-1', userPoolId: 'pool' }),
    GitLab({ baseUrl: new URL('https://git.example') }),
    Google({ hostedDomain: 'example.com', authorization: { params: { access_type: 'offline' } } }),
    Keycloak({ issuer: 'https://id.example/realms/main' }),
    // A value of the environment may be absent: that is found at the start, not by the compiler.
    Keycloak({ clientId: process.env['ID'], clientSecret: process.env['SECRET'], issuer: process.env['ISSUER'] }),
    Cognito({ issuer: process.env['ISSUER'] }),
    Gitea({ baseUrl: process.env['GITEA'] }),
    Mastodon({ issuer: 'https://social.example' }),
    // Every provider with an issuer of each customer's own may stand bare.
    ...[
      Auth0,
      Authentik,
      BeyondIdentity,
      BoxyHQSAML,
      DuendeIdentityServer6,
      Frontegg,
      FusionAuth,
      Gitea,
      IdentityServer4,
    ],
    ...[
      Keycloak,
      Kinde,
      Logto,
      Mattermost,
      Nextcloud,
      Okta,
      OneLogin,
      OryHydra,
      PingID,
      Synology,
      UnitedEffects,
      Zitadel,
    ],
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
// @ts-expect-error: nor this one; bare it has all from the environment
Keycloak()
// @ts-expect-error: issuer
Keycloak({})
// @ts-expect-error: issuer
Keycloak({ clientId: 'id', clientSecret: 'secret' })
// @ts-expect-error: issuer, misspelt
Keycloak({ isuer: 'https://id.example/realms/main' })
// @ts-expect-error: issuer or domain
Auth0({ clientId: 'id', audience: 'https://api.example' })
// @ts-expect-error: slug
Authentik({ domain: 'id.example' })
// @ts-expect-error: issuer, or domain and slug
Authentik({ clientId: 'id' })
// @ts-expect-error: issuer
BeyondIdentity({ clientId: 'id' })
// @ts-expect-error: issuer, or region and userPoolId
Cognito({ clientId: 'id' })
// @ts-expect-error: region
Cognito({ userPoolId: 'pool' })
// @ts-expect-error: issuer
DuendeIdentityServer6({ clientId: 'id' })
// @ts-expect-error: issuer
Frontegg({ clientId: 'id' })
// @ts-expect-error: issuer
FusionAuth({ tenantId: 'uuid' })
// @ts-expect-error: issuer
IdentityServer4({ clientId: 'id' })
// @ts-expect-error: issuer
Kinde({ clientId: 'id' })
// @ts-expect-error: issuer
Logto({ clientId: 'id' })
// @ts-expect-error: issuer
Mattermost({ clientId: 'id' })
// @ts-expect-error: issuer
Nextcloud({ clientId: 'id' })
// @ts-expect-error: issuer
Okta({ clientId: 'id' })
// @ts-expect-error: issuer
OryHydra({ clientId: 'id' })
// @ts-expect-error: issuer
PingID({ clientId: 'id' })
// @ts-expect-error: baseUrl
Synology({ clientId: 'id' })
// @ts-expect-error: issuer
UnitedEffects({ clientId: 'id' })
// @ts-expect-error: issuer
Zitadel({ clientId: 'id' })
// @ts-expect-error: accountId
NetSuite({ userinfoUrl: 'https://1.restlets.api.netsuite.com/x' })
// @ts-expect-error: an issuer is a text
Okta({ issuer: 7 })

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
