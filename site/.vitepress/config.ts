import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { entries } from '../api.js'
import { pagesOfReference } from '../pages.js'
import { PAGES } from '../places.js'

const titleOf = (page: string) => /^# (.+)$/m.exec(readFileSync(PAGES + page, 'utf8'))?.[1]?.replaceAll('`', '') ?? page

const pagesBelow = (folder: string) =>
  readdirSync(PAGES + folder)
    .filter((name) => name.endsWith('.md') && name !== 'index.md')
    .map((name) => ({ text: titleOf(folder + name), link: `/${folder}${name}` }))
    .sort((a, b) => a.text.localeCompare(b.text, 'en'))

/** The anchor of a heading, as GitHub makes it: a link leads to the same place there and here. */
const slugify = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const reference = pagesOfReference()

export default defineConfig({
  title: 'Latchkey',
  description: 'Authentication for applications on Node',
  lang: 'en',
  srcDir: '.built/pages',
  outDir: '.built/site',
  cacheDir: '.built/cache',
  // A link to a page that is not there ends the build. The documents name addresses of an application, which are no pages.
  ignoreDeadLinks: 'localhostLinks',
  markdown: { html: false, anchor: { slugify } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'By task', link: '/' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'Providers', link: '/providers/' },
      { text: 'API', link: '/api/' },
      { text: 'Errors', link: '/errors' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: {
      '/api/': [
        {
          text: 'API reference',
          link: '/api/',
          items: [...entries()]
            .filter(([, file]) => !file.includes('/catalogue/'))
            .map(([name]) => ({ text: name, link: `/${reference.get(name)}` })),
        },
      ],
      '/providers/': [{ text: 'Providers', link: '/providers/', items: pagesBelow('providers/') }],
      '/decisions/': [{ text: 'Decisions', link: '/decisions/', items: pagesBelow('decisions/') }],
      '/': [
        {
          text: 'Start',
          items: [
            { text: 'Overview', link: '/overview' },
            { text: 'By task', link: '/' },
          ],
        },
        { text: 'Recipes', link: '/recipes/', items: pagesBelow('recipes/') },
        { text: 'Guides', items: pagesBelow('guides/') },
        { text: 'Moving', link: '/migrating/', items: pagesBelow('migrating/') },
        { text: 'More', items: pagesBelow('').filter(({ link }) => link !== '/overview.md') },
      ],
    },
  },
})
