// Writes views/marks.json, the marks of the sign-in page, from the package simple-icons: npx tsx scripts/provider-marks.ts
//
// The drawings of this package are in the public domain (CC0-1.0). Marks under another licence of their owners are left
// out, although the package has them, because Latchkey may not pass them on. A mark remains the trademark of its owner, and
// Latchkey uses it only to name that owner.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as icons from 'simple-icons'
import type { ProviderMarks } from '../lib/pages/marks.js'

const PACKAGE = new URL('../node_modules/simple-icons/package.json', import.meta.url)
const MARKS = new URL('../views/marks.json', import.meta.url)

/**
 * The slug of each provider that simple-icons has. It does not have Amazon, LinkedIn, Microsoft, Oracle, Salesforce, Slack,
 * Yahoo, Yandex and smaller providers, because their owners do not want it or because nobody drew them. These providers get
 * a letter. So do Coinbase, Intuit, Synology, Zoho and Zoom: their marks are their names, which are too small to read.
 */
export const SLUGS: Readonly<Record<string, string>> = {
  '42-school': '42',
  anilist: 'anilist',
  apple: 'apple',
  atlassian: 'atlassian',
  auth0: 'auth0',
  authentik: 'authentik',
  autodesk: 'autodesk',
  battlenet: 'battledotnet',
  bitbucket: 'bitbucket',
  box: 'box',
  bungie: 'bungie',
  'click-up': 'clickup',
  cloudflare: 'cloudflare',
  discord: 'discord',
  dribbble: 'dribbble',
  dropbox: 'dropbox',
  'epic-games': 'epicgames',
  etsy: 'etsy',
  facebook: 'facebook',
  faceit: 'faceit',
  figma: 'figma',
  foursquare: 'foursquare',
  fusionauth: 'fusionauth',
  gitea: 'gitea',
  github: 'github',
  gitlab: 'gitlab',
  google: 'google',
  gumroad: 'gumroad',
  hubspot: 'hubspot',
  huggingface: 'huggingface',
  instagram: 'instagram',
  kakao: 'kakaotalk',
  keycloak: 'keycloak',
  kick: 'kick',
  lichess: 'lichess',
  line: 'line',
  linear: 'linear',
  mailchimp: 'mailchimp',
  mailru: 'maildotru',
  mastodon: 'mastodon',
  mattermost: 'mattermost',
  'mercado-pago': 'mercadopago',
  naver: 'naver',
  netlify: 'netlify',
  nextcloud: 'nextcloud',
  notion: 'notion',
  okta: 'okta',
  'ory-hydra': 'ory',
  osu: 'osu',
  patreon: 'patreon',
  paypal: 'paypal',
  pinterest: 'pinterest',
  railway: 'railway',
  reddit: 'reddit',
  roblox: 'roblox',
  shikimori: 'shikimori',
  simplelogin: 'simplelogin',
  spotify: 'spotify',
  'start-gg': 'startdotgg',
  strava: 'strava',
  threads: 'threads',
  tiktok: 'tiktok',
  todoist: 'todoist',
  trakt: 'trakt',
  tumblr: 'tumblr',
  twitch: 'twitch',
  twitter: 'x',
  vercel: 'vercel',
  vk: 'vk',
  webex: 'webex',
  wechat: 'wechat',
  wikimedia: 'wikimediafoundation',
  wordpress: 'wordpress',
}

/** The content of views/marks.json. */
export interface MarksFile {
  readonly source: string
  readonly license: string
  readonly marks: ProviderMarks
}

/** Providers whose mark is under a licence of its owner. */
export const RESTRICTED: readonly string[] = Object.keys(SLUGS).filter((id) => !isFree(iconOf(id)))

/** The marks, from the installed version of simple-icons. */
export function marksFile(): MarksFile {
  const { version, license } = readPackage()
  if (license !== 'CC0-1.0') throw new Error(`simple-icons ${version} is no longer CC0-1.0 but ${license}`)
  const marks = Object.keys(SLUGS)
    .filter((id) => !RESTRICTED.includes(id))
    .map((id) => [id, iconOf(id).path] as const)
  return { source: `simple-icons ${version}, by scripts/provider-marks.ts`, license, marks: Object.fromEntries(marks) }
}

/** The text of views/marks.json. */
export const marksText = (): string => `${JSON.stringify(marksFile(), null, 2)}\n`

function iconOf(id: string): icons.SimpleIcon {
  const slug = SLUGS[id]
  for (const icon of Object.values(icons)) if ('slug' in icon && icon.slug === slug) return icon
  throw new Error(`simple-icons has no "${slug}" for ${id}: correct the slug, or take the line out`)
}

function isFree({ license }: icons.SimpleIcon): boolean {
  return license === undefined || license.type === 'CC0-1.0'
}

function readPackage(): { version: string; license: string } {
  return JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string; license: string }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(MARKS, marksText())
