// Writes views/marks.json, the marks of the sign-in page, from the packages simple-icons and @iconify-json/logos:
// npx tsx scripts/provider-marks.ts
//
// The drawings of these packages are in the public domain (CC0-1.0). Marks under another licence of their owners are left
// out, although simple-icons has them, because Latchkey may not pass them on. A mark remains the trademark of its owner, and
// Latchkey uses it only to name that owner.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as icons from 'simple-icons'
import type { DrawnMark, ProviderMarks } from '../lib/pages/provider-mark.js'

const PACKAGES = new URL('../node_modules/', import.meta.url)
const MARKS = new URL('../views/marks.json', import.meta.url)

const LICENSE = 'CC0-1.0'

/**
 * The slug of each provider that simple-icons has. It does not have Amazon, LinkedIn, Microsoft, Oracle, Salesforce, Slack,
 * Yahoo, Yandex and smaller providers, because their owners do not want it or because nobody drew them. LinkedIn, Microsoft
 * and Slack are in {@link LOGOS}; the others get a letter. So do Coinbase, Intuit, Synology, Zoho and Zoom: their marks are
 * their names, which are too small to read.
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

interface Logo {
  readonly name: string
  /** Whether the parts keep their own colours. */
  readonly colours: boolean
}

/**
 * The name of each logo that is from @iconify-json/logos. Google, Microsoft and Slack ask for all colours of their logos.
 * LinkedIn allows one colour, so its mark gets the brand colour, or the colour of the text. Azure AD B2C has no mark, because
 * people sign in there with accounts of the application, not of Microsoft.
 */
export const LOGOS: Readonly<Record<string, Logo>> = {
  'azure-ad': { name: 'microsoft-icon', colours: true },
  google: { name: 'google-icon', colours: true },
  linkedin: { name: 'linkedin-icon', colours: false },
  'microsoft-entra-id': { name: 'microsoft-icon', colours: true },
  slack: { name: 'slack-icon', colours: true },
}

/** The content of views/marks.json. */
export interface MarksFile {
  readonly source: string
  readonly license: string
  readonly marks: ProviderMarks
}

/** Providers whose mark is under a licence of its owner. */
export const RESTRICTED: readonly string[] = Object.keys(SLUGS).filter((id) => !isFree(iconOf(id)))

/** The marks, from the installed versions of the packages. */
export function marksFile(): MarksFile {
  const sources = ['simple-icons', '@iconify-json/logos'].map(sourceOf)
  const drawn: Record<string, string | DrawnMark> = {}
  for (const id of Object.keys(SLUGS)) if (!RESTRICTED.includes(id)) drawn[id] = iconOf(id).path
  for (const [id, logo] of Object.entries(LOGOS)) drawn[id] = drawingOf(logo)
  return {
    source: `${sources.join(' and ')}, by scripts/provider-marks.ts`,
    license: LICENSE,
    marks: Object.fromEntries(Object.entries(drawn).sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

/** The text of views/marks.json. */
export const marksText = (): string => `${JSON.stringify(marksFile(), null, 2)}\n`

function iconOf(id: string): icons.SimpleIcon {
  const slug = SLUGS[id]
  for (const icon of Object.values(icons)) if ('slug' in icon && icon.slug === slug) return icon
  throw new Error(`simple-icons has no "${slug}" for ${id}: correct the slug, or take the line out`)
}

function isFree({ license }: icons.SimpleIcon): boolean {
  return license === undefined || license.type === LICENSE
}

interface Logos {
  readonly width: number
  readonly height: number
  readonly icons: Readonly<Record<string, { readonly body: string; readonly width?: number; readonly height?: number }>>
}

/** A logo in the smallest square around it. */
function drawingOf({ name, colours }: Logo): DrawnMark {
  const logos = readJson<Logos>('@iconify-json/logos/icons.json')
  const logo = logos.icons[name]
  if (!logo) throw new Error(`@iconify-json/logos has no "${name}": correct the name, or take the line out`)
  const { width = logos.width, height = logos.height } = logo
  const side = Math.max(width, height)
  const parts = [...logo.body.matchAll(/<path fill="(#[\da-f]{6})" d="([^"]+)"\/>/g)].map(([, fill = '', path = '']) =>
    colours ? { path, fill } : { path },
  )
  if (parts.length === 0 || parts.length !== logo.body.split('<').length - 1) {
    throw new Error(`"${name}" of @iconify-json/logos has more than filled paths`)
  }
  return { viewBox: `${(width - side) / 2} ${(height - side) / 2} ${side} ${side}`, parts }
}

/** The name and the version of a package whose drawings are free. */
function sourceOf(name: string): string {
  const { version, license } = readJson<{ version: string; license: string }>(`${name}/package.json`)
  if (license !== LICENSE) throw new Error(`${name} ${version} is no longer ${LICENSE} but ${license}`)
  return `${name} ${version}`
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, PACKAGES), 'utf8')) as T

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(MARKS, marksText())
