/**
 * The providers that have a module of their own, as in `latchkey/providers/github`. A message names the one that was probably
 * meant. It is a list and not a look into the folder, because a bundle has no folders.
 */
export const CATALOGUE_NAMES: readonly string[] =
  '42-school anilist apple asgardeo atlassian auth0 authentik autodesk azure-ad azure-ad-b2c bankid-no battlenet beyondidentity bitbucket box boxyhq-saml bungie click-up cloudflare cognito coinbase concept2 credentials descope discord donation-alerts dribbble dropbox duende-identity-server6 email epic-games etsy eventbrite eveonline facebook faceit figma forwardemail foursquare freshbooks frontegg fusionauth gitea github gitlab google gumroad hubspot huggingface identity-server4 instagram intuit kakao keycloak kick kinde lichess line linear linkedin logto loops mailchimp mailgun mailru mastodon mattermost mercado-libre mercado-pago microsoft-entra-id naver netlify netsuite nextcloud nodemailer notion okta onelogin ory-hydra osu passkey patreon paybin paypal ping-id pinterest pipedrive polar postmark railway reddit resend roblox sailpoint salesforce sendgrid shikimori simplelogin slack spotify start-gg strava synology threads tiktok tiltify todoist trakt tumblr twitch twitter united-effects vercel vipps vk webauthn webex wechat wikimedia withings wordpress workos yahoo yandex zitadel zoho zoom'.split(
    ' ',
  )
